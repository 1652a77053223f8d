package mail

import (
	"context"
	"errors"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/mail/mailer"
	"rebatedesk/store"
	"rebatedesk/store/outbox"
)

// Sending is a message by hand that can be sent.
type Sending struct {
	service *Service
	message outbox.Summary
	to      []outbox.Addressee
	queued  int64 // number of the message where it was queued before
}

// Queued is the number of the message where it was queued before, under the same
// number; otherwise 0.
func (x *Sending) Queued() int64 { return x.queued }

// To lists who gets the message.
func (x *Sending) To() (addresses []string) {
	for _, one := range x.to {
		addresses = append(addresses, one.Address)
	}
	return addresses
}

// Prepare makes a message by hand ready for some addresses. The error is an
// *IncompleteError, a *SentError, [ErrNoServer], or a *store.RuleError for an
// address.
func (s *Service) Prepare(ctx context.Context, sc Schedule, p Period, to []string, o SendOptions) (*Sending, error) {
	if s.box.server.Host == "" {
		return nil, ErrNoServer
	}
	to, err := distinct(to)
	if err != nil {
		return nil, err
	}
	x := &Sending{service: s}
	if x.queued, err = s.queuedAs(ctx, sc, p, to, o); err != nil || x.queued != 0 {
		return x, err
	}
	sum, err := s.summary(ctx, sc, p)
	if err != nil {
		return nil, err
	}
	if !sum.Gate.Closed && !o.Partial && !o.Test {
		return nil, &IncompleteError{sum.Missing}
	}
	x.message, x.to, err = s.byHand(ctx, sc, sum, to, o)
	if _, sent := errors.AsType[*SentError](err); !sent {
		return x, err
	}
	// It may be this very message, which was queued while it was made here.
	queued, failed := s.queuedAs(ctx, sc, p, to, o)
	if x.queued = queued; queued != 0 || failed != nil {
		err = failed
	}
	return x, err
}

// queuedAs is the number of the message that was queued under the number of the
// options; 0 where none was. Tests to others are others.
func (s *Service) queuedAs(ctx context.Context, sc Schedule, p Period, to []string, o SendOptions) (message int64, err error) {
	if o.Number == 0 || len(to) == 0 {
		return 0, nil
	}
	m := s.about(sc, p, o.kind())
	m.Number = o.Number - 1
	if o.Test {
		return s.messageOf(ctx, mailer.HeaderID(m, to[0], s.from))
	}
	r, err := s.store.Read(ctx)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	return outbox.NumberedSummary(ctx, r, m)
}

// messageOf is the number of the message of a Message-ID; 0 where there is none.
func (s *Service) messageOf(ctx context.Context, headerID string) (int64, error) {
	r, err := s.store.Read(ctx)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	d, err := outbox.DeliveryOf(ctx, r, headerID)
	if rule, ok := errors.AsType[*store.RuleError](err); ok && rule.Missing {
		return 0, nil
	}
	return d.Message, err
}

// Queue puts the message into the outbox and gives its number. Of several at
// once under one number, all get that of the first.
func (x *Sending) Queue(ctx context.Context) (message int64, err error) {
	if x.queued != 0 {
		return x.queued, nil
	}
	_, failed := outbox.QueueSummary(ctx, x.service.store, x.message, x.to)
	message, err = x.service.messageOf(ctx, x.to[0].HeaderID)
	if message == 0 {
		return 0, errors.Join(failed, err)
	}
	x.service.Wake()
	return message, err
}

// Send puts the message into the outbox, hands each copy over and waits for it.
// It tries once: the error joins what failed, of each address. What is left when
// ctx ends stays in the outbox.
func (x *Sending) Send(ctx context.Context) error {
	s := x.service
	for i := range x.to { // another program that sends what is queued must not send it as well
		x.to[i].Kept = affiliate.MillisOf(s.now().Add(leaseFor))
	}
	if _, err := x.Queue(ctx); err != nil {
		return err
	}
	var errs []error
	for _, one := range x.to {
		failed, err := s.box.only(ctx, one.HeaderID)
		if failed != nil {
			failed = fmt.Errorf("%s: %w", one.Address, failed)
		}
		if errs = append(errs, failed, err); ctx.Err() != nil {
			break
		}
	}
	return errors.Join(errs...)
}
