package market

import (
	"math"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/exchange/weex/simulator/seeded"
)

// PublicTrade is one public trade.
type PublicTrade struct {
	At           int64 // ms
	ID           int64
	Price, Steps int64 // in ticks, in steps of the quantity
	Bits         uint64
}

// trades returns the public trades of a minute, oldest first, at the prices of the line
// within it.
func (m *SpotPair) trades(minutes, from, to int64) []PublicTrade {
	if m.Disabled {
		return nil
	}
	all := make([]PublicTrade, seeded.Mix(m.Key, uint64(minutes))%(2*m.bustle+1))
	for i := range all {
		h := seeded.Mix(m.Key, uint64(minutes), uint64(i))
		all[i].At = minutes*minute + int64(h%uint64(minute))
		all[i].Bits = h
	}
	slices.SortFunc(all, func(a, b PublicTrade) int { return int(a.At - b.At) })
	for i := range all {
		t := &all[i]
		t.ID = (minutes*100+int64(i))*100 + m.number
		t.Price = between(from, to, t.At)
		t.Steps = m.size(t)
	}
	return all
}

// size returns the approximate size of a trade: from ten dollars to ten thousand, mostly
// small.
func (m *SpotPair) size(t *PublicTrade) int64 {
	fraction := float64(seeded.Mix(t.Bits)>>11) / (1 << 53)
	dollars := 10 * math.Exp(fraction*fraction*math.Ln10*3)
	return max(1, int64(dollars*m.perDollar))
}

// Quantity converts steps to an amount of the base coin.
func (m *SpotPair) Quantity(steps int64) decimal.Decimal { return decimal.New(steps, -m.SizeDecimals) }

// Value returns the value of ticks times steps in the quote coin.
func (m *SpotPair) Value(product int64) decimal.Decimal {
	return decimal.New(product, -m.PriceDecimals-m.SizeDecimals)
}

// Latest returns up to n public trades until now, newest first.
func (m *SpotPair) Latest(now int64, n int) []PublicTrade {
	var all []PublicTrade
	if m.Disabled {
		return nil
	}
	minutes := now / minute
	after := m.point(minutes + 1)
	for ; len(all) < n; minutes-- {
		before := m.point(minutes)
		some := m.trades(minutes, before, after)
		for _, t := range slices.Backward(some) {
			if t.At <= now && len(all) < n {
				all = append(all, t)
			}
		}
		after = before
	}
	return all
}
