package weex

import (
	"context"
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/listing"
)

// Limits of one window, in whole UTC days. The exchange accepts 3 calendar months (at least
// 89 days) for commissions and 90 × 86,400,000 ms for invitees; a window requests one
// millisecond more than its days on either side.
const (
	maxDays = 88
	// recentDays is the length of the first window: small, so that a page has something to
	// show at once, and a measurement of the density of records.
	recentDays = 7
)

// inviteesBack is how far back the exchange lists registrations, by its own clock, minus a
// margin for the duration of a read.
const inviteesBack = 365*24*time.Hour - 5*time.Minute

// Sheet says what the exchange gives.
var Sheet = exchange.Sheet{
	Name: "weex", Title: ProductionName, Base: ProductionBase, ContractBase: ProductionContractBase, Streams: streams(), Window: maxDays, PageSize: listing.PageSize,
	Grain: exchange.GrainRecord, DayZone: "UTC", Additive: true, Fees: true, Volumes: true, Codes: true, Unknown: []string{},
	SubAffiliates: true, Paid: exchange.ProofBills, Console: true,
	Settling: affiliate.Settling,
}

func streams() (list []exchange.StreamSheet) {
	for _, stream := range affiliate.Streams() {
		s := exchange.StreamSheet{Stream: stream, First: maxDays, Window: maxDays}
		switch stream.Kind {
		case affiliate.Commissions, affiliate.SpotBills:
			s.First = recentDays
		case affiliate.Invitees:
			s.Reach = inviteesBack
		}
		list = append(list, s)
	}
	return list
}

// Sheet returns [Sheet].
func (c *Client) Sheet() *exchange.Sheet { return &Sheet }

// Collect reads the records of a window (4.14 to 4.19), as often as needed to trust them.
func (c *Client) Collect(ctx context.Context, w exchange.Window) (got exchange.Records, err error) {
	switch w.Stream.Kind {
	case affiliate.Commissions:
		got.Commissions, err = c.collectCommissions(ctx, w)
	case affiliate.Invitees:
		got.Invitees, err = c.collectInvitees(ctx, w)
	case affiliate.SubAffiliates:
		got.SubAffiliates, err = c.collectSubAffiliateDays(ctx, w)
	case affiliate.SpotBills:
		got.Bills, err = c.collectSpotBills(ctx, w)
	case affiliate.FundingBills:
		got.Bills, err = c.collectFundingBills(ctx, w)
	case affiliate.Transfers:
		got.Transfers, err = c.collectTransfers(ctx, w)
	default:
		err = fmt.Errorf("no way to read %s", w.Stream)
	}
	if err == nil && w.Stream.Kind.Wallet() != "" {
		err = c.nameCoins(ctx, w, got.Bills.Records)
	}
	return got, err
}

// paged is a list that the exchange gives page by page. T is a record, K the key by which two
// records are the same.
type paged[T any, K comparable] struct {
	key func(T) K
	at  func(T) affiliate.Millis // the time of a record, unknown if it could not be read
	ask func(ctx context.Context, from, to affiliate.Millis, page, size int) (exchange.Page[T], error)

	earliest affiliate.Millis // before which nothing may be requested
	span     affiliate.Millis // how much of the time after an instant belongs to its records
	together int              // how many records of an instant are requested at once
}

// cutSize is how many records of an instant are requested at once. The document gives no
// limit; an exchange that has one returns fewer.
const cutSize = 500

// askedRange returns the range to request of a window. Whether its ends are included is not
// documented, so it begins a millisecond early and ends on the first instant after; records
// outside of the window are dropped afterwards. It never ends after now nor begins before
// earliest.
func askedRange(w exchange.Window, earliest affiliate.Millis) (start, end affiliate.Millis) {
	days := w.Days.Range(time.UTC)
	return max(affiliate.MillisOf(days.From)-1, earliest), min(affiliate.MillisOf(days.To), affiliate.MillisOf(w.Now))
}

