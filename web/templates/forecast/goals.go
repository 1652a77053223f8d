package forecast

import (
	"slices"
	"strconv"

	"github.com/shopspring/decimal"

	"rebatedesk/reports/goals"
	"rebatedesk/reports/phrase"
	"rebatedesk/web/templates/ui"
)

// GoalsPath is the address to which the forms of goals are sent.
const GoalsPath = "/forecast/goals"

// GoalsView is the section with the goals of a month.
type GoalsView struct {
	goals.Report
	Token  string  // empty: the reader may not change them
	Form   ui.Form // of a new goal, as it was refused
	Change ui.Form // of the goal Of, as it was refused
	Of     int64
	Done   string // what was just done
	Undo   string // the goal that was removed; empty: nothing can be restored
}

// Shown reports whether there is anything to show: goals belong to a month.
func (v GoalsView) Shown() bool { return v.Days.First != 0 && v.Days.Len() > 0 }

// Month is the month in the form of an address.
func (v GoalsView) Month() string { return v.Days.First.Format("2006-01") }

func (v GoalsView) title() string { return "Goals for " + v.Days.First.Format("January 2006") }

// before names the month before.
func (v GoalsView) before() string { return (v.Days.First - 1).Format("January") }

// lead sums up in words how the goals stand.
func (v GoalsView) lead() string {
	n := len(v.Goals)
	if n == 0 {
		return "No goal is set for this month."
	}
	counts := map[goals.State]int{}
	for _, g := range v.Goals {
		counts[g.State]++
	}
	words := ""
	for _, one := range []struct {
		state goals.State
		words string
	}{
		{goals.Reached, "reached"}, {goals.OnPace, "on pace"}, {goals.Open, "within reach"}, {goals.Behind, "behind"},
		{goals.Missed, "missed"}, {goals.Unknown, "unknown"}, {goals.Ahead, "not begun"},
	} {
		if counts[one.state] > 0 {
			if words != "" {
				words += ", "
			}
			words += phrase.Count(counts[one.state]) + " " + one.words
		}
	}
	return phrase.Things(n, "goal") + ": " + words + "."
}

// estimated reports whether any goal is compared with an estimate.
func (v GoalsView) estimated() bool {
	return slices.ContainsFunc(v.Goals, func(g goals.Progress) bool { return goalEstimated(g) })
}

// goalEstimated reports whether the state of a goal depends on an estimate.
func goalEstimated(g goals.Progress) bool {
	return g.State == goals.OnPace || g.State == goals.Open || g.State == goals.Behind
}

// goalClass is the colour of a state, whose words stand beside it.
func goalClass(s goals.State) string {
	switch s {
	case goals.Reached, goals.OnPace:
		return "text-success"
	case goals.Behind, goals.Missed:
		return "text-error"
	case goals.Unknown:
		return "text-warning"
	}
	return "text-base-content"
}

// goalBar has the lengths of a goal's bar, in percent of the longest.
type goalBar struct{ Earned, From, Range, To, Short, Goal string }

func barOfGoal(g goals.Progress) goalBar {
	longest := decimal.Max(g.Pace.Amount, g.Earned)
	estimated := goalEstimated(g)
	if estimated {
		longest = decimal.Max(longest, g.Ending.Estimate.High)
	}
	b := goalBar{Earned: ui.BarLength(g.Earned, longest), Goal: ui.BarLength(g.Pace.Amount, longest)}
	if estimated {
		e := g.Ending.Estimate
		b.From, b.Range = ui.BarLength(e.Low, longest), ui.BarLength(e.High.Sub(e.Low), longest)
		if short := g.Pace.Amount.Sub(e.High); short.IsPositive() {
			b.To, b.Short = ui.BarLength(e.High, longest), ui.BarLength(short, longest)
		}
	}
	return b
}

// goalLabel describes the bar of a goal.
func goalLabel(g goals.Progress) string {
	return phrase.Goal(g.Key) + ": " + g.In(g.Earned).String() + " of " + g.Target().String() + " earned" + phrase.GoalShare(g)
}

// prices says at which prices a goal in all coins is counted.
func (v GoalsView) prices(g goals.Progress) string {
	if g.Coin != "" || len(g.Ending.Earned.Coins) == 0 {
		return ""
	}
	return phrase.Valuation(g.Ending.Earned, ui.ZoneOf(v.Query))
}

// leftOut names the coins without a price.
func leftOut(g goals.Progress) string {
	if g.Coin != "" {
		return ""
	}
	return phrase.Unpriced(g.Ending.Unpriced)
}

func goalID(g goals.Progress) string { return strconv.FormatInt(g.ID, 10) }

// changeForm is the form that changes a goal: as it was refused, or with the present amount.
func (v GoalsView) changeForm(g goals.Progress) ui.Form {
	if v.Of == g.ID {
		return v.Change
	}
	return ui.Form{Values: map[string]string{"amount": string(g.Goal.Amount)}}
}

func (v GoalsView) coinChoices() []ui.Pair {
	list := ui.Pairs("All coins, converted to USDT", "")
	for _, coin := range v.Coins {
		list = append(list, ui.Pair{Name: string(coin), Value: string(coin)})
	}
	return list
}

func (v GoalsView) tagChoices() []ui.Pair {
	list := ui.Pairs("All invitees", "")
	for _, tag := range v.Tags {
		list = append(list, ui.Pair{Name: tag, Value: tag})
	}
	return list
}

func (v GoalsView) segmentChoices() []ui.Pair {
	list := ui.Pairs("All invitees", "")
	for _, name := range v.Segments {
		list = append(list, ui.Pair{Name: name, Value: name})
	}
	return list
}

func (v GoalsView) accountChoices() []ui.Pair {
	list := ui.Pairs("Every account", "")
	for _, account := range v.Accounts {
		list = append(list, ui.Pair{Name: string(account), Value: string(account)})
	}
	return list
}

// settable reports whether the month can have goals.
func (v GoalsView) settable() bool {
	return v.Token != "" && v.Months.Contains(v.Days.First)
}

// NewGoalForm returns the values of an empty form: the coin of the page.
func NewGoalForm(coin string) ui.Form { return ui.Form{Values: map[string]string{"coin": coin}} }
