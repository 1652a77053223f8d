package goals

import (
	"math/big"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/reports/estimate"
	"rebatedesk/reports/forecast"
)

// A pace is that of exact fractions: what is earned and lacking, what each day that is left
// must bring, and since when the goal is reached.
func TestPaceIsThatOfFractions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		amounts := rapid.Custom(func(t *rapid.T) decimal.Decimal {
			return decimal.New(rapid.Int64Range(-1_000_000, 5_000_000_000).Draw(t, "units"), -int32(rapid.IntRange(0, 18).Draw(t, "decimals")))
		})
		first := affiliate.NewDay(2026, time.Month(rapid.IntRange(1, 12).Draw(t, "month")), 1)
		year, month, _ := first.Date()
		days := affiliate.Days{First: first, Last: affiliate.NewDay(year, month+1, 1) - 1}
		today := first + affiliate.Day(rapid.IntRange(-2, 33).Draw(t, "today"))
		amount := amounts.Filter(decimal.Decimal.IsPositive).Draw(t, "goal")
		brought, earned, before := map[affiliate.Day]decimal.Decimal{}, new(big.Rat), new(big.Rat)
		var reached affiliate.Day
		for day := days.First; day <= min(today, days.Last); day++ {
			if rapid.Bool().Draw(t, "traded") {
				brought[day] = amounts.Draw(t, "brought")
			}
			if day == today {
				before.Set(earned)
			}
			earned.Add(earned, brought[day].Rat())
			switch {
			case earned.Cmp(amount.Rat()) < 0:
				reached = 0
			case reached == 0:
				reached = day
			}
		}

		p := paceOf(amount, days, today, brought)
		if p.Earned.Rat().Cmp(earned) != 0 || p.ReachedOn != reached {
			t.Fatalf("earned %s, reached on %s; want %s and %s", p.Earned, p.ReachedOn, earned.FloatString(18), reached)
		}
		if lacks := new(big.Rat).Sub(amount.Rat(), earned); reached == 0 && p.Lacking.Rat().Cmp(lacks) != 0 || reached != 0 && !p.Lacking.IsZero() {
			t.Fatalf("%s is lacking of %s", p.Lacking, amount)
		}
		over := today > days.Last
		if reached != 0 || over {
			if p.Left != 0 || !p.ADay.IsZero() || !p.Today.IsZero() {
				t.Fatalf("%d days are left, of %s", p.Left, p.ADay)
			}
			return
		}
		if want := int(days.Last - max(today, first) + 1); p.Left != want {
			t.Fatalf("%d days are left, want %d", p.Left, want)
		}
		if !p.Today.Equal(brought[today]) {
			t.Fatalf("today brought %s, want %s", p.Today, brought[today])
		}
		// The days that are left reach the goal with ADay, and not with the least bit less.
		reaches := func(aday decimal.Decimal) bool {
			all := new(big.Rat).Mul(aday.Rat(), big.NewRat(int64(p.Left), 1))
			return all.Add(all, before).Cmp(amount.Rat()) >= 0
		}
		if !reaches(p.ADay) || reaches(p.ADay.Sub(decimal.New(1, -adayDecimals))) {
			t.Fatalf("%s a day for %d days after %s does not just reach %s", p.ADay, p.Left, before.FloatString(20), amount)
		}
	})
}

// Every goal is in one state: what is certain comes before what is estimated.
func TestStatesOfGoals(t *testing.T) {
	t.Parallel()
	days := affiliate.Days{First: affiliate.NewDay(2026, time.November, 1), Last: affiliate.NewDay(2026, time.November, 30)}
	number := func(n int64) decimal.Decimal { return decimal.NewFromInt(n) }
	ends := func(state forecast.State, low, expected, high int64) forecast.Ending {
		return forecast.Ending{State: state, Estimate: estimate.Estimate{Low: number(low), Expected: number(expected), High: number(high)}}
	}
	lacks := func(state forecast.State, kind forecast.LackKind, days ...affiliate.Days) forecast.Ending {
		return forecast.Ending{State: state, Lack: forecast.Lack{Kind: kind, Days: days}}
	}
	within, before := affiliate.Days{First: days.First + 3, Last: days.First + 5}, affiliate.Days{First: days.First - 9, Last: days.First - 1}
	for _, test := range []struct {
		name   string
		earned int64
		ending forecast.Ending
		want   State
		whole  bool
	}{
		{"before the month", 0, ends(forecast.SpanAhead, 90, 110, 120), Ahead, true},
		{"before the month, incomplete", 0, lacks(forecast.SpanAhead, forecast.LackDays, before), Ahead, true},
		{"expected", 50, ends(forecast.SpanOpen, 90, 110, 120), OnPace, true},
		{"just expected", 50, ends(forecast.SpanOpen, 90, 100, 120), OnPace, true},
		{"possible", 50, ends(forecast.SpanOpen, 80, 99, 100), Open, true},
		{"out of reach", 50, ends(forecast.SpanOpen, 80, 90, 99), Behind, true},
		{"short history", 50, lacks(forecast.SpanOpen, forecast.LackHistory), Unknown, true},
		{"incomplete history", 50, lacks(forecast.SpanOpen, forecast.LackDays, before), Unknown, true},
		{"incomplete month", 50, lacks(forecast.SpanOpen, forecast.LackDays, before, within), Unknown, false},
		{"incomplete invitees", 50, lacks(forecast.SpanOpen, forecast.LackInvitees), Unknown, false},
		{"reached", 100, ends(forecast.SpanOpen, 100, 110, 120), Reached, true},
		{"reached, incomplete", 100, lacks(forecast.SpanOpen, forecast.LackDays, within), Reached, false},
		{"reached at last", 100, ends(forecast.SpanOver, 100, 100, 100), Reached, true},
		{"missed", 99, ends(forecast.SpanOver, 99, 99, 99), Missed, true},
		{"over, incomplete", 99, lacks(forecast.SpanOver, forecast.LackDays, within), Unknown, false},
	} {
		g := Progress{Ending: test.ending, Pace: paceOf(number(100), days, days.First+9, map[affiliate.Day]decimal.Decimal{days.First: number(test.earned)})}
		if got, whole := g.state(g.Ending, g.Complete()), g.Complete(); got != test.want || whole != test.whole {
			t.Errorf("%s: %q, complete %t; want %q, %t", test.name, got, whole, test.want, test.whole)
		}
	}
}
