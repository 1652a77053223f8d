package mail

import (
	"context"
	"fmt"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/goals"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/store/outbox"
)

const (
	// goalAfter is how long a goal must have been out of reach before that is reported: the
	// range of a forecast moves with each collection.
	goalAfter = 12 * time.Hour
	// goalDays is how long after the end of a month its goals are still reported.
	goalDays = 7
)

// The events of a goal, each reported once.
const (
	goalOut = "out of reach"
	goalHas = "reached"
)

// goalSignals reports the goals of this month, and of one that ended some days ago, that are out
// of reach or reached. q says what the alert is about.
func (s *Service) goalSignals(ctx context.Context, a Alert, q query.Query) (found []signal, err error) {
	asked := affiliate.Day(0)
	for _, day := range []affiliate.Day{q.Today - goalDays, q.Today} {
		q.Days = affiliate.Days{First: day, Last: day}
		view, err := s.reports.Goals(ctx, q)
		if err != nil {
			return nil, err
		}
		if view.Days.First == asked {
			break // both days are of one month
		}
		asked = view.Days.First
		for _, g := range view.Goals {
			if event := a.goalEvent(g, q.Zone); event != "" {
				found = append(found, signal{Key: goalKey(g, event), Words: phrase.GoalEvent(g), Page: goalPage(g)})
			}
		}
	}
	for i := range found {
		if strings.HasSuffix(found[i].Key, goalOut) {
			found[i].After = goalAfter
		}
	}
	return found, nil
}

// goalEvent returns what is to be reported of a goal: nothing while days are not collected, or
// of what was so before the alert began or the goal was set.
func (a Alert) goalEvent(g goals.GoalProgress, zone *time.Location) string {
	since := max(a.Since, g.Created).Time()
	over := func(day affiliate.Day) bool { return !day.Range(zone).To.After(since) }
	switch {
	case !g.Complete():
	case g.State == goals.GoalReached && !over(g.ReachedOn):
		return goalHas
	case g.State == goals.GoalBehind, g.State == goals.GoalMissed && !over(g.Days.Last):
		return goalOut
	}
	return ""
}

// goalKey identifies an event of a goal. A goal with another amount is another goal.
func goalKey(g goals.GoalProgress, event string) string {
	return fmt.Sprintf("goal|%s|%q|%q|%q|%q|%s|%s", g.Month, g.Account, g.Coin, g.Code, g.Tag, g.Goal.Amount, event)
}

// goalPage returns the address of the goals of a month.
func goalPage(g goals.GoalProgress) string {
	return withQuery("/forecast", "month", g.Month.Format("2006-01"))
}

// goalHeadline counts goals by what became of them.
func goalHeadline(facts []outbox.Fact) string {
	var parts []string
	for _, event := range []string{goalOut, goalHas} {
		n := 0
		for _, f := range facts {
			if strings.HasSuffix(f.Key, "|"+event) {
				n++
			}
		}
		switch {
		case n == 1:
			parts = append(parts, "a goal is "+event)
		case n > 1:
			parts = append(parts, phrase.Things(n, "goal")+" are "+event)
		}
	}
	return strings.Join(parts, ", ")
}
