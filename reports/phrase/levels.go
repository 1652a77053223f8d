package phrase

import (
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/levels"
)

// Level says what something brings a day since its level changed, and what it brought before: "brings 12.03
// USDT a day since 12 Nov 2026, 40.10 before".
func Level(c *levels.Change) string {
	return "brings " + money(c.After, figures.ValuedIn).Short() + Space + string(figures.ValuedIn) + " a day since " + c.Since.Format(dayForm) +
		", " + money(c.Before, figures.ValuedIn).Short() + " before"
}

// LevelBriefly is [Level] in a line: "brings 12 USDT a day since 12 Nov, 40 before".
func LevelBriefly(c *levels.Change) string {
	brief := func(d decimal.Decimal) string {
		if d.Abs().GreaterThanOrEqual(decimal.NewFromInt(10)) {
			return affiliate.Grouped(d.Round(0).String())
		}
		return money(d, figures.ValuedIn).Short()
	}
	return "brings " + brief(c.After) + Space + string(figures.ValuedIn) + " a day since " + c.Since.Format("2 Jan") + ", " + brief(c.Before) + " before"
}

// LevelEffect says what a change of level makes of the running month: "about 532.40 USDT less in November 2026".
func LevelEffect(c *levels.Change, today affiliate.Day) string {
	more := " more in "
	if c.Effect.IsNegative() {
		more = " less in "
	}
	return "about " + money(c.Effect.Abs(), figures.ValuedIn).Short() + Space + string(figures.ValuedIn) + more + today.Format("January 2006")
}

// LevelOf names what a change is of, an invitee by the name that is given: "Code spring of second".
func LevelOf(c *levels.Change, invitee string, several bool) string {
	words := "The programme"
	switch c.Subject {
	case levels.Code:
		words = "Code " + affiliate.OneLine(c.Code)
	case levels.Invitee:
		words = "Invitee " + invitee
	}
	if several {
		words += " of " + affiliate.OneLine(string(c.Account))
	}
	return words
}
