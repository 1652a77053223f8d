package weex

import (
	"rebatedesk/exchange"

	"cmp"
	"context"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/transport"
	"rebatedesk/exchange/wire"
)

// The longest periods of a query (section 8). Three calendar months have at most 92 days.
// The exchange's clock decides when three months are shorter and when exactly the 365 days
// of invitees begin, so we allow one day more.
const (
	quarter       = 92 * 24 * time.Hour
	inviteeWindow = 90 * 24 * time.Hour
	inviteeReach  = 366 * 24 * time.Hour
)

// CommissionQuery asks for one page of commissions. Zero fields are left to the exchange,
// except those with a default here.
type CommissionQuery struct {
	UID        affiliate.UID     // one invitee only
	Start, End affiliate.Millis  // by commission time; at most three calendar months
	Product    affiliate.Product // one call covers one product; default SPOT
	Page       int               // from 1, the default
	PageSize   int               // default 100
}

// Commissions asks for one page of commissions in all coins.
//
//	4.17 GET /api/v2/rebate/affiliate/getAffiliateCommission, weight 20 / 20
func (c *Client) Commissions(ctx context.Context, q CommissionQuery) (exchange.Page[affiliate.Commission], error) {
	q.Product = cmp.Or(q.Product, affiliate.Spot)
	return askPage(ctx, c, c.fields(endpointCommissions, q.fields), commissionList,
		commissionReader(q.Product))
}

func (q CommissionQuery) fields(f *fields) {
	f.uid("uid", q.UID)
	if !f.leaves("productType") {
		choice(f, "productType", q.Product, affiliate.Products())
	}
	f.window(q.Start, q.End, quarter)
	f.page("page", q.Page, q.PageSize)
}

// InviteeQuery asks for one page of invitees.
type InviteeQuery struct {
	UID        affiliate.UID    // one invitee only
	Start, End affiliate.Millis // by registration time; at most 90 days, beginning in the last 365
	Page       int              // from 1, the default
	PageSize   int              // default 100
}

// Invitees asks for one page of invited users.
//
//	4.18 GET /api/v2/rebate/affiliate/getAffiliateUIDs, weight 20 / 20
func (c *Client) Invitees(ctx context.Context, q InviteeQuery) (exchange.Page[affiliate.Invitee], error) {
	return askPage(ctx, c, c.fields(endpointInvitees, q.fields), inviteeList, readInvitee)
}

func (q InviteeQuery) fields(f *fields) {
	f.uid("uid", q.UID)
	f.window(q.Start, q.End, inviteeWindow)
	f.check(!q.Start.Known() || q.Start != q.End, "endTime", q.End.String(), "is later than startTime")
	f.check(!q.Start.Known() || !f.now.Known() || f.now-q.Start <= affiliate.Millis(inviteeReach.Milliseconds()),
		"startTime", q.Start.String(), "lies within the past 365 days")
	f.page("page", q.Page, q.PageSize)
}

// SubAffiliateQuery asks for one page of sub-affiliate days.
type SubAffiliateQuery struct {
	UID        affiliate.UID     // one sub-affiliate only
	Start, End affiliate.Millis  // whole UTC days
	Product    affiliate.Product // one call covers one product; default SPOT
	Page       int               // from 1, the default
	PageSize   int               // default 100; the exchange's own would be 10
}

// SubAffiliateDays asks for one page of sub-affiliate results by day.
//
//	4.19 POST /api/v2/rebate/affiliate/querySubChannelTransactions, weight 10 / 10
func (c *Client) SubAffiliateDays(ctx context.Context, q SubAffiliateQuery) (exchange.Page[affiliate.SubAffiliateDay], error) {
	q.Product = cmp.Or(q.Product, affiliate.Spot)
	return askPage(ctx, c, c.fields(endpointSubAffiliateDays, q.fields), subAffiliateList,
		subAffiliateReader(q.Product))
}

func (q SubAffiliateQuery) fields(f *fields) {
	f.uid("subUid", q.UID)
	f.window(q.Start, q.End, 0)
	choice(f, "productType", q.Product, affiliate.Products())
	f.page("pageNum", q.Page, q.PageSize)
}

// askPage requests a page. A record that cannot be read is kept apart.
func askPage[T any](ctx context.Context, c *Client, f fields, key string, record func(*wire.Decoder, *T)) (exchange.Page[T], error) {
	return askReader(ctx, c, f, func() *wire.PageReader[T] {
		p := wire.NewPageReader(key, record)
		p.Twice = f.endpoint.Signed // a market without pairs is no answer
		return p
	})
}

// askOrders requests a page of orders or fills, of which every record must be readable: an
// order that is left out would be taken for one that does not exist.
func askOrders[T any](ctx context.Context, c *Client, f fields, key string, record func(*wire.Decoder, *T)) (exchange.Page[T], error) {
	return askReader(ctx, c, f, func() *wire.PageReader[T] {
		p := wire.NewPageReader(key, record)
		p.Strict = true
		return p
	})
}

// askReader requests a page. An answer with neither a list nor counts is asked for twice: the second
// one decides.
func askReader[T any](ctx context.Context, c *Client, f fields, reader func() *wire.PageReader[T]) (exchange.Page[T], error) {
	if f.err != nil {
		return exchange.Page[T]{}, f.err
	}
	if err := exchange.Gated(ctx); err != nil {
		return exchange.Page[T]{}, err
	}
	perform := func() (exchange.Page[T], error) {
		p, err := transport.Perform(ctx, c.t, f.call(), func() *wire.PageReader[T] {
			p := reader()
			p.Number, p.Size, p.Hide = f.pageNumber, f.pageSize, c.t.Hide
			return p
		})
		if err != nil {
			return exchange.Page[T]{}, err
		}
		return p.Page, nil
	}
	page, err := perform()
	if err == nil && page.Unproven {
		return perform()
	}
	return page, err
}
