package reporttest

import (
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
)

// States returns the states of the days of a query.
func (d *Fixture) States(query string) []coverage.DayState {
	d.Helper()
	return d.Overview(query).Daily.State
}

func Midnight(day affiliate.Day) affiliate.Millis { return affiliate.MillisOf(day.Start(time.UTC)) }
