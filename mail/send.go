package mail

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"rebatedesk/store"
)

// IncompleteError is a summary that was not sent since its period is not known
// completely.
type IncompleteError struct{ Missing []string }

func (e *IncompleteError) Error() string {
	return "the period is not collected completely: " + strings.Join(e.Missing, "; ")
}

// SentError is a summary that an address has got already, or is about to get.
type SentError struct {
	Address string
	State   store.DeliveryState
}

func (e *SentError) Error() string {
	return fmt.Sprintf("the summary of this period is %s for %s already", e.State, e.Address)
}

// SendOptions are what may be sent by hand.
type SendOptions struct {
	Partial bool // incomplete ones too
	Again   bool // to whom has got it already
	Rest    bool // to all but those, rather than refuse
	Test    bool // to look at: it is marked as one, and does not count as sent
	// Number counts the messages by hand about one period, from 1; 0 is the next
	// one. The same number twice is the same message, which is sent once.
	Number int
}

func (o SendOptions) kind() store.SummaryKind {
	if o.Test {
		return store.SummaryTest
	}
	return store.SummaryManual
}

// Preview is the message of a period as one recipient would get it, now.
func (s *Service) Preview(ctx context.Context, sc Schedule, p Period, to string) ([]byte, error) {
	sum, err := s.summary(ctx, sc, p)
	if err != nil {
		return nil, err
	}
	sum.Kind = store.SummaryWhole
	if !sum.Gate.Closed {
		sum.Kind = store.SummaryPartial
	}
	m, err := s.finish(ctx, sc, sum)
	if err != nil {
		return nil, err
	}
	return message{Summary: m, To: to, HeaderID: headerID(m, to, s.from), Stop: s.stopLink(sc.ID, to)}.bytes()
}

// SendNow sends the summary of a period to some addresses now and waits for
// each. It tries once: the error joins what failed, of each address. Before
// anything is sent it is an *IncompleteError, a *SentError or [ErrNoServer].
func (s *Service) SendNow(ctx context.Context, sc Schedule, p Period, to []string, o SendOptions) error {
	ready, err := s.Prepare(ctx, sc, p, to, o)
	if err != nil {
		return err
	}
	if _, err := ready.Queue(ctx); err != nil {
		return err
	}
	var errs []error
	for _, one := range ready.to {
		failed, err := s.box.only(ctx, one.HeaderID)
		if failed != nil {
			failed = fmt.Errorf("%s: %w", one.Address, failed)
		}
		errs = append(errs, failed, err)
	}
	return errors.Join(errs...)
}

// Sending is a message by hand that can be sent.
type Sending struct {
	service *Service
	message store.Summary
	to      []store.Addressee
	queued  int64 // number of the message where it was queued before
}

// Queued is the number of the message where it was queued before, under the same
// number; otherwise 0.
func (x *Sending) Queued() int64 { return x.queued }

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
	m := about(sc, p, o.kind())
	m.Number = o.Number - 1
	if o.Test {
		return s.messageOf(ctx, headerID(m, to[0], s.from))
	}
	r, err := s.store.Read(ctx)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	return r.NumberedSummary(ctx, m)
}

// messageOf is the number of the message of a Message-ID; 0 where there is none.
func (s *Service) messageOf(ctx context.Context, headerID string) (int64, error) {
	r, err := s.store.Read(ctx)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	d, err := r.DeliveryOf(ctx, headerID)
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
	_, failed := x.service.store.QueueSummary(ctx, x.message, x.to)
	message, err = x.service.messageOf(ctx, x.to[0].HeaderID)
	if message == 0 {
		return 0, errors.Join(failed, err)
	}
	x.service.Wake()
	return message, err
}

// about is what tells the messages by hand about one period apart.
func about(sc Schedule, p Period, kind store.SummaryKind) store.Summary {
	return store.Summary{Schedule: sc.ID, Scope: scopeOf(sc), Every: string(p.Every), Days: p.Days, Kind: kind}
}

