package reports

import (
	"context"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/query"
	"rebatedesk/reports/question"
	"rebatedesk/reports/returns"
	"rebatedesk/store/audit"
	"rebatedesk/store/costs"
)

// CostDesk reports what costs brought back, and writes costs, on behalf of the user of its service.
type CostDesk struct{ service *Service }

func NewCostDesk(s *Service) *CostDesk { return &CostDesk{s} }

// Returns answers the query, which takes [returns.AcceptedOfReturns].
func (d *CostDesk) Returns(ctx context.Context, asked query.Query) (returns.Report, error) {
	return report(ctx, d.service, "Returns", asked, returns.Make)
}

// OfPerson returns what the cost of one person brought back, as of an instant, where zero means now;
// nil if the person has no cost.
func (d *CostDesk) OfPerson(ctx context.Context, uid affiliate.UID, asOf time.Time) (*returns.ReturnRow, error) {
	basis, err := d.service.Basis(ctx)
	if err != nil {
		return nil, err
	}
	asked := d.now()
	asked.UID, asked.AsOf, asked.Range = uid, asOf, query.AllTime
	asked.Days = affiliate.Days{First: basis.First, Last: asked.Today}
	return report(ctx, d.service, "ReturnOfPerson", asked, returns.OfPerson)
}

// AddCost stores a cost, and returns its id. What is refused is a *store.RuleError with the field.
func (d *CostDesk) AddCost(ctx context.Context, c costs.Cost, by audit.Line) (int64, error) {
	c, err := ask(ctx, d.service, d.now(), func(ctx context.Context, q *question.Question) (costs.Cost, error) {
		err := returns.CheckCost(ctx, q, &c)
		return c, err
	})
	if err != nil {
		return 0, err
	}
	return costs.AddCost(ctx, d.service.store, c, by)
}

// EndCost sets the last day of a cost.
func (d *CostDesk) EndCost(ctx context.Context, id int64, last affiliate.Day, by audit.Line) error {
	if _, err := d.Cost(ctx, id); err != nil {
		return err
	}
	return costs.EndCost(ctx, d.service.store, id, last, by)
}

// RemoveCost removes a cost that was never spent.
func (d *CostDesk) RemoveCost(ctx context.Context, id int64, by audit.Line) error {
	if _, err := d.Cost(ctx, id); err != nil {
		return err
	}
	return costs.RemoveCost(ctx, d.service.store, id, by)
}

// Cost returns one that the user may change. Others are a missing *store.RuleError.
func (d *CostDesk) Cost(ctx context.Context, id int64) (costs.Cost, error) {
	return ask(ctx, d.service, d.now(), func(ctx context.Context, q *question.Question) (costs.Cost, error) {
		return returns.FindCost(ctx, q, id)
	})
}

// now is a query about everything.
func (d *CostDesk) now() query.Query {
	zone := d.service.store.Zone()
	return query.Query{Zone: zone, Today: affiliate.DayOf(d.service.now(), zone)}
}
