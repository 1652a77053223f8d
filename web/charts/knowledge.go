package charts

import (
	"github.com/shopspring/decimal"

	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
)

// Doubtful reports whether commission may be missing from a day.
func Doubtful(state coverage.DayState) bool {
	return state == coverage.DayMissing || state == coverage.DayPartial || state == coverage.DayFailed
}

// Known reports whether a value of day i says anything. Zero does not while
// commission may be missing, or has yet to be earned: it is shown as unknown
// then, never as zero.
func Known(d figures.DailySeries, i int, value decimal.Decimal) bool {
	return !value.IsZero() || !Doubtful(d.State[i]) && d.State[i].Due()
}

// IsPartial reports whether there is commission on day i and more may be missing.
func IsPartial(d figures.DailySeries, i int) bool {
	return !d.Total[i].IsZero() && Doubtful(d.State[i])
}
