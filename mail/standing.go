package mail

import (
	"context"
	"errors"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/mail/mailer"
	"rebatedesk/reports"
	"rebatedesk/reports/query"
	"rebatedesk/store"
	"rebatedesk/store/identity"
	"rebatedesk/store/outbox"
	"rebatedesk/store/segments"
)

// deadFor is how long an abandoned mail is still mentioned.
const deadFor = 24 * time.Hour

// Now returns the current time of the mail service.
func (s *Service) Now() time.Time { return s.now() }

// Outbox returns the state of the deliveries. Abandoned ones count for a day.
func (s *Service) Outbox(ctx context.Context) (outbox.MailHealth, error) {
	return store.Reading(ctx, s.store, func(r *store.Tx) (outbox.MailHealth, error) {
		return outbox.ReadMailHealth(ctx, r, affiliate.MillisOf(s.now().Add(-deadFor)))
	})
}

// Accounts lists the accounts that a summary can be about.
func (s *Service) Accounts(ctx context.Context) ([]affiliate.Account, error) {
	return store.Reading(ctx, s.store, func(r *store.Tx) ([]affiliate.Account, error) { return r.Accounts(ctx) })
}

// Standing is a schedule with its current state.
type Standing struct {
	outbox.Subscription
	Problem string              // why it cannot be used; empty if it can
	Next    time.Time           // when it is next due; zero if it is paused or unusable
	Waits   *Overdue            // nil: nothing is due
	Unknown []affiliate.Coin    // coins without any known commission
	Last    *outbox.SentSummary // its newest message; nil if there is none
}

// Overdue is a period that is due but not sent yet.
type Overdue struct {
	dispatch.Period
	Due, Until time.Time // Until is the deadline, at which it is sent even if incomplete
	Gate       Gate
}

// Standings lists all schedules with their current state, by name.
func (s *Service) Standings(ctx context.Context) ([]Standing, error) {
	list, newest, err := s.readStandings(ctx)
	if err != nil {
		return nil, err
	}
	known, err := s.reports.Coins(ctx)
	if err != nil {
		return nil, err
	}
	standings := make([]Standing, len(list))
	for i, one := range list {
		standings[i].Subscription, standings[i].Unknown = one, unknownCoins(known, one)
		for _, last := range newest {
			if last.Of == one.ID {
				standings[i].Last = &last
			}
		}
		if err := s.lookAhead(ctx, &standings[i]); err != nil {
			return nil, err
		}
	}
	return standings, nil
}

func (s *Service) readStandings(ctx context.Context) (list []outbox.Subscription, newest []outbox.SentSummary, err error) {
	r, err := s.store.Read(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	if list, err = outbox.Subscriptions(ctx, r, outbox.KindSchedule); err != nil {
		return nil, nil, err
	}
	newest, err = outbox.Newest(ctx, r, outbox.KindSchedule)
	return list, newest, err
}

// lost returns why the segment or the user of a subscription cannot be used: it was removed, for
// example. It is empty if both can.
func (s *Service) lost(ctx context.Context, sub outbox.Subscription) (string, error) {
	err := s.reports.FindSegment(ctx, sub.Segment)
	if err == nil {
		_, err = s.as(ctx, sub.AsUser)
	}
	if wrong, ok := errors.AsType[*query.ParamError](err); ok {
		return wrong.Error(), nil
	}
	return "", err
}

// Segments lists the names of the segments that a mail can be about.
func (s *Service) Segments(ctx context.Context) ([]string, error) {
	return store.Reading(ctx, s.store, func(r *store.Tx) ([]string, error) { return segments.Names(ctx, r) })
}

// BoundUsers lists the names of the users whose invitees a mail can be about: those who are bound.
func (s *Service) BoundUsers(ctx context.Context) (names []string, err error) {
	users, err := identity.Users(ctx, s.store)
	for _, u := range users {
		if !u.Bound.Everything() && !u.Disabled.Known() {
			names = append(names, u.Name)
		}
	}
	return names, err
}

// as returns the reports as a user sees them, and without a name those about everybody. It is a
// *query.ParamError if the user does not exist, is disabled or sees everybody: such a mail would
// otherwise be about more than was meant.
func (a *author) as(ctx context.Context, name string) (*reports.Service, error) {
	if name == "" {
		return a.reports, nil
	}
	wrong := query.ParamError{Param: "as_user", Value: name}
	user, err := identity.UserNamed(ctx, a.store, name)
	rule, missing := errors.AsType[*store.RuleError](err)
	switch {
	case missing && rule.Missing:
		wrong.Problem = "there is no such user"
	case err != nil:
		return nil, err
	case user.Disabled.Known():
		wrong.Problem = "the user is disabled"
	case user.Bound.Everything():
		wrong.Problem = "the user sees everybody: choose a user who is bound, or nobody"
	default:
		return a.reports.For(user.Bound), nil
	}
	return nil, &wrong
}

// lookAhead determines when a schedule is next due, and what it waits for now.
func (s *Service) lookAhead(ctx context.Context, at *Standing) error {
	sc, err := ParseSchedule(at.Subscription)
	if err != nil {
		at.Problem = err.Error()
		return nil
	}
	if at.Problem, err = s.lost(ctx, at.Subscription); err != nil || at.Problem != "" || at.Paused.Known() {
		return err
	}
	at.Next = s.NextDue(sc)
	times := sc.Times(s.store.Zone())
	due := times.Due(sc.Through, s.now())
	if len(due) == 0 {
		return nil
	}
	w := &Overdue{Period: due[len(due)-1]}
	w.Due, w.Until = times.DueAt(w.Period), times.Until(w.Period)
	at.Waits = w
	w.Gate, err = s.gate(ctx, sc, w.Period)
	if wrong, ok := errors.AsType[*query.ParamError](err); ok {
		at.Problem, err = wrong.Error(), nil // its account no longer exists, for example
	}
	return err
}

// Sent returns a delivery with its message as it was sent. Only the whole message
// contains the link that ends the recipient's mails.
func (s *Service) Sent(ctx context.Context, id int64, whole bool) (d outbox.Attempt, content []byte, err error) {
	r, err := s.store.Read(ctx)
	if err != nil {
		return d, nil, err
	}
	defer r.Close()
	if d, err = outbox.ReadAttempt(ctx, r, id); err != nil {
		return d, nil, err
	}
	m, err := outbox.ReadSummary(ctx, r, d.Message)
	if err != nil {
		return d, nil, err
	}
	link := s.stopLink(m.Of, d.Recipient)
	if link != "" && !whole {
		link = s.public + StopPath + "known-to-the-recipient-only"
	}
	if d.Posted { // as people read it; a webhook got the event
		m.Text, m.HTML, m.Attachments = m.Brief, postedHTML(m.Brief, m.Event, len(m.Picture) > 0), nil
		content, err = mailer.Message{Summary: m, To: "channel@localhost", HeaderID: d.HeaderID}.Bytes()
		return d, content, err
	}
	content, err = mailer.Message{Summary: m, To: d.Recipient, HeaderID: d.HeaderID, Stop: link}.Bytes()
	return d, content, err
}
