package simulator

import (
	"strconv"

	"rebatedesk/exchange/weex/simulator/market"
)

// contractOf finds a contract pair by its name. It returns nil if the pair does not exist.
func (s *Simulator) contractOf(symbol string) *market.ContractPair {
	for _, c := range s.contracts {
		if c.Symbol == symbol {
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

func (e *encoder) contractTicker(c *market.ContractPair, now int64) {
	d := c.Last.Span(now-day, now, nil)
	base, quote := c.Volumes(now, d)
	number := func(name, value string) { e.digits(name, value, !e.otherTypes) }
	e.raw("{")
	e.text("symbol", c.Symbol)
	number("last", c.Last.Text(d.Close))
	number("best_ask", c.Last.Text(d.Close+1))
	number("best_bid", c.Last.Text(max(1, d.Close-1)))
	number("high_24h", c.Last.Text(d.High))
	number("low_24h", c.Last.Text(d.Low))
	number("volume_24h", quote.String())
	number("timestamp", strconv.FormatInt(now, 10))
	number("priceChangePercent", d.Change().String())
	number("base_volume", base.String())
	number("markPrice", c.Mark.Text(c.Mark.At(now)))
	number("indexPrice", c.Index.Text(c.Index.At(now)))
	e.raw("}")
}
