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
// USDT (spot ticker, 20 Nov 2026 14:00 UTC)". Imported prices are told apart, with who imported them
// and for which days. It is empty if no day has a price.
func Prices(c figures.ValuedCoin, zone *time.Location) string {
	span := c.Span()
	if span.Count == 0 {
		return ""
	}
	at := Price(span.Low)
	if high := Price(span.High); high != at {
		at += "–" + high
	}
	return fmt.Sprintf("× %s %s (%s)", at, figures.ValuedIn, strings.Join(sources(c, zone), "; "))
}

// sources names the sources of the prices of a coin: that of samples first, then each import.
func sources(c figures.ValuedCoin, zone *time.Location) (words []string) {
	var sampled figures.ValuedCoin
	imported := map[string]affiliate.Days{} // the days for which each import was made
	var imports []string
	for _, d := range c.Days {
		if !d.Imported {
			sampled.Days = append(sampled.Days, d)
			continue
		}
		day := affiliate.DayOf(d.At.Time(), zone)
		around, again := imported[d.Source]
		if !again {
			imports, around = append(imports, d.Source), affiliate.Days{First: day, Last: day}
		}
		imported[d.Source] = affiliate.Days{First: min(around.First, day), Last: max(around.Last, day)}
	}
	if span := sampled.Span(); span.Count > 0 {
		when := Clock(span.Newest.At.Time(), zone)
		if span.Count > 1 {
			when = "newest " + when
		}
		words = append(words, span.Newest.Source+", "+when)
	}
	for _, source := range imports {
		words = append(words, source+", for "+Days(imported[source]))
	}
	return words
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
		{figures.RateImported, "the imported price is used"},
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

// OtherPrices says in a clause which part of a converted total is at imported prices, or at prices from
// after its days: ", 24 days at first known prices, of 29 Nov 2026". It is empty if all days have a
// collected price of their own or of before.
func OtherPrices(v figures.Valuation, zone *time.Location) string {
	all, imported, later := map[affiliate.Day]bool{}, map[affiliate.Day]bool{}, map[affiliate.Day]bool{}
	var from, to affiliate.Millis
	for _, c := range v.Coins {
		for _, d := range c.Days {
			all[d.Day] = true
			if d.Imported {
				imported[d.Day] = true
			}
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
	words := partly(len(imported), len(all), "at imported prices")
	if len(later) == 0 {
		return words
	}
	of := affiliate.Days{First: affiliate.DayOf(from.Time(), zone), Last: affiliate.DayOf(to.Time(), zone)}
	if words != "" && len(later) == len(all) {
		words += " and"
	}
	return words + partly(len(later), len(all), "at first known prices, of "+Days(of))
}

// partly says of how many days something holds, in a clause that follows another.
func partly(n, all int, what string) string {
	switch n {
	case 0:
		return ""
	case all:
		return " " + what
	}
	return ", " + Things(n, "day") + " " + what
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
