package findings

import (
	"context"
	"fmt"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/goals"
	"rebatedesk/reports/phrase"
	"rebatedesk/store/outbox"
)

var _ = register(Kind{
	Alert: &Alert{
		Name: "goal", Place: 80, Title: "A goal is out of reach",
		When:     "For half a day, the forecast of the month has been below its goal, even at its high end. You also get a mail when a goal is reached. Months with missing days never cause an alert.",
		Help:     "a goal of the month is out of reach, or reached",
		Coin:     "Only goals in this coin, such as USDT. If empty, all goals.",
		Segments: true, Lapses: true, // a goal may be within reach again
		Words:   func(w *Watched) string { return "A goal" + w.ofCoin() + " is out of reach, or reached" },
		Signals: goalSignals,
	},
	Headline: goalHeadline,
})

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
// of reach or reached.
func goalSignals(ctx context.Context, w *Watched) (found []Signal, err error) {
	asked := affiliate.Day(0)
	for _, day := range []affiliate.Day{w.today() - goalDays, w.today()} {
		view, err := shared(ctx, w, "goals", w.inCoin(affiliate.Days{First: day, Last: day}), goals.Make)
		if err != nil {
			return nil, err
		}
		if view.Days.First == asked {
			break // both days are of one month
		}
		asked = view.Days.First
		for _, g := range view.Goals {
			event := goalEvent(w, g)
			if event == "" {
				continue
			}
			month := g.Month.Format("2006-01")
			one := Signal{Key: goalKey(g, event), Words: phrase.GoalEvent(g), Page: withQuery("/forecast", "month", month),
				Detail: details("month", month, "account", string(g.Account), "coin", string(g.Coin), "event", event)}
			if event == goalOut {
				one.After = goalAfter
			}
			found = append(found, one)
		}
	}
	return found, nil
}

// goalEvent returns what is to be reported of a goal: nothing while days are not collected, or
// of what was so before the alert began or the goal was set.
func goalEvent(w *Watched, g goals.Progress) string {
	since := max(w.Since, g.Created).Time()
	over := func(day affiliate.Day) bool { return !day.Range(w.Zone).To.After(since) }
	switch {
	case !g.Complete():
	case g.State == goals.Reached && !over(g.ReachedOn):
		return goalHas
	case g.State == goals.Behind, g.State == goals.Missed && !over(g.Days.Last):
		return goalOut
	}
	return ""
}

// goalKey identifies an event of a goal. A goal with another amount is another goal.
func goalKey(g goals.Progress, event string) string {
	return fmt.Sprintf("goal|%s|%q|%q|%q|%q|%s|%s", g.Month, g.Account, g.Coin, g.Code, aboutInvitees(g), g.Goal.Amount, event)
}

// aboutInvitees is the tag of a goal, and its segment if it has one.
func aboutInvitees(g goals.Progress) string {
	if g.Segment == "" {
		return g.Tag
	}
	return g.Tag + "|" + g.Segment
}

// goalHeadline counts goals by what became of them.
func goalHeadline(_ *Watched, facts []outbox.Fact) string {
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
