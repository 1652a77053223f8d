package reports

import (
	"context"
	"fmt"
	"net/url"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/findings"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
)

// Gauges returns the figures that monitoring watches. It costs little after [Service.KeepReady]
// has made the reports that it takes them from.
func Gauges(ctx context.Context, s *Service) (findings.Measures, error) {
	return answer(ctx, s, "Gauges", nil, func(ctx context.Context) (r findings.Measures, err error) {
		usual, err := usualQuery(ctx, s)
		if err != nil {
			return r, err
		}
		collected, err := s.Collection(ctx)
		if err != nil {
			return r, err
		}
		today := query.Query{Zone: s.store.Zone(), Today: affiliate.DayOf(s.now(), s.store.Zone())}
		r, err = Fresh(ctx, s, findings.MeasuresQuery(today), func(ctx context.Context, q *snapshot.Snapshot) (findings.Measures, error) {
			return findings.Measure(ctx, q, collected)
		})
		if err != nil {
			return r, err
		}
		found, err := s.Attention(ctx, usual)
		r.Found(found)
		return r, err
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
