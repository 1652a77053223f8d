package simulator

import (
	"strconv"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// contract is a contract pair under a seed. Its three prices stay close to the
// spot price, which is the index.
type contract struct {
	symbol            string
	last, mark, index line
	volume            int64 // base coins traded in a day, about
	key               uint64
}

// listedContracts are the pairs that the programme earns commissions on.
var listedContracts = []struct {
	symbol    string
	base      affiliate.Coin
	quote     affiliate.Coin
	digits    int32
	dayVolume int64
}{
	{"cmt_btcusdt", "BTC", "USDT", 1, 30_000},
	{"cmt_ethusdt", "ETH", "USDT", 2, 400_000},
	{"cmt_solusdt", "SOL", "USDT", 3, 3_000_000},
	{"cmt_xrpusdt", "XRP", "USDT", 4, 150_000_000},
	{"cmt_dogeusdt", "DOGE", "USDT", 5, 900_000_000},
	{"cmt_bchusdt", "BCH", "USDT", 2, 200_000},
	{"cmt_linkusdt", "LINK", "USDT", 3, 4_000_000},
	{"cmt_btcusdc", "BTC", "USDC", 1, 4_000},
}

// newContracts makes the contract pairs of a seed.
func newContracts(seed int64) []*contract {
	all := make([]*contract, len(listedContracts))
	for i, p := range listedContracts {
		price := line{of: coinNamed(p.base).walk(seed), in: coinNamed(p.quote).walk(seed), decimals: p.digits}
		apart := func(name string, distance float64) line {
			l := price
			l.basis, l.distance = named(seed, p.symbol+name), distance
			return l
		}
		all[i] = &contract{
			symbol: p.symbol, index: price, mark: apart(" mark", 0.0003), last: apart(" last", 0.0008),
			volume: p.dayVolume, key: named(seed, p.symbol),
		}
	}
	return all
}

// contractOf finds a contract pair by its name; nil where there is none.
func (s *Simulator) contractOf(symbol string) *contract {
	for _, c := range s.contracts {
		if c.symbol == symbol {
			return c
		}
	}
	return nil
}

// volumes are the base and quote coins traded in the 24 hours until now. They
// drift from hour to hour and go with the price of the middle of the day.
func (c *contract) volumes(now int64, d span) (base, quote decimal.Decimal) {
	lively := 1 + 0.4*noise(c.key, 0, now/minute, 1440)
	base = decimal.New(int64(float64(c.volume)*lively*1000), -3)
	return base, base.Mul(c.last.decimal(d.high + d.low)).Div(decimal.NewFromInt(2)).Round(4)
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
