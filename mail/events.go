package mail

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/mail/channel"
	"rebatedesk/mail/mailer"
	"rebatedesk/reports"
	"rebatedesk/reports/attention"
	"rebatedesk/reports/books"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/rates"
	"rebatedesk/store"
	"rebatedesk/store/closings"
	"rebatedesk/store/outbox"
	"rebatedesk/store/records"
)

// eventOf returns the event that an alert tells programs of. Conditions that are no event of a
// channel have names of their own.
func eventOf(a Alert, facts []outbox.Fact) string {
	switch a.Watches {
	case WatchCollection:
		return EventCollectionFailed
	case WatchGap:
		return EventCollectionIncomplete
	case WatchRestatement:
		return EventFiguresRestated
	case WatchPayment:
		for _, f := range facts {
			if strings.HasSuffix(f.Key, "|"+string(books.Missing)) {
				return EventPaymentMissing
			}
		}
		return EventPaymentShort
	case WatchRate:
		return EventRateChanged
	case WatchSilence:
		return EventInviteeSilent
	}
	return "alert." + a.Watches
}

// watchOf is the condition from which an event is made, and the beginnings of the keys of its
// facts.
var watchOf = map[string]struct {
	watches string
	keys    []string
}{
	EventCollectionFailed:     {WatchCollection, []string{"collection|"}},
	EventCollectionIncomplete: {WatchGap, []string{"gap|"}},
	EventFiguresRestated:      {WatchRestatement, []string{"restatement|"}},
	EventPaymentShort:         {WatchPayment, []string{"payment|"}},
	EventPaymentMissing:       {WatchPayment, []string{"payment|"}},
	EventRateChanged:          {WatchRate, []string{"rate|"}},
	EventInviteeSilent:        {WatchSilence, []string{"silence|"}},
	EventMonthClosed:          {"", []string{"month|"}},
}

// lookAtEvents looks for events and queues their messages. A channel that fails does not affect
// the others.
func (s *Service) lookAtEvents(ctx context.Context) error {
	list, err := s.Channels(ctx)
	if err != nil {
		return err
	}
	for _, c := range list {
		if c.Paused.Known() {
			continue
		}
		for _, name := range c.Events {
			if _, ok := watchOf[name]; ok {
				s.safely(fmt.Sprintf("the event %s of the channel %q", name, c.Name), func() error { return s.lookForEvent(ctx, c, name) })
			}
		}
	}
	return nil
}

// lookForEvent looks for one event of a channel.
func (s *Service) lookForEvent(ctx context.Context, c outbox.Channel, name string) error {
	all, err := reading(ctx, s.store, func(ctx context.Context, r *store.Tx) ([]outbox.Fact, error) {
		return outbox.ChannelFacts(ctx, r, c.ID)
	})
	if err != nil {
		return err
	}
	var known []outbox.Fact
	for _, f := range all {
		if slices.ContainsFunc(watchOf[name].keys, func(key string) bool { return strings.HasPrefix(f.Key, key) }) && s.ofEvent(name, f.Key) {
			known = append(known, f)
		}
	}
	signals, err := s.eventSignals(ctx, c, name, known)
	if err != nil {
		return err
	}
	now := s.now()
	found := settle(known, signals, now, false, true)
	if len(found.note)+len(found.over) > 0 {
		if err := outbox.NoteChannelFacts(ctx, s.store, c.ID, found.note, found.over); err != nil {
			return err
		}
	}
	if len(found.tell) == 0 {
		return nil
	}
	if c.Kind != string(channel.Webhook) { // people read one message about all of them
		return s.queueEvent(ctx, c, name, found.tell, now)
	}
	for _, f := range found.tell {
		if err := s.queueEvent(ctx, c, name, []outbox.Fact{f}, now); err != nil {
			return err
		}
	}
	return nil
}

// ofEvent reports whether a fact of a payment is of the event; all others are.
func (s *Service) ofEvent(name, key string) bool {
	switch name {
	case EventPaymentMissing:
		return strings.HasSuffix(key, "|"+string(books.Missing))
	case EventPaymentShort:
		return strings.HasSuffix(key, "|"+string(books.Short))
	}
	return true
}

// eventSignals returns the conditions of an event that hold now.
func (s *Service) eventSignals(ctx context.Context, c outbox.Channel, name string, known []outbox.Fact) ([]signal, error) {
	now, zone := s.now(), s.store.Zone()
	today := affiliate.DayOf(now, zone)
	q := query.Query{Zone: zone, Today: today, Days: affiliate.Days{First: today, Last: today}, Page: 1, Per: query.DefaultPer}
	a := Alert{Subscription: outbox.Subscription{Watches: watchOf[name].watches, Since: c.Since, Zone: zone.String()}, zone: zone}
	switch name {
	case EventCollectionFailed:
		list, err := s.collecting(ctx)
		return failedSignals(list, zone), err
	case EventCollectionIncomplete:
		list, err := s.collecting(ctx)
		if err != nil {
			return nil, err
		}
		gaps, err := s.reports.Missing(ctx, query.Query{Zone: zone, Today: today, Page: 1, Per: query.DefaultPer})
		gaps = slices.DeleteFunc(slices.Clone(gaps), func(g coverage.Gap) bool { return g.Reason == "" }) // not tried yet
		return a.gapSignals(gaps, list, now), err
	case EventFiguresRestated:
		view, err := s.reports.Attention(ctx, q)
		return restatedFindings(view, c.Since, zone), err
	case EventPaymentShort, EventPaymentMissing:
		view, err := reports.Ask(ctx, s.reports, q, payments.MakeOverview)
		if err != nil {
			return nil, err
		}
		view.Faults = slices.DeleteFunc(slices.Clone(view.Faults), func(l payments.PaymentLine) bool { return !s.ofEvent(name, "|"+string(l.State)) })
		return a.paymentSignals(view, known, zone), nil
	case EventRateChanged:
		q.Days = affiliate.Days{First: today - rateDays + 1, Last: today}
		list, err := reports.Ask(ctx, s.reports, q, rates.MakeDeviations)
		return a.rateSignals(list, q), err
	case EventInviteeSilent:
		list, err := s.reports.Silent(ctx, q)
		if err != nil {
			return nil, err
		}
		var found []signal
		for _, f := range list {
			a.Coin, a.Amount = f.Coin, "0"
			found = append(found, a.silenceSignals([]attention.SilentFinding{f})...)
		}
		return found, nil
	}
	return s.closedSignals(ctx, c.Since)
}

