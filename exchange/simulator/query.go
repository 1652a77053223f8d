package simulator

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"rebatedesk/affiliate"
)

const largestPage = 100

// query is what an affiliate call asks for, after all checks.
type query struct {
	path     string
	stream   affiliate.Stream
	uid      affiliate.UID  // only this user, where not empty
	coin     affiliate.Coin // only this coin, where not empty
	from, to int64          // ms, as the client wrote them
	page     int            // from 1
	size     int            // 1 to 100
}

// whole reports whether the query is about a whole window rather than a part
// of its records.
func (q query) whole() bool { return q.uid == "" && q.coin == "" }

// parameters reads the parameters of one call and remembers the first fault.
// Unknown names are ignored, as the exchange does: whoever sends pageNo gets
// page 1 for ever.
type parameters struct {
	get     func(name string) string
	refused *refusal
}

// fromQuery reads a query string.
func fromQuery(raw string) *parameters {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return &parameters{refused: errInvalid("query")}
	}
	p := &parameters{get: values.Get}
	for _, name := range slices.Sorted(keys(values)) {
		if values.Get(name) == "" {
			p.fail(errEmpty(name))
		}
	}
	return p
}

func keys(values url.Values) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range values {
			if !yield(name) {
				return
			}
		}
	}
}

// fromBody reads a JSON object; values may be texts or numbers, null is the
// same as absent.
func fromBody(body []byte) *parameters {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(body, &values); err != nil || values == nil {
		return &parameters{refused: errInvalid("body")}
	}
	return &parameters{get: func(name string) string {
		text := string(values[name])
		if text == "null" {
			return ""
		}
		var quoted string
		if strings.HasPrefix(text, `"`) && json.Unmarshal(values[name], &quoted) == nil {
			return quoted
		}
		return text
	}}
}

func (p *parameters) fail(r *refusal) {
	if p.refused == nil {
		p.refused = r
	}
}

func (p *parameters) text(name string) string {
	if p.refused != nil {
		return ""
	}
	return p.get(name)
}

// number reads a whole number, at least the given one; fallback where absent.
func (p *parameters) number(name string, least, fallback int64) int64 {
	text := p.text(name)
	if text == "" {
		return fallback
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least {
		p.fail(errInvalid(name))
		return fallback
	}
	return n
}

func (p *parameters) uid(name string) affiliate.UID {
	if n := p.number(name, 0, -1); n >= 0 {
		return affiliate.UID(strconv.FormatInt(n, 10))
	}
	return ""
}

// product reads productType; fallback where absent, and where that is empty
// too, it is required.
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

// paging reads page and page size. A larger page than allowed is cut to what
// is allowed.
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

// inviteeQuery reads the parameters of endpoint 4.18. The window may be 90
// times 24 hours long and begin 365 times 24 hours ago, by the exchange's
// clock.
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

// subAffiliateQuery reads the parameters of endpoint 4.19. It answers ten
// records a page unless told otherwise, whatever the document says.
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

// threeMonthsAfter is the same day of the month three months on, or the last
// one of a shorter month.
func threeMonthsAfter(ms int64) int64 {
	t := time.UnixMilli(ms).UTC()
	later := t.AddDate(0, 3, 0)
	if later.Day() != t.Day() {
		later = later.AddDate(0, 0, -later.Day())
	}
	return later.UnixMilli()
}
