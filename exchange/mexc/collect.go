package mexc

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/listing"
	"rebatedesk/exchange/transport"
	"rebatedesk/exchange/wire"
)

// Collect reads the records of a window.
func (c *Client) Collect(ctx context.Context, w exchange.Window) (got exchange.Records, err error) {
	span := w.Range()
	from, to := max(affiliate.MillisOf(span.From), affiliate.MillisOf(w.Now.Add(-reach))), affiliate.MillisOf(span.To)
	switch w.Stream.Kind {
	case affiliate.Commissions:
		if first := affiliate.MillisOf(span.From.Add(Sheet.DayBegins)); from > first {
			return got, commissionsEndpoint.Fail(exchange.ClassValidation, "the exchange no longer lists "+w.Days.First.String(), "", nil)
		}
		got.Commissions, err = listing.Counted[affiliate.Commission]{Size: pageSize, Begin: w.Calls.Begin, Most: w.Pages(pageSize),
			Fetch: func(ctx context.Context, page, size int) (exchange.Page[affiliate.Commission], error) {
				return told(w, func() (exchange.Page[affiliate.Commission], error) {
					return c.commissions(w.Calls.Context(ctx), from, to, page, size)
				})
			}}.Read(ctx)
		listing.Within(&got.Commissions, w, affiliate.Commission.At)
	case affiliate.Invitees:
		// The list has those who joined in the time, and those who had commission in it. These may have
		// joined earlier than any window: all of them are kept.
		got.Invitees, err = listing.Counted[affiliate.Invitee]{Size: pageSize, Begin: w.Calls.Begin, Key: func(i affiliate.Invitee) string { return string(i.UID) },
			Fetch: func(ctx context.Context, page, size int) (exchange.Page[affiliate.Invitee], error) {
				return told(w, func() (exchange.Page[affiliate.Invitee], error) {
					return c.invitees(w.Calls.Context(ctx), from, to, page, size)
				})
			}}.Read(ctx)
	default:
		err = fmt.Errorf("no way to read %s", w.Stream)
	}
	return got, err
}

// told makes a call, and tells the window how it ended.
func told[T any](w exchange.Window, call func() (exchange.Page[T], error)) (exchange.Page[T], error) {
	page, err := call()
	w.Calls.Tell(err)
	return page, err
}

// commissions asks for a page of commissions of all products.
//
//	GET /api/v3/rebate/affiliate/commission/detail
func (c *Client) commissions(ctx context.Context, from, to affiliate.Millis, page, size int) (exchange.Page[affiliate.Commission], error) {
	return ask(ctx, c, commissionsEndpoint, from, to, page, size, commission)
}

// invitees asks for a page of those who joined, or had commission, in a time. Both times are always sent:
// the exchange's pages disagree about what holds without them.
//
//	GET /api/v3/rebate/affiliate/commission
func (c *Client) invitees(ctx context.Context, from, to affiliate.Millis, page, size int) (exchange.Page[affiliate.Invitee], error) {
	return ask(ctx, c, inviteesEndpoint, from, to, page, size, invitee)
}

// ask requests a page of a time.
func ask[T any](ctx context.Context, c *Client, e transport.Endpoint, from, to affiliate.Millis, page, size int, record func(*wire.Decoder, *T)) (exchange.Page[T], error) {
	if err := exchange.Gated(ctx); err != nil {
		return exchange.Page[T]{}, err
	}
	query := fmt.Sprintf("startTime=%d&endTime=%d&page=%d&pageSize=%d", from, to, page, size)
	p, err := transport.Perform(ctx, c.t, transport.APICall{Endpoint: e, Query: query, Kept: wire.Nameless}, func() *wire.PageReader[T] {
		p := wire.NewPageReader("resultList", record)
		p.Number, p.Size, p.Twice, p.Hide = page, size, true, c.t.Hide
		return p
	})
	if err != nil {
		return exchange.Page[T]{}, err
	}
	return p.Page, nil
}