// collecting returns the state of the collection of each account.
func (s *Service) collecting(ctx context.Context) ([]records.Collecting, error) {
	return reading(ctx, s.store, func(ctx context.Context, r *store.Tx) ([]records.Collecting, error) {
		return records.ReadCollecting(ctx, r, "")
	})
}

// failedSignals reports accounts whose newest run failed, once until a run succeeds.
func failedSignals(list []records.Collecting, zone *time.Location) (found []signal) {
	for _, c := range list {
		if c.Error == "" || c.Read.Known() { // a run that is in progress may mend it
			continue
		}
		found = append(found, signal{Key: fmt.Sprintf("collection|%s|%d", c.Account, c.Good), Words: phrase.Failing(c, zone),
			Page: withQuery("/collection", "account", string(c.Account)), Detail: details("account", string(c.Account), "error", phrase.Told(c.Error), "exact", phrase.Exactly(c.Error), "last_good", instant(c.GoodAt))})
	}
	return found
}

// restatedFindings reports changes of past figures that need attention, once a day for each coin.
func restatedFindings(view attention.Report, since affiliate.Millis, zone *time.Location) (found []signal) {
	for _, f := range view.Findings {
		f, ok := f.(attention.RestatedFinding)
		if !ok || f.Newest <= since {
			continue
		}
		found = append(found, signal{Key: fmt.Sprintf("restatement|%s|%s", f.Coin, affiliate.DayOf(f.Newest.Time(), zone)), Words: phrase.Restated(f.Restated, zone),
			Page:   withQuery("/collection/restatements", "from", f.Days.First.String(), "to", f.Days.Last.String(), "coin", string(f.Coin)),
			Detail: restatedDetails(f.Restated)})
	}
	return found
}

// closedSignals reports months that were closed since an instant.
func (s *Service) closedSignals(ctx context.Context, since affiliate.Millis) (found []signal, err error) {
	list, err := reading(ctx, s.store, func(ctx context.Context, r *store.Tx) ([]closings.Closing, error) {
		return closings.List(ctx, r, 0)
	})
	for _, c := range list {
		if !c.InForce() || c.Closed <= since {
			continue
		}
		month := closings.MonthText(c.Month)
		found = append(found, signal{Key: fmt.Sprintf("month|%s|%d", month, c.Closed), Words: "The month " + month + " was closed", Page: "/months/" + month,
			Detail: details("month", month, "closed", instant(c.Closed), "by", c.Actor)})
	}
	return found, err
}

func instant(at affiliate.Millis) string {
	if !at.Known() {
		return ""
	}
	return at.String()
}

// queueEvent stores the message that tells facts to a channel.
func (s *Service) queueEvent(ctx context.Context, c outbox.Channel, name string, facts []outbox.Fact, now time.Time) error {
	a := Alert{Subscription: outbox.Subscription{Watches: watchOf[name].watches}, zone: s.store.Zone()}
	text := alertText{Title: headline(a, facts), Name: "Event " + name, Link: s.onPage(facts[0].Page),
		Reason: fmt.Sprintf("You get this message because the channel “%s” is told of it. Each event is told once.", affiliate.OneLine(c.Name))}
	if name == EventMonthClosed {
		text.Title = phrase.Things(len(facts), "month") + " closed"
	}
	text.Subject = "Alert: " + text.Title
	text.tell(facts, s, now)
	m, err := s.plainMessage(ctx, text, fmt.Sprintf("channel %d %s", c.ID, alertScope(a, facts)), now)
	if err != nil {
		return err
	}
	m.Kind = outbox.SummaryAlert
	m.Event = event{name, now, map[string]any{"text": plainSpaces(text.Heading()), "link": text.Link, "findings": s.findingsOf(facts)}}.json()
	to, err := s.copiesOf(c)
	if err != nil {
		return err
	}
	for i := range to {
		to[i].HeaderID = mailer.HeaderID(m, to[i].Address, s.from)
	}
	queued, err := outbox.QueueEvent(ctx, s.store, c.ID, facts, m, to)
	if err == nil && queued {
		s.log.Info("an event was queued", "channel", c.Name, "event", name, "facts", len(facts))
	}
	return err
}
