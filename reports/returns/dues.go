package returns

import (
	"context"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/costs"
)

// Dues are the costs that fell due on some days, whatever the filters of the query are.
type Dues struct {
	List    []DueAmount
	Unknown []UnknownDue
	// Unlisted tells that registrations are not collected completely, and costs depend on them.
	Unlisted bool
	// Undated counts people whose cost is of no day, as nobody knows when they registered or first brought
	// commission.
	Undated int
}

// DueAmount is what fell due on a day for a code, a tag, a segment or single people.
type DueAmount struct {
	Scope costs.Scope
	Value string
	Coin  affiliate.Coin
	Day   affiliate.Day // of the reporting zone
	Sum   decimal.Decimal
}

// UnknownDue is a cost of which nobody knows how often it fell due.
type UnknownDue struct {
	costs.Cost
	Why string
}

// Touches reports whether the cost can have fallen due on some days.
func (u UnknownDue) Touches(days affiliate.Days) bool {
	of := u.Days(days.Last)
	return of.First <= days.Last && of.Last >= days.First
}

// Due finds the costs that fell due on some days, up to the present of the query.
func Due(ctx context.Context, q *snapshot.Snapshot, days affiliate.Days) (dues Dues, err error) {
	d, err := openDays(ctx, q, days)
	if err != nil || len(d.rows) == 0 {
		return dues, err
	}
	if err := d.belong(ctx); err != nil {
		return dues, err
	}
	if err := d.spend(ctx); err != nil {
		return dues, err
	}
	perInvitee := false
	for _, r := range d.rows {
		for _, c := range r.Costs {
			if c.Kind != costs.PerRegistration && c.Kind != costs.PerFirstTrade {
				continue
			}
			perInvitee = true
			if r.problem != "" {
				dues.Unknown = append(dues.Unknown, UnknownDue{c.Cost, fmt.Sprintf("who belongs to the %s %s is not known: %s", r.Scope, affiliate.OneLine(r.Value), r.problem)})
			}
		}
		dues.Undated += r.undated
		for coin, of := range r.spent {
			for _, day := range sortedDays(of) {
				dues.List = append(dues.List, DueAmount{r.Scope, r.Value, coin, day, of[day]})
			}
		}
	}
	if perInvitee {
		listed, err := d.ListedCoverage(ctx)
		if err != nil {
			return dues, err
		}
		dues.Unlisted = !listed.Complete()
	}
	return dues, nil
}

// OfDays returns the rows of the costs that fell due on some days, each with what its invitees brought on these
// days since its first cost, whatever the filters of the query are.
func OfDays(ctx context.Context, q *snapshot.Snapshot, days affiliate.Days) (rows []*Row, err error) {
	d, err := openDays(ctx, q, days)
	if err != nil || len(d.rows) == 0 {
		return nil, err
	}
	if err := d.read(ctx); err != nil {
		return nil, err
	}
	for _, r := range d.rows {
		if len(r.spent) > 0 || r.problem != "" {
			rows = append(rows, &r.Row)
		}
	}
	order(rows, Accepted.Order)
	return slices.Clip(rows), nil
}

// openDays finds all costs, for some days.
func openDays(ctx context.Context, q *snapshot.Snapshot, days affiliate.Days) (*desk, error) {
	of := q.Everywhere()
	of.Query = of.Unfiltered()
	of.Range, of.Query.Days = query.Custom, days
	return open(ctx, of)
}
