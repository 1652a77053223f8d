package simulator

import (
	"strconv"
	"time"

	"rebatedesk/affiliate"
)

const largestPage = 100

// query is the request of an affiliate call, after all checks.
type query struct {
	path     string
	stream   affiliate.Stream
	uid      affiliate.UID  // only this user; empty means all
	coin     affiliate.Coin // only this coin; empty means all
	from, to int64          // ms, as the client sent them
	page     int            // from 1
	size     int            // 1 to 100
}

// whole reports whether the query covers a whole window rather than a part of its records.
func (q query) whole() bool { return q.uid == "" && q.coin == "" }

func (p *parameters) uid(name string) affiliate.UID {
	if n := p.number(name, 0, -1); n >= 0 {
		return affiliate.UID(strconv.FormatInt(n, 10))
	}
	return ""
}

// product reads productType. If it is absent, fallback applies; if that is empty too,
// productType is required.
func (p *parameters) product(fallback affiliate.Product) affiliate.Product {
	product := affiliate.Product(p.text("productType"))
	if product == "" {
		product = fallback
	}
	switch {
	case product == "":
		p.fail(errEmpty("productType"))
	case !product.Known():
		p.fail(errInvalid("productType"))
	}
	return product
}

// paging reads the page and the page size. A larger page size than allowed is reduced to
// the limit.
func (p *parameters) paging(q *query, pageName string, size int64) {
	q.page = int(min(p.number(pageName, 1, 1), 1<<31))
	q.size = int(min(p.number("pageSize", 1, size), largestPage))
}

// commissionQuery reads the parameters of endpoint 4.17.
func commissionQuery(p *parameters, now int64) (query, *refusal) {
	q := query{
		stream: affiliate.Stream{Kind: affiliate.Commissions, Product: p.product(affiliate.Spot)},
		uid:    p.uid("uid"),
		coin:   affiliate.Coin(p.text("coin")),
		from:   p.number("startTime", 0, now-7*day),
		to:     p.number("endTime", 0, now),
	}
	if q.coin != "" && q.coin != "USDT" && q.coin != "BTC" {
		p.fail(errInvalid("coin"))
	}
	p.paging(&q, "page", 100)
	p.threeMonths(q)
	return q, p.refused
}

// inviteeQuery reads the parameters of endpoint 4.18. The window may be 90 times 24 hours
// long and begin 365 times 24 hours ago, by the exchange's clock.
func inviteeQuery(p *parameters, now int64) (query, *refusal) {
	q := query{
		stream: affiliate.Stream{Kind: affiliate.Invitees},
		uid:    p.uid("uid"),
		to:     p.number("endTime", 0, now),
	}
	q.from = p.number("startTime", 0, q.to-90*day)
	p.paging(&q, "page", 100)
	switch {
	case q.to <= q.from:
		p.fail(errOrder)
	case q.to-q.from > 90*day, q.from < now-365*day:
		p.fail(errRange)
	}
	return q, p.refused
}

// subAffiliateQuery reads the parameters of endpoint 4.19. The default is ten records a
// page, whatever the document says.
func subAffiliateQuery(p *parameters, now int64) (query, *refusal) {
	q := query{
		stream: affiliate.Stream{Kind: affiliate.SubAffiliates, Product: p.product("")},
		uid:    p.uid("subUid"),
		from:   p.number("startTime", 0, now-7*day),
		to:     p.number("endTime", 0, now),
	}
	p.paging(&q, "pageNum", 10)
	p.threeMonths(q)
	return q, p.refused
}

// threeMonths checks that a window is not longer than three calendar months.
func (p *parameters) threeMonths(q query) {
	switch {
	case q.to < q.from:
		p.fail(errOrder)
	case q.to > threeMonthsAfter(q.from):
		p.fail(errRange)
	}
}

// threeMonthsAfter returns the same day of the month three months later, or the last day of
// a shorter month.
func threeMonthsAfter(ms int64) int64 {
	t := time.UnixMilli(ms).UTC()
	later := t.AddDate(0, 3, 0)
	if later.Day() != t.Day() {
		later = later.AddDate(0, 0, -later.Day())
	}
	return later.UnixMilli()
}
