package months

import (
	"rebatedesk/access"
	"rebatedesk/reports/export"
	"rebatedesk/reports/months"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/navigation"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	list := route.Page("/months", access.MayRead, s.Months).
		Help("Months", "Which months are finished, and what do I send to finance?", "settled", "verified", "frozen", "evidence pack", "as known").
		Try("Close a month when it is complete: its figures then stay as they were, and its evidence pack never changes.").Listed(navigation.Months, "closed", "month end pack evidence books").Called("Close").
		Report(s.Base, "/months", months.File, months.Accepted)
	for _, format := range []export.Format{export.CSV, export.XLSX, export.JSON} {
		need := access.MayExport
		if format == export.JSON {
			need = access.MayRead
		}
		file := "/months/:month." + string(format)
		list = append(list, route.Page(file, need, s.File(format)).Download().Describe(route.ReportFile(file, months.OneFile, format, months.AcceptedOfOne)))
	}
	list = append(list, route.Page("/months/:month", access.MayRead, s.Month).
		Help("A month", "Is this month complete and paid, and what changed since it was closed?", "not paid", "settled", "verified", "frozen", "evidence pack", "as known"))
	if s.Desk != nil {
		list = append(list,
			route.Post("/months/close", access.MayEdit, s.CloseAll),
			route.Post("/months/:month/close", access.MayEdit, s.Close),
			route.Post("/months/:month/send", access.MayEdit, s.Send),
			route.Post("/months/:month/reopen", access.MayEdit, s.Reopen),
		)
	}
	return list
}
