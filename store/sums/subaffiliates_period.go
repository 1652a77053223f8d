package sums

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/rollup"
)

// SubAffiliatePeriod are the totals of a range of sub-affiliate days.
type SubAffiliatePeriod struct {
	Sums  []SubAffiliateProductSums // by account, UID and product
	Spans []SubAffiliateSpan        // by account and UID
	Daily []SubAffiliateDaySums     // by date and product
	Paid  map[InviteeKey][]PaidDay  // in order of date; only if it is requested
}

// PaidDay is what one sub-affiliate was paid for one UTC day. A day has one for each product.
type PaidDay struct {
	Day            affiliate.Day
	PaidCommission affiliate.Number
}

// ReadSubAffiliates adds up the days of the filter in three ways, and with paid it also lists
// the days of each sub-affiliate. It reads them once: grouping them in SQL sorts them for
// each way.
func ReadSubAffiliates(ctx context.Context, r *store.Tx, f records.SubAffiliateFilter, paid bool) (SubAffiliatePeriod, error) {
	p := periodTotals{sums: map[SubAffiliateProductSums]*subAffiliateTotals{}, spans: map[InviteeKey]*SubAffiliateSpan{}, daily: map[SubAffiliateDaySums]*subAffiliateTotals{}}
	if paid {
		p.paid = map[InviteeKey][]PaidDay{}
	}
	if err := p.read(ctx, r, f); err != nil {
		return SubAffiliatePeriod{}, fmt.Errorf("adding up sub-affiliate days: %w", err)
	}
	return p.result(), nil
}

// periodTotals collects totals, under keys without figures.
type periodTotals struct {
	sums  map[SubAffiliateProductSums]*subAffiliateTotals
	spans map[InviteeKey]*SubAffiliateSpan
	daily map[SubAffiliateDaySums]*subAffiliateTotals
	paid  map[InviteeKey][]PaidDay // nil: not requested
}

func (p *periodTotals) read(ctx context.Context, r *store.Tx, f records.SubAffiliateFilter) error {
	names, err := r.AccountNames(ctx)
	if err != nil {
		return err
	}
	w := f.Where()
	rows, err := r.QueryContext(ctx, `
		SELECT d.account_id, d.uid, d.date, d.product, d.trading_volume, d.net_trading_fee, d.paid_commission
		FROM sub_affiliate_days d WHERE `+w.String()+` ORDER BY d.date`, w.Args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	var account int64
	var date, before string
	var d affiliate.SubAffiliateDay
	targets := []any{&account, &d.UID, &date, &d.Product, &d.TradingVolume, &d.NetTradingFee, &d.PaidCommission}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		if date != before {
			if d.Date, err = affiliate.ParseDay(date); err != nil {
				return err
			}
			before = date
		}
		if !p.add(names[account], &d) {
			return fmt.Errorf("an amount of %s on %s is no number", d.UID, d.Date)
		}
	}
	return rows.Err()
}

// add counts a record; records are ordered by date. It returns false if an amount is no
// number.
func (p *periodTotals) add(account affiliate.Account, d *affiliate.SubAffiliateDay) bool {
	ok := rollup.At(p.sums, SubAffiliateProductSums{Account: account, UID: d.UID, Product: d.Product}).add(d) &&
		rollup.At(p.daily, SubAffiliateDaySums{Day: d.Date, Product: d.Product}).add(d)
	key := InviteeKey{account, d.UID}
	span := p.spans[key]
	if span == nil {
		span = &SubAffiliateSpan{Account: account, UID: d.UID, First: d.Date}
		p.spans[key] = span
	}
	if span.Days == 0 || span.Last != d.Date {
		span.Days++
		span.Last = d.Date
	}
	if p.paid != nil {
		p.paid[key] = append(p.paid[key], PaidDay{d.Date, d.PaidCommission})
	}
	return ok
}

func (p *periodTotals) result() (period SubAffiliatePeriod) {
	period.Paid = p.paid
	for key, totals := range p.sums {
		key.SubAffiliateSums = totals.sums()
		period.Sums = append(period.Sums, key)
	}
	for _, span := range p.spans {
		period.Spans = append(period.Spans, *span)
	}
	for key, totals := range p.daily {
		key.SubAffiliateSums = totals.sums()
		period.Daily = append(period.Daily, key)
	}
	slices.SortFunc(period.Sums, func(a, b SubAffiliateProductSums) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.UID, b.UID), cmp.Compare(a.Product, b.Product))
	})
	slices.SortFunc(period.Spans, func(a, b SubAffiliateSpan) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.UID, b.UID))
	})
	slices.SortFunc(period.Daily, func(a, b SubAffiliateDaySums) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Product, b.Product))
	})
	return period
}

// subAffiliateTotals are sums of which each is unknown until a known amount is added.
type subAffiliateTotals struct {
	records           int64
	volume, fee, paid knownSum
}

func (t *subAffiliateTotals) add(d *affiliate.SubAffiliateDay) bool {
	t.records++
	return t.volume.add(d.TradingVolume) && t.fee.add(d.NetTradingFee) && t.paid.add(d.PaidCommission)
}

func (t *subAffiliateTotals) sums() SubAffiliateSums {
	return SubAffiliateSums{t.records, t.volume.number(), t.fee.number(), t.paid.number()}
}

type knownSum struct {
	sum   affiliate.Sum
	known bool
}

func (s *knownSum) add(n affiliate.Number) bool {
	s.known = s.known || n.Known()
	return s.sum.Add(n)
}

func (s *knownSum) number() affiliate.Number {
	if !s.known {
		return ""
	}
	return affiliate.Number(s.sum.String())
}
