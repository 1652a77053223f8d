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
	counts := map[goals.GoalState]int{}
	for _, g := range v.Goals {
		counts[g.State]++
	}
	words := ""
	for _, one := range []struct {
		state goals.GoalState
		words string
	}{
		{goals.GoalReached, "reached"}, {goals.GoalOnPace, "on pace"}, {goals.GoalOpen, "within reach"}, {goals.GoalBehind, "behind"},
		{goals.GoalMissed, "missed"}, {goals.GoalUnknown, "unknown"}, {goals.GoalAhead, "not begun"},
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
	return slices.ContainsFunc(v.Goals, func(g goals.GoalProgress) bool { return goalEstimated(g) })
}

// goalEstimated reports whether the state of a goal depends on an estimate.
func goalEstimated(g goals.GoalProgress) bool {
	return g.State == goals.GoalOnPace || g.State == goals.GoalOpen || g.State == goals.GoalBehind
}

// goalClass is the colour of a state, whose words stand beside it.
func goalClass(s goals.GoalState) string {
	switch s {
	case goals.GoalReached, goals.GoalOnPace:
		return "text-success"
	case goals.GoalBehind, goals.GoalMissed:
		return "text-error"
	case goals.GoalUnknown:
		return "text-warning"
	}
	return "text-base-content"
}

// goalBar has the lengths of a goal's bar, in percent of the longest.
type goalBar struct{ Earned, From, Range, Expected, Goal string }

func barOfGoal(g goals.GoalProgress) goalBar {
	longest := decimal.Max(g.Pace.Amount, g.Earned)
	estimated := goalEstimated(g)
	if estimated {
		longest = decimal.Max(longest, g.Ending.Estimate.High)
	}
	b := goalBar{Earned: ui.BarLength(g.Earned, longest), Goal: ui.BarLength(g.Pace.Amount, longest)}
	if estimated {
		e := g.Ending.Estimate
		b.From, b.Range, b.Expected = ui.BarLength(e.Low, longest), ui.BarLength(e.High.Sub(e.Low), longest), ui.BarLength(e.Expected, longest)
	}
	return b
}

// goalLabel describes the bar of a goal.
func goalLabel(g goals.GoalProgress) string {
	return phrase.Goal(g.GoalKey) + ": " + g.In(g.Earned).String() + " of " + g.Target().String() + " earned" + phrase.GoalShare(g)
}

// prices says at which prices a goal in all coins is counted.
func (v GoalsView) prices(g goals.GoalProgress) string {
	if g.Coin != "" || len(g.Ending.Earned.Coins) == 0 {
		return ""
	}
	return phrase.Valuation(g.Ending.Earned, ui.ZoneOf(v.Query))
}

// leftOut names the coins without a price.
func leftOut(g goals.GoalProgress) string {
	if g.Coin != "" {
		return ""
	}
	return phrase.Unpriced(g.Ending.Unpriced)
}

func goalID(g goals.GoalProgress) string { return strconv.FormatInt(g.ID, 10) }

// changeForm is the form that changes a goal: as it was refused, or with the present amount.
func (v GoalsView) changeForm(g goals.GoalProgress) ui.Form {
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

// GoalFormFields are the fields of the form.
var GoalFormFields = []string{"month", "coin", "amount", "code", "tag", "segment", "account"}
