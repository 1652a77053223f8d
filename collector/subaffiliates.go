package collector

import (
	"context"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
)

// readSubAffiliateDays reads the sub-affiliate days of a window (4.19).
func (r *run) readSubAffiliateDays(ctx context.Context, w window, now time.Time) (reading[affiliate.SubAffiliateDay], error) {
	start, end := w.ask(0, affiliate.MillisOf(now))
	ask := func(ctx context.Context, from, to affiliate.Millis, page, size int) (exchange.Page[affiliate.SubAffiliateDay], error) {
		return r.account.Client.SubAffiliateDays(ctx, weex.SubAffiliateQuery{Start: from, End: to, Product: w.stream.Product, Page: page, PageSize: size})
	}
	at := subAffiliateTime
	list := listing[affiliate.SubAffiliateDay, subAffiliateKey]{
		begin: r.recorder.Restart,
		key:   subAffiliateKeyOf, mostPages: w.mostPages(),
		fetch: asking(r, func(ctx context.Context, page, size int) (exchange.Page[affiliate.SubAffiliateDay], error) {
			return ask(ctx, start, end, page, size)
		}),
		ties: instantCuts(r, at, func(ctx context.Context, from, _ affiliate.Millis) (exchange.Page[affiliate.SubAffiliateDay], error) {
			return ask(ctx, from, min(from+1+affiliate.Millis(24*time.Hour/time.Millisecond), end), 1, cutSize)
		}),
	}
	got, err := list.read(ctx)
	if err == nil {
		keepWithin(&got, w, at)
	}
	return got, err
}

// subAffiliateKey is what an exchange lists once: what a sub-affiliate brought on a day.
type subAffiliateKey struct {
	uid     affiliate.UID
	product affiliate.Product
	day     affiliate.Day
}

func subAffiliateKeyOf(d affiliate.SubAffiliateDay) subAffiliateKey {
	return subAffiliateKey{d.UID, d.Product, d.Date}
}

// subAffiliateTime returns when the day of a record begins, unknown if its day could not be read.
func subAffiliateTime(d affiliate.SubAffiliateDay) affiliate.Millis {
	if d.Date == 0 {
		return 0
	}
	return affiliate.MillisOf(d.Date.Start(time.UTC))
}
