package mail

import (
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
)

// dash stands for what is not known.
const dash = "—"

func clock(t time.Time, zone *time.Location) string { return t.In(zone).Format("2 Jan 2006 15:04 MST") }

func countWords(n int64) string { return affiliate.Grouped(strconv.FormatInt(n, 10)) }

// things prints a number with its noun.
func things[N ~int | ~int64](n N, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return countWords(int64(n)) + " " + one + "s"
}

func percent(d decimal.Decimal) string { return figures.Percent(d) }

// numberWords is an amount without a unit; unknown is a dash.
func numberWords(n affiliate.Number) string {
	if !n.Known() {
		return dash
	}
	return affiliate.Amount{Value: n.Decimal()}.Short()
}

func signed(a affiliate.Amount) string {
	if a.Value.IsPositive() {
		return "+" + a.Short()
	}
	return a.Short()
}

// changeWords say how a figure compares, and its tone: up, down or neither.
func changeWords(c figures.Change) (words, tone string) {
	switch c.Kind {
	case figures.ChangeUp:
		return "▲ " + c.Words(), "up"
	case figures.ChangeDown:
		return strings.TrimSpace("▼ " + c.Words()), "down"
	case figures.ChangeNew:
		return "new", "up"
	case figures.ChangeSame:
		return "no change", ""
	case figures.ChangeUnknown:
		return dash, ""
	}
	return "", ""
}

// emptyWords say why there is no commission.
func emptyWords(kind coverage.EmptyKind) string {
	switch kind {
	case coverage.EmptyTruly:
		return "No commission in this period"
	case coverage.EmptyFiltered:
		return "No commission that fits the filters"
	case coverage.EmptyFailed:
		return "The collection of this period failed"
	case coverage.EmptyFuture:
		return "This period has not begun"
	case coverage.EmptyBefore:
		return "This period lies before the first day to be collected"
	}
	return "This period is not collected yet"
}

// filterWords name what a summary is narrowed to.
func filterWords(s Schedule) string {
	var parts []string
	var products, coins, codes []string
	for _, product := range affiliate.Choices(s.Product) {
		products = append(products, product.Label())
	}
	for _, coin := range affiliate.Choices(s.Coin) {
		coins = append(coins, affiliate.OneLine(string(coin)))
	}
	for _, code := range affiliate.Choices(s.Code) {
		codes = append(codes, affiliate.OneLine(code))
	}
	for _, values := range [][]string{products, coins} {
		if len(values) > 0 {
			parts = append(parts, listed(values))
		}
	}
	switch len(codes) {
	case 0:
	case 1:
		parts = append(parts, "invite code "+codes[0])
	default:
		parts = append(parts, "invite codes "+listed(codes))
	}
	return strings.Join(parts, ", ")
}

// listed puts names into a sentence: "a", "a and b", "a, b and c".
func listed(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
