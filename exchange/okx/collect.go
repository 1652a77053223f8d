package okx

import (
	"context"
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/listing"
	"rebatedesk/exchange/transport"
	"rebatedesk/exchange/wire"
)

// Collect reads the records of a window. Commissions are totals of a lifetime, which have no windows; those
// that were read are returned with an error too.
func (c *Client) Collect(ctx context.Context, w exchange.Window) (got exchange.Records, err error) {
	switch w.Stream.Kind {
	case affiliate.Commissions:
		got.Totals, err = c.collectTotals(ctx, w)
	case affiliate.Invitees:
		got.Invitees, err = c.collectInvitees(ctx, w)
	case affiliate.FundingBills:
		got.Bills, err = c.collectBills(ctx, w)
	default:
		err = fmt.Errorf("no way to read %s", w.Stream)
	}
	return got, err
}

// collectTotals reads the totals of all invitees, each with the time of its answer.
func (c *Client) collectTotals(ctx context.Context, w exchange.Window) (exchange.Reading[affiliate.Total], error) {
	return listing.Counted[affiliate.Total]{Size: pageSize, Begin: w.Calls.Begin, Key: func(t affiliate.Total) string { return string(t.UID) }, Fetch: func(ctx context.Context, page, _ int) (exchange.Page[affiliate.Total], error) {
		got, err := list(w.Calls.Context(ctx), c, page, total)
		w.Calls.Tell(err)
		if err != nil {
			return got, err
		}
		now, err := c.Now(ctx)
		for i := range got.Records {
			got.Records[i].At = affiliate.MillisOf(now)
		}
		return got, err
	}}.Read(ctx)
}

// collectInvitees reads all invitees, and keeps those who joined on the days of the window.
func (c *Client) collectInvitees(ctx context.Context, w exchange.Window) (exchange.Reading[affiliate.Invitee], error) {
	got, err := listing.Counted[affiliate.Invitee]{Size: pageSize, Begin: w.Calls.Begin, Key: func(i affiliate.Invitee) string { return string(i.UID) }, Fetch: func(ctx context.Context, page, _ int) (exchange.Page[affiliate.Invitee], error) {
		got, err := list(w.Calls.Context(ctx), c, page, invitee)
		w.Calls.Tell(err)
		return got, err
	}}.Read(ctx)
	listing.Within(&got, w, affiliate.Invitee.At)
	return got, err
}

// list asks for a page of invitees, newcomers last. The period is always the lifetime: elsewhere the
// exchange's pages disagree about what the figures mean.
//
//	GET /api/v5/affiliate/invitee/list
func list[T any](ctx context.Context, c *Client, page int, record func(*wire.Decoder, *T)) (exchange.Page[T], error) {
	return ask(ctx, c, inviteesEndpoint, fmt.Sprintf("page=%d&limit=%d&periodType=total&orderBy=cTime&orderDir=asc", page, pageSize), record)
}

// mostEmpty is how often a page of bills may lack those that are known.
const mostEmpty = 3

// recentBills is for how long bills are in the list of the last month, with a margin.
const recentBills = 27 * 24 * time.Hour

// collectBills reads the bills of a window that pay commission, of each type. A window that is in part
// older than a month is read from both lists.
func (c *Client) collectBills(ctx context.Context, w exchange.Window) (got exchange.Reading[affiliate.Bill], err error) {
	w.Calls.Begin()
	span := w.Range()
	if span.Empty() {
		return got, nil // its day begins at this instant
	}
	from, to, cut := affiliate.MillisOf(span.From), affiliate.MillisOf(span.To), affiliate.MillisOf(w.Now.Add(-recentBills))
	for _, kind := range billTypes {
		for _, part := range []struct {
			endpoint transport.Endpoint
			from, to affiliate.Millis
		}{{historyEndpoint, from, min(to, cut)}, {billsEndpoint, max(from, cut), to}} {
			if part.from >= part.to {
				continue
			}
			if err := c.billsOf(ctx, w, part.endpoint, kind, part.from, part.to, &got); err != nil {
				return exchange.Reading[affiliate.Bill]{}, err
			}
		}
	}
	return got, nil
}

// billsOf adds the bills of a type and a time, newest first. A page may end amid those of an instant, so
// the next one begins with that instant, and bills that are known are dropped. The list ends with a page
// of known bills only: one without any, where known ones belong, is asked for again.
func (c *Client) billsOf(ctx context.Context, w exchange.Window, e transport.Endpoint, kind string, from, to affiliate.Millis, got *exchange.Reading[affiliate.Bill]) error {
	seen, empty := map[string]bool{}, 0
	for after := to; ; {
		page, err := ask(w.Calls.Context(ctx), c, e, fmt.Sprintf("type=%s&after=%d&before=%d&limit=%d", kind, after, from-1, pageSize), bill)
		w.Calls.Tell(err)
		if err != nil {
			return err
		}
		if page.Len() == 0 && len(seen) > 0 {
			if empty++; empty == mostEmpty {
				return e.Inconsistent("a page of bills has none, although it begins with some that are known")
			}
			continue
		}
		oldest, fresh := after, 0
		// told notes a bill, and reports whether it is a new one of the time that was asked for.
		told := func(b affiliate.Bill, id string) bool {
			if b.Created.Known() {
				oldest = min(oldest, b.Created)
			}
			if seen[id] || b.Created.Known() && (b.Created < from || b.Created >= to) {
				return false
			}
			seen[id] = true
			fresh++
			return true
		}
		for _, b := range page.Records {
			if told(b, b.ID) {
				got.Records = append(got.Records, b)
			}
		}
		for _, q := range page.Quarantined {
			if told(q.Record, "unread "+q.Raw) {
				got.Quarantined = append(got.Quarantined, q)
			}
		}
		switch {
		case fresh == 0 && page.Len() >= pageSize, fresh > 0 && oldest == after && page.Len() >= pageSize:
			return &exchange.TiedError{Day: affiliate.DayOf(oldest.Time(), time.UTC), Err: e.Inconsistent("more bills of one instant than a page holds: the rest cannot be read")}
		case fresh == 0:
			return nil
		}
		after = min(after, oldest+1)
	}
}

// ask requests a page of "data". Without a list an answer that reports success has no records.
func ask[T any](ctx context.Context, c *Client, e transport.Endpoint, query string, record func(*wire.Decoder, *T)) (exchange.Page[T], error) {
	if err := exchange.Gated(ctx); err != nil {
		return exchange.Page[T]{}, err
	}
	p, err := transport.Perform(ctx, c.t, transport.APICall{Endpoint: e, Query: query}, func() *wire.PageReader[T] {
		p := wire.NewPageReader(wire.DataList, record)
		p.Twice, p.Hide = true, c.t.Hide
		return p
	})
	if err != nil {
		return exchange.Page[T]{}, err
	}
	return p.Page, nil
}