// byHand makes the message that somebody asked for, numbered after those before
// about the same.
func (s *Service) byHand(ctx context.Context, sc Schedule, sum Summary, to []string, o SendOptions) (store.Summary, []store.Addressee, error) {
	sum.Kind = o.kind()
	if !sum.Gate.Closed && !o.Test {
		sum.Kind = store.SummaryPartial // of its subject
	}
	m, err := s.finish(ctx, sc, sum)
	if err != nil {
		return m, nil, err
	}
	m.Kind, m.Scope = o.kind(), scopeOf(sc)
	r, err := s.store.Read(ctx)
	if err != nil {
		return m, nil, err
	}
	defer r.Close()
	if m.Number, err = r.CountSummaries(ctx, m); err != nil {
		return m, nil, err
	}
	if o.Number > 0 {
		m.Number = o.Number - 1
	}
	var list []store.Addressee
	var got *SentError
	for _, address := range to {
		sent, err := s.sentAbout(ctx, r, m, address)
		if err != nil {
			return m, nil, err
		}
		if len(sent) > 0 && !o.Again && !o.Test {
			got = &SentError{address, sent[len(sent)-1].State}
			continue
		}
		list = append(list, store.Addressee{Address: address, HeaderID: headerID(m, address, s.from)})
	}
	if got != nil && (!o.Rest || len(list) == 0) {
		return m, nil, got
	}
	return m, list, nil
}

// Review is what somebody has to know before a summary is sent by hand.
type Review struct {
	Gate   Gate
	To     []string
	Got    map[string]store.DeliveryState // of those who got it already, or are about to
	Number int                            // of the message, see [SendOptions]
}

// Review looks at what sending a period to the recipients of its schedule would
// come to.
func (s *Service) Review(ctx context.Context, sc Schedule, p Period) (v Review, err error) {
	v.To, v.Got = sc.Active(), map[string]store.DeliveryState{}
	if v.Gate, err = s.gate(ctx, sc, p); err != nil {
		return v, err
	}
	r, err := s.store.Read(ctx)
	if err != nil {
		return v, err
	}
	defer r.Close()
	m := about(sc, p, store.SummaryManual)
	for _, address := range v.To {
		sent, err := s.sentAbout(ctx, r, m, address)
		if err != nil {
			return v, err
		}
		if len(sent) > 0 {
			v.Got[address] = sent[len(sent)-1].State
		}
	}
	v.Number, err = r.CountSummaries(ctx, m)
	v.Number++
	return v, err
}

// NextTest is the number of the next test about a period.
func (s *Service) NextTest(ctx context.Context, sc Schedule, p Period) (int, error) {
	r, err := s.store.Read(ctx)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	number, err := r.CountSummaries(ctx, about(sc, p, store.SummaryTest))
	return number + 1, err
}

// sentAbout lists what an address got of a period, by hand and by schedule.
func (s *Service) sentAbout(ctx context.Context, r *store.Reader, m store.Summary, address string) ([]store.Delivery, error) {
	byHand, err := r.DeliveriesAbout(ctx, m, address)
	if err != nil || m.Schedule == 0 {
		return byHand, err
	}
	m.Scope = ""
	scheduled, err := r.DeliveriesAbout(ctx, m, address)
	return append(byHand, scheduled...), err
}

// scopeOf names what a message by hand is about.
func scopeOf(sc Schedule) string {
	return fmt.Sprintf("%q %q %q %q", sc.Account, sc.Product, sc.Coin, sc.Code)
}

func sameName(a, b string) bool { return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b)) }

// distinct are checked addresses, each once.
func distinct(to []string) (list []string, err error) {
	for _, address := range to {
		if _, err := ParseAddress(address); err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(list, func(other string) bool { return sameName(other, address) }) {
			list = append(list, address)
		}
	}
	return list, nil
}
