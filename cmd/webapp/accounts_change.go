package main

import (
	"cmp"
	"context"
	"errors"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/store"
)

// AccountState is an account as its list shows it: never its keys.
type AccountState struct {
	Name            affiliate.Account
	BaseURL         string
	ContractBaseURL string
	APIVersion      string
	Locale          string
	Trades          bool
	Settings        bool             // it is in the settings and can be changed there only
	Hidden          bool             // stored, and not used: one of the settings has its name
	Created         affiliate.Millis // stored accounts only, like what follows
	Rotated         affiliate.Millis // when it was given its keys
	Disabled        affiliate.Millis // unknown: it is in use
	Updated         affiliate.Millis // tells two versions apart
	Problem         string           // why it cannot be used; empty: it can
}

// AccountForm is a new account as somebody wrote it. What is not secret may be
// left empty where the settings have a default.
type AccountForm struct {
	Name, BaseURL, ContractBaseURL, APIVersion, Locale string
	Keys, TradingKeys                                  KeyForm
}

// KeyForm is a key as somebody wrote it.
type KeyForm struct{ Key, Secret, Passphrase string }

// List gives all accounts, those of the settings first.
func (a *accounts) List(ctx context.Context) ([]AccountState, error) {
	var states []AccountState
	for _, c := range a.settings {
		states = append(states, AccountState{Name: c.Name, BaseURL: c.BaseURL, ContractBaseURL: c.ContractBaseURL,
			APIVersion: c.APIVersion, Locale: c.Locale, Trades: c.TradingKeys.Given(), Settings: true})
	}
	stored, err := storedAccounts(ctx, a.store)
	if err != nil {
		return nil, err
	}
	for _, row := range stored {
		state := AccountState{Name: row.Name, BaseURL: row.BaseURL, ContractBaseURL: row.ContractBaseURL,
			APIVersion: row.APIVersion, Locale: row.Locale, Trades: len(row.TradingKeys) > 0, Hidden: a.inSettings(row.Name),
			Created: row.Created, Rotated: row.Rotated, Disabled: row.Disabled, Updated: row.Updated}
		if _, err := openAccount(a.box, row, a.private); err != nil {
			state.Problem = err.Error()
		}
		states = append(states, state)
	}
	return states, nil
}

// Add stores an account, sealed. by says who does it: Actor, Via, Address. What
// is wrong with the form is a [Faults] that repeats nothing secret, a name that
// is taken a *store.RuleError. The collector takes the account with apply.
func (a *accounts) Add(ctx context.Context, by store.Audit, form AccountForm) error {
	cfg, err := form.check(a.private)
	if err != nil {
		return err
	}
	row, err := sealAccount(a.box, cfg)
	if err != nil {
		return err
	}
	return a.store.AddExchangeAccount(ctx, row, by)
}

// Rotate gives a stored account another key. A trading key stays where none is
// given. An account that is not the version seen any more is a *store.RuleError;
// with [store.AnyVersion] whatever is stored is changed.
func (a *accounts) Rotate(ctx context.Context, by store.Audit, name affiliate.Account, seen affiliate.Millis, keys, trading KeyForm) error {
	row, err := a.stored(ctx, name)
	if err != nil {
		return err
	}
	var c formCheck
	cfg := AccountConfig{Name: row.Name, BaseURL: row.BaseURL, ContractBaseURL: row.ContractBaseURL}
	cfg.Keys = c.keys("API_", keys, true)
	cfg.TradingKeys = c.keys("TRADING_API_", trading, false)
	if len(c.faults) > 0 {
		return c.faults
	}
	next, err := sealAccount(a.box, cfg)
	if err != nil {
		return err
	}
	next.Updated = seen
	if !cfg.TradingKeys.Given() {
		next.TradingKeys = row.TradingKeys
	}
	return a.store.RotateExchangeAccount(ctx, next, by)
}

// Disable takes a stored account out of use, or back into it, if it is the version
// seen as in Rotate.
func (a *accounts) Disable(ctx context.Context, by store.Audit, name affiliate.Account, seen affiliate.Millis, disabled bool) error {
	return a.store.DisableExchangeAccount(ctx, name, seen, disabled, by)
}

// testWithin is how long a test of an account may take.
const testWithin = 20 * time.Second

