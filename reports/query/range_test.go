package query_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/query"
)

// date is a day of a calendar that shares nothing with the program's: it counts day by day.
type date struct{ year, month, day int }

func (d date) String() string { return fmt.Sprintf("%04d-%02d-%02d", d.year, d.month, d.day) }

func leap(year int) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

func length(year, month int) int {
	switch {
	case month == 2 && leap(year):
		return 29
	case month == 2:
		return 28
	case month == 4 || month == 6 || month == 9 || month == 11:
		return 30
	}
	return 31
}

func (d date) tomorrow() date {
	switch {
	case d.day < length(d.year, d.month):
		return date{d.year, d.month, d.day + 1}
	case d.month < 12:
		return date{d.year, d.month + 1, 1}
	}
	return date{d.year + 1, 1, 1}
}

// yearBefore is the contract in its own words: the same calendar days a year before, 29 February
// falls to 28 February, whole months are compared with whole months.
func yearBefore(first, last date) (date, date) {
	a, b := first, last
	a.year, b.year = a.year-1, b.year-1
	a.day, b.day = min(a.day, length(a.year, a.month)), min(b.day, length(b.year, b.month))
	if first.day == 1 && last.day == length(last.year, last.month) {
		b.day = length(b.year, b.month)
	}
	return a, b
}

func parsed(t *testing.T, text string) (d date) {
	t.Helper()
	if _, err := fmt.Sscanf(text, "%d-%d-%d", &d.year, &d.month, &d.day); err != nil {
		t.Fatal(err)
	}
	return d
}

func compareYear(of affiliate.Days) (string, string) {
	before, _ := query.CompareYear.Days(of)
	return before.First.String(), before.Last.String()
}

// Every range of up to 800 days that begins in one of ten years with three leap days, and around a
// century that has none.
func TestYearBeforeOfEveryRange(t *testing.T) {
	t.Parallel()
	for _, years := range [][2]int{{2019, 2029}, {2099, 2102}} {
		if testing.Short() {
			years[1] = years[0] + 2
		}
		list := []date{{years[0], 1, 1}}
		for list[len(list)-1].year < years[1]+3 {
			list = append(list, list[len(list)-1].tomorrow())
		}
		first := affiliate.NewDay(years[0], time.January, 1)
		for i, from := range list {
			if from.year >= years[1] {
				break
			}
			for n := 0; n < 800; n++ {
				wantFirst, wantLast := yearBefore(from, list[i+n])
				days := affiliate.Days{First: first + affiliate.Day(i), Last: first + affiliate.Day(i+n)}
				before, ok := query.CompareYear.Days(days)
				y1, m1, d1 := before.First.Date()
				y2, m2, d2 := before.Last.Date()
				if !ok || (date{y1, int(m1), d1}) != wantFirst || (date{y2, int(m2), d2}) != wantLast {
					t.Fatalf("%s to %s is compared with %v, not with %s to %s", from, list[i+n], before, wantFirst, wantLast)
				}
			}
		}
	}
}

// Relative ranges are those of the zone's day, and so are their references, on every day around the
// leap days and in zones whose clocks change.
func TestYearBeforeInZones(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"UTC", "Asia/Kathmandu", "America/Santiago", "Europe/London", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Australia/Lord_Howe"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, from := range []string{"2023-02-26T00:30:00Z", "2024-02-26T12:00:00Z", "2025-02-26T23:30:00Z", "2024-12-29T11:00:00Z", "2026-03-28T01:30:00Z"} {
			now, err := time.Parse(time.RFC3339, from)
			if err != nil {
				t.Fatal(err)
			}
			for range 8 {
				now = now.Add(23*time.Hour + 7*time.Minute)
				basis := query.Basis{Now: now, Zone: zone, First: affiliate.NewDay(2020, time.January, 1)}
				for _, r := range query.RangeNames() {
					q, err := query.Parse(url.Values{"range": {string(r)}, "compare": {"year"}}, basis)
					if err != nil {
						t.Fatal(err)
					}
					first, last := parsed(t, q.Days.First.String()), parsed(t, q.Days.Last.String())
					if r == query.Today && first.String() != now.In(zone).Format("2006-01-02") {
						t.Errorf("today is %s at %s in %s", first, now, name)
					}
					a, b := yearBefore(first, last)
					if gotFirst, gotLast := compareYear(q.Days); gotFirst != a.String() || gotLast != b.String() || q.Compare != query.CompareYear {
						t.Errorf("%s at %s in %s: %s to %s is compared with %s to %s, not with %s to %s", r, now, name, first, last, gotFirst, gotLast, a, b)
					}
				}
			}
		}
	}
}
