package reports

import (
	"context"

	"rebatedesk/affiliate"
)

// settled answers [Service.Settled].
func (q *question) settled(ctx context.Context, kinds []affiliate.StreamKind) (sum Coverage, err error) {
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
