package bitget

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

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

// bounds returns the range to ask for: the days of a window, within reach and up to now.
func bounds(w exchange.Window) (from, to affiliate.Millis) {
	span := w.Range()
	return max(affiliate.MillisOf(span.From), affiliate.MillisOf(w.Now.Add(-queryReach))), affiliate.MillisOf(span.To)
}

// collectCommissions reads the commissions of a window by their cursor.
func (c *Client) collectCommissions(ctx context.Context, w exchange.Window) (exchange.Reading[affiliate.Commission], error) {
	from, to := bounds(w)
	read := 0
	got, err := listing.Follow(ctx, w.Calls.Begin, func(ctx context.Context, cursor string) (exchange.Page[affiliate.Commission], error) {
		page, err := c.commissions(w.Calls.Context(ctx), from, to, cursor)
		w.Calls.Tell(err)
		if read += page.Len(); err == nil && w.TooLong(read) {
			err = exchange.ErrTooLong
		}
		return page, err
	})
	listing.Within(&got, w, affiliate.Commission.At)
	return got, err
}

// commissions asks for a page of commissions.
//
//	GET /api/v2/broker/customer-commissions
func (c *Client) commissions(ctx context.Context, from, to affiliate.Millis, cursor string) (exchange.Page[affiliate.Commission], error) {
	return ask(ctx, c, commissionsEndpoint, spanQuery(from, to, cursor), "", "commissionList", commission)
}

// spanQuery asks for a time, from a cursor on.
func spanQuery(from, to affiliate.Millis, cursor string) string {
	query := fmt.Sprintf("startTime=%d&endTime=%d&limit=%d", from, to, pageSize)
	if cursor != "" {
		query += "&idLessThan=" + url.QueryEscape(cursor)
	}
	return query
}

// collectInvitees reads all invitees, and keeps those who registered on the days of the window. The list
// has no counts: it ends with an empty page.
func (c *Client) collectInvitees(ctx context.Context, w exchange.Window) (exchange.Reading[affiliate.Invitee], error) {
	list := listing.Counted[affiliate.Invitee]{Size: pageSize, Begin: w.Calls.Begin, Fetch: func(ctx context.Context, page, size int) (exchange.Page[affiliate.Invitee], error) {
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
//	POST /api/v2/broker/customer-list
func (c *Client) invitees(ctx context.Context, page, size int) (exchange.Page[affiliate.Invitee], error) {
	return ask(ctx, c, inviteesEndpoint, "", fmt.Sprintf(`{"pageNo":"%d","pageSize":"%d"}`, page, size), wire.DataList, invitee)
}

// collectPayouts reads what was settled in a window, and adds it up by period, coin and kind: the rows are
// of partners and pairs, and tied to no invitee. Whether the exchange goes by the beginning or by the end
// of a period is not written, so it is asked from a day earlier on.
func (c *Client) collectPayouts(ctx context.Context, w exchange.Window) (got exchange.Reading[affiliate.Bill], err error) {
	from, to := bounds(w)
	from = max(from-affiliate.Millis((24*time.Hour).Milliseconds()), affiliate.MillisOf(w.Now.Add(-queryReach)))
	rows, err := listing.Follow(ctx, w.Calls.Begin, func(ctx context.Context, cursor string) (exchange.Page[settlement], error) {
		page, err := c.settlements(w.Calls.Context(ctx), from, to, cursor)
		w.Calls.Tell(err)
		return page, err
	})
	if err != nil {
		return got, err
	}
	listing.Within(&rows, w, settlement.at)
	got.Records = bills(rows.Records)
	for _, q := range rows.Quarantined {
		got.Quarantined = append(got.Quarantined, affiliate.Quarantined[affiliate.Bill]{
			Record: affiliate.Bill{Coin: q.Record.Coin, Created: q.Record.To}, Field: q.Field, Value: q.Value, Reason: q.Reason, Raw: q.Raw})
	}
	return got, nil
}

// settlements asks for a page of settlements.
//
//	GET /api/v2/broker/agent-commission
func (c *Client) settlements(ctx context.Context, from, to affiliate.Millis, cursor string) (exchange.Page[settlement], error) {
	return ask(ctx, c, payoutsEndpoint, spanQuery(from, to, cursor), "", "commissionList", readSettlement)
}

// bills adds up what was settled.
func bills(rows []settlement) (list []affiliate.Bill) {
	type key struct {
		from, to affiliate.Millis
		coin     affiliate.Coin
		kind     string
	}
	sums := map[key]*affiliate.Sum{}
	for _, row := range rows {
		if !strings.EqualFold(row.Status.Value, settled) {
			continue
		}
		for kind, amount := range map[string]affiliate.Number{"direct": row.Direct, "sub": row.Sub} {
			of := key{row.From, row.To, row.Coin, kind}
			if sums[of] == nil {
				sums[of] = new(affiliate.Sum)
			}
			sums[of].Add(amount)
		}
	}
	for of, sum := range sums {
		if sum.Cmp(new(affiliate.Sum)) == 0 {
			continue
		}
		list = append(list, affiliate.Bill{
			Wallet: affiliate.PayoutsWallet, Business: of.kind, Coin: of.coin, Amount: affiliate.Number(sum.String()), Created: of.to,
			ID: of.kind + "/" + of.from.String() + "/" + of.to.String() + "/" + string(of.coin),
		})
	}
	slices.SortFunc(list, func(a, b affiliate.Bill) int {
		return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// ask requests a page of a list. Without a list an answer that reports success has no records.
func ask[T any](ctx context.Context, c *Client, e transport.Endpoint, query, body, key string, record func(*wire.Decoder, *T)) (exchange.Page[T], error) {
	if err := exchange.Gated(ctx); err != nil {
		return exchange.Page[T]{}, err
	}
	p, err := transport.Perform(ctx, c.t, transport.APICall{Endpoint: e, Query: query, Body: body}, func() *wire.PageReader[T] {
		p := wire.NewPageReader(key, record)
		p.Also, p.Cursor, p.Twice, p.Hide = []string{wire.DataList}, "endId", true, c.t.Hide
		return p
	})
	if err != nil {
		return exchange.Page[T]{}, err
	}
	return p.Page, nil
}
