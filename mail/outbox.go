package mail

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rebatedesk/dispatch"
	"rebatedesk/mail/mailer"
	"rebatedesk/safehttp"
	"rebatedesk/store"
	"rebatedesk/store/outbox"
)

const (
	// sendEvery is how often the outbox is looked at for messages that are due.
	sendEvery = 5 * time.Second
	// connections is how many messages are handed over to the mail server at once.
	connections = 2
	// perSession is how many messages one session hands over: servers limit them, and end a
	// session that has too many.
	perSession = 20
	// leaseFor is how long other processes leave a message alone after one has taken it: longer
	// than handing it over, after a session that turned out to be closed, and recording the
	// result may take. postLease is the same of a message to a channel.
	leaseFor  = 2*mailer.DeliverWithin + mailer.AnswerWithin + dispatch.NoteWithin + time.Minute
	postLease = safehttp.Within + dispatch.NoteWithin + time.Minute
)

func leaseAt(place int64) time.Duration {
	if place == outbox.MailServer {
		return leaseFor
	}
	return postLease
}

// sendDue gives each place with messages that are due its workers.
func (s *Service) sendDue(ctx context.Context) error {
	if _, err := s.look(ctx); err != nil {
		return err
	}
	places, err := store.Reading(ctx, s.store, func(r *store.Tx) ([]int64, error) { return outbox.Places(ctx, r, s.now()) })
	for _, place := range places {
		s.sendTo(ctx, place)
	}
	return err
}

// sendTo starts the workers of a place: one per connection to the mail server, and one of a channel.
// Without a mail server, or a key to open the addresses of channels, messages wait.
func (s *Service) sendTo(ctx context.Context, place int64) {
	if place != outbox.MailServer {
		if s.sealed != nil {
			s.workers.Start(place, 1, "posting to a channel", func() error { return s.sendAll(ctx, place) })
		}
		return
	}
	for range connections {
		if s.via().Server.Host != "" {
			s.workers.Start(place, connections, "sending mail", func() error { return s.sendAll(ctx, place) })
		}
	}
}

// sendAll sends the messages to a place that are due and returns when none is left. One that fails
// waits for its next try and delays no other.
func (s *Service) sendAll(ctx context.Context, place int64) (err error) {
	for more := true; more && err == nil && ctx.Err() == nil; {
		more, err = s.session(ctx, place)
	}
	return err
}

// session sends the messages to a place that have been due longest, to the mail server over one
// connection, and returns false when none is due. Its error is that of the store; the results of
// the tries are recorded.
func (s *Service) session(ctx context.Context, place int64) (more bool, err error) {
	free, err := s.slot(ctx, place)
	if err != nil {
		return false, err
	}
	defer free()
	d, found, err := outbox.Take(ctx, s.store, place, s.now(), leaseAt(place))
	l := &line{}
	defer l.close()
	for n := 1; err == nil && found; n++ {
		// A try in progress is not broken off when another node takes over: nobody else takes the
		// message before its own lease ends.
		result, _, err := s.try(store.Unled(ctx), d, true, l)
		if err != nil {
			return false, err
		}
		if n == perSession || place == outbox.MailServer && s.urgent.Load() > 0 || ctx.Err() != nil {
			return true, s.note(ctx, d, result)
		}
		var next outbox.Attempt
		more = false
		err = dispatch.Note(ctx, s.store, s.log.With("message_id", d.HeaderID), func(noting context.Context) (err error) {
			next, found, err = outbox.Attempt{}, false, store.ErrSuperseded
			if ctx.Err() == nil {
				next, found, err = outbox.EndAndTake(store.Under(noting, ctx), s.store, d, result, s.now(), leaseAt(place))
			}
			if errors.Is(err, store.ErrSuperseded) { // another node takes the next; what was sent is recorded
				err = outbox.End(noting, s.store, d, result)
			}
			more = errors.Is(err, outbox.ErrLeaseLost) // then none was taken, whether or not one is due
			return err
		})
		if errors.Is(err, outbox.ErrLeaseLost) {
			err = nil
		}
		if err != nil {
			return false, err
		}
		d = next
	}
	return more, err
}

// only sends the message with a given ID. If it fails, it is given up, because the caller learns of
// it at once, unless it may have arrived. If another process has taken the message, only waits for
// it. The first error is that of the message.
func (s *Service) only(ctx context.Context, to outbox.Addressee) (failed, err error) {
	place := outbox.Attempt{Channel: to.Channel, Posted: to.Posted}.Place()
	s.urgent.Add(1)
	free, err := s.slot(ctx, place)
	s.urgent.Add(-1)
	if err != nil {
		return nil, err
	}
	defer free()
	d, found, err := outbox.TakeOne(ctx, s.store, to.HeaderID, s.now(), leaseAt(place))
	if err != nil {
		return nil, err
	}
	if !found {
		return s.others(ctx, to.HeaderID, leaseAt(place))
	}
	l := &line{}
	defer l.close()
	result, failed, err := s.try(ctx, d, false, l)
	if err != nil {
		return failed, err
	}
	if failed != nil && result.State == outbox.Waiting {
		failed = fmt.Errorf("%w; %w", failed, errUnknown)
	}
	return failed, s.note(ctx, d, result)
}

