package dispatch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	_ "time/tzdata"

	"rebatedesk/affiliate"
)

// zones are all zones that this Go knows.
func zones(t testing.TB) []string {
	t.Helper()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	archive, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Fatal(err)
	}
	// The names of the archive's directory, each beginning with its signature.
	for _, entry := range strings.Split(string(archive), "PK\x01\x02")[1:] {
		n := int(entry[24]) | int(entry[25])<<8
		if name := entry[42 : 42+n]; !strings.HasSuffix(name, "/") && name != "Factory" {
			names = append(names, name)
		}
	}
	if len(names) < 400 {
		t.Fatalf("only %d zones: the archive was misread", len(names))
	}
	return names
}

// Whatever the zones of the hour and of the days, every period of two years is due
// exactly once, in order, never before it is over and never later than a day (or the
// requested number of days) after.
func TestEveryPeriodIsDueOnce(t *testing.T) {
	t.Parallel()
	begin, end := affiliate.NewDay(2026, time.June, 1), affiliate.NewDay(2028, time.June, 1)
	for i, name := range zones(t) {
		reporting := time.UTC
		if i%2 == 1 {
			reporting = mustZone(t, "America/St_Johns")
		}
		for _, every := range []Every{Daily, Weekly, Monthly} {
			s := Schedule{Every: every, Zone: mustZone(t, name), Days: reporting, UTC: i%3 == 0, Hour: i % 24, Minute: i % 60, Weekday: time.Weekday(i % 7), MonthDay: 1 + i%31}
			through, last, count := every.Of(begin).Last, time.Time{}, 0
			for p := every.Of(begin).Next(); p.First < end; p = p.Next() {
				at := s.DueAt(p)
				over := s.Over(p)
				if at.Before(over) || at.Sub(over) > 33*24*time.Hour || every == Daily && at.Sub(over) > 50*time.Hour {
					t.Fatalf("%s %s: %v is due at %v, and over at %v", name, every, p.Days, at, over)
				}
				if at.Before(last) {
					t.Fatalf("%s %s: %v is due before the one before it", name, every, p.Days)
				}
				if early := s.Due(through, at.Add(-time.Nanosecond)); len(early) != 0 && at.After(last) {
					t.Fatalf("%s %s: %v is due early", name, every, early)
				}
				due := s.Due(through, at)
				if len(due) != 1 || due[0] != p {
					t.Fatalf("%s %s: at %v %v is due, want %v", name, every, at, due, p)
				}
				if back := s.Due(p.Last, at.Add(-26*time.Hour)); len(back) != 0 {
					t.Fatalf("%s %s: with the clock set back, %v is due again", name, every, back)
				}
				if p.First != through+1 {
					t.Fatalf("%s %s: %v does not follow %s", name, every, p.Days, through)
				}
				through, last = p.Last, at
				count++
			}
			if want := map[Every]int{Daily: 730, Weekly: 104, Monthly: 23}[every]; count < want {
				t.Fatalf("%s %s: %d periods", name, every, count)
			}
		}
	}
}

// A process that checks now and then, in every zone, finds each period of two years
// once, in order and soon after it is due, over all clock changes and both turns of the
// year.
func TestDueAsTimeGoesBy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, time.June, 10, 12, 0, 0, 0, time.UTC)))
		end := time.Now().AddDate(2, 0, 0)
		var all sync.WaitGroup
		for i, name := range zones(t) {
			for _, every := range []Every{Daily, Weekly, Monthly} {
				s := Schedule{Every: every, Zone: mustZone(t, name), Days: time.UTC, Hour: (i + 7) % 24, Minute: (i * 7) % 60, Weekday: time.Weekday(i % 7), MonthDay: 31 - i%31}
				all.Go(func() { s.live(t, end) })
			}
		}
		all.Wait()
	})
}

