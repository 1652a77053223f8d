package collector

import (
	"context"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
)

// readSubAffiliateDays reads the sub-affiliate days of a window (4.19).
func (r *run) readSubAffiliateDays(ctx context.Context, w window, now time.Time) ([]affiliate.SubAffiliateDay, error) {
	start, end := w.ask(0, affiliate.MillisOf(now))
	list := listing[affiliate.SubAffiliateDay, affiliate.SubAffiliateDay]{
		begin: r.recorder.Restart,
		key:   affiliate.SubAffiliateDay.Key, mostPages: w.mostPages(),
		fetch: asking(r, func(ctx context.Context, page int) (exchange.Page[affiliate.SubAffiliateDay], error) {
			return r.account.Client.SubAffiliateDays(ctx, exchange.SubAffiliateQuery{
				Start: start, End: end, Product: w.stream.Product, Page: page, PageSize: pageSize})
		}),
	}
	records, err := list.read(ctx)
	if err != nil {
		return nil, err
	}
	kept := records[:0]
	for _, d := range records {
		if d.Product != w.stream.Product {
			return nil, otherProduct(d.Product, w.stream.Product)
		}
		if w.days.Contains(d.Date) {
			kept = append(kept, d)
		}
	}
	return kept, nil
}
