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
	// noteWithin is how long it may take to note how a try went, and
	// lastNoteWithin the same once the program is to end.
	noteWithin, lastNoteWithin = time.Minute, 5 * time.Second
	// leaseFor is how long a delivery is left alone by others once it was taken
	// up: longer than handing it over and noting that may take.
	leaseFor = mailer.DeliverWithin + mailer.AnswerWithin + noteWithin + time.Minute
	// tryFor is how long it is tried. Greylisting takes minutes, a full disk
	// hours; after a day somebody has to know.
	tryFor = 24 * time.Hour
)

// backoff is how long to wait after so many tries in vain.
func backoff(tries int) time.Duration {
	wait := time.Minute
	for range min(tries, 8) - 1 {
		wait *= 2
	}
	return min(wait, 2*time.Hour)
}

// handover hands over what is queued.
type handover struct {
	store  *store.Store
	server mailer.Server
	from   *mail.Address
	link   func(of outbox.Ref, address string) string
	now    func() time.Time
	log    *slog.Logger
	slots  chan struct{} // one for each connection
}

// drain hands over all that is due, and comes back when nothing is. What fails
// waits for its next try and holds up nothing else.
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

// next hands over the one that has been due longest; false: none is due. Its
// error is of the store: how the delivery went is noted.
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

// only hands over the delivery of a Message-ID. Where it fails it is given up,
// since whoever asked is told at once. One that another program has taken up is
// waited for. The first error is that of the delivery.
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

// others waits for what another program has taken up, for as long as one try may
// take.
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

// slot waits for one of the connections, before a delivery is taken up: a lease
// must not run while nothing is done.
func (o *handover) slot(ctx context.Context) (free func(), err error) {
	select {
	case o.slots <- struct{}{}:
		return func() { <-o.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// try hands a delivery over and notes how that went. The first error is that of
// the delivery, the second one of the store.
func (o *handover) try(ctx context.Context, d outbox.Delivery, again bool) (failed, err error) {
	crashpoint.Pass(crashpoint.DeliveryTaken)
	answer, failed := o.hand(ctx, d)
	crashpoint.Pass(crashpoint.DeliveryTalked)
	state, next := outbox.DeliverySent, time.Time{}
	if failed != nil {
		state, next, answer = o.after(d, failed, again), o.now().Add(backoff(d.Tries)), failed.Error()
		o.log.Warn("a mail was not delivered", "recipient", d.Recipient, "message_id", d.HeaderID, "try", d.Tries, "state", state, "error", failed)
	}
	// What was handed over has to be noted, or it is sent once more: also behind a
	// long write of another one, and when the program is about to end.
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

// after is what becomes of a delivery that failed.
func (o *handover) after(d outbox.Delivery, failed error, again bool) outbox.DeliveryState {
	refused, known := errors.AsType[*mailer.SendError](failed)
	tooOld := affiliate.MillisOf(o.now().Add(backoff(d.Tries))) > d.Queued+affiliate.Millis(tryFor.Milliseconds())
	if !again || tooOld || known && refused.Permanent {
		return outbox.DeliveryDead
	}
	return outbox.DeliveryWaiting
}

// hand makes the copy of the recipient and delivers it. A message that panics is
// one that fails: it must neither end the program nor be tried without a pause.
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
