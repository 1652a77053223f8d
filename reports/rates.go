package reports

import (
	"context"

	"rebatedesk/reports/query"
	"rebatedesk/reports/rates"
)

// RateDesk compares agreed with paid rates.
type RateDesk struct{ service *Service }

func NewRateDesk(s *Service) *RateDesk { return &RateDesk{s} }

// Rates answers the query, which takes [rates.AcceptedOfRates], for what was agreed and what was
// paid.
func (d *RateDesk) Rates(ctx context.Context, asked query.Query) (rates.Report, error) {
	return report(ctx, d.service, "Rates", asked, rates.Make)
}

// Deviations lists the findings of [RateDesk.Rates], for any query. The times of their records are
// not known, only their days.
func (d *RateDesk) Deviations(ctx context.Context, asked query.Query) ([]rates.RateDeviation, error) {
	return report(ctx, d.service, "RateDeviations", asked, rates.MakeDeviations)
}
