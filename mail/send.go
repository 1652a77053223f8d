package mail

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"rebatedesk/dispatch"
	"rebatedesk/mail/mailer"
	"rebatedesk/store"
	"rebatedesk/store/outbox"
)

// IncompleteError reports a summary that was not sent because its period is not known
// completely.
type IncompleteError struct{ Missing []string }

func (e *IncompleteError) Error() string {
	return "the period is not collected completely: " + strings.Join(e.Missing, "; ")
}

// SentError reports a summary that an address already has or is about to get.
type SentError struct {
	Address string
	State   outbox.State
}

func (e *SentError) Error() string {
	return fmt.Sprintf("the summary of this period is %s for %s already", e.State, e.Address)
}

// SendOptions control what may be sent by hand.
type SendOptions struct {
	Partial bool // also send incomplete summaries
	Again   bool // also send to recipients who already have it
	Rest    bool // send to the other recipients instead of refusing
	Test    bool // marked as a test, and does not count as sent
	// Number counts the messages by hand about one period, from 1; 0 selects the next
	// number. The same number always means the same message, which is sent once.
	Number int
}

func (o SendOptions) kind() outbox.SummaryKind {
	if o.Test {
		return outbox.SummaryTest
	}
	return outbox.SummaryManual
}

// Preview returns the message of a period as one recipient would get it now.
func (s *Service) Preview(ctx context.Context, sc Schedule, p dispatch.Period, to string) ([]byte, error) {
	if _, err := s.look(ctx); err != nil {
		return nil, err
	}
	sum, err := s.summary(ctx, sc, p)
	if err != nil {
		return nil, err
	}
	sum.Kind = outbox.SummaryWhole
	if !sum.Gate.Closed {
		sum.Kind = outbox.SummaryPartial
	}
	m, err := s.finish(ctx, sc, sum)
	if err != nil {
		return nil, err
	}
	if isChannel(to) {
		to = "recipient@example.com"
	}
	return mailer.Message{Summary: m, To: to, HeaderID: mailer.HeaderID(m, to, s.via().From), Stop: s.stopLink(sc.Ref, to)}.Bytes()
}

// about returns the key that groups the messages by hand about one period.
func (s *Service) about(sc Schedule, p dispatch.Period, kind outbox.SummaryKind) outbox.Summary {
	return outbox.Summary{Of: sc.Ref, Scope: s.scopeOf(sc), Every: string(p.Every), Days: p.Days, Kind: kind}
}

// byHand makes a message that a user requested, numbered after earlier ones about the
// same query and period.
func (s *Service) byHand(ctx context.Context, sc Schedule, sum Summary, to []string, o SendOptions) (outbox.Summary, []outbox.Addressee, error) {
	sum.Kind = o.kind()
	if !sum.Gate.Closed && !o.Test {
		sum.Kind = outbox.SummaryPartial // of its subject
	}
	m, err := s.finish(ctx, sc, sum)
	if err != nil {
		return m, nil, err
	}
	m.Kind = o.kind()
	r, err := s.store.Read(ctx)
	if err != nil {
		return m, nil, err
	}
	defer r.Close()
	if m.Number, err = outbox.CountSummaries(ctx, r, m); err != nil {
		return m, nil, err
	}
	if o.Number > m.Number+1 {
		return m, nil, &store.RuleError{Problem: "Nothing was sent: the form is of another time. Open the page once more."}
	}
	if o.Number > 0 {
		m.Number = o.Number - 1
	}
	var list []outbox.Addressee
	var got *SentError
	copies, err := s.copiesTo(ctx, m, to, unsubscribed(sc.Subscription))
	if err != nil {
		return m, nil, err
	}
	if len(copies) == 0 {
		return m, nil, &store.RuleError{Problem: "Nothing was sent: the channels are paused, or their addresses have unsubscribed."}
	}
	for _, one := range copies {
		sent, err := outbox.AttemptsAbout(ctx, r, m, one.Address)
		if err != nil {
			return m, nil, err
		}
		if len(sent) > 0 && !o.Again && !o.Test {
			got = &SentError{sent[len(sent)-1].To(), sent[len(sent)-1].State}
			continue
		}
		list = append(list, one)
	}
	if got != nil && (!o.Rest || len(list) == 0) {
		return m, nil, got
	}
	return m, list, nil
}

// scopeOf identifies the query of a schedule: messages with the same scope have the
// same subject. A changed schedule has a different scope from then on.
func (s *Service) scopeOf(sc Schedule) string {
	code := sc.Code
	if sc.Segment != "" {
		code += "|" + sc.Segment
	}
	if sc.AsUser != "" {
		code += "|as " + sc.AsUser
	}
	return fmt.Sprintf("%q %q %q %q %s", sc.Account, sc.Product, sc.Coin, code, s.store.Zone())
}

func sameName(a, b string) bool { return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b)) }

// distinct returns checked addresses without duplicates.
func distinct(to []string) (list []string, err error) {
	for _, address := range to {
		if address, err = ParseRecipient(address); err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(list, func(other string) bool { return sameName(other, address) }) {
			list = append(list, address)
		}
	}
	return list, nil
}

// Review is the information that a user needs before sending a summary by hand.
type Review struct {
	Gate   Gate
	To     []string
	Got    map[string]outbox.State // of the recipients who already have it, or are about to get it
	Number int                     // of the message, see [SendOptions]
}

// Review determines the effect of sending a period to the recipients of its schedule.
func (s *Service) Review(ctx context.Context, sc Schedule, p dispatch.Period) (v Review, err error) {
	v.To, v.Got = sc.Active(), map[string]outbox.State{}
	if v.Gate, err = s.gate(ctx, sc, p); err != nil {
		return v, err
	}
	r, err := s.store.Read(ctx)
	if err != nil {
		return v, err
	}
	defer r.Close()
	m := s.about(sc, p, outbox.SummaryManual)
	for _, address := range v.To {
		sent, err := outbox.AttemptsAbout(ctx, r, m, address)
		if err != nil {
			return v, err
		}
		if len(sent) > 0 {
			v.Got[address] = sent[len(sent)-1].State
		}
	}
	v.Number, err = outbox.CountSummaries(ctx, r, m)
	v.Number++
	return v, err
}

// NextTest returns the number of the next test about a period.
func (s *Service) NextTest(ctx context.Context, sc Schedule, p dispatch.Period) (int, error) {
	number, err := store.Reading(ctx, s.store, func(r *store.Tx) (int, error) {
		return outbox.CountSummaries(ctx, r, s.about(sc, p, outbox.SummaryTest))
	})
	return number + 1, err
}
