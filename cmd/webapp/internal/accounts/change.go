package accounts

import (
	"cmp"
	"context"
	"errors"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/exchange"
	"rebatedesk/exchange/known"
	"rebatedesk/safehttp"
	"rebatedesk/store/audit"
	"rebatedesk/store/identity"
)

// AccountInfo is an account as lists show it, without its keys.
type AccountInfo struct {
	Name            affiliate.Account
	Exchange        string // by its name in settings
	BaseURL         string
	ContractBaseURL string
	APIVersion      string
	Locale          string
	Trades          bool
	Settings        bool             // from the settings, the only place where it can be changed
	Hidden          bool             // stored but unused: the settings have an account of its name
	Created         affiliate.Millis // only for stored accounts, like the fields below
	Rotated         affiliate.Millis // when its keys were replaced
	Disabled        affiliate.Millis // unknown if in use
	Updated         affiliate.Millis // distinguishes two versions
	Problem         string           // why it cannot be used; empty if it can
}

// NewAccount is a new account as a user entered it. Fields that are not secret may be
// empty if their setting has a default.
type NewAccount struct {
	Name, Exchange, BaseURL, ContractBaseURL, APIVersion, Locale string
	Keys, TradingKeys                                            KeyEntry
}

// KeyEntry is an API key as a user entered it.
type KeyEntry struct{ Key, Secret, Passphrase string }

// List returns all accounts, those of the settings first.
func (a *Registry) List(ctx context.Context) ([]AccountInfo, error) {
	var states []AccountInfo
	for _, c := range a.settings {
		states = append(states, AccountInfo{Name: c.Name, Exchange: cmp.Or(c.Exchange, known.Default), BaseURL: c.BaseURL, ContractBaseURL: c.ContractBaseURL,
			APIVersion: c.APIVersion, Locale: c.Locale, Trades: c.TradingKeys.Given(), Settings: true})
	}
	stored, err := Stored(ctx, a.store)
	if err != nil {
		return nil, err
	}
	for _, row := range stored {
		state := AccountInfo{Name: row.Name, Exchange: row.Exchange, BaseURL: row.BaseURL, ContractBaseURL: row.ContractBaseURL,
			APIVersion: row.APIVersion, Locale: row.Locale, Trades: len(row.TradingKeys) > 0, Hidden: a.inSettings(row.Name),
			Created: row.Created, Rotated: row.Rotated, Disabled: row.Disabled, Updated: row.Updated}
		if _, err := OpenAccount(a.box, row, a.reach); err != nil {
			state.Problem = err.Error()
		}
		states = append(states, state)
	}
	return states, nil
}

// Add seals and stores an account. by identifies the user: Actor, Via, Address. An invalid
// form is a config.SettingFaults without secrets, a taken name a *store.RuleError. Apply
// passes the account to the collector.
func (a *Registry) Add(ctx context.Context, by audit.Line, form NewAccount) error {
	cfg, err := form.Check(ctx, a.reach)
	if err != nil {
		return err
	}
	row, err := sealAccount(a.box, cfg)
	if err != nil {
		return err
	}
	return identity.AddExchangeAccount(ctx, a.store, row, by)
}

// Rotate replaces the key of a stored account, and its trading key if one is given.
// If the account is no longer the version seen, the error is a *store.RuleError;
// with [store.AnyVersion] every version is replaced.
func (a *Registry) Rotate(ctx context.Context, by audit.Line, name affiliate.Account, seen affiliate.Millis, keys, trading KeyEntry) error {
	row, err := a.stored(ctx, name)
	if err != nil {
		return err
	}
	var c formCheck
	cfg := config.AccountSettings{Name: row.Name, Exchange: row.Exchange, BaseURL: row.BaseURL, ContractBaseURL: row.ContractBaseURL}
	cfg.Keys = c.keys("API_", row.Exchange, keys, true)
	cfg.TradingKeys = c.keys("TRADING_API_", row.Exchange, trading, false)
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
	return identity.RotateExchangeAccount(ctx, a.store, next, by)
}

// Disable takes a stored account out of use, or puts it back, if it is still the
// version seen, as in Rotate.
func (a *Registry) Disable(ctx context.Context, by audit.Line, name affiliate.Account, seen affiliate.Millis, disabled bool) error {
	return identity.DisableExchangeAccount(ctx, a.store, name, seen, disabled, by)
}

// testWithin limits the duration of a test.
const testWithin = 20 * time.Second

// Test reads one commission record of the last day with the account's key, which
// proves address, key and permission. The test and its outcome are written to the
// audit log.
func (a *Registry) Test(ctx context.Context, by audit.Line, name affiliate.Account) error {
	cfg, err := a.ConfigOf(ctx, name)
	if err == nil {
		err = a.ask(ctx, cfg)
	}
	by.Action, by.Object, by.Outcome = "account tested", string(name), "ok"
	if err != nil {
		by.Outcome = cmp.Or(string(exchange.ClassOf(err)), "failed")
	}
	return errors.Join(err, audit.Write(context.WithoutCancel(ctx), a.store, by))
}

