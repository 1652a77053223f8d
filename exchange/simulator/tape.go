package simulator

import (
	"math"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/exchange/simulator/seeded"
)

// trade is one public trade.
type trade struct {
	at           int64 // ms
	id           int64
	price, steps int64 // in ticks, in steps of the quantity
	bits         uint64
}

// trades makes the public trades of a minute, oldest first, at the prices of
// the line in between.
func (m *market) trades(minutes, from, to int64) []trade {
	if m.disabled {
		return nil
	}
	all := make([]trade, seeded.Mix(m.key, uint64(minutes))%(2*m.bustle+1))
	for i := range all {
		h := seeded.Mix(m.key, uint64(minutes), uint64(i))
		all[i].at = minutes*minute + int64(h%uint64(minute))
		all[i].bits = h
	}
	slices.SortFunc(all, func(a, b trade) int { return int(a.at - b.at) })
	for i := range all {
		t := &all[i]
		t.id = (minutes*100+int64(i))*100 + m.number
		t.price = between(from, to, t.at)
		t.steps = m.size(t)
	}
	return all
}

// size is how much a trade was about: from ten dollars to ten thousand, small
// sizes being the usual ones.
func (m *market) size(t *trade) int64 {
	fraction := float64(seeded.Mix(t.bits)>>11) / (1 << 53)
	dollars := 10 * math.Exp(fraction*fraction*math.Ln10*3)
	return max(1, int64(dollars*m.perDollar))
}

// quantity makes an amount of the base coin of steps.
func (m *market) quantity(steps int64) decimal.Decimal { return decimal.New(steps, -m.step) }

// value is what ticks times steps are worth in the quote coin.
func (m *market) value(product int64) decimal.Decimal { return decimal.New(product, -m.digits-m.step) }

// latest lists up to n public trades until now, newest first.
func (m *market) latest(now int64, n int) []trade {
	var all []trade
	if m.disabled {
		return nil
	}
	minutes := now / minute
	after := m.point(minutes + 1)
	for ; len(all) < n; minutes-- {
		before := m.point(minutes)
		some := m.trades(minutes, before, after)
		for _, t := range slices.Backward(some) {
			if t.at <= now && len(all) < n {
				all = append(all, t)
			}
		}
		after = before
	}
	return all
}
