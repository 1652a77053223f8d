package reports

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/reports/forecast"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
)

// ForecastOf returns where the commission of a subject will end in some days. Of the query
// only the instant counts.
func (s *Service) ForecastOf(ctx context.Context, asked query.Query, of forecast.Earnings, days affiliate.Days) (forecast.Ending, error) {
	return Fresh(ctx, s, query.Query{AsOf: asked.AsOf, Zone: asked.Zone, Today: asked.Today}, func(ctx context.Context, q *snapshot.Snapshot) (forecast.Ending, error) {
		return forecast.MakeEnding(ctx, q, of, days)
	})
}
