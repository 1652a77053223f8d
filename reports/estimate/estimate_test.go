package estimate_test

import (
	"errors"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/reports/estimate"
)

var november = affiliate.Days{First: affiliate.NewDay(2026, time.November, 1), Last: affiliate.NewDay(2026, time.November, 30)}

// until returns a history that ends before a day of November.
func until(day int, amounts []decimal.Decimal) estimate.PastDays {
	return estimate.PastDays{First: november.First + affiliate.Day(day-1) - affiliate.Day(len(amounts)), Amounts: amounts}
}

// amounts draws a programme: steady, growing, lumpy or silent, sometimes with amounts that
// are taken back.
func amounts(t *rapid.T, least int) []decimal.Decimal {
	list := make([]decimal.Decimal, rapid.IntRange(least, least+200).Draw(t, "days"))
	scale := rapid.SampledFrom([]int32{-12, -2, 0, 9}).Draw(t, "scale")
	shape := rapid.IntRange(0, 4).Draw(t, "shape")
	one := rapid.Int64Range(0, 1_000_000)
	for i := range list {
		n := one.Draw(t, "amount")
		switch {
		case shape == 0:
			n = 1000
		case shape == 1:
			n = n / 1000 * int64(i)
		case shape == 2 && n > 20_000, shape == 3 && i > len(list)/2:
			n = 0
		case shape == 4 && n%7 == 0:
			n = -n
		}
		list[i] = decimal.New(n, scale)
	}
	return list
}

func TestEstimateIsOrdered(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		day := rapid.IntRange(1, 30).Draw(t, "day")
		h := until(day, amounts(t, estimate.Needed(30)))
		begun := estimate.Begun{Amount: decimal.New(rapid.Int64Range(0, 1000).Draw(t, "begun"), -2), Read: time.Duration(rapid.IntRange(0, 24).Draw(t, "read")) * time.Hour, Day: 24 * time.Hour}
		e, err := estimate.Make(h, begun, november)
		if err != nil {
			t.Fatal(err)
		}
		if e.Low.GreaterThan(e.Expected) || e.Expected.GreaterThan(e.High) {
			t.Fatalf("%s to %s does not contain %s", e.Low, e.High, e.Expected)
		}
		if earned := h.Sum(november).Add(begun.Amount); !e.Earned.Equal(earned) {
			t.Fatalf("earned %s, not %s", e.Earned, earned)
		}
		back := false
		for _, amount := range h.Amounts {
			back = back || amount.IsNegative()
		}
		if !back && e.Low.LessThan(e.Earned) {
			t.Fatalf("%s is earned, and the range begins at %s although nothing is ever taken back", e.Earned, e.Low)
		}
		path, err := estimate.DayByDay(h, begun, november)
		if err != nil || len(path) != 31-day {
			t.Fatalf("the path has %d days from day %d on, %v", len(path), day, err)
		}
		if end := path[len(path)-1]; end.Day != november.Last || !end.Expected.Equal(e.Expected) || !end.Low.Equal(e.Low) || !end.High.Equal(e.High) {
			t.Fatalf("the path ends at %v, not at %v", end, e)
		}
	})
}

func TestEstimateScales(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := amounts(t, estimate.Needed(20))
		factor := decimal.New(rapid.Int64Range(1, 10_000).Draw(t, "factor"), -2)
		scaled := make([]decimal.Decimal, len(list))
		for i := range list {
			scaled[i] = list[i].Mul(factor)
		}
		one, err := estimate.Make(until(11, list), estimate.Begun{}, november)
		if err != nil {
			t.Fatal(err)
		}
		other, err := estimate.Make(until(11, scaled), estimate.Begun{}, november)
		if err != nil {
			t.Fatal(err)
		}
		size := one.High.Sub(one.Low).Add(one.Earned.Abs()).Add(one.Expected.Abs()).Mul(factor)
		for _, pair := range [][2]decimal.Decimal{{one.Expected, other.Expected}, {one.Low, other.Low}, {one.High, other.High}} {
			if pair[0].Mul(factor).Sub(pair[1]).Abs().GreaterThan(size.Shift(-4).Add(decimal.New(2, 0).Mul(factor).Add(decimal.New(2, 0)))) {
				t.Fatalf("%s times %s is not %s", pair[0], factor, pair[1])
			}
		}
	})
}