// errUnknown follows a failure that may be none. The copy stays in the outbox, so that nobody sends
// another one, with another Message-ID, without meaning to.
var errUnknown = errors.New("whether it arrived is not known: it stays in the outbox, and webapp serve tries it again with the same ID, by which mail programs and receivers recognize it")

// others waits for a message that another process has taken, for as long as one try may take.
func (s *Service) others(ctx context.Context, headerID string, within time.Duration) (failed, err error) {
	for end := time.Now().Add(within); ; {
		d, err := store.Reading(ctx, s.store, func(r *store.Tx) (outbox.Attempt, error) {
			return outbox.AttemptOf(ctx, r, headerID)
		})
		switch {
		case err != nil || d.State == outbox.Sent:
			return nil, err
		case d.State == outbox.Dead:
			return errors.New(d.Answer), nil
		case d.Answer != "":
			return fmt.Errorf("it is tried again by another program: %s", d.Answer), nil
		case time.Now().After(end):
			return errors.New("another program is still sending it: look at the log of deliveries"), nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// slot waits for a free connection to the mail server before a message is taken: a lease must not
// run while no work is done on it. A channel needs none.
func (s *Service) slot(ctx context.Context, place int64) (free func(), err error) {
	if place != outbox.MailServer {
		return func() {}, nil
	}
	select {
	case s.slots <- struct{}{}:
		return func() { <-s.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// try makes one try to hand a message over. failed is why it did not arrive; err is an error of the
// store.
func (s *Service) try(ctx context.Context, d outbox.Attempt, again bool, l *line) (result outbox.Result, failed, err error) {
	if d.Posted {
		result, failed, err = s.post(ctx, d, again)
	} else {
		result, failed = s.handOver(ctx, d, again, l)
	}
	if failed != nil {
		s.log.Warn("a message was not delivered", "recipient", d.To(), "message_id", d.HeaderID, "try", d.Tries, "state", result.State, "stops", result.Stops, "error", failed)
	}
	return result, failed, err
}

// note records the result of a try. That another worker has the message is no error.
func (s *Service) note(ctx context.Context, d outbox.Attempt, result outbox.Result) error {
	err := dispatch.Note(ctx, s.store, s.log.With("message_id", d.HeaderID), func(ctx context.Context) error { return outbox.End(ctx, s.store, d, result) })
	if errors.Is(err, outbox.ErrLeaseLost) {
		return nil
	}
	return err
}

// handOver hands the recipient's copy of a message over to the mail server.
func (s *Service) handOver(ctx context.Context, d outbox.Attempt, again bool, l *line) (result outbox.Result, failed error) {
	var answer string
	failed = dispatch.Try(s.log, "handing over a mail", func() (err error) {
		if l.message.ID != d.Message {
			m, err := s.message(ctx, d.Message)
			if err != nil {
				return err
			}
			l.message = m // only a whole one: other copies are made of it
		}
		content, err := s.content(l.message, d)
		if err != nil {
			return err
		}
		via := s.via()
		if via.Failed != nil {
			return via.Failed
		}
		answer, err = l.deliver(ctx, via.Server, via.From.Address, d.Recipient, content)
		return err
	})
	tried := dispatch.Tried{Answer: answer}
	if failed != nil {
		l.close() // after a panic in the middle of a message too
		tried = dispatch.Tried{Verdict: dispatch.Later, Answer: failed.Error()}
		if refused, known := errors.AsType[*mailer.SendError](failed); known {
			tried.Doubt = refused.Unknown()
			if refused.Permanent {
				tried.Verdict = dispatch.Refused
			}
		}
	}
	return tried.Result(s.now(), d.Tries, again), failed
}

// message reads a message with everything needed to make its copies.
func (s *Service) message(ctx context.Context, id int64) (outbox.Summary, error) {
	return store.Reading(ctx, s.store, func(r *store.Tx) (outbox.Summary, error) { return outbox.ReadSummary(ctx, r, id) })
}

func (s *Service) content(m outbox.Summary, d outbox.Attempt) ([]byte, error) {
	content, err := mailer.Message{Summary: m, To: d.Recipient, HeaderID: d.HeaderID, Stop: s.link(m.Of, d.Recipient)}.Bytes()
	if err != nil {
		return nil, fmt.Errorf("message %d: %w", m.ID, err)
	}
	return content, nil
}

// line is the connection of a worker to the mail server, and the message that it delivered
// last: most copies are of the same one.
type line struct {
	session *mailer.Session // nil: none is open
	message outbox.Summary
}

// deliver hands a message over in the open session, or in a new one. A session that the
// server has closed meanwhile, or in which it takes no more, refuses the sender: then
// nothing of the message was sent, and a new session is tried.
func (l *line) deliver(ctx context.Context, server mailer.Server, from, to string, content []byte) (answer string, err error) {
	if l.session != nil {
		answer, err = l.session.Deliver(ctx, from, to, content)
		refused, known := errors.AsType[*mailer.SendError](err)
		if err == nil || !known || refused.Stage != mailer.StageSender || ctx.Err() != nil {
			return answer, err
		}
		l.close()
	}
	if l.session, err = server.Open(ctx); err != nil {
		l.session = nil
		return "", err
	}
	return l.session.Deliver(ctx, from, to, content)
}

func (l *line) close() {
	if l.session != nil {
		l.session.Close()
	}
	l.session = nil
}
