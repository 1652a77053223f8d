package reports

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/reports/goals"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/audit"
	stored "rebatedesk/store/goals"
)

// AddGoal adds a goal about something that is stored, and returns its id. What is refused is a
// *store.RuleError with the field.
func (s *Service) AddGoal(ctx context.Context, g stored.Goal, by audit.Line) (int64, error) {
	choices, err := s.goalChoices(ctx)
	if err != nil {
		return 0, err
	}
	if wrong := choices.Check(&g.Key); wrong != nil {
		return 0, wrong
	}
	return stored.Table.Add(ctx, s.store, g, by)
}

// RestoreGoal adds a removed goal again, if it is about something that is still stored.
func (s *Service) RestoreGoal(ctx context.Context, id int64, by audit.Line) error {
	_, err := Fresh(ctx, s, s.everything(), func(ctx context.Context, q *snapshot.Snapshot) (stored.Goal, error) {
		goal, err := stored.Table.Find(ctx, q.Tx, id)
		if err != nil {
			return goal, err
		}
		choices, err := goals.ReadChoices(ctx, q)
		if err != nil {
			return goal, err
		}
		if wrong := choices.Check(&goal.Key); wrong != nil {
			return goal, wrong
		}
		return goal, nil
	})
	if err != nil {
		return err
	}
	_, err = stored.Table.Restore(ctx, s.store, id, by)
	return err
}

// ChangeGoal gives a goal another amount.
func (s *Service) ChangeGoal(ctx context.Context, id int64, amount affiliate.Number, by audit.Line) error {
	return stored.Table.Change(ctx, s.store, id, func(g *stored.Goal) error {
		g.Amount = amount
		return nil
	}, by)
}

// CopyGoals adds to a month the goals of the month before that it does not have, and returns
// how many it added.
func (s *Service) CopyGoals(ctx context.Context, month affiliate.Day, by audit.Line) (int, error) {
	choices, err := s.goalChoices(ctx)
	if err != nil {
		return 0, err
	}
	if wrong := choices.Check(&stored.Key{Month: month}); wrong != nil {
		return 0, wrong
	}
	year, number, _ := month.Date()
	return stored.Copy(ctx, s.store, affiliate.NewDay(year, number-1, 1), month, by)
}

func (s *Service) goalChoices(ctx context.Context) (goals.Choices, error) {
	return Fresh(ctx, s, s.everything(), goals.ReadChoices)
}
