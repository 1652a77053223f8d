package mail

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/mail/mailer"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/outbox"
)

// Alerts lists the alerts.
func (s *Service) Alerts(ctx context.Context) ([]outbox.Alert, error) {
	r, err := s.store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return outbox.Alerts(ctx, r)
}

// AlertState is an alert with what becomes of what it finds.
type AlertState struct {
	outbox.Alert
	Words   string        // what it watches
	Waiting []outbox.Fact // found, and held back
	Pending []outbox.Fact // seen, and not for long enough
	Until   time.Time     // when it may tell next, where it holds back
	Held    string        // why it does; empty: it does not
	Problem string        // why it cannot be used; empty: it can

	Last *outbox.SentSummary // its newest message; nil: there is none
}

// AlertStates lists the alerts with what they hold back now.
func (s *Service) AlertStates(ctx context.Context) (list []AlertState, err error) {
	r, err := s.store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	alerts, err := outbox.Alerts(ctx, r)
	if err != nil {
		return nil, err
	}
	newest, err := outbox.NewestAlerts(ctx, r)
	if err != nil {
		return nil, err
	}
	for _, raw := range alerts {
		state := AlertState{Alert: raw}
		if i := slices.IndexFunc(newest, func(m outbox.SentSummary) bool { return m.Alert == raw.ID }); i >= 0 {
			state.Last = &newest[i]
		}
		facts, err := outbox.Facts(ctx, r, raw.ID)
		if err != nil {
			return nil, err
		}
		state.take(facts, s.now())
		list = append(list, state)
	}
	return list, nil
}

func (a *AlertState) take(facts []outbox.Fact, now time.Time) {
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
func (s *Service) SaveAlert(ctx context.Context, raw outbox.Alert, by audit.Line) error {
	a, err := s.CheckAlert(ctx, raw)
	if err != nil {
		return err
	}
	if a.Coin, err = s.reports.Coin(ctx, a.Coin); err != nil {
		return err
	}
	_, err = outbox.SaveAlert(ctx, s.store, a.Alert, by)
	return err
}

// CheckAlert tells what keeps an alert from being stored, as
// [Service.CheckSchedule] does.
func (s *Service) CheckAlert(ctx context.Context, raw outbox.Alert) (Alert, error) {
	a, err := ParseAlert(raw)
	errs := faults{err}
	list, err := s.Alerts(ctx)
	if err != nil {
		return a, err
	}
	errs.join(checkName(raw.Name, slices.ContainsFunc(list, func(other outbox.Alert) bool {
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
func (s *Service) AlertOf(ctx context.Context, id int64) (outbox.Alert, error) {
	list, err := s.Alerts(ctx)
	if err != nil {
		return outbox.Alert{}, err
	}
	if i := slices.IndexFunc(list, func(a outbox.Alert) bool { return a.ID == id }); i >= 0 {
		return list[i], nil
	}
	return outbox.Alert{}, &store.RuleError{Problem: "There is no such alert.", Missing: true}
}

// PauseAlert pauses an alert, or takes it up again with what happens from now on.
func (s *Service) PauseAlert(ctx context.Context, name string, paused bool, by audit.Line) error {
	return outbox.PauseAlert(ctx, s.store, name, paused, by)
}

// RemoveAlert ends an alert for good.
func (s *Service) RemoveAlert(ctx context.Context, name string, by audit.Line) error {
	return outbox.RemoveAlert(ctx, s.store, name, by)
}

func (s *Service) knownAccount(ctx context.Context, account affiliate.Account) error {
	known, err := s.Accounts(ctx)
	if err != nil || account == "" || slices.Contains(known, account) {
		return err
	}
	return &store.RuleError{Problem: fmt.Sprintf("There is no account “%s”.", mailer.Cut(affiliate.OneLine(string(account)), 80)), Field: "account"}
}
