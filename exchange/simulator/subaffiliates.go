package simulator

import (
	"math"

	"rebatedesk/affiliate"
)

// subAffiliate is a partner below us who brings clients of his own.
type subAffiliate struct {
	uid     affiliate.UID
	from    int64   // works for us since
	size    float64 // typical volume of a day, in dollars
	active  float64 // on which share of the days there is any volume
	futures bool    // has futures at all
	rate    int64   // his share of the fee, 10^-4
}

// subAffiliates makes a dozen of them, one after another over the first two
// thirds of the programme.
func (p *programme) subAffiliates() []subAffiliate {
	const dozen = 12
	r := p.random
	all := make([]subAffiliate, dozen)
	for i := range all {
		all[i] = subAffiliate{
			uid:     p.uid(r),
			from:    p.first + int64(i)*(p.start-p.first)*2/3/dozen,
			size:    800 * heavy(r, 0.7, 1500),
			active:  0.35 + 0.6*r.Float64(),
			futures: i == 0 || r.Float64() < 0.85,
			rate:    []int64{500, 800, 1000, 1250, 2000}[r.IntN(5)],
		}
	}
	return all
}

// subAffiliateDays makes the records of one UTC day that is over.
func (p *programme) subAffiliateDays(d affiliate.Day) []affiliate.SubAffiliateDay {
	var all []affiliate.SubAffiliateDay
	for i := range p.subs {
		s := &p.subs[i]
		if int64(d)*day < s.from/day*day {
			continue
		}
		for _, product := range affiliate.Products() {
			active := p.random.Float64() < s.active*weekday[d.Weekday()]
			if active && (product == affiliate.Spot || s.futures) {
				all = append(all, p.subAffiliateDay(s, product, d))
			}
		}
	}
	return all
}

func (p *programme) subAffiliateDay(s *subAffiliate, product affiliate.Product, d affiliate.Day) affiliate.SubAffiliateDay {
	cents := int64(min(5e6, s.size*math.Exp(0.9*p.random.NormFloat64()))*10_000) + 1
	takerRate, makerRate := feeRates(product)
	share := p.random.Int64N(101) // percent traded as taker
	fee := cents * (takerRate*share + makerRate*(100-share)) / 1000
	if p.random.IntN(80) == 0 {
		fee = 0
	}
	return affiliate.SubAffiliateDay{
		UID:            s.uid,
		Product:        product,
		Date:           d,
		TradingVolume:  scaled(cents, 4),
		NetTradingFee:  scaled(fee, feeDecimals),
		PaidCommission: scaled(fee*s.rate, commissionDecimals),
	}
}
