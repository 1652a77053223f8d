package programme

import (
	"math"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/market"
	"rebatedesk/exchange/weex/simulator/seeded"
)

// crowd is the set of users active on one day, ready for selection.
type crowd struct {
	day     int64
	members []int32
	sums    []float64
}

// gather makes the crowd of the day, unless it exists already. Activity is stored by index
// of the trader, so new traders need a new crowd.
func (p *Programme) gather(d int64) {
	if p.crowd.day == d && p.crowd.sums != nil {
		return
	}
	c := crowd{day: d, members: p.crowd.members[:0]}
	weights := make([]float64, 0, len(p.traders))
	for i := range p.traders {
		t := &p.traders[i]
		if t.from < d+day && t.until >= d {
			c.members = append(c.members, int32(i))
			weights = append(weights, t.activity)
		}
	}
	c.sums = seeded.Cumulative(weights)
	p.crowd = c
}

// someone chooses who trades at the given instant. A member of the crowd may begin or stop
// within the day, so the choice depends on the instant; the old customers are always
// available.
func (p *Programme) someone(at int64) int32 {
	p.gather(at / day * day)
	for range 12 {
		who := p.crowd.members[seeded.Pick(p.random, p.crowd.sums)]
		if t := &p.traders[who]; at >= t.from && at <= t.until {
			return who
		}
	}
	for i := range p.traders {
		if t := &p.traders[i]; t.until == never && at >= t.from {
			return int32(i)
		}
	}
	return 0
}

// records makes exactly n rows within [from, to), distributed by activity, oldest first,
// and passes each to emit.
func (p *Programme) records(from, to int64, n int, emit func(TradeRow)) {
	parts := p.stretches(from, to)
	total := 0.0
	for _, s := range parts {
		total += s.weight
	}
	sum, made := 0.0, 0
	for i, s := range parts {
		sum += s.weight
		until := int(float64(n) * sum / total)
		if i == len(parts)-1 {
			until = n
		}
		p.stretch(s, until-made, emit)
		made = max(made, until)
	}
}

// stretch makes n rows within a part of an hour. Occasionally two rows are equal, or lie on
// the very first or last millisecond of the day.
func (p *Programme) stretch(s stretch, n int, emit func(TradeRow)) {
	if n <= 0 {
		return
	}
	r := p.random
	times := make([]int64, n)
	for i := range times {
		times[i] = s.from + r.Int64N(s.to-s.from)
	}
	slices.Sort(times)
	if s.from%day == 0 && r.IntN(4) == 0 {
		times[0] = s.from
	}
	if s.to%day == 0 && r.IntN(4) == 0 {
		times[n-1] = s.to - 1
	}
	var last TradeRow
	for i, at := range times {
		next := p.trade(at)
		if i > 0 && r.IntN(100) == 0 {
			next = last
		}
		emit(next)
		last = next
	}
}

// trade makes one row.
func (p *Programme) trade(at int64) TradeRow {
	r := p.random
	who := p.someone(at)
	t := &p.traders[who]
	product := affiliate.Spot
	if r.Float64() < t.futures {
		product = affiliate.Futures
	}
	choice := pairsOf[product]
	if t.source() == affiliate.SubAgent {
		choice = clientPairsOf[product]
	}
	index := choice.index[seeded.Pick(r, choice.sums)]
	pair := &pairs[index]

	made := TradeRow{At: at, who: who, rate: p.rateOf(t, product, at), pair: index}
	volume := pair.volume(min(2_000_000, t.size*math.Exp(1.1*r.NormFloat64())))
	switch u := r.Float64(); {
	case u < 0.6:
		made.taker = volume
	case u < 0.86:
		made.maker = volume
	default:
		made.taker, made.maker = volume, pair.volume(t.size*r.Float64())
	}
	if !pair.free && r.IntN(60) != 0 { // one in sixty pays with a voucher
		made.Fee = pair.fee(made.taker, made.maker, affiliate.Day(at/day))
	}
	return made
}

// volume converts dollars to units of 10^-8, with the decimals of the pair and never zero.
func (p *pair) volume(dollars float64) int64 {
	unit := int64(math.Pow10(volumeDecimals - p.digits))
	return max(1, int64(dollars*p.scale*math.Pow10(p.digits))) * unit
}

// fee returns the fee of a trade in units of 10^-8, cut to six decimals if it is taken in
// dollars.
func (p *pair) fee(taker, maker int64, on affiliate.Day) int64 {
	takerRate, makerRate := market.FeeRates(p.product)
	fee := (taker*takerRate + maker*makerRate) / 100_000 / p.priceAt(on)
	if p.coin.Stable() {
		fee -= fee % 100
	}
	return fee
}
