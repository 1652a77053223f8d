package phrase

import (
	"strconv"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

const (
	Dash  = "—"      // an unknown value
	Space = "\u00a0" // non-breaking
)

// Count prints a number of things: "12,345".
func Count[N ~int | ~int64](n N) string { return affiliate.Grouped(strconv.FormatInt(int64(n), 10)) }

// Things prints a number with its noun: "1 record", "12,345 records".
func Things[N ~int | ~int64](n N, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n) + " " + one + "s"
}

// Number prints an amount without its unit, rounded; an unknown amount is a dash.
func Number(n affiliate.Number) string {
	if !n.Known() {
		return Dash
	}
	return affiliate.Amount{Value: n.Decimal()}.Short()
}

// WithSign puts a plus before the text of a positive amount.
func WithSign(d decimal.Decimal, text string) string {
	if d.IsPositive() {
		return "+" + text
	}
	return text
}

// Signed prints an exact difference with its sign.
func Signed(d decimal.Decimal) string { return WithSign(d, affiliate.Grouped(d.String())) }
