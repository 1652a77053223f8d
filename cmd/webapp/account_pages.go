package main

import (
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
	form := accounts.NewAccount{Name: f.Name, BaseURL: f.BaseURL, ContractBaseURL: f.ContractBaseURL, APIVersion: f.APIVersion, Locale: f.Locale,
		Keys: accounts.KeyEntry(f.Keys), TradingKeys: accounts.KeyEntry(f.TradingKeys), Idle: f.Idle}
	return d.taken(ctx, d.Registry.Add(ctx, by, form))
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
	ctx, cancel := context.WithTimeout(ctx, pageTestWithin)
	defer cancel()
	found := []doctor.Result{}
	if err != nil {
		found = append(found, doctor.Result{Check: "key", Result: doctor.Failed, Text: err.Error()})
	} else {
		found = doctor.ExamineKey(ctx, cfg, d.Budget)
	}
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
