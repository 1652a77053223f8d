package mail

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// Alerts lists the alerts.
func (s *Service) Alerts(ctx context.Context) ([]store.Alert, error) {
	r, err := s.store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.Alerts(ctx)
}

// AlertState is an alert with what becomes of what it finds.
type AlertState struct {
	store.Alert
	Words   string       // what it watches
	Waiting []store.Fact // found, and held back
	Pending []store.Fact // seen, and not for long enough
	Until   time.Time    // when it may tell next, where it holds back
	Held    string       // why it does; empty: it does not
	Problem string       // why it cannot be used; empty: it can

	Last *store.SentSummary // its newest message; nil: there is none
}

// AlertStates lists the alerts with what they hold back now.
func (s *Service) AlertStates(ctx context.Context) (list []AlertState, err error) {
	r, err := s.store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	alerts, err := r.Alerts(ctx)
	if err != nil {
		return nil, err
	}
	newest, err := r.NewestAlerts(ctx)
	if err != nil {
		return nil, err
	}
	for _, raw := range alerts {
		state := AlertState{Alert: raw}
		if i := slices.IndexFunc(newest, func(m store.SentSummary) bool { return m.Alert == raw.ID }); i >= 0 {
			state.Last = &newest[i]
		}
		facts, err := r.Facts(ctx, raw.ID)
		if err != nil {
			return nil, err
		}
		state.take(facts, s.now())
		list = append(list, state)
	}
	return list, nil
}

func (a *AlertState) take(facts []store.Fact, now time.Time) {
	for _, f := range facts {
		switch {
		case f.Message != 0:
		case f.Lasting.Known():
			a.Waiting = append(a.Waiting, f)
		default:
			a.Pending = append(a.Pending, f)
		}
	}
	parsed, err := ParseAlert(a.Alert)
	if err != nil {
		a.Problem = err.Error()
		return
	}
	a.Words = parsed.Words()
	a.Until, a.Held = parsed.Held(now)
}

// SaveAlert checks and stores an alert. A broken rule is a *store.RuleError; of
// several, all are joined.
func (s *Service) SaveAlert(ctx context.Context, raw store.Alert, by store.Audit) error {
	a, err := s.CheckAlert(ctx, raw)
	if err != nil {
		return err
	}
	if a.Coin, err = s.reports.Coin(ctx, a.Coin); err != nil {
		return err
	}
	_, err = s.store.SaveAlert(ctx, a.Alert, by)
	return err
}

// CheckAlert tells what keeps an alert from being stored, as
// [Service.CheckSchedule] does.
func (s *Service) CheckAlert(ctx context.Context, raw store.Alert) (Alert, error) {
	a, err := ParseAlert(raw)
	errs := faults{err}
	list, err := s.Alerts(ctx)
	if err != nil {
		return a, err
	}
	errs.join(checkName(raw.Name, slices.ContainsFunc(list, func(other store.Alert) bool {
		return other.ID != raw.ID && sameName(other.Name, raw.Name)
	}), "an alert"))
	err = s.knownAccount(ctx, raw.Account)
	if _, rule := errors.AsType[*store.RuleError](err); err != nil && !rule {
		return a, err
	}
	errs.join(err)
	return a, errs.err()
}

// AlertOf reads an alert. One that is not there is a *store.RuleError.
func (s *Service) AlertOf(ctx context.Context, id int64) (store.Alert, error) {
	list, err := s.Alerts(ctx)
	if err != nil {
		return store.Alert{}, err
	}
	if i := slices.IndexFunc(list, func(a store.Alert) bool { return a.ID == id }); i >= 0 {
		return list[i], nil
	}
	return store.Alert{}, &store.RuleError{Problem: "There is no such alert.", Missing: true}
}

// PauseAlert pauses an alert, or takes it up again with what happens from now on.
func (s *Service) PauseAlert(ctx context.Context, name string, paused bool, by store.Audit) error {
	return s.store.PauseAlert(ctx, name, paused, by)
}

// RemoveAlert ends an alert for good.
func (s *Service) RemoveAlert(ctx context.Context, name string, by store.Audit) error {
	return s.store.RemoveAlert(ctx, name, by)
}

func (s *Service) knownAccount(ctx context.Context, account affiliate.Account) error {
	known, err := s.Accounts(ctx)
	if err != nil || account == "" || slices.Contains(known, account) {
		return err
	}
	return &store.RuleError{Problem: fmt.Sprintf("There is no account “%s”.", cut(plain(string(account)), 80)), Field: "account"}
}
