package rates

import (
	"slices"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/agreed"
	"rebatedesk/reports/rates"
	"rebatedesk/web/route"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	list := slices.Concat(
		route.Report(s.Base, route.Page("/rates", access.MayRead, s.Rates).WithViews(), "/rates", reports.ExportRates, rates.AcceptedOfRates),
		[]route.Route{
			route.Page("/rates/terms", access.MayRead, s.Terms),
			route.Page("/rates/terms.csv", access.MayExport, s.TermsFile).DescribeFile("The terms file: the agreed rates, as they can be imported.", agreed.AcceptedOfTerms),
		},
	)
	if s.Desk != nil {
		list = append(list,
			route.Post("/rates/terms", access.MayEdit, s.ImportTerms).WithFile(),
			route.Post("/rates/terms/preview", access.MayEdit, s.PreviewTerms).WithFile(),
			route.Post("/rates/terms/:id/remove", access.MayEdit, s.RemoveTerm),
		)
	}
	return list
}
