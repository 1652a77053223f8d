package market

import (
	"math/rand/v2"
	"testing"
	"time"
)

// What is kept changes no figure: a market that was looked at a thousand times, in any order, says
// the same as one that nobody has looked at.
func TestKeptFiguresAreThoseOfAFreshMarket(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 9))
	pairs, contracts := SpotPairs(7), ContractPairs(7)
	begin := time.Date(2026, 9, 15, 10, 30, 0, 0, time.UTC).UnixMilli()
	for range 60 {
		now := begin + random.Int64N(3*day)
		if random.IntN(4) == 0 {
			now -= now % minute
		}
		i, j := random.IntN(len(pairs)), random.IntN(len(contracts))
		if got, want := pairs[i].LastDay(now), SpotPairs(7)[i].LastDay(now); got != want {
			t.Fatalf("%s at %d: %+v, want %+v", pairs[i].Symbol, now, got, want)
		}
		if got, want := contracts[j].Last.Span(now-day, now, nil), ContractPairs(7)[j].Last.Span(now-day, now, nil); got != want {
			t.Fatalf("%s at %d: %+v, want %+v", contracts[j].Symbol, now, got, want)
		}
	}
}

func BenchmarkLastDay(b *testing.B) {
	pair, now := SpotPairs(7)[0], time.Date(2026, 9, 15, 10, 30, 0, 0, time.UTC).UnixMilli()
	for b.Loop() {
		now += 1000
		pair.LastDay(now)
	}
}
