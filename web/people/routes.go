package people

import (
	"slices"

	"rebatedesk/reports/cohorts"
	"rebatedesk/reports/invitecodes"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/query"
	"rebatedesk/reports/subaffiliates"

	"rebatedesk/access"
	"rebatedesk/reports/export"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/navigation"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	list := slices.Concat(
		route.Page("/invitees", access.MayRead, s.Invitees).
			Help("Invitees", "Who are my invitees, and who of them trades?", "invitee", "UID", "state", "new", "active", "active trader", "slowing", "silent", "status", "commission only").
			Try("Choose a state, such as slowing, or those who traded in the range; or open an invitee to see every day.").Listed(navigation.People, "people", "users traders").WithViews().Divided().
			Report(s.Base, "/invitees", invitees.ListFile, InviteeChoices),
		[]route.Route{route.Page("/invitees/:uid", access.MayRead, s.Invitee).
			Help("An invitee", "What did this person do, what did it earn me, and why does it pay more or less than usual?", "state", "usual gap", "usual rate", "at risk", "share of fees").Divided().Takes(query.AcceptedParams{Taken: inviteeParams})}, // its files are those of commissions
		route.Page("/codes", access.MayRead, s.Codes).
			Help("Invite codes", "Which of my links bring people who trade?", "invite code", "value per registration").
			Try("Sort by value per registration to compare campaigns of different size.").Listed(navigation.People, "ticket", "referral links").WithViews().Divided().
			Report(s.Base, "/codes", invitecodes.File, CodeChoices),
		route.Page("/cohorts", access.MayRead, s.Cohorts).
			Help("Cohorts", "Do the people who registered in a month keep trading in the months after?", "cohort", "age", "final").
			Try("Compare two lines at the same age. Hatched cells are not over yet.").Listed(navigation.People, "cohorts", "retention").WithViews().Divided().
			Report(s.Base, "/cohorts", cohorts.File, CohortChoices),
	)
	if s.Desk != nil {
		list = append(list,
			route.Private("/people/import", access.MayEdit, s.Imports).
				Help("Import people", "How do I give UIDs names, tags, owners and costs from a file?", "UID", "invite code").Begins("/people/import", "Import people", "people", "names csv upload"),
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

// Partners are the addresses of the sub-affiliates.
func (s *Area) Partners() []route.Route {
	return slices.Concat(
		route.Page("/sub-affiliates", access.MayRead, s.SubAffiliates).
			Help("Sub-affiliates", "What do the affiliates below me bring, and does it agree with what I am paid for them?", "sub-affiliate", "sub-affiliate day", "sub-agent").
			Try("Open one of them to see its trend.").Listed(navigation.People, "branch", "partners agents").WithViews().Takes(subAffiliateChoices).
			Report(s.Base, "/sub-affiliates", subaffiliates.File, SubAffiliateFileChoices),
		route.Page("/sub-affiliates/:uid", access.MayRead, s.SubAffiliate).
			Help("A sub-affiliate", "What did this sub-affiliate bring, day by day?", "sub-affiliate", "sub-affiliate day").
			Report(s.Base, "/sub-affiliates/:uid", subaffiliates.File, SubAffiliateDayChoices),
	)
}