// Test reads one commission record of the last day with the account's key: that
// shows address, key and permission. The error says what is wrong and what
// helps. The audit log tells of the test and how it ended.
func (a *accounts) Test(ctx context.Context, by store.Audit, name affiliate.Account) error {
	cfg, err := a.configOf(ctx, name)
	if err == nil {
		err = a.ask(ctx, cfg)
	}
	by.Action, by.Object, by.Outcome = "account tested", string(name), "ok"
	if err != nil {
		by.Outcome = cmp.Or(string(exchange.ClassOf(err)), "failed")
	}
	return errors.Join(err, a.store.AppendAudit(context.WithoutCancel(ctx), by))
}

// configOf is an account of the settings or of the database, with its keys.
func (a *accounts) configOf(ctx context.Context, name affiliate.Account) (AccountConfig, error) {
	for _, c := range a.settings {
		if c.Name == name {
			return c, nil
		}
	}
	row, err := a.stored(ctx, name)
	if err != nil {
		return AccountConfig{}, err
	}
	return openAccount(a.box, row, a.private)
}

func (a *accounts) ask(ctx context.Context, cfg AccountConfig) error {
	client, err := newClient(cfg, a.budget, a.now, a.log)
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(exchange.WithTries(ctx, 1), testWithin)
	defer cancel()
	now, err := client.Now(ctx)
	if err != nil {
		return err
	}
	_, err = client.Commissions(ctx, exchange.CommissionQuery{
		Start: affiliate.MillisOf(now.Add(-24 * time.Hour)), End: affiliate.MillisOf(now), PageSize: 1})
	return err
}

// addressFaults is what is wrong with what is not secret.
func (f AccountForm) addressFaults() Faults {
	var c formCheck
	f.address(&c)
	return c.faults
}

// check turns a form into an account, by the rules of the settings.
func (f AccountForm) check(private bool) (AccountConfig, error) {
	var c formCheck
	cfg := f.address(&c)
	cfg.Keys = c.keys("API_", f.Keys, true)
	cfg.AllowPrivate = private
	cfg.TradingKeys = c.keys("TRADING_API_", f.TradingKeys, false)
	for name, p := range cfg.inside() {
		c.faults = append(c.faults, Fault{Setting: name, Wrong: p.wrong, Mend: p.mend})
	}
	if len(c.faults) > 0 {
		return AccountConfig{}, c.faults
	}
	return cfg, nil
}

// address is the account without its keys.
func (f AccountForm) address(c *formCheck) AccountConfig {
	cfg := AccountConfig{
		Name:       checked(c, "ACCOUNT", f.Name, parseAccountName),
		BaseURL:    checked(c, "BASE_URL", f.BaseURL, parseBaseURL),
		APIVersion: checked(c, "API_VERSION", f.APIVersion, oneOf("v2", "v3")),
		Locale:     checked(c, "LOCALE", f.Locale, parseLocale),
	}
	cfg.ContractBaseURL = cmp.Or(checked(c, "CONTRACT_BASE_URL", f.ContractBaseURL, optional(parseBaseURL)), cfg.BaseURL)
	return cfg
}

// formCheck gathers what is wrong with a form.
type formCheck struct{ faults Faults }

// checked is a field, or the default of its setting where it is empty.
func checked[T any](c *formCheck, name, text string, parse func(string) (T, *problem)) T {
	if name != "ACCOUNT" { // its default is an account of its own
		text = cmp.Or(text, settingByName(name).fallback)
	}
	value, p := parse(text)
	if p != nil {
		c.faults = append(c.faults, Fault{Setting: name, Wrong: echo(text) + p.wrong, Mend: p.mend})
	}
	return value
}

// keys checks the parts of a key. A part alone is as wrong as a part missing.
func (c *formCheck) keys(prefix string, f KeyForm, needed bool) (keys Keys) {
	if f == (KeyForm{}) && !needed {
		return keys
	}
	for i, text := range []string{f.Key, f.Secret, f.Passphrase} {
		value, p := parseCredential(text)
		if p == nil && text == "" {
			p = &problem{"is not given", "give all three parts of the key"}
		}
		if p != nil {
			c.faults = append(c.faults, Fault{Setting: prefix + keyParts[i], Wrong: p.wrong, Mend: p.mend})
		}
		*[]*exchange.Secret{&keys.Key, &keys.Secret, &keys.Passphrase}[i] = value
	}
	return keys
}
