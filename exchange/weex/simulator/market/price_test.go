package market

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// instant is the present of the price tests.
var instant = time.Date(2026, 8, 20, 12, 34, 56, 0, time.UTC).UnixMilli()

// Prices depend only on the seed and the time.
func TestPrices(t *testing.T) {
	one, same, another := SpotPairs(5), SpotPairs(5), SpotPairs(6)
	at := instant
	differ := 0
	for i := range one {
		if one[i].At(at) != same[i].At(at) {
			t.Errorf("%s does not depend on seed and time alone", one[i].Symbol)
		}
		if one[i].At(at) != another[i].At(at) {
			differ++
		}
		s := one[i].Span(at-30*day, at, nil)
		if swing := float64(s.High) / float64(s.Low); swing > 3 || swing == 1 {
			t.Errorf("%s: from %d to %d in a month", one[i].Symbol, s.Low, s.High)
		}
	}
	if differ < 14 {
		t.Error("the seed has hardly an effect")
	}
}

// Highs, lows and crossings are exact.
func TestLine(t *testing.T) {
	pairs := SpotPairs(5)
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(pairs).Draw(t, "pair")
		from := instant + rapid.Int64Range(0, 40*day).Draw(t, "from")
		to := from + rapid.Int64Range(0, 90*minute).Draw(t, "length")
		s := m.Span(from, to, nil)
		if s.Open != m.At(from) || s.Close != m.At(to) || m.At(s.HighTime) != s.High || m.At(s.LowTime) != s.Low {
			t.Fatalf("span %+v", s)
		}
		limit := s.Low + rapid.Int64Range(-2, s.High-s.Low+2).Draw(t, "limit")
		falling := rapid.Bool().Draw(t, "falling")
		reached := func(at int64) bool { return falling && m.At(at) <= limit || !falling && m.At(at) >= limit }
		at, ok := m.Crossing(from, to, limit, falling)
		if possible := falling && s.Low <= limit || !falling && s.High >= limit; ok != possible {
			t.Fatalf("crossing %v, %+v, limit %d", ok, s, limit)
		}
		if ok && (!reached(at) || at > from && reached(at-1)) {
			t.Fatalf("not at the first instant: %d", at)
		}
		end := to
		if ok {
			end = at - 1
		}
		for range 50 {
			if end < from {
				break
			}
			look := rapid.Int64Range(from, end).Draw(t, "look")
			if p := m.At(look); p > s.High || p < s.Low || reached(look) {
				t.Fatalf("at %d the price is %d: %+v, crossing %d", look, p, s, at)
			}
		}
	})
}
