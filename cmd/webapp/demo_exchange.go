package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"rebatedesk/exchange"
	"rebatedesk/exchange/simulator"
)

// The demo's programme and how fast it is collected. The simulated exchange
// allows ten times the weight of the real one, so that the whole history is
// there within half a minute; everything else is as usual.
const (
	demoSeed     = 20
	demoDays     = 400
	demoInvitees = 1500
	demoRecords  = 30_000
	demoLimit    = 5000
	demoBudget   = 4000
	demoEvery    = 20 * time.Second
	demoSpeed    = 60 // times the pace of the history: about three records a minute
	demoBackups  = 3
)

// demoExchange starts the simulated exchange of a demo that keeps its data in a
// folder, and sets what leads there.
func demoExchange(dir string, cfg *Config) (*simulator.Server, error) {
	start, err := demoStart(dir, cfg.clock())
	if err != nil {
		return nil, err
	}
	sim, err := simulator.Listen("127.0.0.1:0", simulator.Options{
		Now: cfg.Now, Seed: demoSeed, Days: demoDays, Invitees: demoInvitees, Records: demoRecords, Start: start,
		Faults: simulator.FaultsNormal, RateLimit: demoLimit, Live: true, LiveSpeed: demoSpeed, SeparateTrading: true,
	})
	if err != nil {
		return nil, err
	}
	cfg.DB = filepath.Join(dir, "demo.db")
	cfg.History = cfg.clock().Sub(start) + demoDays*24*time.Hour
	cfg.RateBudget, cfg.CollectEvery = demoBudget, demoEvery
	// The simulated exchange can have orders, and no account that people add can.
	cfg.Trading = TradingConfig{Mode: "live", KillFile: cfg.DB + ".kill", SettingsOnly: true}
	cfg.Backups = BackupConfig{Dir: cfg.DB + ".backups", Keep: demoBackups}
	cfg.Accounts = []AccountConfig{demoAccount(sim)}
	return sim, nil
}

// demoAccount is the account of a simulated exchange.
func demoAccount(sim *simulator.Server) AccountConfig {
	return AccountConfig{
		Name: "main", BaseURL: sim.BaseURL, ContractBaseURL: sim.ContractBaseURL, APIVersion: "v2", Locale: "en-US",
		Keys: Keys{
			Key: exchange.Secret(sim.APIKey), Secret: exchange.Secret(sim.APISecret),
			Passphrase: exchange.Secret(sim.APIPassphrase),
		},
		TradingKeys: Keys{
			Key: exchange.Secret(sim.TradingAPIKey), Secret: exchange.Secret(sim.TradingAPISecret),
			Passphrase: exchange.Secret(sim.TradingAPIPassphrase),
		},
	}
}

// demoStart is when the simulated programme of a folder began to live. It is
// kept beside the data: the same programme goes on when the demo is started
// again, and what was collected stays true.
func demoStart(dir string, now time.Time) (time.Time, error) {
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
