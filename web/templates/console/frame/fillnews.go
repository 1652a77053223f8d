package frame

import (
	"maps"
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
	"rebatedesk/reports/phrase"
	"rebatedesk/trading"
)

// FillWords sums up own fills that just happened, in one sentence.
func FillWords(list []weex.Fill, now time.Time, zone *time.Location) string {
	list = slices.SortedStableFunc(slices.Values(list), func(a, b weex.Fill) int { return int(a.Created - b.Created) })
	pairs := map[string][]weex.Fill{}
	for _, f := range list {
		pairs[f.Symbol] = append(pairs[f.Symbol], f)
	}
	first, when := list[0].Created.Time().In(zone), "15:04:05 MST"
	if n := now.In(zone); first.YearDay() != n.YearDay() || first.Year() != n.Year() {
		when = "2 Jan 15:04 MST"
	}
	at := " at " + first.Format(when)
	if len(list) > 1 {
		at = " since " + first.Format(when)
	}
	if len(pairs) == 1 {
		return manyFills(list, len(list)) + " of " + affiliate.PairName(list[0].Symbol) + at + ": " + tradedWords(list) + "."
	}
	var parts []string
	most := 0
	for _, symbol := range slices.SortedFunc(maps.Keys(pairs), func(a, b string) int {
		return 2*(len(pairs[b])-len(pairs[a])) + strings.Compare(a, b)
	}) {
		most = max(most, len(pairs[symbol]))
		parts = append(parts, phrase.Count(len(pairs[symbol]))+" of "+affiliate.PairName(symbol))
	}
	return manyFills(list, most) + " of " + phrase.Things(len(pairs), "pair") + at + ": " + strings.Join(parts, ", ") + "."
}

// manyFills counts fills, of which a pair has most. Only the newest of a pair are read, so there may
// be more.
func manyFills(list []weex.Fill, most int) string {
	switch {
	case len(list) == 1:
		return "Fill"
	case most >= FillsRead:
		return "At least " + phrase.Things(len(list), "fill")
	}
	return phrase.Things(len(list), "fill")
}

// tradedWords add up fills of one pair by side: "bought 0.01 BTC at 43,120.50 USDT".
func tradedWords(list []weex.Fill) string {
	var parts []string
	for _, side := range []struct {
		side  weex.Side
		words string
	}{{weex.Buy, "bought "}, {weex.Sell, "sold "}} {
		of := slices.DeleteFunc(slices.Clone(list), func(f weex.Fill) bool { return f.Side != side.side })
		if len(of) == 0 {
			continue
		}
		words := side.words
		quantity, worth := fillSum(of, func(f weex.Fill) affiliate.Number { return f.FillQuantity }), fillSum(of, fillWorth)
		if !quantity.Known() {
			words += "an unknown quantity of " + string(of[0].BaseCoin)
		} else {
			words += affiliate.Grouped(string(quantity)) + phrase.Space + string(of[0].BaseCoin)
		}
		if len(of) == 1 && of[0].FillPrice.Known() {
			words += " at " + affiliate.Grouped(string(of[0].FillPrice)) + phrase.Space + string(of[0].QuoteCoin)
		} else if len(of) > 1 && worth.Known() {
			words += " for " + affiliate.Grouped(string(worth)) + phrase.Space + string(of[0].QuoteCoin)
		}
		parts = append(parts, words)
	}
	if len(parts) == 0 {
		return "of an unknown side"
	}
	return strings.Join(parts, ", ")
}

func fillWorth(f weex.Fill) affiliate.Number {
	if f.FillTotalAmount.Known() {
		return f.FillTotalAmount
	}
	return trading.ValueOf(f.FillPrice, f.FillQuantity)
}

// fillSum adds up a number of fills, exactly; unknown if one of them is.
func fillSum(list []weex.Fill, number func(weex.Fill) affiliate.Number) affiliate.Number {
	var sum affiliate.Sum
	for _, f := range list {
		if n := number(f); !n.Known() || !sum.Add(n) {
			return ""
		}
	}
	return affiliate.Number(sum.String())
}

// FillsRead is how many fills of a pair are read at once.
const FillsRead = 100
