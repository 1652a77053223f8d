package months

import (
	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/export"
	"rebatedesk/reports/months"
	"rebatedesk/web/route"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	list := route.Report(s.Base, route.Page("/months", access.MayRead, s.Months), "/months", reports.ExportMonths, months.AcceptedOfMonths)
	for _, format := range []export.Format{export.CSV, export.XLSX, export.JSON} {
		need := access.MayExport
		if format == export.JSON {
			need = access.MayRead
		}
		file := "/months/:month." + string(format)
		list = append(list, route.Page(file, need, s.File(format)).Download().Describe(route.ReportFile(file, reports.ExportMonth, format, months.AcceptedOfMonth)))
	}
	list = append(list, route.Page("/months/:month", access.MayRead, s.Month))
	if s.Desk != nil {
		list = append(list,
			route.Post("/months/:month/close", access.MayEdit, s.Close),
			route.Post("/months/:month/reopen", access.MayEdit, s.Reopen),
		)
	}
	return list
}
