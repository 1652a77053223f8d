package reports

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/reports/forecast"
	"rebatedesk/reports/query"
	"rebatedesk/reports/question"
)

// Forecast answers the query for where its month or its range will end. It takes
// [forecast.AcceptedOfForecast].
func (s *Service) Forecast(ctx context.Context, asked query.Query) (forecast.Report, error) {
	return report(ctx, s, "Forecast", asked, forecast.Make)
}

// ForecastOf returns where the commission of a subject will end in some days. Of the query
// only the instant counts.
func (s *Service) ForecastOf(ctx context.Context, asked query.Query, of forecast.Earnings, days affiliate.Days) (forecast.Ending, error) {
	return ask(ctx, s, query.Query{AsOf: asked.AsOf, Zone: asked.Zone, Today: asked.Today}, func(ctx context.Context, q *question.Question) (forecast.Ending, error) {
		return forecast.MakeEnding(ctx, q, of, days)
	})
}
