package estimate_test

import (
	"errors"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"rebatedesk/reports/estimate"
)

func drawAbsence(t *rapid.T) estimate.Absence {
	return estimate.Absence{
		Silent: rapid.IntRange(0, 200).Draw(t, "silent"), HalfDays: rapid.IntRange(1, 120).Draw(t, "half days"),
		Usual: decimal.New(rapid.Int64Range(1, 1_000_000_000_000).Draw(t, "usual"), -int32(rapid.IntRange(0, 12).Draw(t, "decimals"))),
	}
}

func drawPast(t *rapid.T) estimate.PastAbsence {
	past := estimate.PastAbsence{Absence: drawAbsence(t), Origin: rapid.IntRange(1, 8).Draw(t, "origin")}
	past.Came = past.Usual.Mul(decimal.New(rapid.Int64Range(-50, 300).Draw(t, "came"), -2))
	return past
}

// Whatever the past, a loss is between nothing and all, the range is around what is expected,
// and the same question has the same answer.
func TestLossIsWithinWhatThereWas(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		past := rapid.SliceOfN(rapid.Custom(drawPast), 0, 80).Draw(t, "past")
		now := rapid.SliceOfN(rapid.Custom(drawAbsence), 0, 12).Draw(t, "now")
		periods := map[int]bool{}
		for _, one := range past {
			periods[one.Origin] = true
		}
		loss, err := estimate.Lose(past, now)
		few, short := errors.AsType[*estimate.FewError](err)
		if want := len(past) < estimate.LeastCases || len(periods) < estimate.LeastPeriods; short != want || !short && err != nil {
			t.Fatalf("%d cases in %d periods: %v", len(past), len(periods), err)
		}
		if short {
			if few.Cases != len(past) || few.Origins != len(periods) {
				t.Fatalf("%d cases in %d periods: %v", len(past), len(periods), few)
			}
			return
		}
		var all decimal.Decimal
		for _, one := range now {
			all = all.Add(one.Usual)
		}
		slack := all.Mul(decimal.New(1, -4)) // what is rounded away
		if loss.Low.IsNegative() || loss.Low.GreaterThan(loss.Expected) || loss.Expected.GreaterThan(loss.High) || loss.High.GreaterThan(all.Add(slack)) {
			t.Fatalf("of %s: %+v", all, loss)
		}
		if again, err := estimate.Lose(past, now); err != nil || !again.Low.Equal(loss.Low) || !again.High.Equal(loss.High) || !again.Expected.Equal(loss.Expected) {
			t.Fatalf("first %+v, then %+v, %v", loss, again, err)
		}
		if tested, hits := estimate.LossHits(past); hits > tested || tested > len(periods)-estimate.LeastPeriods {
			t.Fatalf("%d of %d held, in %d periods", hits, tested, len(periods))
		}
	})
}

// People who always came back lose nothing, and people who never did lose all. Who is as silent
// as those is expected to do the same.
func TestLossFollowsThePast(t *testing.T) {
	t.Parallel()
	number := decimal.NewFromInt
	var past []estimate.PastAbsence
	for origin := range 4 {
		for range 80 {
			back := estimate.PastAbsence{Absence: estimate.Absence{Silent: 4, HalfDays: 4, Usual: number(100)}, Came: number(100), Origin: origin}
			gone := estimate.PastAbsence{Absence: estimate.Absence{Silent: 90, HalfDays: 4, Usual: number(100)}, Origin: origin}
			past = append(past, back, gone)
		}
	}
	for _, test := range []struct {
		silent int
		want   int64
	}{{4, 0}, {90, 50}} {
		loss, err := estimate.Lose(past, []estimate.Absence{{Silent: test.silent, HalfDays: 4, Usual: number(50)}})
		if err != nil || !loss.Low.Equal(number(test.want)) || !loss.High.Equal(number(test.want)) || !loss.Expected.Equal(number(test.want)) {
			t.Errorf("silent for %d days: %+v, %v; want %d", test.silent, loss, err, test.want)
		}
	}
	if tested, hits := estimate.LossHits(past); tested != 1 || hits != 1 {
		t.Errorf("%d of %d held, want 1 of 1", hits, tested)
	}
}
