package mail

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/mail"
	"sync"
	"sync/atomic"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/internal/crashpoint"
	"rebatedesk/internal/guard"
	"rebatedesk/mail/mailer"
	"rebatedesk/store"
	"rebatedesk/store/outbox"
)

const (
	// connections is how many messages are handed over at once.
	connections = 2
	// perSession is how many messages one session hands over: servers limit them, and end a
	// session that has too many.
	perSession = 20
	// noteWithin is the time limit for recording the result of a try in a database that is
	// there, and lastNoteWithin the same once the program is ending.
	noteWithin, lastNoteWithin = time.Minute, 5 * time.Second
	// leaseFor is how long other processes leave a delivery alone after one has taken
	// it: longer than handing it over, after a session that turned out to be closed, and
	// recording the result may take.
	leaseFor = 2*mailer.DeliverWithin + mailer.AnswerWithin + noteWithin + time.Minute
	// tryFor is how long a delivery is retried. Greylisting takes minutes, a full disk
	// hours; after a day a person has to be told.
	tryFor = 24 * time.Hour
)

// backoff returns how long to wait after a number of failed tries.
func backoff(tries int) time.Duration {
	wait := time.Minute
	for range min(tries, 8) - 1 {
		wait *= 2
	}
	return min(wait, 2*time.Hour)
}

// handover delivers the queued messages.
type handover struct {
	store  *store.Store
	server mailer.Server
	from   *mail.Address
	link   func(of outbox.Ref, address string) string
	now    func() time.Time
	log    *slog.Logger
	slots  chan struct{} // one per connection
	urgent atomic.Int32  // how many wait for a slot to deliver a message by hand
}

// drain delivers all messages that are due and returns when none is left. A failed
// delivery waits for its next try and delays no other.
func (o *handover) drain(ctx context.Context) error {
	errs := make([]error, connections)
	var work sync.WaitGroup
	for i := range connections {
		work.Go(func() {
			for more := true; more && errs[i] == nil && ctx.Err() == nil; {
				more, errs[i] = o.session(ctx)
			}
		})
	}
	work.Wait()
	return errors.Join(errs...)
}

// session delivers the messages that have been due longest over one connection, and
// returns false when none is due. Its error is that of the store; the results of the
// deliveries are recorded.
func (o *handover) session(ctx context.Context) (more bool, err error) {
	defer guard.Recover(o.log, "sending mail", &err)
	free, err := o.slot(ctx)
	if err != nil {
		return false, err
	}
	defer free()
	d, found, err := outbox.TakeMail(ctx, o.store, o.now(), leaseFor)
	l := &line{}
	defer l.close()
	for n := 1; err == nil && found; n++ {
		// A delivery in progress is not broken off when another node takes over: nobody else
		// takes it before its own lease ends.
		result, _ := o.try(store.Unled(ctx), d, true, l)
		if n == perSession || o.urgent.Load() > 0 || ctx.Err() != nil {
			return true, o.note(store.Unled(ctx), func(ctx context.Context) error { return outbox.End(ctx, o.store, d, result) }, d)
		}
		var next outbox.Attempt
		err = o.note(store.Unled(ctx), func(noting context.Context) (err error) {
			next, found, err = outbox.Attempt{}, false, store.ErrSuperseded
			if ctx.Err() == nil {
				next, found, err = outbox.EndAndTake(store.Under(noting, ctx), o.store, d, result, o.now(), leaseFor)
			}
			if errors.Is(err, store.ErrSuperseded) { // another node takes the next; what was sent is recorded
				err = outbox.End(noting, o.store, d, result)
			}
			more = errors.Is(err, outbox.ErrLeaseLost) // then none was taken, whether or not one is due
			return err
		}, d)
		d = next
	}
	return more, err
}

// only delivers the copy with a given Message-ID. A failed delivery is given up,
// because the caller learns of it at once, unless the message may have arrived. If another process has taken the delivery,
// only waits for it. The first error is that of the delivery.
func (o *handover) only(ctx context.Context, headerID string) (failed, err error) {
	o.urgent.Add(1)
	free, err := o.slot(ctx)
	o.urgent.Add(-1)
	if err != nil {
		return nil, err
	}
	defer free()
	d, found, err := outbox.TakeOne(ctx, o.store, headerID, o.now(), leaseFor)
	if err != nil {
		return nil, err
	}
	if !found {
		return o.others(ctx, headerID)
	}
	l := &line{}
	defer l.close()
	result, failed := o.try(ctx, d, false, l)
	if failed != nil && result.State == outbox.Waiting {
		failed = fmt.Errorf("%w; %w", failed, errUnknown)
	}
	return failed, o.note(ctx, func(ctx context.Context) error { return outbox.End(ctx, o.store, d, result) }, d)
}

