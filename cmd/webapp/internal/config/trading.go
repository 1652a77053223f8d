package config

import (
	"regexp"
	"slices"
	"strings"

	"rebatedesk/affiliate"
)

// Trading holds the permissions and limits of orders.
type Trading struct {
	Mode       string           // off, dry-run or live
	OrderCap   affiliate.Number // maximum value of one order, quote currency; unknown = no cap
	DailyCap   affiliate.Number // maximum value of a day's orders, quote currency; unknown = no cap
	AllowPairs []string         // pairs that may be traded; empty = all
	KillFile   string           // while this file exists nothing is sent

	// SettingsOnly keeps stored accounts from sending. In the demo, which asks
	// for no code and has no caps, only the simulated exchange gets orders.
	SettingsOnly bool
}

// checkTrading reports live trading without a trading key; the collecting key is
// never used instead. Without accounts in the settings, stored accounts may have
// trading keys.
func (r *reader) checkTrading(cfg Config) {
	canTrade := func(a AccountSettings) bool { return a.TradingKeys.Given() }
	if cfg.Trading.Mode == "live" && len(cfg.Accounts) > 0 && !slices.ContainsFunc(cfg.Accounts, canTrade) {
		r.fault("TRADING", r.place("TRADING"), ValueProblem{"is live, and no account has a whole trading key",
			"set TRADING_API_KEY, TRADING_API_SECRET and TRADING_API_PASSPHRASE, or use dry-run"})
	}
}

var pairName = regexp.MustCompile(`^[A-Za-z0-9]+(_[A-Za-z0-9]+)*$`)

func parsePairs(text string) ([]string, *ValueProblem) {
	pairs := strings.Split(text, ",")
	for i, pair := range pairs {
		pairs[i] = strings.TrimSpace(pair)
		if !pairName.MatchString(pairs[i]) {
			return nil, &ValueProblem{"is not a list of pairs", "give names such as BTCUSDT_SPBL, separated by commas"}
		}
	}
	return pairs, nil
}
