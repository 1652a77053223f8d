package reports

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/reports/goals"
	"rebatedesk/reports/losses"
	"rebatedesk/reports/query"
	"rebatedesk/store/audit"
	stored "rebatedesk/store/goals"
)

// Goals answers the query for the goals of the month in which its range begins.
func (s *Service) Goals(ctx context.Context, asked query.Query) (goals.Report, error) {
	return report(ctx, s, "Goals", asked, goals.Make)
}

// Losses answers the query for the revenue at risk. It uses the account, the coin and the
// instant of the query.
func (s *Service) Losses(ctx context.Context, asked query.Query) (losses.Report, error) {
	return report(ctx, s, "Losses", asked, losses.Make)
}

// GoalDesk writes goals.
type GoalDesk struct{ service *Service }

func NewGoalDesk(s *Service) *GoalDesk { return &GoalDesk{s} }

// AddGoal adds a goal about something that is stored, and returns its id. What is refused is a
// *store.RuleError with the field.
func (d *GoalDesk) AddGoal(ctx context.Context, g stored.Goal, by audit.Line) (int64, error) {
	choices, err := d.choices(ctx)
	if err != nil {
		return 0, err
	}
	if wrong := choices.Check(&g.GoalKey); wrong != nil {
		return 0, wrong
	}
	return stored.AddGoal(ctx, d.service.store, g, by)
}

// ChangeGoal gives a goal another amount.
func (d *GoalDesk) ChangeGoal(ctx context.Context, id int64, amount affiliate.Number, by audit.Line) error {
	return stored.ChangeGoal(ctx, d.service.store, id, amount, by)
}

// RemoveGoal removes a goal. One that is gone is a *store.RuleError.
func (d *GoalDesk) RemoveGoal(ctx context.Context, id int64, by audit.Line) error {
	return stored.RemoveGoal(ctx, d.service.store, id, by)
}

// CopyGoals adds to a month the goals of the month before that it does not have, and returns
// how many it added.
func (d *GoalDesk) CopyGoals(ctx context.Context, month affiliate.Day, by audit.Line) (int, error) {
	choices, err := d.choices(ctx)
	if err != nil {
		return 0, err
	}
	if wrong := choices.Check(&stored.GoalKey{Month: month}); wrong != nil {
		return 0, wrong
	}
	year, number, _ := month.Date()
	return stored.CopyGoals(ctx, d.service.store, affiliate.NewDay(year, number-1, 1), month, by)
}

func (d *GoalDesk) choices(ctx context.Context) (goals.GoalChoices, error) {
	zone := d.service.store.Zone()
	return ask(ctx, d.service, query.Query{Zone: zone, Today: affiliate.DayOf(d.service.now(), zone)}, goals.ReadGoalChoices)
}
