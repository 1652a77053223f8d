package phrase

import (
	"fmt"
	"strings"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/forecast"
	"rebatedesk/reports/query"
)

// Forecast says in a sentence where a range will end: "November 2026 will end at about 8,410
// USDT, likely between 7,900 and 9,020 (80 %); 5,204.11 USDT is earned." Without a forecast it
// says why there is none.
func Forecast(e forecast.Ending) string {
	coin, period, scope := Space+string(e.Coin), Period(e.Days), ""
	if e.Converted {
		scope = " (all coins, converted)"
	}
	switch {
	case !e.Known():
		return ForecastLack(e)
	case e.State == forecast.SpanOver:
		return fmt.Sprintf("%s ended at %s%s.", period, affiliate.Amount{Value: e.Estimate.Earned, Coin: e.Coin}, scope)
	}
	words := period + " will end at about " + Estimated(e, e.Estimate.Expected) + coin + scope
	if e.State == forecast.SpanAhead {
		words = period + " will bring about " + Estimated(e, e.Estimate.Expected) + coin + scope
	}
	if e.Estimate.Ranged() {
		words += ", likely between " + Estimated(e, e.Estimate.Low) + " and " + Estimated(e, e.Estimate.High) + " (" + ForecastLevel(e) + ")"
	} else {
		words += " if days go on like those since the change"
	}
	if e.State == forecast.SpanOpen {
		words += "; " + affiliate.Amount{Value: e.Estimate.Earned, Coin: e.Coin}.String() + " is earned"
	}
	words += "."
	if changed := ForecastBreak(e); changed != "" {
		words += " " + changed
	}
	if unranged := ForecastUnranged(e); unranged != "" {
		words += " " + unranged
	}
	return words
}

// ForecastBreak says in a sentence that the level of a programme changed: "The level changed on 19 Nov
// 2026: a day brought 12.04 USDT before, and 0.00 USDT since." It is empty if it did not lately.
func ForecastBreak(e forecast.Ending) string {
	b := e.Estimate.Break
	if b == nil {
		return ""
	}
	return fmt.Sprintf("The level changed on %s: a day brought %s before, and %s since.", b.Since.Format(dayForm), money(b.Before, e.Coin), money(b.After, e.Coin))
}

// ForecastUnranged says in a sentence why an estimate has no range. It is empty if it has one.
func ForecastUnranged(e forecast.Ending) string {
	b := e.Estimate.Break
	switch {
	case e.Estimate.Ranged() || b == nil:
		return ""
	case b.After.IsZero():
		return "Since then nothing came by which a range could be measured."
	}
	return "The days since are too few for an honest range."
}

// ForecastLevel says how often ranges like that of a forecast hold: 80 %, if they held about as often
// in its own tests, and otherwise how often they did.
func ForecastLevel(e forecast.Ending) string { return heldLevel(e.Hits(), e.Tested()) }

func heldLevel(hits, tested int) string {
	switch {
	case tested == 0:
		return "untested"
	case 100*hits >= leastHeld*tested && 100*hits <= mostHeld*tested:
		return level
	}
	return fmt.Sprintf("held in %d of %d, %d"+Space+"%%", hits, tested, (200*hits+tested)/(2*tested))
}

// level is that for which ranges are made, and is said where tests held it about: from leastHeld to
// mostHeld percent.
const (
	level     = "80" + Space + "%"
	leastHeld = 75
	mostHeld  = 90
)

// ForecastTrials says how often ranges like that of a forecast held: "Ranges like this held in
// 9 of 11 months." It is empty if none was tested.
func ForecastTrials(e forecast.Ending) string {
	switch n := e.Tested(); {
	case e.Known() && !e.Estimate.Ranged():
		return "" // there is no range like it
	case n == 0 && e.Known() && e.State != forecast.SpanOver:
		return "No earlier " + spanWord(e.Days, 1) + " has enough history before it to test such a range."
	case n == 0:
		return ""
	default:
		return fmt.Sprintf("Ranges like this held in %d of %d %s.", e.Hits(), n, spanWord(e.Days, n))
	}
}

// spanWord is the noun for ranges of the same kind.
func spanWord(days affiliate.Days, n int) string {
	word := "range"
	switch query.WholeMonths(days) {
	case 1:
		word = "month"
	case 3:
		word = "quarter"
	}
	if n != 1 {
		word += "s"
	}
	return word
}

// ForecastLack says why there is no forecast, and what mends it. It is empty if there is one.
func ForecastLack(e forecast.Ending) string {
	lack, name := e.Lack, "No forecast of "+Period(e.Days)
	if e.Converted {
		name += " in all coins"
	} else {
		name += " in " + string(e.Coin)
	}
	if e.State == forecast.SpanOver {
		name = "No figure of " + strings.TrimPrefix(name, "No forecast of ")
	}
	switch lack.Kind {
	case forecast.LackDays:
		var days []string
		for _, d := range lack.Days {
			days = append(days, Days(d))
		}
		words := fmt.Sprintf("%s: %s not completely collected.", name, countedDays(days))
		if lack.Before {
			return words + " They lie before the history that is collected: set HISTORY to more days, and collect."
		}
		return words + " Collect them, on the page Data or by webapp collect."
	case forecast.LackInvitees:
		return name + ": the invitees are not completely collected, so it is not known which commission belongs to the code. Collect them with a HISTORY of at least 365 days, on the page Data or by webapp collect."
	case forecast.LackHistory:
		return fmt.Sprintf("%s: the history is too short. It has %s since the first commission, and %s are needed before the days that are left.",
			name, completeDays(lack.Have), completeDays(lack.Need))
	case forecast.LackFar:
		return fmt.Sprintf("%s: it ends in %s, and a forecast reaches at most %s ahead. Ask for a range that ends earlier.", name, Things(lack.Have, "day"), Things(lack.Need, "day"))
	}
	return ""
}

func completeDays(n int) string {
	if n >= 14 {
		return Things(n/7, "complete week")
	}
	return Things(n, "complete day")
}

// countedDays names the first few of some days, with the verb.
func countedDays(days []string) string {
	const most = 5
	if len(days) > most {
		return fmt.Sprintf("%s and %s of days are", strings.Join(days[:most], ", "), Things(len(days)-most, "more range"))
	}
	if len(days) == 1 && !strings.ContainsRune(days[0], '–') {
		return days[0] + " is"
	}
	return Listed(days) + " are"
}

// Estimated prints an amount of an estimate to three digits of the width of its range: more
// would pretend to be known. What is earned is printed as any amount.
func Estimated(e forecast.Ending, amount decimal.Decimal) string {
	width := e.Estimate.High.Sub(e.Estimate.Low)
	if !width.IsPositive() || amount.Equal(e.Estimate.Earned) {
		return affiliate.Amount{Value: amount, Coin: e.Coin}.Short()
	}
	places := 3 - int32(width.NumDigits()) - width.Exponent()
	return affiliate.Grouped(amount.Round(places).StringFixed(max(0, places)))
}
