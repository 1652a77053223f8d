package collection

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/records"
)

// MakeCalendar makes the calendar.
func MakeCalendar(ctx context.Context, q *snapshot.Snapshot) ([]coverage.StreamCalendar, error) {
	today := q.Today
	firsts, err := records.FirstDays(ctx, q.Tx)
	if err != nil {
		return nil, err
	}
	q.Days = affiliate.Days{First: today, Last: today}
	for _, first := range firsts {
		q.Days.First = min(q.Days.First, first)
	}
	var calendars []coverage.StreamCalendar
	for _, kind := range affiliate.StreamKinds() {
		cover, err := q.ReadCoverage(ctx, kind, q.Days)
		if err != nil {
			return nil, err
		}
		for _, stream := range cover.Streams {
			days := affiliate.Days{First: today, Last: today}
			if first, ok := firsts[stream.Account]; ok {
				days.First = min(first, today)
			}
			calendars = append(calendars, cover.Calendar(stream, days))
		}
	}
	return calendars, nil
}
