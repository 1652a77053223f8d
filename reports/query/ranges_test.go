package query_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/reporttest"
)

func TestRanges(t *testing.T) {
	for _, c := range []struct {
		now, zone string
		want      map[query.RangeName]string
	}{
		{"2026-09-15T12:00:00Z", "UTC", map[query.RangeName]string{
			query.Today: "2026-09-15 2026-09-15", query.Yesterday: "2026-09-14 2026-09-14", query.Last7: "2026-09-09 2026-09-15",
			query.Last14: "2026-09-02 2026-09-15", query.Last30: "2026-08-17 2026-09-15", query.Last90: "2026-06-18 2026-09-15",
			query.MonthTo: "2026-09-01 2026-09-15", query.LastMonth: "2026-08-01 2026-08-31", query.QuarterTo: "2026-07-01 2026-09-15",
			query.YearTo: "2026-01-01 2026-09-15", query.Last12M: "2025-09-16 2026-09-15", query.AllTime: "2025-01-31 2026-09-15"}},
		{"2028-02-29T23:59:59Z", "UTC", map[query.RangeName]string{
			query.Today: "2028-02-29 2028-02-29", query.MonthTo: "2028-02-01 2028-02-29", query.LastMonth: "2028-01-01 2028-01-31",
			query.QuarterTo: "2028-01-01 2028-02-29", query.Last12M: "2027-03-02 2028-02-29"}},
		{"2028-03-01T00:00:00Z", "UTC", map[query.RangeName]string{
			query.Yesterday: "2028-02-29 2028-02-29", query.LastMonth: "2028-02-01 2028-02-29", query.MonthTo: "2028-03-01 2028-03-01"}},
		{"2026-03-31T08:00:00Z", "UTC", map[query.RangeName]string{
			query.LastMonth: "2026-02-01 2026-02-28", query.QuarterTo: "2026-01-01 2026-03-31"}},
		{"2026-01-01T00:00:00Z", "UTC", map[query.RangeName]string{
			query.Yesterday: "2025-12-31 2025-12-31", query.LastMonth: "2025-12-01 2025-12-31", query.YearTo: "2026-01-01 2026-01-01",
			query.QuarterTo: "2026-01-01 2026-01-01", query.Last7: "2025-12-26 2026-01-01", query.Last12M: "2025-01-02 2026-01-01"}},
		// In other zones the same instant lies in another month, quarter and year.
		{"2026-12-31T15:00:00Z", "Pacific/Auckland", map[query.RangeName]string{
			query.Today: "2027-01-01 2027-01-01", query.YearTo: "2027-01-01 2027-01-01", query.LastMonth: "2026-12-01 2026-12-31"}},
		{"2026-10-01T03:00:00Z", "America/Los_Angeles", map[query.RangeName]string{
			query.Today: "2026-09-30 2026-09-30", query.MonthTo: "2026-09-01 2026-09-30", query.QuarterTo: "2026-07-01 2026-09-30"}},
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		basis := query.Basis{Now: reporttest.At(t, c.now), Zone: zone, First: affiliate.NewDay(2025, time.January, 31)}
		for name, want := range c.want {
			q, err := query.Parse(url.Values{"range": {string(name)}}, basis)
			if got := q.Days.First.String() + " " + q.Days.Last.String(); err != nil || got != want || q.Range != name {
				t.Errorf("%s at %s in %s: %s, %v; want %s", name, c.now, c.zone, got, err, want)
			}
		}
	}
}

func TestEveryRangeIsOfferedAndNamed(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range query.RangeNames() {
		if label := name.Label(); label == "" || label == query.Custom.Label() || seen[label] {
			t.Errorf("%s is labelled %q", name, label)
		}
		seen[name.Label()] = true
	}
	if len(seen) != 12 {
		t.Errorf("%d ranges are offered, want 12", len(seen))
	}
}

// All time never begins after today, even in an empty database.
func TestAllTimeOfNothing(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	if q := d.Ask("range=all"); q.Days != reporttest.Days(0, 0) {
		t.Errorf("all time of an empty database is %v", q.Days)
	}
	d.Want("main", reporttest.Today-3)
	if q := d.Ask("range=all"); q.Days != reporttest.Days(-3, 0) {
		t.Errorf("all time from the first requested day is %v", q.Days)
	}
	d.Read("main", reporttest.Spot, reporttest.Days(-5, 0), reporttest.Trade(reporttest.Today-5, reporttest.Spot, 1, "1"))
	if q := d.Ask("range=all"); q.Days != reporttest.Days(-5, 0) {
		t.Errorf("all time from the first record is %v", q.Days)
	}
}

