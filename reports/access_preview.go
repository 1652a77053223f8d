package reports

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/sums"
)

// Sight is the preview of a restricted user's access, for administrators.
type Sight struct {
	Accounts []affiliate.Account // with an invitee whom the user sees
	Invitees int                 // listed, or known from commission
	Totals   []figures.Totals    // of the commission of the last thirty reporting days, per coin
}

// ReadSight returns what users who are bound like this see.
func ReadSight(ctx context.Context, s *Service, bound affiliate.Bound) (Sight, error) {
	today := affiliate.DayOf(s.now(), s.store.Zone())
	asked := query.Query{Range: query.Last30, Days: affiliate.Days{First: today - 29, Last: today}, Zone: s.store.Zone(), Today: today}
	return Ask(ctx, s.For(bound), asked, func(ctx context.Context, q *snapshot.Snapshot) (sight Sight, err error) {
		sight.Accounts = q.Known
		snapshot, err := invitees.ReadSnapshot(ctx, q)
		if err != nil {
			return sight, err
		}
		sight.Invitees = len(snapshot.Lines)
		days, err := sums.ByDay(ctx, q.Tx, q.Filter())
		sight.Totals = figures.TotalsOf(days)
		return sight, err
	})
}
