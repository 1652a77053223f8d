package market

import (
	"github.com/shopspring/decimal"
)

// dayOf describes a market in the 24 hours until now.
type dayOf struct {
	span
	traded
}

// traded is what was traded in a stretch of time.
type traded struct {
	Trades int64
	Size   int64 // in steps
	Value  int64 // in ticks times steps
}

// LastDay describes the last 24 hours. It counts the trades that 4.4 lists.
func (m *SpotPair) LastDay(now int64) dayOf {
	var d dayOf
	start := now - day
	d.span = m.Span(start, now, func(minutes, from, to int64) {
		var some traded
		if minutes*minute > start && (minutes+1)*minute <= now {
			some = m.traded.get(minutes, func() traded { return m.tradedWithin(minutes, from, to, start, now) })
		} else {
			some = m.tradedWithin(minutes, from, to, start, now)
		}
		d.Trades += some.Trades
		d.Size += some.Size
		d.Value += some.Value
	})
	return d
}

// tradedWithin sums up the trades of a minute that are within (start, now].
func (m *SpotPair) tradedWithin(minutes, from, to, start, now int64) (sum traded) {
	for _, t := range m.trades(minutes, from, to) {
		if t.At > start && t.At <= now {
			sum.Trades++
			sum.Size += t.Steps
			sum.Value += t.Price * t.Steps
		}
	}
	return sum
}

// Change returns the change of the price as a fraction of its first value.
func (s span) Change() decimal.Decimal {
	return decimal.NewFromInt(s.Close-s.Open).DivRound(decimal.NewFromInt(s.Open), 6)
}