// Check turns a form into an account that could be stored. Its faults are those of [Registry.Add].
func (a *Registry) Check(ctx context.Context, form NewAccount) (config.AccountSettings, error) {
	cfg, err := form.Check(ctx, a.reach)
	cfg.Entered = true
	return cfg, err
}

// InSettings reports whether the settings have an account of that name.
func (a *Registry) InSettings(name affiliate.Account) bool { return a.inSettings(name) }

// ConfigOf returns an account of the settings or of the database, with its keys.
func (a *Registry) ConfigOf(ctx context.Context, name affiliate.Account) (config.AccountSettings, error) {
	for _, c := range a.settings {
		if c.Name == name {
			return c, nil
		}
	}
	row, err := a.stored(ctx, name)
	if err != nil {
		return config.AccountSettings{}, err
	}
	return OpenAccount(a.box, row, a.reach)
}

func (a *Registry) ask(ctx context.Context, cfg config.AccountSettings) error {
	client, err := NewClient(cfg, a.BudgetOf(cfg.Exchange), a.now, a.log)
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(exchange.WithTries(ctx, 1), testWithin)
	defer cancel()
	return client.TestKey(ctx)
}

// AddressFaults returns the faults of the fields that are not secret.
func (f NewAccount) AddressFaults() config.SettingFaults {
	var c formCheck
	f.address(&c)
	return c.faults
}

// Check turns a form into an account, by the rules of the settings. Names of hosts are resolved: one
// that leads to an address which may not be reached is refused.
func (f NewAccount) Check(ctx context.Context, reach safehttp.Reach) (config.AccountSettings, error) {
	var c formCheck
	cfg := f.address(&c)
	cfg.Keys = c.keys("API_", cfg.Exchange, f.Keys, true)
	cfg.Reach = reach
	cfg.TradingKeys = c.keys("TRADING_API_", cfg.Exchange, f.TradingKeys, false)
	for name, p := range cfg.BarredNow(ctx) {
		c.faults = append(c.faults, config.SettingFault{Setting: name, Wrong: p.Wrong, Hint: p.Hint})
	}
	if len(c.faults) > 0 {
		return config.AccountSettings{}, c.faults
	}
	return cfg, nil
}

// address returns the account without its keys.
func (f NewAccount) address(c *formCheck) config.AccountSettings {
	cfg := config.AccountSettings{
		Name:       checked(c, "ACCOUNT", f.Name, config.ParseAccountName),
		Exchange:   checked(c, "EXCHANGE", f.Exchange, config.ParseExchange),
		BaseURL:    checked(c, "BASE_URL", f.BaseURL, config.ParseBaseURL),
		APIVersion: checked(c, "API_VERSION", f.APIVersion, config.ParseAPIVersion),
		Locale:     checked(c, "LOCALE", f.Locale, config.ParseLocale),
	}
	cfg.ContractBaseURL = cfg.BaseURL
	if f.ContractBaseURL != "" {
		cfg.ContractBaseURL = checked(c, "CONTRACT_BASE_URL", f.ContractBaseURL, config.ParseBaseURL)
	}
	return cfg
}

// formCheck collects the faults of a form.
type formCheck struct{ faults config.SettingFaults }

// checked parses a field, or the default of its setting if the field is empty.
func checked[T any](c *formCheck, name, text string, parse func(string) (T, *config.ValueProblem)) T {
	if name != "ACCOUNT" { // the default names another account
		text = cmp.Or(text, config.Default(name))
	}
	value, p := parse(text)
	if p != nil {
		c.faults = append(c.faults, config.SettingFault{Setting: name, Wrong: config.Echo(text) + p.Wrong, Hint: p.Hint})
	}
	return value
}

// keys checks the parts of a key. Either all parts are given that keys of the exchange have, or none.
func (c *formCheck) keys(prefix, of string, f KeyEntry, needed bool) (keys config.Keys) {
	if f == (KeyEntry{}) && !needed {
		return keys
	}
	parts := len(config.KeyPartsOf(of))
	for i, text := range []string{f.Key, f.Secret, f.Passphrase} {
		value, p := config.ParseCredential(text)
		if p == nil && text == "" && i < parts {
			p = &config.ValueProblem{Wrong: "is not given", Hint: "give all parts of the key"}
		}
		if p != nil {
			c.faults = append(c.faults, config.SettingFault{Setting: prefix + config.KeyParts[i], Wrong: p.Wrong, Hint: p.Hint})
		}
		*[]*exchange.Secret{&keys.Key, &keys.Secret, &keys.Passphrase}[i] = value
	}
	return keys
}
