package simulator

import (
	"github.com/shopspring/decimal"
)

// dayOf is what a market did in the 24 hours until now.
type dayOf struct {
	span
	trades int64
	size   int64 // in steps
	value  int64 // in ticks times steps
}

// lastDay looks back 24 hours. The trades counted are those that 4.4 lists.
func (m *market) lastDay(now int64) dayOf {
	var d dayOf
	start := now - day
	d.span = m.span(start, now, func(minutes, from, to int64) {
		for _, t := range m.trades(minutes, from, to) {
			if t.at > start && t.at <= now {
				d.trades++
				d.size += t.steps
				d.value += t.price * t.steps
			}
		}
	})
	return d
}

// change is how far the price went, as a fraction of where it began.
func (s span) change() decimal.Decimal {
	return decimal.NewFromInt(s.close-s.open).DivRound(decimal.NewFromInt(s.open), 6)
}
