package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/store"
	"rebatedesk/web"
)

// accountDesk is the accounts as the pages have them. What is changed there is
// the collector's from its next run on.
type accountDesk struct {
	*accounts
	collector *collector.Collector
	store     *store.Store
	log       *slog.Logger
}

// List gives all accounts, those of the settings first.
func (d accountDesk) List(ctx context.Context) ([]web.ExchangeAccount, error) {
	states, err := d.accounts.List(ctx)
	list := make([]web.ExchangeAccount, len(states))
	for i, state := range states {
		list[i] = web.ExchangeAccount(state)
	}
	return list, err
}

// Add stores an account, sealed.
func (d accountDesk) Add(ctx context.Context, by store.Audit, f web.AccountForm) error {
	form := AccountForm{Name: f.Name, BaseURL: f.BaseURL, ContractBaseURL: f.ContractBaseURL, APIVersion: f.APIVersion, Locale: f.Locale,
		Keys: KeyForm(f.Keys), TradingKeys: KeyForm(f.TradingKeys)}
	return d.taken(ctx, d.accounts.Add(ctx, by, form))
}

// Rotate gives a stored account another key.
func (d accountDesk) Rotate(ctx context.Context, by store.Audit, name affiliate.Account, seen affiliate.Millis, keys, trading web.AccountKey) error {
	return d.taken(ctx, d.accounts.Rotate(ctx, by, name, seen, KeyForm(keys), KeyForm(trading)))
}

// Disable takes a stored account out of use, or back into it.
func (d accountDesk) Disable(ctx context.Context, by store.Audit, name affiliate.Account, seen affiliate.Millis, disabled bool) error {
	return d.taken(ctx, d.accounts.Disable(ctx, by, name, seen, disabled))
}

// taken hands a change that was made to the collector, and puts what is wrong
// with a form beside its fields. A change that cannot be handed over now is
// handed over by watch.
func (d accountDesk) taken(ctx context.Context, err error) error {
	if faults, ok := errors.AsType[Faults](err); ok {
		return beside(faults)
	}
	if err != nil {
		return err
	}
	if err := d.apply(ctx, d.collector); err != nil {
		d.log.Warn("the collector takes a changed account later", "error", err)
	}
	return nil
}

// beside is what is wrong, by the fields of the pages: they have the names of
// the settings.
func beside(faults Faults) web.FieldFaults {
	fields := web.FieldFaults{}
	for _, f := range faults {
		fields[strings.ToLower(f.Setting)] = oneLine(fmt.Sprintf("This %s: %s.", f.Wrong, f.Mend))
	}
	return fields
}

// pageTestWithin ends a test before the page gives up on it.
const pageTestWithin = 40 * time.Second

// Test makes the checks of the doctor on one account.
func (d accountDesk) Test(ctx context.Context, by store.Audit, name affiliate.Account) ([]web.AccountCheck, error) {
	cfg, err := d.configOf(ctx, name)
	if rule, ok := errors.AsType[*store.RuleError](err); ok {
		return nil, rule
	}
	ctx, cancel := context.WithTimeout(ctx, pageTestWithin)
	defer cancel()
	found := []finding{}
	if err != nil {
		found = append(found, finding{Check: "key", Result: resultFailed, Text: err.Error()})
	} else {
		found = examine(ctx, cfg, d.budget)
	}
	by.Action, by.Object, by.Outcome = "account tested", string(name), "ok"
	checks := make([]web.AccountCheck, len(found))
	for i, f := range found {
		check := strings.TrimSuffix(f.Check, " ("+string(name)+")")
		checks[i] = web.AccountCheck{Name: check, Result: results[f.Result], Text: f.Text, Mend: f.Mend}
		if f.Result == resultFailed && by.Outcome == "ok" {
			by.Outcome = check + " failed"
		}
	}
	return checks, d.store.AppendAudit(context.WithoutCancel(ctx), by)
}

var results = map[string]web.CheckResult{resultOK: web.CheckPassed, resultFailed: web.CheckFailed, resultSkipped: web.CheckSkipped}
