package reporttest

import (
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/export"
	"rebatedesk/store/records"
)

// States returns the states of the days of a query.
func (d *Fixture) States(query string) []coverage.DayState {
	d.Helper()
	return d.Overview(query).Daily.State
}

func Midnight(day affiliate.Day) affiliate.Millis { return affiliate.MillisOf(day.Start(time.UTC)) }

// ReadAll reads every stream of some weeks, and the invitees of a year, up to a UTC day
// or up to now.
func (d *Fixture) ReadAll(last affiliate.Day) {
	d.Helper()
	span := affiliate.Days{First: last - 40, Last: last}
	d.ReadEmpty(span)
	d.ReadInvitees("main", affiliate.Days{First: last - 366, Last: last})
	d.ReadWallets(span)
	for _, stream := range affiliate.Streams() {
		if stream.Kind == affiliate.SubAffiliates {
			if _, err := records.ReplaceSubAffiliateDays(d.Context(), d.DB, d.Slice("main", stream, span), nil); err != nil {
				d.Fatal(err)
			}
		}
	}
}

// Incomplete checks that an export says that it is incomplete.
func (d *Fixture) Incomplete(kind *export.Kind, query string, since time.Duration) {
	d.Helper()
	e := d.Open(kind, d.Ask(query))
	if name := e.FileName(export.CSV); !strings.HasPrefix(name, "incomplete-") || e.Facts().Complete {
		d.Errorf("%s of %s after %s: %s, %+v", kind, query, since, name, e.Facts())
	}
	if err := e.Close(); err != nil {
		d.Error(err)
	}
}

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
