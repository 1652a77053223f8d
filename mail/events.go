package mail

import (
	"context"
	"fmt"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/mail/channel"
	"rebatedesk/mail/mailer"
	"rebatedesk/reports/findings"
	"rebatedesk/store"
	"rebatedesk/store/outbox"
)

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
			if kind, event := findings.EventKind(name); event.Signals != nil {
				s.safely(fmt.Sprintf("the event %s of the channel %q", name, c.Name), func() error { return s.lookForEvent(ctx, c, kind, event) })
			}
		}
	}
	return nil
}

// lookForEvent looks for one event of a channel.
func (s *Service) lookForEvent(ctx context.Context, c outbox.Channel, kind *findings.Kind, event findings.Event) error {
	w, err := s.watched(ctx, outbox.Subscription{Since: c.Since}, func(ctx context.Context, r *store.Tx) ([]outbox.Fact, error) {
		known, err := outbox.ChannelFacts(ctx, r, c.ID)
		return slices.DeleteFunc(known, func(f outbox.Fact) bool { return !event.Is(f.Key) }), err
	})
	if err != nil {
		return err
	}
	signals, err := event.Signals(ctx, w)
	if err != nil {
		return err
	}
	found := settle(w.Known, signals, w.Now, false, true)
	if len(found.note)+len(found.over) > 0 {
		if err := outbox.NoteChannelFacts(ctx, s.store, c.ID, found.note, found.over); err != nil {
			return err
		}
	}
	if len(found.tell) == 0 {
		return nil
	}
	if c.Kind != string(channel.Webhook) { // people read one message about all of them
		return s.queueEvent(ctx, c, kind, event.Name, found.tell, w.Now)
	}
	for _, f := range found.tell {
		if err := s.queueEvent(ctx, c, kind, event.Name, []outbox.Fact{f}, w.Now); err != nil {
			return err
		}
	}
	return nil
}

// queueEvent stores the message that tells facts to a channel.
func (s *Service) queueEvent(ctx context.Context, c outbox.Channel, kind *findings.Kind, name string, facts []outbox.Fact, now time.Time) error {
	text := alertText{Title: kind.Headline(&findings.Watched{}, facts), Name: "Event " + name, Link: s.onPage(facts[0].Page),
		Reason: fmt.Sprintf("You get this message because the channel “%s” is told of it. Each event is told once.", affiliate.OneLine(c.Name))}
	text.Subject = "Alert: " + text.Title
	text.tell(facts, s, now)
	m, err := s.plainMessage(ctx, text, fmt.Sprintf("channel %d %s", c.ID, alertScope(Alert{}, facts)), now)
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
		to[i].HeaderID = mailer.HeaderID(m, to[i].Address, s.via().From)
	}
	queued, err := outbox.QueueEvent(ctx, s.store, c.ID, facts, m, to)
	if err == nil && queued {
		s.log.Info("an event was queued", "channel", c.Name, "event", name, "facts", len(facts))
	}
	return err
}
