package collection

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/snapshot"
)

// MakeSettled makes the coverage of a finished range over all the kinds of streams.
func MakeSettled(ctx context.Context, q *snapshot.Snapshot, kinds []affiliate.StreamKind) (sum coverage.Coverage, err error) {
	for i, kind := range kinds {
		days := q.Days
		if kind == affiliate.Invitees && q.Code != "" {
			days = q.Listable() // all invitees are needed to know which records belong to a code
		}
		cover, err := q.ReadCoverage(ctx, kind, days)
		if err != nil {
			return coverage.Coverage{}, err
		}
		if kind != affiliate.Invitees { // registrations are listed immediately (4.18)
			cover.Lag = coverage.ListingLag
		}
		of := cover.Summary(days)
		if i == 0 {
			sum = of
			continue
		}
		sum = sum.With(of)
		sum.Collected = min(sum.Collected, of.Collected)
	}
	return sum, nil
}