// live checks for due periods until end, shortly after each instant at which one is
// due, and once in between.
func (s Schedule) live(t *testing.T, end time.Time) {
	p := s.Newest(time.Now())
	count := 0
	for time.Now().Before(end) {
		at := s.DueAt(p.Next())
		time.Sleep(time.Until(at) - time.Second)
		if due := s.Due(p.Last, time.Now()); len(due) != 0 {
			t.Errorf("%s %s: %v is due before %v", s.Zone, s.Every, due, at)
		}
		time.Sleep(LookEvery)
		due := s.Due(p.Last, time.Now())
		if len(due) != 1 || due[0] != p.Next() {
			t.Errorf("%s %s: at %v %v is due, want %v", s.Zone, s.Every, time.Now(), due, p.Next().Days)
			return
		}
		p = due[0]
		count++
	}
	if want := map[Every]int{Daily: 730, Weekly: 104, Monthly: 24}[s.Every]; count < want || count > want+2 {
		t.Errorf("%s %s: %d periods in two years", s.Zone, s.Every, count)
	}
}

func mustZone(t testing.TB, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func TestWall(t *testing.T) {
	for _, c := range []struct {
		zone              string
		year              int
		month             time.Month
		day, hour, minute int
		want              string // UTC
	}{
		{"UTC", 2026, 9, 1, 7, 0, "2026-09-01T07:00:00Z"},
		{"Europe/Berlin", 2026, 3, 29, 2, 30, "2026-03-29T01:00:00Z"},   // a gap: the instant of the change
		{"Europe/Berlin", 2026, 3, 29, 3, 0, "2026-03-29T01:00:00Z"},    // right after it
		{"Europe/Berlin", 2026, 3, 29, 1, 59, "2026-03-29T00:59:00Z"},   // right before it
		{"Europe/Berlin", 2026, 10, 25, 2, 30, "2026-10-25T00:30:00Z"},  // twice: the first
		{"America/New_York", 2026, 3, 8, 2, 15, "2026-03-08T07:00:00Z"}, //
		{"America/New_York", 2026, 11, 1, 1, 15, "2026-11-01T05:15:00Z"},
		{"Australia/Lord_Howe", 2026, 10, 4, 2, 10, "2026-10-03T15:30:00Z"}, // half an hour
		{"Africa/Cairo", 2027, 4, 30, 0, 30, "2027-04-29T22:00:00Z"},        // the day begins at 1
		{"Pacific/Apia", 2011, 12, 30, 8, 0, "2011-12-30T10:00:00Z"},        // a day that did not exist
		{"Asia/Kathmandu", 2026, 9, 1, 7, 0, "2026-09-01T01:15:00Z"},
	} {
		got := affiliate.LocalTime(c.year, c.month, c.day, c.hour, c.minute, mustZone(t, c.zone)).UTC().Format(time.RFC3339)
		if got != c.want {
			t.Errorf("%s %d-%d-%d %d:%02d is %s, want %s", c.zone, c.year, c.month, c.day, c.hour, c.minute, got, c.want)
		}
	}
}

func TestDueDays(t *testing.T) {
	day := affiliate.NewDay
	for _, c := range []struct {
		name   string
		change func(*Schedule)
		period Period
		want   string
	}{
		{"day 31 in February", func(s *Schedule) { s.MonthDay = 31 }, Monthly.Of(day(2027, 1, 5)), "2027-02-28T07:00:00Z"},
		{"day 31 in a leap year", func(s *Schedule) { s.MonthDay = 31 }, Monthly.Of(day(2028, 1, 5)), "2028-02-29T07:00:00Z"},
		{"day 31 in March", func(s *Schedule) { s.MonthDay = 31 }, Monthly.Of(day(2027, 2, 5)), "2027-03-31T07:00:00Z"},
		{"day 1", func(*Schedule) {}, Monthly.Of(day(2026, 12, 31)), "2027-01-01T07:00:00Z"},
		{"Monday", func(*Schedule) {}, Weekly.Of(day(2026, 8, 26)), "2026-08-31T07:00:00Z"},
		{"Sunday", func(s *Schedule) { s.Weekday = time.Sunday }, Weekly.Of(day(2026, 8, 26)), "2026-09-06T07:00:00Z"},
		{"an hour before the end of the day", func(s *Schedule) { s.Zone, s.Hour = mustZone(t, "Asia/Tokyo"), 8 }, Daily.Of(day(2026, 9, 1)), "2026-09-02T00:00:00Z"},
		{"an hour after the end of the day", func(s *Schedule) { s.Zone, s.Hour = mustZone(t, "America/Los_Angeles"), 8 }, Daily.Of(day(2026, 9, 1)), "2026-09-02T15:00:00Z"},
		{"days of Tokyo", func(s *Schedule) { s.Days = mustZone(t, "Asia/Tokyo"); s.Zone, s.Hour = s.Days, 1 }, Daily.Of(day(2026, 9, 1)), "2026-09-01T16:00:00Z"},
		{"days of Tokyo and of UTC", func(s *Schedule) { s.Days = mustZone(t, "Asia/Tokyo"); s.Zone, s.Hour, s.UTC = s.Days, 1, true }, Daily.Of(day(2026, 9, 1)), "2026-09-02T00:00:00Z"},
	} {
		s := daily()
		s.Every = c.period.Every
		c.change(&s)
		if got := s.DueAt(c.period).UTC().Format(time.RFC3339); got != c.want {
			t.Errorf("%s: due at %s, want %s", c.name, got, c.want)
		}
	}
}

// daily is due at 7:00 UTC and waits for its figures until 19:00.
func daily() Schedule {
	return Schedule{Every: Daily, Weekday: time.Monday, MonthDay: 1, Hour: 7, Zone: time.UTC, Days: time.UTC, Deadline: 12}
}

// After thirty hours of downtime two days are due at once, the newest last.
func TestDueAfterDowntime(t *testing.T) {
	s := daily()
	now := time.Date(2026, time.September, 10, 8, 0, 0, 0, time.UTC)
	due := s.Due(affiliate.NewDay(2026, 9, 7), now)
	if len(due) != 2 || due[0].Last != affiliate.NewDay(2026, 9, 8) || due[1].Last != affiliate.NewDay(2026, 9, 9) {
		t.Errorf("due: %v", due)
	}
	if due := s.Due(affiliate.NewDay(2020, 1, 1), now); len(due) != maxBehind {
		t.Errorf("after years %d are due, want %d", len(due), maxBehind)
	}
}

// A period is sent as soon as its figures are complete, and incomplete at its deadline, not before.
func TestReady(t *testing.T) {
	s, p := daily(), Daily.Of(affiliate.NewDay(2026, 9, 1))
	for _, c := range []struct {
		hour            int
		complete        bool
		ready, late, is bool // is: whether the figures were asked for
	}{
		{7, false, false, false, true}, {7, true, true, false, true},
		{18, false, false, false, true}, {18, true, true, false, true},
		{19, false, true, true, false}, {19, true, true, true, false},
	} {
		asked := false
		ready, late, err := s.Ready(p, time.Date(2026, time.September, 2, c.hour, 0, 0, 0, time.UTC), func() (bool, error) {
			asked = true
			return c.complete, nil
		})
		if err != nil || ready != c.ready || late != c.late || asked != c.is {
			t.Errorf("%+v: ready %t, late %t, asked %t, %v", c, ready, late, asked, err)
		}
	}
}

func TestLabel(t *testing.T) {
	day := affiliate.NewDay
	for want, p := range map[string]Period{
		"1 Sep 2026 (UTC)":                        Daily.Of(day(2026, 9, 1)),
		"week 35, 24–30 Aug 2026 (UTC)":           Weekly.Of(day(2026, 8, 30)),
		"week 36, 31 Aug – 6 Sep 2026 (UTC)":      Weekly.Of(day(2026, 8, 31)),
		"week 53, 28 Dec 2026 – 3 Jan 2027 (UTC)": Weekly.Of(day(2027, 1, 1)),
		"week 1, 4–10 Jan 2027 (UTC)":             Weekly.Of(day(2027, 1, 4)),
		"week 52, 27 Dec 2027 – 2 Jan 2028 (UTC)": Weekly.Of(day(2028, 1, 2)),
		"August 2026": Monthly.Of(day(2026, 8, 31)),
	} {
		if got := p.Label(time.UTC); got != want {
			t.Errorf("%v is %q, want %q", p.Days, got, want)
		}
	}
}
