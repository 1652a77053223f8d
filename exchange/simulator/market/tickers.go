package market

import (
	"github.com/shopspring/decimal"
)

// dayOf is what a market did in the 24 hours until now.
type dayOf struct {
	span
	Trades int64
	Size   int64 // in steps
	Value  int64 // in ticks times steps
}

// LastDay looks back 24 hours. The trades counted are those that 4.4 lists.
func (m *SpotPair) LastDay(now int64) dayOf {
	var d dayOf
	start := now - day
	d.span = m.Span(start, now, func(minutes, from, to int64) {
		for _, t := range m.trades(minutes, from, to) {
			if t.At > start && t.At <= now {
				d.Trades++
				d.Size += t.Steps
				d.Value += t.Price * t.Steps
			}
		}
	})
	return d
}

// Change is how far the price went, as a fraction of where it began.
func (s span) Change() decimal.Decimal {
	return decimal.NewFromInt(s.Close-s.Open).DivRound(decimal.NewFromInt(s.Open), 6)
}
