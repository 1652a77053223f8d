package charts

import (
	"rebatedesk/reports/figures"
)

// IsPartial reports whether there is commission on day i and more may be missing.
func IsPartial(d figures.DailySeries, i int) bool {
	return !d.Total[i].IsZero() && d.State[i].Doubtful()
}
