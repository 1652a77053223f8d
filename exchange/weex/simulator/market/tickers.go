package market

import (
	"github.com/shopspring/decimal"
)

// dayOf describes a market in the 24 hours until now.
type dayOf struct {
	span
	Trades int64
	Size   int64 // in steps
	Value  int64 // in ticks times steps
}

// LastDay describes the last 24 hours. It counts the trades that 4.4 lists.
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

// Change returns the change of the price as a fraction of its first value.
func (s span) Change() decimal.Decimal {
	return decimal.NewFromInt(s.Close-s.Open).DivRound(decimal.NewFromInt(s.Open), 6)
}
