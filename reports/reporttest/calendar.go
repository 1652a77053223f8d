package reporttest

import (
	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
)

func (d *Fixture) ReadCalendar(account affiliate.Account) map[affiliate.Stream]map[affiliate.Day]coverage.CalendarDay {
	d.Helper()
	calendars, err := d.Calendar(d.Context(), account)
	if err != nil {
		d.Fatal(err)
	}
	of := map[affiliate.Stream]map[affiliate.Day]coverage.CalendarDay{}
	for _, c := range calendars {
		if c.Account != account || of[c.Stream] != nil {
			d.Fatalf("a calendar of %s %s", c.Account, c.Stream)
		}
		of[c.Stream] = map[affiliate.Day]coverage.CalendarDay{}
		for i, day := range c.Days {
			if i > 0 && day.Day != c.Days[i-1].Day+1 {
				d.Fatalf("%s: %s follows %s", c.Stream, day.Day, c.Days[i-1].Day)
			}
			of[c.Stream][day.Day] = day
		}
	}
	if len(of) != len(affiliate.Streams()) {
		d.Fatalf("calendars of %d streams", len(of))
	}
	return of
}
