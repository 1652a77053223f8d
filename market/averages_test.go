package market_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/internal/race"
	"rebatedesk/market"
)

func closeOf(s market.Slot) affiliate.Number  { return s.Close }
func volumeOf(s market.Slot) affiliate.Number { return s.Volume }

// Averages are those of the definition, to the last digit: of the newest n candles, and unknown
// with fewer of them, over a gap and over a candle without the figure.
func TestMovingAveragesAreThoseOfTheirDefinition(t *testing.T) {
	t.Parallel()
	race.Skip(t, "arithmetic of one goroutine")
	random := rand.New(rand.NewPCG(7, 11))
	slots := make([]market.Slot, 400)
	for i := range slots {
		s := &slots[i]
		s.State = market.SlotWhole
		if dice := random.IntN(90); dice == 0 {
			s.State = market.SlotUnseen
			continue
		} else if dice < 15 {
			continue // without a trade
		} else if dice == 15 {
			s.State = market.SlotPartial
		}
		s.Trades, s.Close = 1, affiliate.Number(fmt.Sprintf("%d.%0*d", random.IntN(90_000), 1+random.IntN(8), random.IntN(10)))
		if random.IntN(60) > 0 {
			s.Volume = affiliate.Number(fmt.Sprintf("0.%08d", random.IntN(100_000_000)))
		}
	}
	for what, of := range map[string]func(market.Slot) affiliate.Number{"close": closeOf, "volume": volumeOf} {
		for _, n := range []int{1, 20, 50} {
			known := 0
			for i, got := range market.MovingAverages(slots, n, of) {
				want := defined(slots[:i+1], n, of)
				if got.Known() != (want != nil) || want != nil && rat(t, got).Cmp(want) != 0 {
					t.Fatalf("%s of %d at %d is %q, want %v", what, n, i, got, want)
				}
				if got.Known() {
					known++
				}
			}
			if known == 0 || known == len(slots) {
				t.Errorf("%s of %d is known at %d of %d slots", what, n, known, len(slots))
			}
		}
	}
}

// defined computes the average at the last of some slots from the back.
func defined(slots []market.Slot, n int, of func(market.Slot) affiliate.Number) *big.Rat {
	sum := new(big.Rat)
	for count, i := 0, len(slots)-1; i >= 0; i-- {
		if slots[i].State == market.SlotPartial || slots[i].State == market.SlotUnseen {
			return nil
		}
		if slots[i].Trades == 0 {
			continue
		}
		figure, ok := new(big.Rat).SetString(string(of(slots[i])))
		if !ok {
			return nil
		}
		sum.Add(sum, figure)
		if count++; count == n {
			return sum.Quo(sum, new(big.Rat).SetInt64(int64(n)))
		}
	}
	return nil
}
