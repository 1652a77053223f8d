package collection

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/internal/golden"
	"rebatedesk/internal/pagetest"
	"rebatedesk/reports/coverage"
	"rebatedesk/web/templates/ui"
)

func calendarOf(days affiliate.Days) []coverage.CalendarDay {
	var list []coverage.CalendarDay
	for day := days.First; day <= days.Last; day++ {
		list = append(list, coverage.CalendarDay{Day: day, State: calendarStates[int(day)%len(calendarStates)].State})
	}
	return list
}

// Every day appears once, in the row of its weekday, weeks are in order, and the months
// span the weeks.
func TestCalendarGrid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := affiliate.NewDay(2024, 1, 1) + affiliate.Day(rapid.IntRange(0, 1000).Draw(t, "first"))
		days := calendarOf(affiliate.Days{First: first, Last: first + affiliate.Day(rapid.IntRange(0, 900).Draw(t, "length"))})
		g := gridOf(days)
		next := first
		for week := range g.Weekdays[0] {
			for i := range g.Weekdays {
				d := g.Weekdays[i][week]
				if d == nil {
					continue
				}
				if d.Day != next || int(d.Day.Weekday()) != (i+1)%7 {
					t.Fatalf("%s is in the place of %s, in row %d", d.Day.Format("Mon 2006-01-02"), next, i)
				}
				next++
			}
		}
		weeks := 0
		for _, m := range g.Months {
			weeks += m.Weeks
		}
		if int(next-first) != len(days) || weeks != len(g.Weekdays[0]) {
			t.Fatalf("%d of %d days, months of %d of %d weeks", next-first, len(days), weeks, len(g.Weekdays[0]))
		}
	})
}

func TestCalendarMonths(t *testing.T) {
	g := gridOf(calendarOf(affiliate.Days{First: affiliate.NewDay(2025, 11, 21), Last: affiliate.NewDay(2026, 2, 3)}))
	want := []monthSpan{{"Nov", 2}, {"Dec 2025", 4}, {"Jan 2026", 4}, {"", 2}}
	// The week of 1 Feb 2026, a Sunday, is the first of February.
	want[3] = monthSpan{"Feb", 2}
	if len(g.Months) != len(want) {
		t.Fatalf("months %v, want %v", g.Months, want)
	}
	for i, m := range g.Months {
		if m != want[i] {
			t.Errorf("month %d is %v, want %v", i, m, want[i])
		}
	}
	if g := gridOf(nil); len(g.Months) != 0 || len(g.Weekdays[0]) != 0 {
		t.Errorf("a calendar without days: %v", g)
	}
}

// Stretches cover every day once, newest first, and adjacent stretches differ.
func TestStretches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var days []coverage.CalendarDay
		for i := range rapid.IntRange(1, 120).Draw(t, "days") {
			days = append(days, coverage.CalendarDay{Day: pagetest.Today + affiliate.Day(i),
				State: rapid.SampledFrom([]coverage.CalendarState{coverage.CalendarCollected, coverage.CalendarFailed}).Draw(t, "state"),
				Error: rapid.SampledFrom([]string{"", "refused"}).Draw(t, "error")})
		}
		next := days[len(days)-1].Day
		var before stretch
		for i, s := range stretchesOf(days) {
			if s.Days.Last != next || s.Days.Len() < 1 {
				t.Fatalf("the stretch %v follows %s", s.Days, next)
			}
			if i > 0 && s.State == before.State && s.Error == before.Error {
				t.Fatalf("%v and %v could be one stretch", s.Days, before.Days)
			}
			for day := s.Days.First; day <= s.Days.Last; day++ {
				if d := days[day-pagetest.Today]; d.State != s.State || d.Error != s.Error {
					t.Fatalf("%s is %s, listed as %s", day, d.State, s.State)
				}
			}
			next, before = s.Days.First-1, s
		}
		if next != pagetest.Today-1 {
			t.Fatalf("the list ends at %s", next)
		}
	})
}

