package coverage_test

import (
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/cohorts"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/export"
	"rebatedesk/reports/invitecodes"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/reporttest"
	"rebatedesk/reports/subaffiliates"
)

// corners lists reporting days with a special beginning: of a month, of a year, a leap
// day, or a change of clocks in their zone. Asia/Kolkata is half an hour off UTC, and
// Pacific/Kiritimati is a day ahead.
var corners = map[string][]string{
	"UTC":                {"2026-09-15", "2026-10-01", "2026-12-31", "2027-01-01", "2027-02-28", "2027-03-01", "2028-02-29", "2028-03-01"},
	"Europe/Berlin":      {"2026-09-15", "2026-10-25", "2026-10-26", "2027-03-28", "2027-03-29"},
	"America/New_York":   {"2026-09-15", "2026-11-01", "2026-11-02", "2027-03-14", "2027-03-15"},
	"Asia/Kolkata":       {"2026-09-15", "2028-02-29"},
	"Pacific/Kiritimati": {"2026-09-15", "2027-01-01"},
}

// moments lists offsets from the beginning of a reporting day.
var moments = []time.Duration{0, 5 * time.Second, 14 * time.Minute, 55 * time.Minute, 61 * time.Minute, 12 * time.Hour}

var (
	everyRange   = []string{"today", "yesterday", "7d", "14d", "30d", "90d", "mtd", "last-month", "qtd", "ytd", "12m", "all"}
	coveredKinds = []*export.Kind{
		commissions.File, commissions.DailyFile, invitees.File, invitecodes.File,
		cohorts.File, invitees.ListFile, subaffiliates.File,
	}
)

// eachCorner calls look with a fixture at each moment of each corner.
func eachCorner(t *testing.T, look func(d *reporttest.Fixture, day affiliate.Day, since time.Duration)) {
	for zone, texts := range corners {
		for _, text := range texts {
			t.Run(zone+" "+text, func(t *testing.T) {
				d := reporttest.NewFixture(t, zone)
				date, err := time.Parse(time.DateOnly, text)
				if err != nil {
					t.Fatal(err)
				}
				day := affiliate.DayOf(date, time.UTC)
				for _, since := range moments {
					d.Now = day.Start(d.Zone).Add(since)
					look(d, day, since)
				}
			})
		}
	}
}

// An empty database is never complete, for any query at any hour.
func TestCoverageOfNothingAtAnyHour(t *testing.T) {
	t.Parallel()
	eachCorner(t, func(d *reporttest.Fixture, _ affiliate.Day, since time.Duration) {
		for _, span := range everyRange {
			query := "range=" + span
			if view := d.Overview(query); view.Coverage.Complete() || view.Coverage.Collected != 0 || view.Empty != coverage.EmptyNotCollected {
				d.Errorf("%s after %s: %+v, %q", query, since, view.Coverage, view.Empty)
			}
			for _, kind := range coveredKinds {
				d.Incomplete(kind, query, since)
			}
			settled, err := d.Settled(d.Context(), d.Ask(query), affiliate.StreamKinds()...)
			if err != nil {
				d.Fatal(err)
			}
			if settled.Complete() {
				d.Errorf("%s after %s is settled: %+v", query, since, settled)
			}
		}
	})
}

// A day without a reading is not complete. For one hour it does not affect the days
// before, and from its first reading on it counts.
func TestCoverageOfNewDay(t *testing.T) {
	t.Parallel()
	eachCorner(t, func(d *reporttest.Fixture, day affiliate.Day, since time.Duration) {
		now := d.Now
		if d.Now = day.Start(d.Zone); since == 0 {
			d.ReadAll(affiliate.DayOf(d.Now.Add(-1), time.UTC)) // up to the beginning of the day
		}
		d.Now = now
		for _, kind := range coveredKinds {
			// The list of invitees covers all invitees, and days of sub-affiliates are
			// UTC days.
			if kind != invitees.ListFile && (kind != subaffiliates.File || d.Zone == time.UTC) {
				d.Incomplete(kind, "range=today", since)
			}
		}
		today, week := d.Overview("range=today"), d.Overview("range=7d")
		if c := today.Coverage; c.Complete() || c.Collected != 0 || c.Through.Known() || today.Empty != coverage.EmptyNotCollected {
			d.Errorf("today, without a reading for %s: %+v, %q", since, c, today.Empty)
		}
		state := week.Daily.State[6]
		if fresh := since < time.Hour; fresh != !state.Due() || fresh != week.Coverage.Complete() ||
			week.Coverage.Through != affiliate.MillisOf(day.Start(d.Zone)) || week.Coverage.Collected != 6 || fresh != (week.Coverage.Wanted == 6) {
			d.Errorf("the week, whose last day is without a reading for %s, is %q: %+v", since, state, week.Coverage)
		}
		if since == moments[len(moments)-1] {
			d.ReadAll(affiliate.DayOf(d.Now, time.UTC))
			for _, query := range []string{"range=today", "range=7d"} {
				if c := d.Overview(query).Coverage; !c.Complete() || c.Through != affiliate.MillisOf(d.Now) || c.Collected != c.Wanted {
					d.Errorf("%s, read: %+v", query, c)
				}
			}
		}
	})
}
