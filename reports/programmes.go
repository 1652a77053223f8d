package reports

import (
	"context"

	"rebatedesk/reports/programmes"
	"rebatedesk/reports/query"
)

// ProgrammeDesk shows several programmes side by side.
type ProgrammeDesk struct{ service *Service }

func NewProgrammeDesk(s *Service) *ProgrammeDesk { return &ProgrammeDesk{s} }

// Programmes answers the query, which takes [programmes.AcceptedOfProgrammes].
func (d *ProgrammeDesk) Programmes(ctx context.Context, asked query.Query) (programmes.Report, error) {
	return report(ctx, d.service, "Programmes", asked, programmes.Make)
}
