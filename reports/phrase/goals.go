package phrase

import (
	"fmt"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/forecast"
	"rebatedesk/reports/goals"
	stored "rebatedesk/store/goals"
)

// Goal says what a goal is about, without its month: "USDT, code vip, account main".
func Goal(k stored.Key) string {
	parts := []string{string(k.Coin)}
	if k.Coin == "" {
		parts[0] = "All coins, in " + string(figures.ValuedIn)
	}
	for _, part := range []struct{ name, value string }{{"code", k.Code}, {"tag", k.Tag}, {"segment", k.Segment}, {"account", string(k.Account)}} {
		if part.value != "" {
			parts = append(parts, part.name+" "+affiliate.OneLine(part.value))
		}
	}
	return affiliate.OneLine(strings.Join(parts, ", "))
}

// GoalStands says how a goal stands: "On pace: expected 8,410 of 8,000 USDT (7,900–9,020)".
func GoalStands(g goals.Progress) string {
	target := ofTarget(g)
	switch g.State {
	case goals.Ahead:
		return "Begins on " + g.Days.First.Format(dayForm)
	case goals.Reached:
		return "Reached on " + g.ReachedOn.Format("2 Jan")
	case goals.Missed:
		return "Missed by " + g.In(g.Lacking).String()
	case goals.OnPace:
		return fmt.Sprintf("On pace: expected %s of %s (%s)", Estimated(g.Ending, g.Ending.Estimate.Expected), target, goalRange(g))
	case goals.Open:
		return fmt.Sprintf("Within reach: expected %s of %s (%s)", Estimated(g.Ending, g.Ending.Estimate.Expected), target, goalRange(g))
	case goals.Behind:
		return fmt.Sprintf("Behind: reaches %s of %s", goalRange(g), target)
	}
	return "Cannot say: " + goalLacks(g)
}

// GoalNeeds says what each of the days that are left must bring. It is empty if none is left or
// the goal is reached.
func GoalNeeds(g goals.Progress) string {
	if g.Left == 0 {
		return ""
	}
	words := fmt.Sprintf("%s left: %s a day", Things(g.Left, "day"), g.In(g.ADay))
	if !g.Today.IsZero() {
		words += fmt.Sprintf(", %s of it so far today", g.In(g.Today).Short())
	}
	return words
}

// GoalEvent says that a goal was reached or is out of reach.
func GoalEvent(g goals.Progress) string {
	words := fmt.Sprintf("Goal for %s (%s): ", g.Month.Format("January 2006"), Goal(g.Key))
	switch g.State {
	case goals.Reached:
		return words + fmt.Sprintf("reached on %s: %s earned of %s", g.ReachedOn.Format(dayForm), g.In(g.Earned), g.Target())
	case goals.Missed:
		return words + fmt.Sprintf("missed by %s: %s earned of %s", g.In(g.Lacking), g.In(g.Earned), g.Target())
	}
	return words + fmt.Sprintf("out of reach as it looks now: %s earned of %s, and %s expected in the end (%s, an estimate); %s", g.In(g.Earned), g.Target(),
		goalRange(g)+" "+affiliate.OneLine(string(g.Unit())), ForecastLevel(g.Ending), GoalNeeds(g))
}

// ofTarget prints the amount of a goal with its coin, without decimals that are all zero.
func ofTarget(g goals.Progress) string {
	target := g.Target()
	if target.Value.IsInteger() {
		return affiliate.Grouped(target.Value.String()) + " " + affiliate.OneLine(string(target.Coin))
	}
	return target.String()
}

// goalRange prints the range in which the month of a goal will end, without its coin.
func goalRange(g goals.Progress) string {
	low, high := Estimated(g.Ending, g.Ending.Estimate.Low), Estimated(g.Ending, g.Ending.Estimate.High)
	if low == high {
		return low
	}
	return low + "–" + high
}

// goalLacks says why nothing can be said about a goal.
func goalLacks(g goals.Progress) string {
	if g.Lost != "" {
		return g.Lost
	}
	lack := g.Ending.Lack
	switch lack.Kind {
	case forecast.LackDays:
		days := 0
		for _, d := range lack.Days {
			days += d.Len()
		}
		if days == 1 {
			return "1 day is not collected"
		}
		return Count(days) + " days are not collected"
	case forecast.LackInvitees:
		return "the invitees are not completely collected"
	case forecast.LackHistory:
		return fmt.Sprintf("the history is too short, with %d of %d complete days", lack.Have, lack.Need)
	}
	if b := g.Ending.Estimate.Break; g.Ending.Known() && b != nil {
		return "the level changed on " + b.Since.Format(dayForm) + ", and there is no range yet"
	}
	return "the month is too far ahead"
}

// GoalShare says how much of a goal is reached, after the amount: " (62.5 %)". It is empty if less than
// nothing is earned.
func GoalShare(g goals.Progress) string {
	if !g.Share.Known {
		return ""
	}
	return " (" + Percent(g.Share.Percent) + ")"
}
