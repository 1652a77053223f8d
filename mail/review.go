package mail

import (
	"context"

	"rebatedesk/store/outbox"
)

// Review is the information that a user needs before sending a summary by hand.
type Review struct {
	Gate   Gate
	To     []string
	Got    map[string]outbox.DeliveryState // of the recipients who already have it, or are about to get it
	Number int                             // of the message, see [SendOptions]
}

// Review determines the effect of sending a period to the recipients of its schedule.
func (s *Service) Review(ctx context.Context, sc Schedule, p Period) (v Review, err error) {
	v.To, v.Got = sc.Active(), map[string]outbox.DeliveryState{}
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
		sent, err := outbox.DeliveriesAbout(ctx, r, m, address)
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
func (s *Service) NextTest(ctx context.Context, sc Schedule, p Period) (int, error) {
	r, err := s.store.Read(ctx)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	number, err := outbox.CountSummaries(ctx, r, s.about(sc, p, outbox.SummaryTest))
	return number + 1, err
}
