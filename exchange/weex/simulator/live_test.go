package simulator

import (
	"slices"
	"testing"
	"time"

	"rebatedesk/affiliate"
)

// clock is a clock that a test advances.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func living(c *clock, speed float64) *Simulator {
	return New(Options{Seed: 5, Days: 100, Invitees: 400, Records: 20_000, Live: true, LiveSpeed: speed, Now: c.now, RateLimit: -1})
}

func TestLifeGoesOn(t *testing.T) {
	c := &clock{instant}
	s := living(c, 1)
	start := s.Ledger()
	if len(start.Commissions) != 20_000 || len(start.Invitees) != 400 {
		t.Fatalf("%d records and %d invitees at the start", len(start.Commissions), len(start.Invitees))
	}
	c.at = instant.Add(7 * 24 * time.Hour)
	later := s.Ledger()
	if grown := len(later.Commissions) - 20_000; grown < 1400 || grown > 3500 {
		t.Errorf("%d records in a week, after 20,000 in 100 days", grown)
	}
	if len(later.Invitees) <= 400 || len(later.SubAffiliateDays) <= len(start.SubAffiliateDays) {
		t.Errorf("%d invitees, %d sub-affiliate days", len(later.Invitees), len(later.SubAffiliateDays))
	}
	left := counted(later.Commissions)
	for _, r := range start.Commissions {
		if left[r]--; left[r] < 0 {
			t.Fatalf("%v is missing", r)
		}
	}
	last := map[affiliate.UID]affiliate.Millis{}
	for _, r := range later.Commissions {
		if at := r.DealTime.Time(); at.After(c.at.Add(-time.Hour)) {
			t.Fatalf("%v is already visible", r)
		}
		last[r.UID] = r.DealTime
	}
	moved := 0
	for _, u := range later.Invitees {
		if u.LastTrade < last[u.UID] || affiliate.MillisOf(c.at) < max(u.RegisterTime, u.FirstDeposit, u.LastTrade) {
			t.Fatalf("%v, last trade %v", u, last[u.UID])
		}
		if u.LastTrade > affiliate.MillisOf(instant) {
			moved++
		}
	}
	if moved == 0 {
		t.Error("no last trade has changed")
	}
	yesterday := affiliate.DayOf(c.at, time.UTC) - 1
	if d := later.SubAffiliateDays[len(later.SubAffiliateDays)-1]; d.Date != yesterday {
		t.Errorf("the last sub-affiliate day is %v, want %v", d.Date, yesterday)
	}
}

// Reading changes nothing, however often.
func TestLifeDoesNotDependOnReading(t *testing.T) {
	often, once := &clock{instant}, &clock{instant}
	a, b := living(often, 3), living(once, 3)
	for range 300 {
		often.at = often.at.Add(17 * time.Minute)
		ask(t, a, "GET", commissionPath, "pageSize=1")
	}
	once.at = often.at
	l, m := a.Ledger(), b.Ledger()
	if !slices.Equal(l.Commissions, m.Commissions) || !slices.Equal(l.Invitees, m.Invitees) || !slices.Equal(l.SubAffiliateDays, m.SubAffiliateDays) {
		t.Error("the ledgers differ")
	}
}

// Some records appear hours after later records.
func TestLateRecords(t *testing.T) {
	c := &clock{instant}
	s := living(c, 5)
	known, late := counted(s.Ledger().Commissions), 0
	for range 24 {
		c.at = c.at.Add(time.Hour)
		for _, r := range s.Ledger().Commissions {
			if known[r] == 0 && c.at.Sub(r.DealTime.Time()) > 4*time.Hour {
				late++
			}
			known[r] = 1
		}
	}
	if late == 0 {
		t.Error("no record was late")
	}
}

func TestStandingStill(t *testing.T) {
	c := &clock{instant}
	s := New(Options{Seed: 5, Days: 10, Invitees: 50, Records: 500, Now: c.now})
	before := s.Ledger()
	c.at = c.at.AddDate(0, 1, 0)
	if !slices.Equal(before.Commissions, s.Ledger().Commissions) || !slices.Equal(before.Invitees, s.Ledger().Invitees) {
		t.Error("a programme without life has changed")
	}
}
