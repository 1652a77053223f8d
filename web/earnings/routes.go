package earnings

import (
	"slices"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/programmes"
	"rebatedesk/web/route"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	return slices.Concat(
		route.Report(s.Base, route.Page("/", access.MayRead, s.Overview).WithViews().Divided(), "/overview", reports.ExportDaily, OverviewChoices),
		route.Report(s.Base, route.Page("/programmes", access.MayRead, s.Programmes).WithViews().Divided(), "/programmes", reports.ExportProgrammes, programmes.AcceptedOfProgrammes),
		[]route.Route{
			route.Page("/attention", access.MayRead, s.Attention).Divided(),
		},
		route.Report(s.Base, route.Page("/commissions", access.MayRead, s.Commissions).WithViews().Divided(), "/commissions", reports.ExportCommissions, CommissionChoices),
		route.Files(s.Base, "/invitees/:uid", reports.ExportCommissions, CommissionChoices, route.Divided),
	)
}