func TestDayReasons(t *testing.T) {
	at := func(hour int) affiliate.Millis {
		return affiliate.MillisOf(time.Date(2026, 11, 20, hour, 5, 0, 0, time.UTC))
	}
	for _, c := range []struct {
		day  coverage.CalendarDay
		want string
	}{
		{coverage.CalendarDay{State: coverage.CalendarMissing}, "not collected. Not read so far."},
		{coverage.CalendarDay{State: coverage.CalendarPartial, Through: at(9), LastRead: at(9)}, "partly collected. Read while the day was running, and not since; read up to 20 Nov 2026 09:05 UTC; last read 20 Nov 2026 09:05 UTC."},
		{coverage.CalendarDay{State: coverage.CalendarCollected, LastRead: at(10), Agreed: 1}, "collected. Read completely; last read 20 Nov 2026 10:05 UTC."},
		{coverage.CalendarDay{State: coverage.CalendarVerified, LastRead: at(10), Agreed: 3}, "verified. 3 reads in a row found the same; last read 20 Nov 2026 10:05 UTC."},
		{coverage.CalendarDay{State: coverage.CalendarFailed, Failed: at(11), Error: "HTTP 502"}, "failed. The last try failed, and the day has not been read completely; last failed 20 Nov 2026 11:05 UTC; next try on the next run: HTTP 502."},
		{coverage.CalendarDay{State: coverage.CalendarCollected, LastRead: at(10), Failed: at(11), Error: "HTTP 502"}, "collected. Read completely; last read 20 Nov 2026 10:05 UTC; last failed 20 Nov 2026 11:05 UTC; next try on the next run: HTTP 502."},
		{coverage.CalendarDay{State: coverage.CalendarBeyond, Failed: at(11), Error: "HTTP 502"}, "out of reach. The exchange does not give this day; last failed 20 Nov 2026 11:05 UTC: HTTP 502."},
		{coverage.CalendarDay{State: coverage.CalendarBeyond}, "out of reach. The exchange does not give this day."},
		{coverage.CalendarDay{State: coverage.CalendarRunning, Through: at(14)}, "running. The day is not over; read up to 20 Nov 2026 14:05 UTC."},
		{coverage.CalendarDay{State: "new state"}, "new state."},
	} {
		c.day.Day = pagetest.Today
		if got := dayTitles(time.UTC, "on the next run")(c.day); got != "Fri 20 Nov 2026: "+c.want {
			t.Errorf("got  %s\nwant Fri 20 Nov 2026: %s", got, c.want)
		}
	}
}

// The next try of a failed day depends on how collections are started.
func TestNextTry(t *testing.T) {
	at := time.Date(2026, 11, 20, 11, 20, 0, 0, time.UTC)
	tokyo := time.FixedZone("JST", 9*3600)
	for want, r := range map[string]ui.CollectionRun{
		"on the next run":                        {Zone: tokyo},
		"20 Nov 2026 20:20 JST":                  {Zone: tokyo, Progress: collector.Progress{Next: at}},
		"by the run at work or the one after it": {Zone: tokyo, Progress: collector.Progress{Running: true}},
	} {
		if got := r.NextTry(); got != want {
			t.Errorf("next try %s, want %s", got, want)
		}
	}
	failed := []coverage.CalendarDay{
		{Day: pagetest.Today - 1, State: coverage.CalendarFailed, Failed: affiliate.MillisOf(at), Error: "HTTP 502"},
		{Day: pagetest.Today, State: coverage.CalendarFailed, Failed: affiliate.MillisOf(at), Error: "HTTP 502"},
	}
	want := "the last try failed, and the day has not been read completely; last failed 20 Nov 2026 11:20 UTC; next try tomorrow: HTTP 502"
	if got := stretchesOf(failed)[0].reason(time.UTC, "tomorrow"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestStretchReason(t *testing.T) {
	read := affiliate.MillisOf(pagetest.Today.Start(time.UTC))
	days := []coverage.CalendarDay{
		{Day: pagetest.Today - 2, State: coverage.CalendarCollected, LastRead: read},
		{Day: pagetest.Today - 1, State: coverage.CalendarCollected},
		{Day: pagetest.Today, State: coverage.CalendarCollected, LastRead: read + 3_600_000},
	}
	list := stretchesOf(days)
	if len(list) != 1 || list[0].Days.Len() != 3 {
		t.Fatalf("one stretch of three days is %v", list)
	}
	if got, want := list[0].reason(time.UTC, "on the next run"), "read completely; last read between 20 Nov 2026 00:00 UTC and 20 Nov 2026 01:00 UTC"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The test compares the whole calendar with a golden file.
func TestCalendarGolden(t *testing.T) {
	days := calendarOf(affiliate.Days{First: pagetest.Today - 20, Last: pagetest.Today})
	c := coverage.StreamCalendar{Account: "main", Stream: affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Spot}, Days: days}
	text := pagetest.Text(t, streamCalendar(c, CollectionView{Zone: time.UTC}, "calendar-0"))
	golden.Equal(t, "calendar.html", []byte(text))
	if strings.Contains(text, " style=") {
		t.Error("the page has an inline style, which the content security policy refuses")
	}
}
