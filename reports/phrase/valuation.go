package phrase

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
)

// Prices says at which prices a coin was valued, with their source and time: "× 61,240.10
// USDT (spot ticker, 20 Nov 2026 14:00 UTC)". It is empty if no day has a price.
func Prices(c figures.ValuedCoin, zone *time.Location) string {
	span := c.Span()
	if span.Count == 0 {
		return ""
	}
	at, when := Price(span.Low), Clock(span.Newest.At.Time(), zone)
	if span.Count > 1 {
		if high := Price(span.High); high != at {
			at += "–" + high
		}
		when = "newest " + when
	}
	return fmt.Sprintf("× %s %s (%s, %s)", at, figures.ValuedIn, span.Newest.Source, when)
}

// Price prints the price of a coin on a day.
func Price(r figures.DayRate) string { return affiliate.Grouped(string(r.Price)) }

// Fallbacks says which days have no price, and which price they use instead.
func Fallbacks(coins ...figures.ValuedCoin) []string {
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
			around := affiliate.Days{First: days[0], Last: days[len(days)-1]}
			lines = append(lines, fmt.Sprintf("%s: no price collected on %s, so %s.", Days(around), Things(len(days), "day"), kind.instead))
		}
	}
	return lines
}

// LaterPrices says in a clause which part of a converted total is at prices from after its days:
// ", 24 days at first known prices, of 29 Nov 2026". It is empty if all days have a price of their
// own or of before.
func LaterPrices(v figures.Valuation, zone *time.Location) string {
	later, all := map[affiliate.Day]bool{}, map[affiliate.Day]bool{}
	var from, to affiliate.Millis
	for _, c := range v.Coins {
		for _, d := range c.Days {
			all[d.Day] = true
			if d.Kind != figures.RateFirst {
				continue
			}
			later[d.Day] = true
			if !from.Known() || d.At < from {
				from = d.At
			}
			to = max(to, d.At)
		}
	}
	if len(later) == 0 {
		return ""
	}
	words := " at first known prices, of "
	if len(later) < len(all) {
		words = ", " + Things(len(later), "day") + words
	}
	return words + Days(affiliate.Days{First: affiliate.DayOf(from.Time(), zone), Last: affiliate.DayOf(to.Time(), zone)})
}

// Unpriced names the coins that a converted total leaves out. It is empty if it leaves out
// none.
func Unpriced(missing []affiliate.Amount) string {
	var parts []string
	for _, amount := range missing {
		parts = append(parts, amount.String())
	}
	if len(parts) == 0 {
		return ""
	}
	return "Without " + strings.Join(parts, ", ") + ": no price is known."
}

// Valuation prints a converted total to eight decimals and its derivation, in lines.
func Valuation(v figures.Valuation, zone *time.Location) string {
	total := v.Amount()
	total.Value = total.Value.RoundBank(8)
	lines := []string{total.Exact()}
	for _, c := range v.Coins {
		if words := Prices(c, zone); words != "" {
			lines = append(lines, strings.Join(append([]string{c.Sum.Exact() + " " + words}, Fallbacks(c)...), "; "))
		} else {
			lines = append(lines, c.Sum.Exact())
		}
	}
	if words := Unpriced(v.Missing); words != "" {
		lines = append(lines, words)
	}
	return strings.Join(lines, "\n")
}
