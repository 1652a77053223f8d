package agenda

import (
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/books"
	"rebatedesk/reports/payments"
)

// Every kind of payout rule has days, each once, and the period that each pays ends before it.
func TestPayoutsOfEveryRule(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 30, 0, 0, time.UTC)
	for _, zone := range []*time.Location{time.UTC, time.FixedZone("Kathmandu", 5*3600+45*60)} {
		for _, c := range []struct {
			period books.Period
			delay  time.Duration
			days   int
			second affiliate.Day
		}{
			{books.Hour, time.Hour, daysAhead, affiliate.NewDay(2026, 11, 21)},
			{books.Day, 6 * time.Hour, daysAhead, affiliate.NewDay(2026, 11, 22)},
			{books.Week, 24 * time.Hour, weeksAhead, affiliate.NewDay(2026, 12, 1)},
			{books.Month, 48 * time.Hour, MonthsAhead, affiliate.NewDay(2027, 1, 3)},
		} {
			rule := payments.RuleInUse{Account: "main", Known: true}
			rule.Score.Rule = books.Rule{Period: c.period, Delay: c.delay}
			list := Payouts(payments.Overview{Rules: []payments.RuleInUse{rule}}, now, zone)
			if len(list) != c.days || list[1].Day != c.second {
				t.Errorf("by the %s in %s: %d days, the second is %s", c.period, zone, len(list), list[1].Day)
			}
			for i, e := range list {
				if i > 0 && e.Day <= list[i-1].Day || e.From >= e.To || affiliate.DayOf(e.To.Time().Add(c.delay), zone) != e.Day || e.Day < affiliate.DayOf(now, zone) {
					t.Errorf("by the %s in %s: %+v", c.period, zone, e)
				}
			}
		}
	}
}
