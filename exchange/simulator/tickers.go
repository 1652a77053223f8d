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

// spotTickers answers 4.3. Disabled pairs have none.
func (s *Simulator) spotTickers(e *encoder, _ *parameters) *refusal {
	now := s.now()
	var listed []*market
	for _, m := range s.markets {
		if !m.disabled {
			listed = append(listed, m)
		}
	}
	e.list(len(listed), func(i int) { e.spotTicker(listed[i], now) })
	return nil
}

func (e *encoder) spotTicker(m *market, now int64) {
	d := m.lastDay(now)
	number := func(name, value string) { e.digits(name, value, !e.otherTypes) }
	e.raw("{")
	e.text("symbol", m.symbol)
	number("priceChange", m.text(d.close-d.open))
	number("priceChangePercent", d.change().String())
	e.long("trades", d.trades)
	number("size", m.quantity(d.size).String())
	number("value", m.value(d.value).String())
	number("high", m.text(d.high))
	number("low", m.text(d.low))
	number("open", m.text(d.open))
	number("close", m.text(d.close))
	e.long("highTime", d.highTime)
	e.long("lowTime", d.lowTime)
	e.long("startTime", now-day)
	e.long("endTime", now)
	number("lastPrice", m.text(d.close))
	number("openInterest", "0")
	e.long("ts", now)
	e.raw("}")
}
