// Package demo holds the additions of webapp demo to a server: a simulated exchange, a mail
// server that delivers nothing, users and schedules.
package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/exchange/weex/simulator/programme"
)

// The size of the demo's affiliate programme and how fast it is collected. The
// simulated exchange allows ten times the request weight of the real one, so that
// the whole history is collected within half a minute.
const (
	seed         = 20
	days         = 400
	invitees     = 1500
	records      = 30_000
	weightLimit  = 5000
	budget       = 4000
	collectEvery = 20 * time.Second
	speed        = 60 // multiple of the history's pace: about three records a minute
	backupsKept  = 3
)

// OpenExchange starts the simulated exchange of a demo that keeps its data in dir, and
// configures the program to use it.
func OpenExchange(dir string, cfg *config.Config) (*simulator.Server, error) {
	start, err := startOf(dir, cfg.Clock())
	if err != nil {
		return nil, err
	}
	payouts, err := simulator.ParsePayoutRule("day+8h few")
	if err != nil {
		return nil, err
	}
	options := simulator.Options{
		Now: cfg.Now, Seed: seed, Days: days, Invitees: invitees, Records: records, Start: start,
		Faults: simulator.FaultsNormal, Payouts: payouts, RateLimit: weightLimit, Live: true, LiveSpeed: speed, SeparateTrading: true,
	}
	ledger := simulator.New(options).Ledger()
	options.Rates = loweredRates(ledger, start)
	sim, err := simulator.Listen("127.0.0.1:0", options)
	if err != nil {
		return nil, err
	}
	for _, c := range oddRecords(ledger, start) {
		sim.Insert(c)
	}
	cfg.DB = config.Database(filepath.Join(dir, "demo.db"))
	cfg.History = cfg.Clock().Sub(start) + days*24*time.Hour
	cfg.RateBudget, cfg.CollectEvery = budget, collectEvery
	// Orders go to the simulated exchange only, never to an account that a user adds.
	cfg.Trading = config.Trading{Mode: "live", KillFile: cfg.DB.Beside(".kill"), SettingsOnly: true}
	cfg.Backups = config.BackupSettings{Dir: cfg.DB.Beside(".backups"), Keep: backupsKept}
	cfg.Accounts = []config.AccountSettings{AccountName(sim)}
	return sim, nil
}

// loweredTo is the part that remains of the rate that the demo lowers.
var loweredTo = decimal.New(8, -1)

// Rates that the demo lowers, for its pages to find.
const (
	loweredAgo = 27 // days before the start
	steadyFor  = 33 // days before that, in which the rate did not change
)

// loweredRates lowers the rate of the invitee with the most fees by a fifth, and what the
// sub-affiliate with the most fees is paid by a tenth, some weeks before the start. The ledger is
// that of the same programme without it: payouts are made by the rates that a simulator begins with.
func loweredRates(ledger simulator.Ledger, start time.Time) (steps []programme.RateStep) {
	from := start.Truncate(24*time.Hour).AddDate(0, 0, -loweredAgo)
	since := affiliate.MillisOf(from.AddDate(0, 0, -steadyFor))
	of := map[affiliate.UID]*payee{}
	for _, c := range ledger.Commissions {
		if c.Source == affiliate.Direct && c.Coin == "USDT" && c.DealTime >= since && c.DealTime.Time().Before(start) {
			enter(of, c.UID, c.Fee, c.Rate.Decimal())
		}
	}
	if uid, rate := most(of); uid != "" {
		steps = append(steps, programme.RateStep{From: from, UID: uid, Rate: int16(rate.Mul(loweredTo).Mul(decimal.New(10_000, 0)).IntPart())})
	}
	of = map[affiliate.UID]*payee{}
	for _, d := range ledger.SubAffiliateDays {
		if fee := d.NetTradingFee.Decimal(); !fee.IsZero() && d.Date.Start(time.UTC).Before(start) {
			enter(of, d.UID, d.NetTradingFee, d.PaidCommission.Decimal().DivRound(fee, 4))
		}
	}
	if uid, rate := most(of); uid != "" {
		steps = append(steps, programme.RateStep{From: from, SubAffiliate: uid, Rate: int16(rate.Mul(decimal.New(9_000, 0)).IntPart())})
	}
	return steps
}

// payee is whose fees are added up, with the rate if it was always the same.
type payee struct {
	fee, rate decimal.Decimal
	changed   bool
}

func enter(of map[affiliate.UID]*payee, uid affiliate.UID, fee affiliate.Number, rate decimal.Decimal) {
	p := of[uid]
	if p == nil {
		p = &payee{rate: rate}
		of[uid] = p
	}
	p.fee, p.changed = p.fee.Add(fee.Decimal()), p.changed || !p.rate.Equal(rate)
}

// most returns the one with the most fees among those of one rate, and the rate.
func most(of map[affiliate.UID]*payee) (uid affiliate.UID, rate decimal.Decimal) {
	best := decimal.Zero
	for _, id := range slices.Sorted(maps.Keys(of)) {
		if p := of[id]; !p.changed && p.fee.GreaterThan(best) {
			uid, rate, best = id, p.rate, p.fee
		}
	}
	return uid, rate
}

// AccountName returns the account of a simulated exchange.
func AccountName(sim *simulator.Server) config.AccountSettings {
	return config.AccountSettings{
		Name: "main", BaseURL: sim.BaseURL, ContractBaseURL: sim.ContractBaseURL, APIVersion: "v2", Locale: "en-US",
		Keys: config.Keys{
			Key: exchange.Secret(sim.APIKey), Secret: exchange.Secret(sim.APISecret),
			Passphrase: exchange.Secret(sim.APIPassphrase),
		},
		TradingKeys: config.Keys{
			Key: exchange.Secret(sim.TradingAPIKey), Secret: exchange.Secret(sim.TradingAPISecret),
			Passphrase: exchange.Secret(sim.TradingAPIPassphrase),
		},
	}
}

// startOf returns when the simulated programme of a folder began. It is stored with
// the data, so that a restarted demo continues the same programme and collected
// data stay true.
func startOf(dir string, now time.Time) (time.Time, error) {
	path := filepath.Join(dir, "demo.json")
	var kept struct {
		Start time.Time `json:"start"`
	}
	text, err := os.ReadFile(path)
	switch {
	case err == nil:
		if err := json.Unmarshal(text, &kept); err != nil || kept.Start.IsZero() || kept.Start.After(now) {
			return now, fmt.Errorf("%s does not say when the demo began: remove the folder %s to begin anew", path, dir)
		}
		return kept.Start, nil
	case !errors.Is(err, fs.ErrNotExist):
		return now, err
	}
	kept.Start = now.UTC().Truncate(time.Second)
	text, err = json.Marshal(kept)
	if err != nil {
		return now, err
	}
	return kept.Start, os.WriteFile(path, append(text, '\n'), 0o600)
}
