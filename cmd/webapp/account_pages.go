package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/accounts"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/doctor"
	"rebatedesk/collector"
	"rebatedesk/exchange/known"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/web/admin"
)

// accountPages gives the pages access to the accounts. The collector uses a changed account
// from its next run on.
type accountPages struct {
	*accounts.Registry
	collector *collector.Collector
	store     *store.Store
	log       *slog.Logger
}

// List returns all accounts, those of the settings first.
func (d accountPages) List(ctx context.Context) ([]admin.ExchangeAccount, error) {
	states, err := d.Registry.List(ctx)
	list := make([]admin.ExchangeAccount, len(states))
	for i, state := range states {
		list[i] = admin.ExchangeAccount(state)
	}
	return list, err
}

// Add seals and stores an account.
func (d accountPages) Add(ctx context.Context, by audit.Line, f admin.AccountForm) error {
	return d.taken(ctx, d.Registry.Add(ctx, by, newAccount(f)))
}

// newAccount reads the form of an account. People leave the address out, which is that of the exchange in
// production, or its scheme, which is https.
func newAccount(f admin.AccountForm) accounts.NewAccount {
	if sheet := known.Sheet(cmp.Or(f.Exchange, known.Default)); sheet != nil && f.BaseURL == "" {
		f.BaseURL, f.ContractBaseURL = sheet.Base, cmp.Or(f.ContractBaseURL, sheet.ContractBase)
	}
	for _, address := range []*string{&f.BaseURL, &f.ContractBaseURL} {
		if *address != "" && !strings.Contains(*address, "://") {
			*address = "https://" + *address
		}
	}
	return accounts.NewAccount{Name: f.Name, Exchange: f.Exchange, BaseURL: f.BaseURL, ContractBaseURL: f.ContractBaseURL, APIVersion: f.APIVersion, Locale: f.Locale,
		Keys: accounts.KeyEntry(f.Keys), TradingKeys: accounts.KeyEntry(f.TradingKeys)}
}

// Rotate replaces the key of a stored account.
func (d accountPages) Rotate(ctx context.Context, by audit.Line, name affiliate.Account, seen affiliate.Millis, keys, trading admin.AccountKey) error {
	return d.taken(ctx, d.Registry.Rotate(ctx, by, name, seen, accounts.KeyEntry(keys), accounts.KeyEntry(trading)))
}

// Disable takes a stored account out of use, or puts it back.
func (d accountPages) Disable(ctx context.Context, by audit.Line, name affiliate.Account, seen affiliate.Millis, disabled bool) error {
	return d.taken(ctx, d.Registry.Disable(ctx, by, name, seen, disabled))
}

// taken passes a change to the collector and turns faults into errors of form fields. If
// the collector cannot be notified now, Watch does it later.
func (d accountPages) taken(ctx context.Context, err error) error {
	if faults, ok := errors.AsType[config.SettingFaults](err); ok {
		return beside(faults)
	}
	if err != nil {
		return err
	}
	if err := d.Apply(ctx, d.collector); err != nil {
		d.log.Warn("the collector takes a changed account later", "error", err)
	}
	return nil
}

// beside returns faults as broken rules of form fields, which are named after settings.
func beside(faults config.SettingFaults) error {
	var rules []error
	for _, f := range faults {
		rules = append(rules, &store.RuleError{Field: strings.ToLower(f.Setting), Problem: config.WithoutControls(fmt.Sprintf("This %s: %s.", f.Wrong, f.Hint))})
	}
	return errors.Join(rules...)
}

// pageTestWithin ends a test before the page times out.
const pageTestWithin = 40 * time.Second

// Test runs the doctor's checks on one account.
func (d accountPages) Test(ctx context.Context, by audit.Line, name affiliate.Account) ([]admin.AccountCheck, error) {
	cfg, err := d.ConfigOf(ctx, name)
	if rule, ok := errors.AsType[*store.RuleError](err); ok {
		return nil, rule
	}
	if err != nil {
		return d.tested(ctx, by, name, []doctor.Result{{Check: "key", Result: doctor.Failed, Text: err.Error()}})
	}
	return d.examine(ctx, by, cfg)
}

// Try runs the same checks on an account that is not stored.
func (d accountPages) Try(ctx context.Context, by audit.Line, f admin.AccountForm) ([]admin.AccountCheck, error) {
	cfg, err := d.Registry.Check(ctx, newAccount(f))
	if faults, ok := errors.AsType[config.SettingFaults](err); ok {
		return nil, beside(faults)
	}
	if err != nil {
		return nil, err
	}
	return d.examine(ctx, by, cfg)
}

func (d accountPages) examine(ctx context.Context, by audit.Line, cfg config.AccountSettings) ([]admin.AccountCheck, error) {
	ctx, cancel := context.WithTimeout(ctx, pageTestWithin)
	defer cancel()
	return d.tested(ctx, by, cfg.Name, doctor.ExamineKey(ctx, cfg, d.BudgetOf(cfg.Exchange)))
}

// tested writes the line of the audit log about a test, and returns its result for a page.
func (d accountPages) tested(ctx context.Context, by audit.Line, name affiliate.Account, found []doctor.Result) ([]admin.AccountCheck, error) {
	by.Action, by.Object, by.Outcome = "account tested", string(name), "ok"
	checks := make([]admin.AccountCheck, len(found))
	for i, f := range found {
		check := strings.TrimSuffix(f.Check, " ("+string(name)+")")
		checks[i] = admin.AccountCheck{Name: check, Result: results[f.Result], Text: f.Text, Hint: f.Hint, Need: needs[f.Need]}
		if f.Result == doctor.Failed && by.Outcome == "ok" {
			by.Outcome = check + " failed"
		}
	}
	return checks, audit.Write(context.WithoutCancel(ctx), d.store, by)
}

var needs = map[doctor.KeyRight]admin.RightNeed{doctor.KeyRightNeeded: admin.RightNeeded, doctor.KeyRightUseful: admin.RightUseful, doctor.KeyRightUnwanted: admin.RightUnwanted}

var results = map[string]admin.CheckResult{doctor.OK: admin.CheckPassed, doctor.Failed: admin.CheckFailed, doctor.Warning: admin.CheckWarned, doctor.Skipped: admin.CheckSkipped}
