package mail

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/outbox"
)

// Sending is a message by hand that is ready to be sent.
type Sending struct {
	service *Service
	message outbox.Summary
	to      []outbox.Addressee
	lines   []audit.Line // of the audit log
	queued  int64        // number of the message if it was queued before
}

// Queued returns the number of the message if it was queued before under the same
// number, and otherwise 0.
func (x *Sending) Queued() int64 { return x.queued }

// To lists the recipients of the message.
func (x *Sending) To() (addresses []string) {
	for _, one := range x.to {
		addresses = append(addresses, one.Address)
	}
	return addresses
}

// Prepare makes a message by hand ready for some addresses. The error is an
// *IncompleteError, a *SentError, [ErrNoServer], or a *store.RuleError for an address.
func (s *Service) Prepare(ctx context.Context, sc Schedule, p dispatch.Period, to []string, o SendOptions) (*Sending, error) {
	via, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	if via.Server.Host == "" && !slices.ContainsFunc(to, isChannel) {
		return nil, ErrNoServer
	}
	if via.Server.Host == "" {
		to = slices.DeleteFunc(slices.Clone(to), func(one string) bool { return !isChannel(one) })
	}
	if to, err = distinct(to); err != nil {
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
	// It may be this same message, queued by another process in the meantime.
	queued, failed := s.queuedAs(ctx, sc, p, to, o)
	if x.queued = queued; queued != 0 || failed != nil {
		err = failed
	}
	return x, err
}

// queuedAs returns the number of the message that was queued under the number of the
// options, or 0 if none was. Tests to other addresses are different messages.
func (s *Service) queuedAs(ctx context.Context, sc Schedule, p dispatch.Period, to []string, o SendOptions) (message int64, err error) {
	if o.Number == 0 || len(to) == 0 {
		return 0, nil
	}
	m := s.about(sc, p, o.kind())
	m.Number = o.Number - 1
	if o.Test {
		copies, err := s.copiesTo(ctx, m, to, nil) // of a group, those of its addresses
		if err != nil || len(copies) == 0 {
			return 0, err
		}
		return s.messageOf(ctx, copies[0].HeaderID)
	}
	return store.Reading(ctx, s.store, func(r *store.Tx) (int64, error) { return outbox.NumberedSummary(ctx, r, m) })
}

// messageOf returns the number of the message with a Message-ID, or 0 if it does not
// exist.
func (s *Service) messageOf(ctx context.Context, headerID string) (int64, error) {
	d, err := store.Reading(ctx, s.store, func(r *store.Tx) (outbox.Attempt, error) { return outbox.AttemptOf(ctx, r, headerID) })
	if rule, ok := errors.AsType[*store.RuleError](err); ok && rule.Missing {
		return 0, nil
	}
	return d.Message, err
}

// Queue puts the message into the outbox and returns its number. If several are queued
// at once under one number, all get the number of the first.
func (x *Sending) Queue(ctx context.Context) (message int64, err error) {
	if x.queued != 0 {
		return x.queued, nil
	}
	_, failed := outbox.QueueSummary(ctx, x.service.store, x.message, x.to, x.lines...)
	message, err = x.service.messageOf(ctx, x.to[0].HeaderID)
	if message == 0 {
		return 0, errors.Join(failed, err)
	}
	x.service.Wake()
	return message, err
}

// Send puts the message into the outbox, delivers each copy and waits for the result.
// It tries once: the error joins the failures of all addresses. Copies left when ctx
// ends stay in the outbox.
func (x *Sending) Send(ctx context.Context) error {
	s := x.service
	for i := range x.to { // another process that sends queued messages must not send it too
		x.to[i].Kept = affiliate.MillisOf(s.now().Add(leaseFor))
	}
	if _, err := x.Queue(ctx); err != nil {
		return err
	}
	var errs []error
	for _, one := range x.to {
		name := one.Address
		if one.Posted {
			name = "the channel"
		}
		failed, err := s.only(ctx, one)
		if failed != nil {
			failed = fmt.Errorf("%s: %w", name, failed)
		}
		if errs = append(errs, failed, err); ctx.Err() != nil {
			break
		}
	}
	return errors.Join(errs...)
}
