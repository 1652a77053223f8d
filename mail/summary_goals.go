package mail

import (
	"context"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/goals"
	"rebatedesk/reports/phrase"
)

// goals adds how the goals of the month stand in which the period ends. Estimates are about the
// present, so the goals are too.
func (q *question) goals(ctx context.Context) error {
	query, err := q.ask(affiliate.Days{First: q.Period.Last, Last: q.Period.Last})
	if err != nil {
		return err
	}
	query.AsOf = time.Time{}
	view, err := q.reports.Goals(ctx, query)
	if err != nil {
		return err
	}
	q.add(goalTable(view))
	return nil
}

// goalTable has a line for each goal.
func goalTable(view goals.Report) FigureTable {
	t := FigureTable{Title: "Goals for " + view.Days.First.Format("January 2006"), Head: []string{"Goal", "Earned", "Share", "How it stands"}}
	estimated := false
	for _, g := range view.Goals {
		earned, share := g.In(g.Earned).Short(), phrase.Share(g.Share)
		if g.State == goals.GoalAhead {
			earned, share = phrase.Dash, phrase.Dash
		}
		t.Rows = append(t.Rows, []string{phrase.Goal(g.GoalKey), earned, share, phrase.GoalStands(g)})
		t.Bars = append(t.Bars, barOf(g.Share))
		estimated = estimated || slices.Contains([]goals.GoalState{goals.GoalOnPace, goals.GoalOpen, goals.GoalBehind}, g.State)
	}
	if estimated {
		t.Title += "; what is expected is an estimate, with its range of " + phrase.ForecastLevel
	}
	return t
}
