package collector

import (
	"context"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
)

// readCommissions reads the commission records of a window (4.17).
func (r *run) readCommissions(ctx context.Context, w window, now time.Time) (reading[affiliate.Commission], error) {
	start, end := w.ask(0, affiliate.MillisOf(now))
	ask := asking(r, func(ctx context.Context, page, size int) (exchange.Page[affiliate.Commission], error) {
		return r.account.Client.Commissions(ctx, weex.CommissionQuery{
			Start: start, End: end, Product: w.stream.Product, Page: page, PageSize: size})
	})
	at := func(c affiliate.Commission) affiliate.Millis { return c.DealTime }
	list := listing[affiliate.Commission, affiliate.Commission]{
		begin: r.recorder.Restart,
		key:   affiliate.Commission.Key, mostPages: w.mostPages(), fetch: ask,
		ties: instantCuts(r, at, func(ctx context.Context, from, to affiliate.Millis) (exchange.Page[affiliate.Commission], error) {
			return r.account.Client.Commissions(ctx, weex.CommissionQuery{Start: from, End: to, Product: w.stream.Product, PageSize: cutSize})
		}),
	}
	got, err := list.read(ctx)
	if err == nil {
		keepWithin(&got, w, at)
	}
	return got, err
}

// instantCuts reads the records of one instant apart, by their time of at. Whether the ends of
// a range are included is not documented, so the range is wider than the instant.
func instantCuts[T any](r *run, at func(T) affiliate.Millis, ask func(ctx context.Context, from, to affiliate.Millis) (exchange.Page[T], error)) *tieCuts[T] {
	return &tieCuts[T]{at: at, ask: func(ctx context.Context, when affiliate.Millis) (exchange.Page[T], error) {
		got, err := ask(exchange.WithRefusals(r.sparing(ctx)), when-1, when+1)
		r.answered(err)
		return got, err
	}}
}

// keepWithin drops the records outside of the window, which requests one millisecond more than its
// days. A record whose time is not known stays.
func keepWithin[T any](got *reading[T], w window, at func(T) affiliate.Millis) {
	span := w.days.Range(time.UTC)
	outside := func(record T) bool { when := at(record); return when.Known() && !span.Contains(when) }
	quarantined := func(r affiliate.Quarantined[T]) bool { return outside(r.Record) }
	got.records = slices.DeleteFunc(got.records, outside)
	got.quarantined = slices.DeleteFunc(got.quarantined, quarantined)
	got.spared = slices.DeleteFunc(got.spared, quarantined)
}

// mostPages returns the longest list worth reading in one window; a single day has no
// limit, because it cannot be split.
func (w window) mostPages() int {
	if w.days.Len() < 2 {
		return 0
	}
	return mostPages
}
