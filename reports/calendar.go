package reports

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/store/records"
)

// makeCalendar makes the report of [Service.Calendar].
func makeCalendar(ctx context.Context, q *question) ([]StreamCalendar, error) {
	today := q.Today
	firsts, err := records.FirstDays(ctx, q.Tx)
	if err != nil {
		return nil, err
	}
	q.Days = affiliate.Days{First: today, Last: today}
	for _, first := range firsts {
		q.Days.First = min(q.Days.First, first)
	}
	var calendars []StreamCalendar
	for _, kind := range affiliate.StreamKinds() {
		cover, err := q.coverage(ctx, kind, q.Days)
		if err != nil {
			return nil, err
		}
		for _, stream := range cover.streams {
			days := affiliate.Days{First: today, Last: today}
			if first, ok := firsts[stream.account]; ok {
				days.First = min(first, today)
			}
			calendars = append(calendars, cover.calendar(stream, days))
		}
	}
	return calendars, nil
}
