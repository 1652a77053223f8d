package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
)

// rateWords says at which prices a coin was valued, from where and from when:
// "× 61,240.10 USDT (spot ticker, 20 Nov 2026 14:00 UTC)".
func rateWords(c figures.ValuedCoin, zone *time.Location) string {
	span := c.Span()
	if span.Count == 0 {
		return ""
	}
	at, when := price(span.Low), Clock(span.Newest.At.Time(), zone)
	if span.Count > 1 {
		if high := price(span.High); high != at {
			at += "–" + high
		}
		when = "newest " + when
	}
	return fmt.Sprintf("× %s %s (%s, %s)", at, figures.ValuedIn, span.Newest.Source, when)
}

func price(r figures.DayRate) string { return affiliate.Grouped(string(r.Price)) }

// fallbackWords say which days have no rate of their own, and what they take
// instead.
func fallbackWords(coins ...figures.ValuedCoin) []string {
	var lines []string
	for _, kind := range []struct {
		figures.RateKind
		instead string
	}{
		{figures.RateFirst, "the first known price is used"},
		{figures.RateEarlier, "the newest price from before is used"},
	} {
		var days []affiliate.Day
		for _, c := range coins {
			days = append(days, c.Of(kind.RateKind)...)
		}
		slices.Sort(days)
		if days = slices.Compact(days); len(days) > 0 {
			lines = append(lines, fmt.Sprintf("%s: no price collected on %s, so %s.", daysWords(days), Things(len(days), "day"), kind.instead))
		}
	}
	return lines
}

// daysWords prints the first and the last of some days in order.
func daysWords(days []affiliate.Day) string {
	return DayWords(affiliate.Days{First: days[0], Last: days[len(days)-1]})
}

// MissingWords names the coins that a converted total leaves out; empty where
// there are none.
func MissingWords(missing []affiliate.Amount) string {
	var parts []string
	for _, amount := range missing {
		parts = append(parts, amount.String())
	}
	if len(parts) == 0 {
		return ""
	}
	return "Without " + strings.Join(parts, ", ") + ": no price is known."
}

// ValuedTitle is the total to eight decimals, and how it came about.
func ValuedTitle(v figures.Valuation, zone *time.Location) string {
	total := v.Amount()
	total.Value = total.Value.RoundBank(8)
	lines := []string{total.Exact()}
	for _, c := range v.Coins {
		if words := rateWords(c, zone); words != "" {
			lines = append(lines, strings.Join(append([]string{c.Sum.Exact() + " " + words}, fallbackWords(c)...), "; "))
		} else {
			lines = append(lines, c.Sum.Exact())
		}
	}
	if words := MissingWords(v.Missing); words != "" {
		lines = append(lines, words)
	}
	return strings.Join(lines, "\n")
}

// referenceWords says by whose rates the compared period was valued.
func referenceWords(v figures.Valuation) string {
	own, other := 0, 0
	for _, c := range v.Coins {
		n := len(c.Of(figures.RateOwn))
		own, other = own+n, other+len(c.Days)-n
	}
	switch {
	case own+other == 0:
		return ""
	case other == 0:
		return ", each at the prices of its own days"
	case own == 0:
		return ", at prices of other days"
	}
	return ", in part at prices of other days"
}

// incomparable is why no change stands beside a converted total although one
// was asked for and both periods are collected; empty where it does.
func incomparable(f figures.ValuedFigure) string {
	if f.Change.Kind != figures.ChangeUnknown || f.Comparable() {
		return ""
	}
	return "cannot be told: a coin of one of the periods has no price"
}
