package main

import (
	"bytes"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/accounts"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/cmd/webapp/internal/demo"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/trading"
)

// Orders are sent with the key that may trade, and only if that key is set. Reports use the
// other key. While orders may be sent, a part of the budget is reserved for them.
func TestDeskSendsWithTheTradingKey(t *testing.T) {
	t.Parallel()
	d := newHarness(t, func(o *simulator.Options) {
		o.Days, o.Records, o.Invitees, o.SeparateTrading = 2, 10, 5, true
	})
	st, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "desk.db"), store.Options{AuditKey: bytes.Repeat([]byte{7}, 32)})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	log := slog.New(slog.DiscardHandler)
	both, reading := demo.AccountName(d.sim), demo.AccountName(d.sim)
	reading.Name, reading.TradingKeys = "reading", config.Keys{}
	for mode, reserved := range map[string]bool{"live": true, "dry-run": false, "off": false} {
		cfg := config.Config{Now: d.now, Accounts: []config.AccountSettings{both, reading}, RateBudget: 400, Trading: config.Trading{Mode: mode}}
		budget := newBudget(cfg, st)
		if got := budget.State().Reserve > 0; got != reserved {
			t.Errorf("%s: a part of the budget is kept: %v", mode, got)
		}
		a, err := accounts.Open(t.Context(), cfg, st, nil, budget, log)
		if err != nil {
			t.Fatal(err)
		}
		orders, err := openTrading(t.Context(), cfg, st, a, log)
		if err != nil || orders.Mode() != trading.Mode(mode) {
			t.Fatal(err)
		}
		if mode == "live" {
			sendsByItsKey(t, d, orders)
		}
	}
}

func sendsByItsKey(t *testing.T, d *harness, orders *trading.Desk) {
	t.Helper()
	by := trading.Requester{Name: "theo", Via: "session"}
	draft := trading.Draft{Account: "main", Kind: trading.Place, Pair: "BTCUSDT_SPBL", Source: trading.FromPage, Orders: []trading.Order{{
		Side: "buy", Type: "limit", Force: "normal", Quantity: "0.01",
		Price: affiliate.Number(d.sim.Price("BTCUSDT_SPBL").Decimal().Mul(affiliate.Number("0.95").Decimal()).Truncate(2).String()),
	}}}
	in, err := orders.Prepare(t.Context(), by, draft)
	if err != nil {
		t.Fatal(err)
	}
	if in, err = orders.Send(t.Context(), by, in.ID); err != nil || in.Orders[0].State != trading.IntentPlaced {
		t.Errorf("%+v, %v", in, err)
	}
	draft.Account = "reading"
	var refusal *trading.RefusedDraft
	if _, err := orders.Prepare(t.Context(), by, draft); !errors.As(err, &refusal) || refusal.Flight.Stops()[0].Rule != trading.RuleKey {
		t.Errorf("without a trading key: %v", err)
	}
}

// The demo requires no code: an account that a user adds there sends nothing, whatever its
// key allows.
func TestDemoSendsToNoAddedAccount(t *testing.T) {
	t.Parallel()
	key, log := secret.NewKey(), slog.New(slog.DiscardHandler)
	st := openStore(t, filepath.Join(t.TempDir(), "desk.db"), store.Options{AuditKey: key.Derive(database.AuditLabel)})
	settings := config.Config{Accounts: []config.AccountSettings{{Name: "main", BaseURL: "https://settings.example.com", APIVersion: "v2", Locale: "en-US",
		Keys: config.Keys{Key: "k", Secret: "s", Passphrase: "p"}, TradingKeys: config.Keys{Key: "tk", Secret: "ts", Passphrase: "tp"}}}}
	a, err := accounts.Open(t.Context(), settings, st, key.Box(), exchange.NewBudget(400), log)
	if err != nil {
		t.Fatal(err)
	}
	added := accounts.NewAccount{Name: "real", BaseURL: "https://api.example.com", Keys: accounts.KeyEntry{Key: "key", Secret: "secret", Passphrase: "phrase"}, TradingKeys: accounts.KeyEntry{Key: "trading-key", Secret: "secret", Passphrase: "phrase"}}
	if err := a.Add(t.Context(), audit.Line{Actor: "ann", Via: access.ViaSession}, added); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, sends := range map[affiliate.Account]bool{"main": true, "real": false} {
		orders, err := openTrading(t.Context(), config.Config{Trading: config.Trading{Mode: "live", SettingsOnly: true}}, st, a, log)
		if err != nil {
			t.Fatal(err)
		}
		draft := trading.Draft{Account: name, Kind: trading.Cancel, Pair: "BTCUSDT_SPBL", Source: trading.FromPage, Orders: []trading.Order{{OrderID: "0"}}}
		stops := orders.Check(t.Context(), draft).Stops()
		if refused := stops[0].Rule == trading.RuleKey; refused == sends {
			t.Errorf("%s: %+v", name, stops)
		}
	}
}