// collect reads the list of a window.
func (l paged[T, K]) collect(ctx context.Context, w exchange.Window) (exchange.Reading[T], error) {
	start, end := askedRange(w, l.earliest)
	list := listing.List[T, K]{
		Key: l.key, Begin: w.Calls.Begin,
		Fetch: func(ctx context.Context, page, size int) (exchange.Page[T], error) {
			got, err := l.ask(w.Calls.Context(ctx), start, end, page, size)
			w.Calls.Tell(err)
			return got, err
		},
		Ties: &listing.Cuts[T]{At: l.at, Ask: func(ctx context.Context, at affiliate.Millis) (exchange.Page[T], error) {
			ctx = exchange.WithRefusals(w.Calls.Context(ctx))
			got, err := l.ask(ctx, max(at-1, l.earliest), l.after(at, end), 1, l.together)
			w.Calls.Tell(err)
			return got, err
		}},
	}
	if w.Days.Len() > 1 {
		list.MostPages = w.Most / listing.PageSize
	}
	got, err := list.Read(ctx)
	if err == nil {
		listing.Within(&got, w, l.at)
	}
	return got, err
}

// after returns the end of the range to request for the records of an instant.
func (l paged[T, K]) after(at, end affiliate.Millis) affiliate.Millis {
	if l.span > 0 {
		return min(at+l.span, end)
	}
	return at + 1
}

// collectCommissions reads the commission records of a window (4.17).
func (c *Client) collectCommissions(ctx context.Context, w exchange.Window) (exchange.Reading[affiliate.Commission], error) {
	return paged[affiliate.Commission, affiliate.Commission]{
		key: affiliate.Commission.Key, at: affiliate.Commission.At, together: cutSize,
		ask: func(ctx context.Context, from, to affiliate.Millis, page, size int) (exchange.Page[affiliate.Commission], error) {
			return c.Commissions(ctx, CommissionQuery{Start: from, End: to, Product: w.Stream.Product, Page: page, PageSize: size})
		},
	}.collect(ctx, w)
}

// collectInvitees reads the users who registered in a window (4.18).
func (c *Client) collectInvitees(ctx context.Context, w exchange.Window) (exchange.Reading[affiliate.Invitee], error) {
	return paged[affiliate.Invitee, affiliate.UID]{
		key: func(i affiliate.Invitee) affiliate.UID { return i.UID }, at: affiliate.Invitee.At,
		earliest: affiliate.MillisOf(w.Now.Add(-inviteesBack)), together: cutSize,
		ask: func(ctx context.Context, from, to affiliate.Millis, page, size int) (exchange.Page[affiliate.Invitee], error) {
			return c.Invitees(ctx, InviteeQuery{Start: from, End: to, Page: page, PageSize: size})
		},
	}.collect(ctx, w)
}

// subAffiliateKey is what the exchange lists once: what a sub-affiliate brought on a day.
type subAffiliateKey struct {
	uid     affiliate.UID
	product affiliate.Product
	day     affiliate.Day
}

// collectSubAffiliateDays reads the sub-affiliate days of a window (4.19).
func (c *Client) collectSubAffiliateDays(ctx context.Context, w exchange.Window) (exchange.Reading[affiliate.SubAffiliateDay], error) {
	return paged[affiliate.SubAffiliateDay, subAffiliateKey]{
		key: func(d affiliate.SubAffiliateDay) subAffiliateKey { return subAffiliateKey{d.UID, d.Product, d.Date} },
		at:  affiliate.SubAffiliateDay.At, span: affiliate.Millis(24 * time.Hour / time.Millisecond), together: cutSize,
		ask: func(ctx context.Context, from, to affiliate.Millis, page, size int) (exchange.Page[affiliate.SubAffiliateDay], error) {
			return c.SubAffiliateDays(ctx, SubAffiliateQuery{Start: from, End: to, Product: w.Stream.Product, Page: page, PageSize: size})
		},
	}.collect(ctx, w)
}
