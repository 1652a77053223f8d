package accounts

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/collector"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/safehttp"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/identity"
)

// newRegistry are the accounts of a new database, of which those of the
// settings are given.
func newRegistry(t *testing.T, settings ...config.AccountSettings) *Registry {
	t.Helper()
	key := secret.NewKey()
	st, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "desk.db"), store.Options{AuditKey: key.Derive(database.AuditLabel)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	a, err := Open(t.Context(), config.Config{Accounts: settings}, st, key.Box(), exchange.NewBudget(400), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func formOf(name string) NewAccount {
	return NewAccount{Name: name, BaseURL: "https://api.example.com", Keys: KeyEntry{"key-" + name, "secret", "phrase"}}
}

var admin = audit.Line{Actor: "ann", Via: access.ViaSession, Address: "192.0.2.1"}

// Accounts come, change and go while a server runs; one of the settings wins
// over a stored one of its name, whatever its case; and each change has a line
// in the audit log.
func TestAccountsChange(t *testing.T) {
	ctx := t.Context()
	a := newRegistry(t, config.AccountSettings{Name: "main", BaseURL: "https://settings.example.com", APIVersion: "v2", Locale: "en-US", Keys: config.Keys{Key: "k", Secret: "s", Passphrase: "p"}})
	options := collector.Options{Store: a.store, Log: a.log}
	options.Accounts, options.Market = a.Collected()
	col := collector.New(options)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	in := func(want ...affiliate.Account) {
		t.Helper()
		must(a.Apply(ctx, col))
		if got := a.Names(); !slices.Equal(got, want) {
			t.Errorf("in use are %q, want %q", got, want)
		}
	}
	in("main")
	must(a.Add(ctx, admin, formOf("second")))
	must(a.Add(ctx, admin, formOf("MAIN")))
	in("main", "second")
	before, market := a.Collected()
	must(a.Rotate(ctx, admin, "MAIN", store.AnyVersion, KeyEntry{"x", "y", "z"}, KeyEntry{}))
	in("main", "second")
	if after, other := a.Collected(); !slices.Equal(before, after) || market != other {
		t.Error("accounts that did not change have other clients")
	}
	must(a.Rotate(ctx, admin, "Second", store.AnyVersion, KeyEntry{"key2", "secret", "phrase"}, KeyEntry{"t", "u", "v"}))
	in("main", "second")
	if after, _ := a.Collected(); after[1].Source == before[1].Source || after[0].Source != before[0].Source {
		t.Error("the new key is not used, or more than it is new")
	}
	if cfg, err := a.ConfigOf(ctx, "second"); err != nil || cfg.Keys.Key != "key2" || cfg.TradingKeys.Passphrase != "v" || cfg.ContractBaseURL != "https://api.example.com" || cfg.APIVersion != "v2" {
		t.Errorf("%v: %v", cfg, err)
	}
	must(a.Rotate(ctx, admin, "second", store.AnyVersion, KeyEntry{"key3", "secret", "phrase"}, KeyEntry{}))
	if cfg, err := a.ConfigOf(ctx, "second"); err != nil || cfg.Keys.Key != "key3" || cfg.TradingKeys.Key != "t" {
		t.Errorf("the trading key was removed: %v", err)
	}
	must(a.Disable(ctx, admin, "second", store.AnyVersion, true))
	in("main")
	states, err := a.List(ctx)
	must(err)
	if len(states) != 3 || !states[0].Settings || !states[1].Hidden || !states[2].Disabled.Known() || states[1].Problem+states[2].Problem != "" {
		t.Errorf("%+v", states)
	}
	must(a.Disable(ctx, admin, "second", store.AnyVersion, false))
	in("main", "second")
	for _, err := range []error{a.Add(ctx, admin, formOf("SECOND")), a.Disable(ctx, admin, "nobody", store.AnyVersion, true), a.Rotate(ctx, admin, "main2", store.AnyVersion, KeyEntry{"a", "b", "c"}, KeyEntry{}), a.Disable(ctx, admin, "nobody", store.AnyVersion, false)} {
		if _, ok := errors.AsType[*store.RuleError](err); !ok {
			t.Errorf("%v is no broken rule", err)
		}
	}
	want := []string{"account added second", "account added MAIN", "account keys rotated MAIN", "account keys rotated second", "account keys rotated second", "account disabled second", "account enabled second"}
	if got := audited(t, a.store); !slices.Equal(got, want) {
		t.Errorf("the audit log says %q", got)
	}
}

// audited is what the audit log of a store says, all of it by admin.
func audited(t *testing.T, st *store.Store) (said []string) {
	t.Helper()
	r, err := st.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for line, err := range audit.Lines(t.Context(), r, audit.LogQuery{}) {
		if err != nil || line.Actor != "ann" || line.Address != "192.0.2.1" || line.Via != access.ViaSession {
			t.Errorf("%+v: %v", line, err)
		}
		said = append(said, line.Action+" "+line.Object)
	}
	return said
}

// What is wrong with a new account is told all at once, and nothing secret with
// it.
func TestAccountFormsAreChecked(t *testing.T) {
	a := newRegistry(t)
	for _, c := range []struct {
		change func(*NewAccount)
		wrong  string // the settings that are, in order
	}{
		{func(f *NewAccount) { f.Name = "" }, "ACCOUNT"},
		{func(f *NewAccount) { f.Name = "../x" }, "ACCOUNT"},
		{func(f *NewAccount) { f.BaseURL = "" }, "BASE_URL"},
		{func(f *NewAccount) { f.BaseURL = "http://api.example.com" }, "BASE_URL"},
		{func(f *NewAccount) { f.BaseURL = "http://127.0.0.1.example.com" }, "BASE_URL"},
		{func(f *NewAccount) { f.BaseURL = "https://user:hidden@api.example.com" }, "BASE_URL"},
		{func(f *NewAccount) { f.BaseURL = "https://api.example.com/path" }, "BASE_URL"},
		{func(f *NewAccount) { f.ContractBaseURL = "http://10.0.0.1" }, "CONTRACT_BASE_URL"},
		{func(f *NewAccount) { f.BaseURL = "https://169.254.169.254" }, "BASE_URL"},
		{func(f *NewAccount) { f.BaseURL = "https://[::ffff:127.0.0.1]" }, "BASE_URL"},
		{func(f *NewAccount) { f.ContractBaseURL = "https://10.0.0.1" }, "CONTRACT_BASE_URL"},
		{func(f *NewAccount) { f.APIVersion = "v4" }, "API_VERSION"},
		{func(f *NewAccount) { f.Locale = "en US" }, "LOCALE"},
		{func(f *NewAccount) { f.Keys = KeyEntry{} }, "API_KEY API_SECRET API_PASSPHRASE"},
		{func(f *NewAccount) { f.Keys.Secret = "hidden\nhidden" }, "API_SECRET"},
		{func(f *NewAccount) { f.Keys.Key = " hidden" }, "API_KEY"},
		{func(f *NewAccount) { f.TradingKeys.Key = "hidden" }, "TRADING_API_SECRET TRADING_API_PASSPHRASE"},
		{func(f *NewAccount) { *f = NewAccount{} }, "ACCOUNT BASE_URL API_KEY API_SECRET API_PASSPHRASE"},
	} {
		form := formOf("x")
		c.change(&form)
		err := a.Add(t.Context(), admin, form)
		faults, ok := errors.AsType[config.SettingFaults](err)
		var wrong []string
		for _, f := range faults {
			wrong = append(wrong, f.Setting)
		}
		if !ok || strings.Join(wrong, " ") != c.wrong || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %v", c.wrong, err)
		}
	}
	for i, address := range []string{"http://127.0.0.1:80", "http://localhost", "http://[::1]:9", "https://api.example.com/"} {
		form := formOf(fmt.Sprintf("good%d", i))
		form.BaseURL = address
		if err := a.Add(t.Context(), admin, form); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// Keys open only for their account, column and addresses: a user who can write the database
// cannot have them sent to another host.
func TestKeysStayWithTheirAddress(t *testing.T) {
	box := secret.NewKey().Box()
	row, err := sealAccount(box, config.AccountSettings{Name: "a", BaseURL: "https://x", ContractBaseURL: "https://y", Keys: config.Keys{Key: "k", Secret: "s", Passphrase: "p"}, TradingKeys: config.Keys{Key: "tk", Secret: "ts", Passphrase: "tp"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenAccount(box, row, safehttp.Reach{}); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*identity.ExchangeAccount){
		"name":             func(a *identity.ExchangeAccount) { a.Name = "b" },
		"address":          func(a *identity.ExchangeAccount) { a.BaseURL = "https://evil" },
		"contract address": func(a *identity.ExchangeAccount) { a.ContractBaseURL = "https://evil" },
		"columns":          func(a *identity.ExchangeAccount) { a.Keys, a.TradingKeys = a.TradingKeys, a.Keys },
		"no keys":          func(a *identity.ExchangeAccount) { a.Keys = nil },
		"other plain": func(a *identity.ExchangeAccount) {
			a.Keys = box.Seal([]byte(`{"key":"k","secret":"hidden`), KeyRow(*a, keysColumn))
		},
	} {
		changed := row
		change(&changed)
		if cfg, err := OpenAccount(box, changed, safehttp.Reach{}); !errors.Is(err, secret.ErrDamaged) || cfg != (config.AccountSettings{}) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := OpenAccount(secret.NewKey().Box(), row, safehttp.Reach{}); !errors.Is(err, secret.ErrOtherKey) {
		t.Errorf("another key: %v", err)
	}
}

// A test of an account reports errors in the exchange's words, and its outcome is logged.
func TestAccountTest(t *testing.T) {
	now := time.Date(2026, time.November, 18, 12, 0, 0, 0, time.UTC)
	sim, err := simulator.Listen("127.0.0.1:0", simulator.Options{Days: 5, Records: 40, Invitees: 10, RateLimit: -1, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sim.Close(); err != nil {
			t.Error(err)
		}
	})
	a := newRegistry(t)
	a.now = func() time.Time { return now }
	good, bad := formOf("good"), formOf("bad")
	good.BaseURL, bad.BaseURL = sim.BaseURL, sim.BaseURL
	good.Keys = KeyEntry{sim.APIKey, sim.APISecret, sim.APIPassphrase}
	bad.Keys = KeyEntry{sim.APIKey, "wrong", sim.APIPassphrase}
	gone := formOf("gone")
	gone.BaseURL = "http://127.0.0.1:9"
	for _, c := range []struct {
		form  NewAccount
		class exchange.Class
	}{{good, ""}, {bad, exchange.ClassAuth}, {gone, exchange.ClassTransport}} {
		if err := a.Add(t.Context(), admin, c.form); err != nil {
			t.Fatal(err)
		}
		err := a.Test(t.Context(), admin, affiliate.Account(c.form.Name))
		if exchange.ClassOf(err) != c.class || (err == nil) != (c.class == "") {
			t.Errorf("%s: %v", c.form.Name, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := a.Test(ended, admin, "good"); err == nil {
		t.Error("a test that was given up is good")
	}
	if said := audited(t, a.store); len(said) != 7 || said[6] != "account tested good" {
		t.Errorf("the audit log says %q", said)
	}
}
