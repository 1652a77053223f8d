package config

import (
	"regexp"
	"slices"
	"strings"

	"rebatedesk/affiliate"
)

// Trading is what orders are allowed to do.
type Trading struct {
	Mode       string           // off, dry-run or live
	OrderCap   affiliate.Number // most one order may be worth, quote currency; unknown = no cap
	DailyCap   affiliate.Number // most a day's orders may be worth, quote currency; unknown = no cap
	AllowPairs []string         // pairs that may be traded; empty = all
	KillFile   string           // while it exists nothing is sent

	// SettingsOnly keeps stored accounts from sending. In the demo, which asks
	// for no code and has no caps, only the simulated exchange gets orders.
	SettingsOnly bool
}

// trading reads the trading settings. Orders are sent only with a key made for
// it, so live trading needs one; the key that collects is not taken instead.
// Where the settings have no account, those of the database may have such keys.
func (r *reader) trading(cfg Config) Trading {
	t := Trading{
		Mode:       read(r, "TRADING", OneOf("off", "dry-run", "live")),
		OrderCap:   read(r, "ORDER_CAP", Optional(parseCap)),
		DailyCap:   read(r, "DAILY_CAP", Optional(parseCap)),
		AllowPairs: read(r, "ALLOW_PAIRS", Optional(parsePairs)),
	}
	t.KillFile, _ = r.text(SettingByName("KILL_FILE"))
	if t.KillFile == "" {
		t.KillFile = cfg.DB + ".kill"
	}
	canTrade := func(a Account) bool { return a.TradingKeys.Given() }
	if t.Mode == "live" && len(cfg.Accounts) > 0 && !slices.ContainsFunc(cfg.Accounts, canTrade) {
		_, origin := r.text(SettingByName("TRADING"))
		r.fault("TRADING", origin, Problem{"is live, and no account has a whole trading key",
			"set TRADING_API_KEY, TRADING_API_SECRET and TRADING_API_PASSPHRASE, or use dry-run"})
	}
	return t
}

var pairName = regexp.MustCompile(`^[A-Za-z0-9]+(_[A-Za-z0-9]+)*$`)

func parsePairs(text string) ([]string, *Problem) {
	pairs := strings.Split(text, ",")
	for i, pair := range pairs {
		pairs[i] = strings.TrimSpace(pair)
		if !pairName.MatchString(pairs[i]) {
			return nil, &Problem{"is not a list of pairs", "give names such as BTCUSDT_SPBL, separated by commas"}
		}
	}
	return pairs, nil
}
