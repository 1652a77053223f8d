package mail

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/query"
	"rebatedesk/reports/rates"
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
	ended, err := reading(ctx, s.store, records.EndedRuns)
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
	if s.onlyChannels && !slices.ContainsFunc(a.Active(), isChannel) {
		return nil // without a mail server alerts are kept until there is one
	}
	// A coin named before its first record may be spelled differently.
	if a.Coin, err = s.reports.Coin(ctx, a.Coin); err != nil {
		return err
	}
	known, list, err := s.knownOf(ctx, a)
	if err != nil {
		return err
	}
	signals, err := s.signals(ctx, a, known, list)
	if err != nil {
		return err
	}
	now := s.now()
	_, held := a.Held(now)
	found := settle(known, signals, now, held != "", a.lapses())
	if len(found.note)+len(found.over) > 0 {
		err = outbox.NoteFacts(ctx, s.store, a.ID, found.note, found.over)
	}
	if err != nil || len(found.tell) == 0 {
		return err
	}
	return s.queueAlert(ctx, a, found.tell, now)
}

// knownOf returns the known facts of an alert and the state of the collection.
func (s *Service) knownOf(ctx context.Context, a Alert) ([]outbox.Fact, []records.Collecting, error) {
	r, err := s.store.Read(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	known, err := outbox.Facts(ctx, r, a.ID)
	if err != nil {
		return nil, nil, err
	}
	list, err := records.ReadCollecting(ctx, r, a.Account)
	return known, list, err
}

// signals returns the conditions that hold now among those that an alert watches.
func (s *Service) signals(ctx context.Context, a Alert, known []outbox.Fact, list []records.Collecting) ([]signal, error) {
	now, zone := s.now(), s.store.Zone()
	today := affiliate.DayOf(now, zone)
	q := query.Query{Account: a.Account, Coin: a.Coin, Segment: a.Segment, Zone: zone, Today: today, Page: 1, Per: query.DefaultPer}
	from, err := s.as(ctx, a.AsUser)
	if err != nil {
		return nil, err
	}
	switch a.Watches {
	case WatchCollection:
		return a.collectionSignals(list, known, now, zone), nil
	case WatchGap:
		gaps, err := s.reports.Missing(ctx, q)
		return a.gapSignals(gaps, list, now), err
	case WatchDrop:
		q.Days = affiliate.Days{First: today - dropDays, Last: today - 1}
		days, err := from.Weekdays(ctx, q)
		return a.dropSignals(days, zone), err
	case WatchRestatement:
		changes, err := from.RestatedSince(ctx, q, a.restatedSince(known, now))
		return a.restatedSignals(changes, zone), err
	case WatchPayment:
		q.Days = affiliate.Days{First: today, Last: today} // its findings are of all time
		view, err := reports.Ask(ctx, s.reports, q, payments.MakeOverview)
		return a.paymentSignals(view, known, zone), err
	case WatchOutstanding:
		view, err := s.reports.Outstanding(ctx, q, a.Amount)
		return a.outstandingSignals(view, known, zone), err
	case WatchGoal:
		return s.goalSignals(ctx, a, q)
	case WatchRate:
		q.Days = affiliate.Days{First: today - rateDays + 1, Last: today}
		list, err := reports.Ask(ctx, s.reports, q, rates.MakeDeviations)
		return a.rateSignals(list, q), err
	}
	silent, err := from.Silent(ctx, q)
	return a.silenceSignals(silent), err
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
