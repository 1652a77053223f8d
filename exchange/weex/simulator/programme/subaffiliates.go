package programme

import (
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/seeded"
)

// subAffiliate is a partner below us who brings separate clients.
type subAffiliate struct {
	uid  affiliate.UID
	from int64 // ms; joined us at this time
	rate int64 // share of the fee, 10^-4, unless a [RateStep] sets it
}

// subAffiliates makes a dozen sub-affiliates, one after another over the first two thirds
// of the programme.
func (p *Programme) subAffiliates() []subAffiliate {
	const dozen = 12
	r := p.random
	all := make([]subAffiliate, dozen)
	for i := range all {
		all[i] = subAffiliate{
			uid:  p.UID(r),
			from: p.First + int64(i)*(p.start-p.First)*2/3/dozen,
			rate: []int64{500, 800, 1000, 1250, 2000}[r.IntN(5)],
		}
	}
	return all
}

// subAffiliateAt chooses who brought a client that begins at the given instant. It is a
// sub-affiliate who has joined by then, more often an early one.
func (p *Programme) subAffiliateAt(at int64) int {
	n := 1
	for n < len(p.subs) && p.subs[n].from <= at {
		n++
	}
	return min(n, int(seeded.Pareto(p.random, 0.9, float64(n)))) - 1
}

// subAffiliateDays adds up the trades of one completed UTC day by sub-affiliate and
// product, in the order of [affiliate.Products] within each. Only rows of clients count,
// and a few days are misreported.
func (p *Programme) subAffiliateDays(d affiliate.Day, rows func(yield func(*TradeRow) bool)) []affiliate.SubAffiliateDay {
	type key struct {
		sub     int
		product affiliate.Product
	}
	sums := map[key]*TradeRow{}    // as one row: volumes and fee
	largest := map[key]*TradeRow{} // the trade misreported on a misreported day
	for r := range rows {
		client := &p.traders[r.who]
		if r.Custom != nil || client.source() != affiliate.SubAgent {
			continue
		}
		k := key{client.sub, pairs[r.pair].product}
		if sums[k] == nil {
			sums[k], largest[k] = &TradeRow{}, &TradeRow{}
		}
		sums[k].add(r, 1)
		if most := largest[k]; r.Fee > most.Fee || r.Fee == most.Fee && r.taker+r.maker > most.taker+most.maker {
			*largest[k] = *r
		}
	}
	var all []affiliate.SubAffiliateDay
	for i := range p.subs {
		s := &p.subs[i]
		for _, product := range affiliate.Products() {
			k := key{i, product}
			sum := sums[k]
			if sum == nil {
				continue
			}
			switch p.misreport(s.uid, product, d) {
			case tradeLeftOut:
				sum.add(largest[k], -1)
			case tradeCountedTwice:
				sum.add(largest[k], 1)
			}
			if sum.taker+sum.maker == 0 {
				continue // the only trade of the day was left out
			}
			all = append(all, affiliate.SubAffiliateDay{
				UID:            s.uid,
				Product:        product,
				Date:           d,
				TradingVolume:  scaled(sum.taker+sum.maker, volumeDecimals),
				NetTradingFee:  scaled(sum.Fee, feeDecimals),
				PaidCommission: scaled(sum.Fee*p.rateOfSub(s, product, d), commissionDecimals),
			})
		}
	}
	return all
}

// add adds the amounts of another row the given number of times.
func (r *TradeRow) add(other *TradeRow, times int64) {
	r.taker += times * other.taker
	r.maker += times * other.maker
	r.Fee += times * other.Fee
}

// misreport is the error in the report of a day.
type misreport int

const (
	reportedRight misreport = iota
	tradeLeftOut            // the largest trade of the day is missing
	tradeCountedTwice
)

// misreport plants a few differences between the report of the sub-affiliates
// (4.19) and the records of commission (4.17), for a check to find: one day in
// eighty of a sub-affiliate and product is wrong.
func (p *Programme) misreport(uid affiliate.UID, product affiliate.Product, d affiliate.Day) misreport {
	switch seeded.Mix(seeded.Subseed(p.size.Seed, "report "+string(uid)+string(product)), uint64(d)) % 160 {
	case 11:
		return tradeLeftOut
	case 97:
		return tradeCountedTwice
	}
	return reportedRight
}

// tradesOf returns the rows of a UTC day: first the listed ones, then those not listed yet.
func (l *Records) tradesOf(d affiliate.Day, unlisted []TradeRow) func(yield func(*TradeRow) bool) {
	from, to := int64(d)*day, int64(d+1)*day
	return func(yield func(*TradeRow) bool) {
		for _, product := range affiliate.Products() {
			all := l.Rows[product]
			for i := IndexAfter(all, from-1, RowTime); i < len(all) && all[i].At < to; i++ {
				if !yield(&all[i]) {
					return
				}
			}
		}
		slices.SortFunc(unlisted, func(a, b TradeRow) int { return int(a.At - b.At) })
		for i := range unlisted {
			if !yield(&unlisted[i]) {
				return
			}
		}
	}
}
