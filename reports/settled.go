package reports

import (
	"context"
	"errors"
	"time"

	"rebatedesk/affiliate"
)

// lag is how long after it was earned a commission may first be listed by the
// exchange (4.17, 4.19). A reading before that may lack the end of a day.
const lag = time.Hour

// Settled is the coverage of a range that is over by all kinds of streams that
// are named, for figures that are told once and not looked at again. A day
// counts as a gap, too, where it was read to its end so soon that the exchange
// may not have listed its last records yet. Days that the exchange lists no more
// are none. Through is that of the first kind. It is about the present, whatever
// instant the query is of.
func (s *Service) Settled(ctx context.Context, query Query, kinds ...affiliate.StreamKind) (sum Coverage, err error) {
	query.AsOf = time.Time{}
	q, err := s.ask(ctx, query)
	if err != nil {
		return Coverage{}, err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	for i, kind := range kinds {
		days := q.Days
		if kind == affiliate.Invitees && q.Code != "" {
			days = q.reach() // which records belong to a code is known from all invitees
		}
		cover, err := q.coverage(ctx, kind, days)
		if err != nil {
			return Coverage{}, err
		}
		if kind != affiliate.Invitees { // who registers is listed at once (4.18)
			cover.lag = lag
		}
		of := cover.summary(days)
		if i == 0 {
			sum = of
			continue
		}
		sum = sum.With(of)
		sum.Collected = min(sum.Collected, of.Collected)
	}
	return sum, nil
}
