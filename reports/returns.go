package reports

import (
	"context"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/query"
	"rebatedesk/reports/returns"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/audit"
	"rebatedesk/store/costs"
)

// ReturnOfPerson returns what the cost of one person brought back, as of an instant, where zero means now;
// nil if the person has no cost.
func (s *Service) ReturnOfPerson(ctx context.Context, uid affiliate.UID, asOf time.Time) (*returns.Row, error) {
	basis, err := s.Basis(ctx)
	if err != nil {
		return nil, err
	}
	asked := s.everything()
	asked.UID, asked.AsOf, asked.Range = uid, asOf, query.AllTime
	asked.Days = affiliate.Days{First: basis.First, Last: asked.Today}
	return Ask(ctx, s, asked, returns.OfPerson)
}

// AddCost stores a cost, and returns its id. What is refused is a *store.RuleError with the field.
func (s *Service) AddCost(ctx context.Context, c costs.Cost, by audit.Line) (int64, error) {
	c, err := Fresh(ctx, s, s.everything(), func(ctx context.Context, q *snapshot.Snapshot) (costs.Cost, error) {
		err := returns.CheckCost(ctx, q, &c)
		return c, err
	})
	if err != nil {
		return 0, err
	}
	return costs.Table.Add(ctx, s.store, c, by)
}

// EndCost sets the last day of a cost.
func (s *Service) EndCost(ctx context.Context, id int64, last affiliate.Day, by audit.Line) error {
	if _, err := s.Cost(ctx, id); err != nil {
		return err
	}
	return costs.End(ctx, s.store, id, last, by)
}

// RemoveCost removes a cost that was never spent.
func (s *Service) RemoveCost(ctx context.Context, id int64, by audit.Line) error {
	if _, err := s.Cost(ctx, id); err != nil {
		return err
	}
	return costs.Table.Remove(ctx, s.store, id, by)
}

// RestoreCost adds a removed cost again, if it is about something that is still stored.
func (s *Service) RestoreCost(ctx context.Context, id int64, by audit.Line) error {
	_, err := Fresh(ctx, s, s.everything(), func(ctx context.Context, q *snapshot.Snapshot) (costs.Cost, error) {
		cost, err := costs.Table.Find(ctx, q.Tx, id)
		if err == nil {
			err = returns.CheckCost(ctx, q, &cost)
		}
		return cost, err
	})
	if err != nil {
		return err
	}
	_, err = costs.Table.Restore(ctx, s.store, id, by)
	return err
}

// Cost returns one that the user may change. Others are a missing *store.RuleError.
func (s *Service) Cost(ctx context.Context, id int64) (costs.Cost, error) {
	return Fresh(ctx, s, s.everything(), func(ctx context.Context, q *snapshot.Snapshot) (costs.Cost, error) {
		return returns.FindCost(ctx, q, id)
	})
}
