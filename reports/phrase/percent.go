package phrase

import (
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
)

// Percent prints a percentage: with one decimal, and as a factor beyond 999.
func Percent(d decimal.Decimal) string {
	if isFactor(d) {
		return factor(d.Shift(-2))
	}
	return percent(d)
}

// Fraction prints a fraction as a percentage: with one decimal, or more if the fraction has
// more. An unknown fraction is empty.
func Fraction(n affiliate.Number) string {
	if !n.Known() {
		return ""
	}
	d := n.Decimal().Shift(2)
	if d.Equal(d.Round(1)) {
		return Percent(d)
	}
	return d.Round(4).String() + Space + "%"
}

// Share prints a share in percent; an unknown share is a dash.
func Share(r figures.Ratio) string {
	if !r.Known {
		return Dash
	}
	return Percent(r.Percent)
}

// Limits of a readable percentage.
var (
	mostPercent  = decimal.NewFromInt(999)
	leastPercent = decimal.New(1, -4)
	mostFactor   = decimal.New(1, 9) // more means a negligible base
)

func isFactor(percent decimal.Decimal) bool { return percent.Abs().GreaterThan(mostPercent) }

// percent prints a percentage. A small one keeps its first digit instead of being
// rounded to zero.
func percent(d decimal.Decimal) string {
	switch {
	case d.IsZero() || !d.Round(1).IsZero():
		return affiliate.Grouped(d.StringFixed(1)) + Space + "%"
	case d.Abs().LessThan(leastPercent):
		return "<" + Space + leastPercent.String() + Space + "%"
	}
	places := int32(2)
	for d.Round(places).IsZero() {
		places++
	}
	return d.Round(places).String() + Space + "%"
}

// factor prints a factor: "× 136", "× 37 M". A factor too large to mean anything is
// "from nearly nothing".
func factor(f decimal.Decimal) string {
	thousand := decimal.NewFromInt(1000)
	rest, unit := f.Abs(), ""
	if rest.GreaterThanOrEqual(mostFactor) {
		return "from nearly nothing"
	}
	for _, next := range []string{Space + "k", Space + "M"} {
		if rest.Round(0).LessThan(decimal.NewFromInt(10_000)) && unit == "" || rest.Round(0).LessThan(thousand) {
			break
		}
		rest, unit = rest.Div(thousand), next
	}
	text := affiliate.Grouped(rest.Round(0).String()) + unit
	if f.IsNegative() {
		text = "-" + text
	}
	return "×" + Space + text
}