func TestConstantProgrammeIsExpectedToGoOn(t *testing.T) {
	t.Parallel()
	list := make([]decimal.Decimal, 120)
	for i := range list {
		list[i] = decimal.New(1250, -2)
	}
	for day := 1; day <= 31; day++ {
		e, err := estimate.Make(until(day, list), estimate.Begun{}, november)
		if want := decimal.NewFromInt(375); err != nil || !e.Expected.Equal(want) || !e.Low.Equal(want) || !e.High.Equal(want) {
			t.Errorf("day %d: %s, from %s to %s, %v", day, e.Expected, e.Low, e.High, err)
		}
	}
	half := estimate.Begun{Amount: decimal.New(600, -2), Read: 12 * time.Hour, Day: 24 * time.Hour}
	if e, err := estimate.Make(until(30, list), half, november); err != nil || e.Expected.String() != "374.75" {
		t.Errorf("with half of the last day read: %s, %v", e.Expected, err)
	}
	ahead := affiliate.Days{First: november.First + 10, Last: november.First + 19}
	if e, err := estimate.Make(until(1, list), estimate.Begun{Amount: decimal.NewFromInt(5), Read: 12 * time.Hour, Day: 24 * time.Hour}, ahead); err != nil || e.Expected.String() != "125" || !e.Earned.IsZero() {
		t.Errorf("ten days to come: %s, earned %s, %v", e.Expected, e.Earned, err)
	}
}

func TestWeekdaysCount(t *testing.T) {
	t.Parallel()
	list := make([]decimal.Decimal, 140)
	first := until(24, list).First
	for i := range list {
		if day := (first + affiliate.Day(i)).Weekday(); day != time.Saturday && day != time.Sunday {
			list[i] = decimal.NewFromInt(100)
		}
	}
	h := until(24, list) // a Tuesday: five of the seven days left are working days
	e, err := estimate.Make(h, estimate.Begun{}, november)
	if left := e.Expected.Sub(e.Earned); err != nil || left.LessThan(decimal.NewFromInt(480)) || left.GreaterThan(decimal.NewFromInt(530)) {
		t.Errorf("a week of five days brings %s, %v", left, err)
	}
	e, err = estimate.Make(until(28, list[:len(list)-3]), estimate.Begun{}, affiliate.Days{First: november.First + 27, Last: november.First + 28})
	if err != nil || e.Expected.GreaterThan(decimal.NewFromInt(45)) {
		t.Errorf("a weekend brings %s, %v", e.Expected, err)
	}
}

func TestShortHistory(t *testing.T) {
	t.Parallel()
	list := make([]decimal.Decimal, estimate.Needed(30)-1)
	for i := range list {
		list[i] = decimal.NewFromInt(1)
	}
	_, err := estimate.Make(until(1, list), estimate.Begun{}, november)
	short, ok := errors.AsType[*estimate.ShortError](err)
	if !ok || short.Have != len(list) || short.Need != len(list)+1 {
		t.Errorf("an estimate from %d days: %v", len(list), err)
	}
	if e, err := estimate.Make(until(31, list), estimate.Begun{Amount: decimal.NewFromInt(9)}, november); err != nil || e.High.String() != "30" {
		t.Errorf("a month that is over ends at %s, %v", e.High, err)
	}
}

// TestWhale checks that a single day hardly moves what is expected of the others.
func TestWhale(t *testing.T) {
	t.Parallel()
	list := make([]decimal.Decimal, 200)
	for i := range list {
		list[i] = decimal.NewFromInt(100)
	}
	list[190] = decimal.NewFromInt(5000)
	e, err := estimate.Make(until(16, list), estimate.Begun{}, november)
	usual := decimal.NewFromInt(14*100 + 4900 + 15*100)
	if over := e.Expected.Sub(usual); err != nil || over.IsNegative() || over.GreaterThan(decimal.NewFromInt(450)) {
		t.Errorf("after a day of 5,000 among days of 100: %s instead of about %s, %v", e.Expected, usual, err)
	}
}

func BenchmarkMake(b *testing.B) {
	list := make([]decimal.Decimal, 400)
	for i := range list {
		list[i] = decimal.New(int64(10_000+i*7919%5000), -2)
	}
	h := until(5, list)
	for b.Loop() {
		if _, err := estimate.Make(h, estimate.Begun{}, november); err != nil {
			b.Fatal(err)
		}
	}
}
