package reports

import (
	"context"
	"fmt"
	"net/url"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/gauges"
	"rebatedesk/reports/query"
)

// Gauges returns the figures that monitoring watches. It costs little after [Service.KeepReady]
// has made the reports that it takes them from.
func Gauges(ctx context.Context, s *Service) (gauges.Report, error) {
	return answer(ctx, s, "Gauges", nil, func(ctx context.Context) (r gauges.Report, err error) {
		usual, err := usualQuery(ctx, s)
		if err != nil {
			return r, err
		}
		today := query.Query{Zone: s.store.Zone(), Today: affiliate.DayOf(s.now(), s.store.Zone())}
		if r, err = Fresh(ctx, s, gauges.QueryOf(today), gauges.Make); err != nil {
			return r, err
		}
		collected, err := s.Collection(ctx)
		if err != nil {
			return r, err
		}
		findings, err := s.Attention(ctx, usual)
		if err != nil {
			return r, err
		}
		r.Collected(collected)
		r.Found(findings)
		return r, nil
	})
}

// usualQuery returns the query of pages that are opened without parameters.
func usualQuery(ctx context.Context, s *Service) (query.Query, error) {
	basis, err := s.Basis(ctx)
	if err != nil {
		return query.Query{}, err
	}
	basis.By = figures.Splits()
	usual, err := query.Parse(url.Values{}, basis)
	if err != nil {
		err = fmt.Errorf("the usual query: %w", err)
	}
	return usual, err
}
