package simulator

import (
	"strconv"
)

// contractOf finds a contract pair by its name; nil where there is none.
func (s *Simulator) contractOf(symbol string) *contract {
	for _, c := range s.contracts {
		if c.symbol == symbol {
			return c
		}
	}
	return nil
}

// contractTicker answers 4.5, without an envelope.
func (s *Simulator) contractTicker(e *encoder, p *parameters) *refusal {
	symbol := p.required("symbol")
	c := s.contractOf(symbol)
	if c == nil {
		p.fail(errInvalid("symbol"))
		return p.refused
	}
	e.contractTicker(c, s.now())
	return nil
}

// contractTickers answers 4.6, without an envelope.
func (s *Simulator) contractTickers(e *encoder, _ *parameters) *refusal {
	now := s.now()
	e.list(len(s.contracts), func(i int) { e.contractTicker(s.contracts[i], now) })
	return nil
}

func (e *encoder) contractTicker(c *contract, now int64) {
	d := c.last.span(now-day, now, nil)
	base, quote := c.volumes(now, d)
	number := func(name, value string) { e.digits(name, value, !e.otherTypes) }
	e.raw("{")
	e.text("symbol", c.symbol)
	number("last", c.last.text(d.close))
	number("best_ask", c.last.text(d.close+1))
	number("best_bid", c.last.text(max(1, d.close-1)))
	number("high_24h", c.last.text(d.high))
	number("low_24h", c.last.text(d.low))
	number("volume_24h", quote.String())
	number("timestamp", strconv.FormatInt(now, 10))
	number("priceChangePercent", d.change().String())
	number("base_volume", base.String())
	number("markPrice", c.mark.text(c.mark.at(now)))
	number("indexPrice", c.index.text(c.index.at(now)))
	e.raw("}")
}
