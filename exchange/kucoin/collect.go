package kucoin

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/listing"
	"rebatedesk/exchange/transport"
	"rebatedesk/exchange/wire"
)

// Collect reads the records of a window.
func (c *Client) Collect(ctx context.Context, w exchange.Window) (got exchange.Records, err error) {
	switch w.Stream.Kind {
	case affiliate.Commissions:
		got.Commissions, err = c.collectCommissions(ctx, w)
	case affiliate.Invitees:
		got.Invitees, err = c.collectInvitees(ctx, w)
	case affiliate.Payouts:
		got.Bills, err = c.collectPayouts(ctx, w)
	default:
		err = fmt.Errorf("no way to read %s", w.Stream)
	}
	return got, err
}

// bounds returns the range to ask for: the days of a window, up to now.
func bounds(w exchange.Window) (from, to affiliate.Millis) {
	span := w.Range()
	return affiliate.MillisOf(span.From), affiliate.MillisOf(span.To)
}

// collectCommissions reads the trades of a window by their cursor.
func (c *Client) collectCommissions(ctx context.Context, w exchange.Window) (exchange.Reading[affiliate.Commission], error) {
	from, to := bounds(w)
	read := 0
	got, err := listing.Follow(ctx, w.Calls.Begin, func(ctx context.Context, cursor string) (exchange.Page[affiliate.Commission], error) {
		page, err := c.commissions(w.Calls.Context(ctx), w.Stream.Product, from, to, cursor)
		w.Calls.Tell(err)
		if read += page.Len(); err == nil && w.TooLong(read) {
			err = exchange.ErrTooLong
		}
		return page, err
	})
	listing.Within(&got, w, affiliate.Commission.At)
	return got, err
}

// commissions asks for a page of trades.
//
//	GET /api/v2/affiliate/queryTransactionByTime
func (c *Client) commissions(ctx context.Context, product affiliate.Product, from, to affiliate.Millis, cursor string) (exchange.Page[affiliate.Commission], error) {
	query := fmt.Sprintf("tradeType=%s&tradeStartAt=%d&tradeEndAt=%d&pageSize=%d", tradeTypes[product], from, to, pageSize)
	if cursor != "" {
		query += "&lastId=" + url.QueryEscape(cursor) + "&direction=NEXT"
	}
	var last string
	page, err := ask(ctx, c, commissionsEndpoint, query, func() *wire.PageReader[affiliate.Commission] {
		last = ""
		return wire.NewPageReader("items", transaction(product, func(id string) { last = id }))
	})
	if page.Cursor == "" {
		page.Cursor = last // a bare list has it in its rows
	}
	return page, err
}

// collectInvitees reads all invitees, and keeps those who registered on the days of the window.
func (c *Client) collectInvitees(ctx context.Context, w exchange.Window) (exchange.Reading[affiliate.Invitee], error) {
	list := listing.Counted[affiliate.Invitee]{Size: pageSize, Begin: w.Calls.Begin, Key: func(i affiliate.Invitee) string { return string(i.UID) }, Fetch: func(ctx context.Context, page, size int) (exchange.Page[affiliate.Invitee], error) {
		got, err := c.invitees(w.Calls.Context(ctx), page, size)
		w.Calls.Tell(err)
		return got, err
	}}
	got, err := list.Read(ctx)
	listing.Within(&got, w, affiliate.Invitee.At)
	return got, err
}

// invitees asks for a page of invitees of any age.
//
//	GET /api/v2/affiliate/queryInvitees
func (c *Client) invitees(ctx context.Context, page, size int) (exchange.Page[affiliate.Invitee], error) {
	return askPage(ctx, c, inviteesEndpoint, "", page, size, invitee)
}

// collectPayouts reads the payouts of a window. One that lies ahead is none yet.
func (c *Client) collectPayouts(ctx context.Context, w exchange.Window) (exchange.Reading[affiliate.Bill], error) {
	from, to := bounds(w)
	list := listing.Counted[affiliate.Bill]{Size: pageSize, Begin: w.Calls.Begin, Fetch: func(ctx context.Context, page, size int) (exchange.Page[affiliate.Bill], error) {
		got, err := c.payouts(w.Calls.Context(ctx), from, to, page, size)
		w.Calls.Tell(err)
		return got, err
	}}
	got, err := list.Read(ctx)
	now := affiliate.MillisOf(w.Now)
	got.Records = slices.DeleteFunc(got.Records, func(b affiliate.Bill) bool { return b.Created > now })
	listing.Within(&got, w, affiliate.Bill.At)
	number(got.Records)
	return got, err
}

// number makes the names of equal payouts differ: two of them are two, in whichever order they come.
func number(bills []affiliate.Bill) {
	slices.SortStableFunc(bills, func(a, b affiliate.Bill) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Amount, b.Amount))
	})
	seen := map[string]int{}
	for i := range bills {
		id := bills[i].ID
		if seen[id]++; seen[id] > 1 {
			bills[i].ID += "/" + strconv.Itoa(seen[id])
		}
	}
}

// payouts asks for a page of payouts, by when they were paid.
//
//	GET /api/v2/affiliate/queryMyCommission
func (c *Client) payouts(ctx context.Context, from, to affiliate.Millis, page, size int) (exchange.Page[affiliate.Bill], error) {
	return askPage(ctx, c, payoutsEndpoint, fmt.Sprintf("siteType=all&rebateType=0&rebateStartAt=%d&rebateEndAt=%d&", from, to), page, size, payout)
}

// askPage requests a page by its number.
func askPage[T any](ctx context.Context, c *Client, e transport.Endpoint, query string, page, size int, record func(*wire.Decoder, *T)) (exchange.Page[T], error) {
	return ask(ctx, c, e, query+"page="+strconv.Itoa(page)+"&pageSize="+strconv.Itoa(size), func() *wire.PageReader[T] {
		p := wire.NewPageReader("items", record)
		p.Number, p.Size = page, size
		return p
	})
}

// ask requests a page whose list is called items, or is the data itself. Without a list an answer that
// reports success, and counts nothing, has no records.
func ask[T any](ctx context.Context, c *Client, e transport.Endpoint, query string, reader func() *wire.PageReader[T]) (exchange.Page[T], error) {
	if err := exchange.Gated(ctx); err != nil {
		return exchange.Page[T]{}, err
	}
	p, err := transport.Perform(ctx, c.t, transport.APICall{Endpoint: e, Query: query, Kept: wire.Nameless}, func() *wire.PageReader[T] {
		p := reader()
		p.Also, p.Cursor, p.Twice, p.Hide = []string{wire.DataList}, "lastId", true, c.t.Hide
		return p
	})
	if err != nil {
		return exchange.Page[T]{}, err
	}
	return p.Page, nil
}