// others waits for a delivery that another process has taken, for as long as one try
// may take.
func (o *handover) others(ctx context.Context, headerID string) (failed, err error) {
	for end := time.Now().Add(leaseFor); ; {
		d, err := o.delivery(ctx, headerID)
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

func (o *handover) delivery(ctx context.Context, headerID string) (outbox.Attempt, error) {
	r, err := o.store.Read(ctx)
	if err != nil {
		return outbox.Attempt{}, err
	}
	defer r.Close()
	return outbox.AttemptOf(ctx, r, headerID)
}

// slot waits for a free connection before a delivery is taken: a lease must not run
// while no work is done on it.
func (o *handover) slot(ctx context.Context) (free func(), err error) {
	select {
	case o.slots <- struct{}{}:
		return func() { <-o.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// try makes one delivery attempt. The error is that of the delivery.
func (o *handover) try(ctx context.Context, d outbox.Attempt, again bool, l *line) (result outbox.Result, failed error) {
	crashpoint.Pass(crashpoint.DeliveryTaken)
	answer, failed := o.hand(ctx, d, l)
	crashpoint.Pass(crashpoint.DeliveryTalked)
	result = outbox.Result{State: outbox.Sent, Answer: answer}
	if failed != nil {
		result = outbox.Result{State: o.after(d, failed, again), Next: o.now().Add(backoff(d.Tries)), Answer: failed.Error()}
		o.log.Warn("a mail was not delivered", "recipient", d.Recipient, "message_id", d.HeaderID, "try", d.Tries, "state", result.State, "error", failed)
	}
	return result, failed
}

// note records the result of a delivery. A completed delivery has to be recorded, or it is
// sent again: even after a long write of another process, once a database that is away is
// back, and while the program is ending.
func (o *handover) note(ctx context.Context, record func(context.Context) error, d outbox.Attempt) error {
	noting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(lastNoteWithin, cancel) })()
	begun := time.Now()
	for try := 1; ; try++ {
		err := o.noteOnce(noting, record)
		switch {
		case errors.Is(err, outbox.ErrLeaseLost) && try > 1:
			return nil // an earlier try was carried out, and its answer was lost
		case errors.Is(err, outbox.ErrLeaseLost):
			o.log.Warn("a delivery took longer than its lease", "message_id", d.HeaderID)
			return nil
		case err == nil || noting.Err() != nil || time.Since(begun) > noteWithin && o.store.Ping(noting) == nil:
			return err
		case try == 1:
			o.log.Error("the result of a delivery could not be written, which is tried again", "message_id", d.HeaderID, "error", err)
		}
		select {
		case <-noting.Done():
			return err
		case <-time.After(min(time.Duration(try)*100*time.Millisecond, 2*time.Second)):
		}
	}
}

func (o *handover) noteOnce(ctx context.Context, record func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, noteWithin)
	defer cancel()
	return record(ctx)
}

// errUnknown follows a failure that may be none. The copy stays in the outbox, so that nobody sends
// another one, with another Message-ID, without meaning to.
var errUnknown = errors.New("whether it arrived is not known: it stays in the outbox, and webapp serve tries it again with the same ID, by which mail programs and receivers recognize it")

// after returns the state of a delivery after a failed try.
func (o *handover) after(d outbox.Attempt, failed error, again bool) outbox.State {
	refused, known := errors.AsType[*mailer.SendError](failed)
	tooOld := affiliate.MillisOf(o.now().Add(backoff(d.Tries))) > d.Queued+affiliate.Millis(tryFor.Milliseconds())
	if !again && !(known && refused.Unknown()) || tooOld || known && refused.Permanent {
		return outbox.Dead
	}
	return outbox.Waiting
}

// hand makes the recipient's copy and delivers it. A panic counts as a failed delivery:
// it must neither end the program nor cause retries without a pause.
func (o *handover) hand(ctx context.Context, d outbox.Attempt, l *line) (answer string, err error) {
	defer func() {
		if err != nil { // after a panic in the middle of a message too
			l.close()
		}
	}()
	defer guard.Recover(o.log, "handing over a mail", &err)
	if l.message.ID != d.Message {
		m, err := o.message(ctx, d.Message)
		if err != nil {
			return "", err
		}
		l.message = m // only a whole one: other copies are made of it
	}
	content, err := o.content(l.message, d)
	if err != nil {
		return "", err
	}
	return l.deliver(ctx, o.server, o.from.Address, d.Recipient, content)
}

func (o *handover) message(ctx context.Context, id int64) (outbox.Summary, error) {
	r, err := o.store.Read(ctx)
	if err != nil {
		return outbox.Summary{}, err
	}
	defer r.Close()
	return outbox.ReadSummary(ctx, r, id)
}

func (o *handover) content(m outbox.Summary, d outbox.Attempt) ([]byte, error) {
	content, err := mailer.Message{Summary: m, To: d.Recipient, HeaderID: d.HeaderID, Stop: o.link(m.Of, d.Recipient)}.Bytes()
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
