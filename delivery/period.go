package delivery

import (
	"time"

	"rebatedesk/dispatch"
	"rebatedesk/reports"
	"rebatedesk/store/outbox"
)

// The lengths of periods.
const (
	DayPeriods   = "day"
	WeekPeriods  = "week" // from Monday
	MonthPeriods = "month"
)

// lengths are the periods by the names that deliveries have for them.
var lengths = map[string]dispatch.Every{DayPeriods: dispatch.Daily, WeekPeriods: dispatch.Weekly, MonthPeriods: dispatch.Monthly}

// times returns when the periods of a delivery are due: at its hour on the day after each, or as
// soon as its days are over wherever they are counted. Days of some exports are those of UTC.
func times(d outbox.Delivery, zone *time.Location) dispatch.Schedule {
	kind, unknown := reports.ExportNamed(d.Kind)
	return dispatch.Schedule{Every: lengths[d.Every], Weekday: time.Monday, MonthDay: 1, Hour: d.Hour, Minute: d.Minute, Zone: zone, Days: zone,
		UTC: unknown == nil && kind.UTC, Deadline: d.Deadline}
}

// mostBehind is how many of the missed periods are delivered; older ones are skipped.
const mostBehind = 31
