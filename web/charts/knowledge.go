package charts

import (
	"rebatedesk/reports/figures"
)

// IsPartial reports whether day i has commission and may still be missing some.
func IsPartial(d figures.DailySeries, i int) bool {
	return !d.Total[i].IsZero() && d.State[i].Doubtful()
}
