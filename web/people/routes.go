package people

import (
	"slices"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/export"
	"rebatedesk/web/route"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	list := slices.Concat(
		route.Report(s.Base, route.Page("/invitees", access.MayRead, s.Invitees).WithViews().Divided(), "/invitees", reports.ExportInviteeList, InviteeChoices),
		[]route.Route{route.Page("/invitees/:uid", access.MayRead, s.Invitee).Divided()}, // its files are those of commissions
		route.Report(s.Base, route.Page("/codes", access.MayRead, s.Codes).WithViews().Divided(), "/codes", reports.ExportCodes, CodeChoices),
		route.Report(s.Base, route.Page("/cohorts", access.MayRead, s.Cohorts).WithViews().Divided(), "/cohorts", reports.ExportCohorts, CohortChoices),
		route.Report(s.Base, route.Page("/sub-affiliates", access.MayRead, s.SubAffiliates).WithViews(), "/sub-affiliates", reports.ExportSubAffiliates, SubAffiliateFileChoices),
		route.Report(s.Base, route.Page("/sub-affiliates/:uid", access.MayRead, s.SubAffiliate), "/sub-affiliates/:uid", reports.ExportSubAffiliates, SubAffiliateDayChoices),
	)
	if s.Desk != nil {
		list = append(list,
			route.Private("/people/import", access.MayEdit, s.Imports),
			route.Page("/people/import.csv", access.MayExport, s.PeopleFile(export.CSV)).DescribeFile("The people file, as it can be imported.", route.NoParams),
			route.Page("/people/import.xlsx", access.MayExport, s.PeopleFile(export.XLSX)).DescribeFile("The people file as a workbook.", route.NoParams),
			route.Post("/people/import", access.MayEdit, s.ImportPeople),
			route.Post("/people/import/preview", access.MayEdit, s.PreviewImport).WithFile(),
			route.Post("/people/import/:id/undo", access.MayEdit, s.UndoImport),
			route.Post("/invitees/:uid/person", access.MayEdit, s.EditPerson).Divided(),
			route.Post("/invitees/:uid/notes", access.MayEdit, s.AddNote).Divided(),
			route.Post("/invitees/:uid/notes/:id/delete", access.MayEdit, s.DeleteNote).Divided(),
			route.Post("/invitees/:uid/tags", access.MayEdit, s.AddTag).Divided(),
			route.Post("/invitees/:uid/tags/delete", access.MayEdit, s.RemoveTag).Divided(),
		)
	}
	return list
}