// The compared period has as many days as the requested one, except for whole months and for the
// same calendar days of a month with another number of days, and the
// series of the overview shows which days it covers.
func TestComparedDays(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	for _, c := range []struct{ query, first, last string }{
		{"from=2026-09-01&to=2026-09-10&compare=previous", "2026-08-22", "2026-08-31"},
		{"from=2026-09-10&to=2026-09-10&compare=previous", "2026-09-09", "2026-09-09"},
		{"from=2026-09-07&to=2026-09-13&compare=previous", "2026-08-31", "2026-09-06"},
		{"from=2026-09-01&to=2026-09-30&compare=previous", "2026-08-01", "2026-08-31"},
		{"from=2026-09-01&to=2026-09-29&compare=previous", "2026-08-03", "2026-08-31"},
		{"from=2026-03-01&to=2026-03-31&compare=previous", "2026-02-01", "2026-02-28"},
		{"from=2026-01-01&to=2026-03-31&compare=previous", "2025-10-03", "2025-12-31"},
		{"from=2026-01-01&to=2026-02-28&compare=previous", "2025-11-03", "2025-12-31"},
		{"from=2024-01-01&to=2024-12-31&compare=previous", "2022-12-31", "2023-12-31"},
		{"from=2026-09-07&to=2026-09-09&compare=weekday", "2026-08-31", "2026-09-02"},
		{"from=2026-09-01&to=2026-09-07&compare=weekday", "2026-08-25", "2026-08-31"},
		{"from=2026-09-01&to=2026-09-10&compare=weekday", "2026-08-18", "2026-08-27"},
		{"from=2026-09-01&to=2026-09-10&compare=year", "2025-09-01", "2025-09-10"},
		{"from=2024-02-29&to=2024-02-29&compare=year", "2023-02-28", "2023-02-28"},
		{"from=2024-02-01&to=2024-02-29&compare=year", "2023-02-01", "2023-02-28"},
		{"from=2025-02-01&to=2025-02-28&compare=year", "2024-02-01", "2024-02-29"},
		{"from=2024-01-31&to=2024-02-29&compare=year", "2023-01-31", "2023-02-28"},
		{"from=2024-01-01&to=2024-12-31&compare=year", "2023-01-01", "2023-12-31"},
		{"from=2025-01-01&to=2025-12-31&compare=year", "2024-01-01", "2024-12-31"},
		{"from=2025-02-28&to=2025-03-01&compare=year", "2024-02-28", "2024-03-01"},
		{"from=2026-09-01&to=2026-09-30&compare=month", "2026-08-01", "2026-08-31"},
		{"from=2026-03-01&to=2026-03-31&compare=month", "2026-02-01", "2026-02-28"},
		{"from=2026-01-01&to=2026-02-28&compare=month", "2025-12-01", "2026-01-31"},
		{"from=2026-10-01&to=2026-10-20&compare=month", "2026-09-01", "2026-09-20"},
		{"from=2026-03-29&to=2026-03-31&compare=month", "2026-02-28", "2026-02-28"},
		{"from=2024-03-31&to=2024-03-31&compare=month", "2024-02-29", "2024-02-29"},
		{"from=2026-05-16&to=2026-06-15&compare=month", "2026-04-16", "2026-05-15"},
	} {
		daily := d.Overview(c.query).Daily
		n := len(daily.RefDays)
		wholeMonth := query.WholeMonths(d.Ask(c.query).Days) == 1 && strings.HasSuffix(c.query, "=previous")
		if n != len(daily.Days) && !wholeMonth && !strings.HasSuffix(c.query, "=month") && !strings.HasSuffix(c.query, "=year") || len(daily.Reference) != n || len(daily.RefKnown) != n {
			t.Errorf("%s: %d days are compared with %d, %d, %d", c.query, len(daily.Days), n, len(daily.Reference), len(daily.RefKnown))
			continue
		}
		if got := daily.RefDays[0].String() + " " + daily.RefDays[n-1].String(); got != c.first+" "+c.last {
			t.Errorf("%s is compared with %s, want %s %s", c.query, got, c.first, c.last)
		}
		for i, day := range daily.Days {
			if d.Ask(c.query).Compare == query.CompareWeekday && day.Weekday() != daily.RefDays[i].Weekday() {
				t.Errorf("%s: %s is compared with %s", c.query, day, daily.RefDays[i])
			}
		}
	}
	if daily := d.Overview("compare=none").Daily; daily.Reference != nil || daily.RefDays != nil || daily.RefKnown != nil {
		t.Error("a series without a comparison has a reference")
	}
}

// The period before adjoins the range and never overlaps it. Only a whole month is compared with
// another number of days, and then with a month.
func TestThePeriodBeforeAdjoins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := affiliate.NewDay(2019, time.January, 1) + affiliate.Day(rapid.IntRange(0, 3000).Draw(t, "first"))
		of := affiliate.Days{First: first, Last: first + affiliate.Day(rapid.IntRange(0, 400).Draw(t, "length"))}
		if rapid.Bool().Draw(t, "whole months") {
			year, month, _ := of.First.Date()
			lastYear, lastMonth, _ := of.Last.Date()
			of = affiliate.Days{First: affiliate.NewDay(year, month, 1), Last: affiliate.NewDay(lastYear, lastMonth+1, 1) - 1}
		}
		before, asked := query.ComparePrevious.Days(of)
		if !asked || before.Last != of.First-1 || before.First > before.Last {
			t.Fatalf("%v is compared with %v", of, before)
		}
		month := query.WholeMonths(of) == 1
		if month && query.WholeMonths(before) != 1 || !month && before.Len() != of.Len() {
			t.Fatalf("%v is compared with %v", of, before)
		}
		if weekdays, _ := query.CompareWeekday.Days(of); weekdays.Last >= of.First || weekdays.Len() != of.Len() {
			t.Fatalf("%v is compared with the weekdays of %v", of, weekdays)
		}
	})
}

func TestWords(t *testing.T) {
	d := reporttest.NewFixture(t, "Europe/Berlin")
	for query, want := range map[string]string{
		"from=2026-09-01&to=2026-09-07": "1 Sep 2026 – 7 Sep 2026 (Europe/Berlin)",
		"from=2026-09-07&to=2026-09-07": "7 Sep 2026 (Europe/Berlin)",
		"range=7d":                      "9 Sep 2026 – 15 Sep 2026 (Europe/Berlin), to now",
	} {
		if got := phrase.Range(d.Ask(query)); got != want {
			t.Errorf("%s reads %q, want %q", query, got, want)
		}
	}
}
