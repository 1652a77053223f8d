package mail

import (
	"context"
	"errors"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store/outbox"
)

// AlertState is an alert with the state of its findings.
type AlertState struct {
	outbox.Subscription
	Words   string        // the watched condition, in words
	Waiting []outbox.Fact // found, and held back
	Pending []outbox.Fact // seen, but not for long enough
	Until   time.Time     // when it may report next, if it holds back
	Held    string        // why it holds back; empty if it does not
	Problem string        // why it cannot be used; empty if it can

	Unknown []affiliate.Coin    // coins without any known commission
	Last    *outbox.SentSummary // its newest message; nil if there is none
}

// AlertStates lists the alerts with the findings that they hold back now.
func (s *Service) AlertStates(ctx context.Context) (list []AlertState, err error) {
	r, err := s.store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	alerts, err := outbox.Subscriptions(ctx, r, outbox.KindAlert)
	if err != nil {
		return nil, err
	}
	known, err := s.reports.Coins(ctx)
	if err != nil {
		return nil, err
	}
	newest, err := outbox.Newest(ctx, r, outbox.KindAlert)
	if err != nil {
		return nil, err
	}
	for _, raw := range alerts {
		state := AlertState{Subscription: raw, Unknown: unknownCoins(known, raw)}
		if i := slices.IndexFunc(newest, func(m outbox.SentSummary) bool { return m.Of == raw.ID }); i >= 0 {
			state.Last = &newest[i]
		}
		facts, err := outbox.Facts(ctx, r, raw.ID)
		if err != nil {
			return nil, err
		}
		state.take(facts, s.now())
		if state.Problem == "" {
			if state.Problem, err = s.lost(ctx, raw); err != nil {
				return nil, err
			}
		}
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
	parsed, err := ParseAlert(a.Subscription)
	if err != nil {
		a.Problem = err.Error()
		return
	}
	a.Words = parsed.Words()
	a.Until, a.Held = parsed.Held(now)
}
