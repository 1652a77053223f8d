package mail

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/findings"
	"rebatedesk/store"
	"rebatedesk/store/outbox"
	"rebatedesk/store/records"
)

const (
	// alertEvery is the interval between checks of the alerts while no run of the collector ends.
	// Their data changes when one does, and they are checked then; their limits are in hours.
	alertEvery = 5 * time.Minute
	// alertAfter is the delay before the first check after a start, unless a run of each account has
	// ended before: the program first collects what it missed while it was not running.
	alertAfter = 10 * time.Minute
)

// runsWatch knows which runs had ended when the alerts were last checked.
type runsWatch struct {
	atStart, seen map[affiliate.Account]int64
	begun         time.Time // of this process's work, by its own clock
	caughtUp      bool      // the first check may be made
}

// noticeRuns makes the alerts due if a run has ended since, in whatever process, and says whether they
// may be checked at all yet.
func (s *Service) noticeRuns(ctx context.Context, w *runsWatch) (may bool, err error) {
	ended, err := store.Reading(ctx, s.store, func(r *store.Tx) (map[affiliate.Account]int64, error) { return records.EndedRuns(ctx, r) })
	if err != nil {
		return false, err
	}
	if w.atStart == nil {
		w.atStart, w.begun = ended, time.Now()
	}
	if !w.caughtUp {
		w.caughtUp = len(ended) > 0
		for account, run := range ended {
			w.caughtUp = w.caughtUp && run > w.atStart[account]
		}
		w.caughtUp = w.caughtUp || time.Since(w.begun) >= alertAfter
	}
	if w.caughtUp && !maps.Equal(ended, w.seen) {
		w.seen, s.alerted = ended, time.Time{}
	}
	return w.caughtUp, nil
}

// lookAtAlerts checks all alerts when a check is due. An alert that fails or panics
// does not affect the others.
func (s *Service) lookAtAlerts(ctx context.Context) error {
	now := s.now()
	if !s.alerted.IsZero() && now.Sub(s.alerted) < alertEvery && !now.Before(s.alerted) {
		return nil
	}
	list, err := s.Subscriptions(ctx, outbox.KindAlert)
	if err != nil {
		return err
	}
	s.alerted = now
	s.safely("looking for events", func() error { return s.lookAtEvents(ctx) })
	for _, raw := range list {
		s.safely(fmt.Sprintf("the alert %q", raw.Name), func() error { return s.lookAt(ctx, raw) })
	}
	return nil
}

// lookAt checks one alert and queues its reports.
func (s *Service) lookAt(ctx context.Context, raw outbox.Subscription) error {
	a, err := ParseAlert(raw)
	if err != nil || a.Paused.Known() || len(a.Active()) == 0 {
		return err
	}
	if s.onlyChannels() && !slices.ContainsFunc(a.Active(), isChannel) {
		return nil // without a mail server alerts are kept until there is one
	}
	// A coin named before its first record may be spelled differently.
	if a.Coin, err = s.reports.Coin(ctx, a.Coin); err != nil {
		return err
	}
	w, err := s.watched(ctx, a.Subscription, func(ctx context.Context, r *store.Tx) ([]outbox.Fact, error) { return outbox.Facts(ctx, r, a.ID) })
	if err != nil {
		return err
	}
	signals, err := a.kind.Alert.Signals(ctx, w)
	if err != nil {
		return err
	}
	_, held := a.Held(w.Now)
	found := settle(w.Known, signals, w.Now, held != "", a.kind.Alert.Lapses)
	if len(found.note)+len(found.over) > 0 {
		err = outbox.NoteFacts(ctx, s.store, a.ID, found.note, found.over)
	}
	if err != nil || len(found.tell) == 0 {
		return err
	}
	return s.queueAlert(ctx, a, found.tell, w.Now)
}

// watched returns what an alert or a channel watches now, with the facts that are known.
func (s *Service) watched(ctx context.Context, of outbox.Subscription, facts func(context.Context, *store.Tx) ([]outbox.Fact, error)) (*findings.Watched, error) {
	from, err := s.as(ctx, of.AsUser)
	if err != nil {
		return nil, err
	}
	w := &findings.Watched{Subscription: of, Now: s.now(), Zone: s.store.Zone(), Ask: from.With}
	r, err := s.store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if w.Known, err = facts(ctx, r); err != nil {
		return nil, err
	}
	w.Collecting, err = records.ReadCollecting(ctx, r, of.Account)
	return w, err
}

// queueAlert stores the message that reports facts to all recipients of an alert.
func (s *Service) queueAlert(ctx context.Context, a Alert, facts []outbox.Fact, now time.Time) error {
	m, err := s.alertMessage(ctx, a, facts, now)
	if err != nil {
		return err
	}
	to, err := s.copiesTo(ctx, m, a.Active(), unsubscribed(a.Subscription))
	if err != nil {
		return err
	}
	queued, err := outbox.QueueAlert(ctx, s.store, facts, m, to)
	if err == nil && queued {
		s.log.Info("an alert was queued", "alert", a.Name, "watches", a.Watches, "facts", len(facts), "recipients", len(to))
	}
	return err
}

// isChannel reports whether a recipient is a channel.
func isChannel(recipient string) bool {
	_, ok := outbox.ChannelOf(recipient)
	return ok
}
