package collector

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
)

// readCommissions reads the commission records of a window (4.17).
func (r *run) readCommissions(ctx context.Context, w window, now time.Time) ([]affiliate.Commission, error) {
	start, end := w.ask(0, affiliate.MillisOf(now))
	list := listing[affiliate.Commission, affiliate.Commission]{
		begin: r.recorder.Restart,
		key:   affiliate.Commission.Key, mostPages: w.mostPages(),
		fetch: asking(r, func(ctx context.Context, page int) (exchange.Page[affiliate.Commission], error) {
			return r.account.Client.Commissions(ctx, exchange.CommissionQuery{
				Start: start, End: end, Product: w.stream.Product, Page: page, PageSize: pageSize})
		}),
	}
	records, err := list.read(ctx)
	if err != nil {
		return nil, err
	}
	span := w.days.Range(time.UTC)
	kept := records[:0]
	for _, c := range records {
		if c.Product != w.stream.Product {
			return nil, otherProduct(c.Product, w.stream.Product)
		}
		if span.Contains(c.DealTime) {
			kept = append(kept, c)
		}
	}
	return kept, nil
}

// otherProduct returns the error for an answer about a product other than the requested
// one. Such records would be counted under both products.
func otherProduct(got, want affiliate.Product) error {
	return &exchange.Error{
		Class: exchange.ClassMalformed, Endpoint: "paging", Status: http.StatusOK,
		Message: fmt.Sprintf("the answer for %s holds records of %s", want, got),
		Hint:    "nothing of it was stored; report it if it stays",
	}
}

// mostPages returns the longest list worth reading in one window; a single day has no
// limit, because it cannot be split.
func (w window) mostPages() int {
	if w.days.Len() < 2 {
		return 0
	}
	return mostPages
}
