package mail

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/mail"
	"sync"
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
	// noteWithin is the time limit for recording the result of a try, and
	// lastNoteWithin the same once the program is ending.
	noteWithin, lastNoteWithin = time.Minute, 5 * time.Second
	// leaseFor is how long other processes leave a delivery alone after one has taken
	// it: longer than handing it over and recording the result may take.
	leaseFor = mailer.DeliverWithin + mailer.AnswerWithin + noteWithin + time.Minute
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
}

// drain delivers all messages that are due and returns when none is left. A failed
// delivery waits for its next try and delays no other.
func (o *handover) drain(ctx context.Context) error {
	errs := make([]error, connections)
	var work sync.WaitGroup
	for i := range connections {
		work.Go(func() {
			for found := true; found && errs[i] == nil && ctx.Err() == nil; {
				found, errs[i] = o.next(ctx)
			}
		})
	}
	work.Wait()
	return errors.Join(errs...)
}

// next delivers the message that has been due longest, and returns false if none is
// due. Its error is that of the store; the result of the delivery is recorded.
func (o *handover) next(ctx context.Context) (found bool, err error) {
	defer guard.Recover(o.log, "sending mail", &err)
	free, err := o.slot(ctx)
	if err != nil {
		return false, err
	}
	defer free()
	d, found, err := outbox.TakeDelivery(ctx, o.store, o.now(), leaseFor)
	if err != nil || !found {
		return found, err
	}
	_, err = o.try(ctx, d, true)
	return true, err
}

// only delivers the copy with a given Message-ID. A failed delivery is given up,
// because the caller learns of it at once. If another process has taken the delivery,
// only waits for it. The first error is that of the delivery.
func (o *handover) only(ctx context.Context, headerID string) (failed, err error) {
	free, err := o.slot(ctx)
	if err != nil {
		return nil, err
	}
	defer free()
	d, found, err := outbox.TakeDeliveryOf(ctx, o.store, headerID, o.now(), leaseFor)
	if err != nil {
		return nil, err
	}
	if !found {
		return o.others(ctx, headerID)
	}
	return o.try(ctx, d, false)
}

// others waits for a delivery that another process has taken, for as long as one try
// may take.
func (o *handover) others(ctx context.Context, headerID string) (failed, err error) {
	for end := time.Now().Add(leaseFor); ; {
		d, err := o.delivery(ctx, headerID)
		switch {
		case err != nil || d.State == outbox.DeliverySent:
			return nil, err
		case d.State == outbox.DeliveryDead:
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

func (o *handover) delivery(ctx context.Context, headerID string) (outbox.Delivery, error) {
	r, err := o.store.Read(ctx)
	if err != nil {
		return outbox.Delivery{}, err
	}
	defer r.Close()
	return outbox.DeliveryOf(ctx, r, headerID)
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

// try makes one delivery attempt and records its result. The first error is that of the
// delivery, the second that of the store.
func (o *handover) try(ctx context.Context, d outbox.Delivery, again bool) (failed, err error) {
	crashpoint.Pass(crashpoint.DeliveryTaken)
	answer, failed := o.hand(ctx, d)
	crashpoint.Pass(crashpoint.DeliveryTalked)
	state, next := outbox.DeliverySent, time.Time{}
	if failed != nil {
		state, next, answer = o.after(d, failed, again), o.now().Add(backoff(d.Tries)), failed.Error()
		o.log.Warn("a mail was not delivered", "recipient", d.Recipient, "message_id", d.HeaderID, "try", d.Tries, "state", state, "error", failed)
	}
	// A completed delivery has to be recorded, or it is sent again: even after a long
	// write of another process, and while the program is ending.
	noting, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteWithin)
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(lastNoteWithin, cancel) })()
	err = outbox.EndDelivery(noting, o.store, d, state, next, answer)
	if errors.Is(err, outbox.ErrLeaseLost) {
		o.log.Warn("a delivery took longer than its lease", "message_id", d.HeaderID)
		err = nil
	}
	return failed, err
}

// after returns the state of a delivery after a failed try.
func (o *handover) after(d outbox.Delivery, failed error, again bool) outbox.DeliveryState {
	refused, known := errors.AsType[*mailer.SendError](failed)
	tooOld := affiliate.MillisOf(o.now().Add(backoff(d.Tries))) > d.Queued+affiliate.Millis(tryFor.Milliseconds())
	if !again || tooOld || known && refused.Permanent {
		return outbox.DeliveryDead
	}
	return outbox.DeliveryWaiting
}

// hand makes the recipient's copy and delivers it. A panic counts as a failed delivery:
// it must neither end the program nor cause retries without a pause.
func (o *handover) hand(ctx context.Context, d outbox.Delivery) (answer string, err error) {
	defer guard.Recover(o.log, "handing over a mail", &err)
	content, err := o.content(ctx, d)
	if err != nil {
		return "", err
	}
	return o.server.Deliver(ctx, o.from.Address, d.Recipient, content)
}

func (o *handover) content(ctx context.Context, d outbox.Delivery) ([]byte, error) {
	r, err := o.store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	m, err := outbox.ReadSummary(ctx, r, d.Message)
	if err != nil {
		return nil, err
	}
	content, err := mailer.Message{Summary: m, To: d.Recipient, HeaderID: d.HeaderID, Stop: o.link(m.Of, d.Recipient)}.Bytes()
	if err != nil {
		return nil, fmt.Errorf("message %d: %w", m.ID, err)
	}
	return content, nil
}
