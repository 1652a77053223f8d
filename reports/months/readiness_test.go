package months_test

import (
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/months"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/storetest"
)

// A day that a late reading changed is not settled until another reading finds the same. A day
// that was read only once, after the exchange had stopped changing it, is.
func TestChangeWaitsForItsConfirmation(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	day := reporttest.August + 9
	month := affiliate.Days{First: reporttest.August, Last: reporttest.August + 30}
	d.Want("main", month.First)
	settled := func(want int, changed ...affiliate.Day) {
		t.Helper()
		detail, err := reports.Ask(t.Context(), d.Service, d.MonthQuery(), months.MakeOne)
		storetest.Done(t, err)
		for _, s := range detail.Readiness.Streams {
			if s.Stream == reporttest.Spot && s.Settled != want {
				t.Errorf("%d days are settled, want %d: %+v", s.Settled, want, s)
			}
		}
		var found []affiliate.Day
		for _, lack := range detail.Readiness.Lacks {
			if lack.Stream == reporttest.Spot {
				if lack.Kind != coverage.UnsettledChanged {
					t.Errorf("lacks %+v", lack)
				}
				for at := lack.Days.First; at <= lack.Days.Last; at++ {
					found = append(found, at)
				}
			}
		}
		if len(found) != len(changed) || len(found) > 0 && found[0] != changed[0] {
			t.Errorf("not confirmed are %v, want %v", found, changed)
		}
	}
	d.Read("main", reporttest.Spot, month, reporttest.Trade(day, reporttest.Spot, 1, "5"))
	settled(31)
	one := affiliate.Days{First: day, Last: day}
	d.Later(time.Hour)
	d.Read("main", reporttest.Spot, one, reporttest.Trade(day, reporttest.Spot, 1, "6"))
	settled(30, day)
	d.Later(time.Hour)
	d.Read("main", reporttest.Spot, one, reporttest.Trade(day, reporttest.Spot, 1, "7"))
	settled(30, day)
	d.Later(time.Hour)
	d.Read("main", reporttest.Spot, one, reporttest.Trade(day, reporttest.Spot, 1, "7"))
	settled(31)
}
