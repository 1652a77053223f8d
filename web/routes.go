package web

import "rebatedesk/reports"

// routes is every way into the server. Fiber answers HEAD where there is GET.
// Nothing but a POST changes anything.
func (s *Server) routes() {
	app := s.app
	app.Use(s.request, s.recoverPanics)
	app.Get("/healthz", s.health)
	app.Get("/readyz", s.ready)

	app.Use(s.refuseForeignHost, s.refuseEncodedBody, s.refuseCrossSite)

	app.Get("/static/*", s.static)

	app.Get("/", s.withViews, s.overview)
	s.downloads("/overview", reports.ExportDaily, overviewChoices)
	app.Get("/attention", s.attention)

	app.Get("/commissions", s.withViews, s.commissions)
	s.downloads("/commissions", reports.ExportCommissions, commissionChoices)

	app.Get("/invitees", s.withViews, s.invitees)
	s.downloads("/invitees", reports.ExportInviteeList, inviteeChoices)
	s.downloads("/invitees/:uid", reports.ExportCommissions, commissionChoices)
	app.Get("/invitees/:uid", s.invitee)

	app.Get("/codes", s.withViews, s.codes)
	s.downloads("/codes", reports.ExportCodes, codeChoices)

	app.Get("/cohorts", s.withViews, s.cohorts)
	s.downloads("/cohorts", reports.ExportCohorts, cohortChoices)

	app.Get("/sub-affiliates", s.withViews, s.subAffiliates)
	s.downloads("/sub-affiliates", reports.ExportSubAffiliates, subAffiliateFileChoices)
	s.downloads("/sub-affiliates/:uid", reports.ExportSubAffiliates, subAffiliateDayChoices)
	app.Get("/sub-affiliates/:uid", s.subAffiliate)

	app.Get("/collection", s.collection)
	app.Get("/collection/progress", s.progress)
	app.Get("/collection/restatements", s.withViews, s.restatements)
	if s.Collect != nil {
		app.Post("/collection/collect", s.collectNow)
	}
	if s.Desk != nil {
		app.Get("/views", s.viewList)
		app.Post("/views", s.saveView)
		app.Post("/views/:id/name", s.renameView)
		app.Post("/views/:id/default", s.setDefaultView)
		app.Post("/views/:id/delete", s.deleteView)
		app.Post("/invitees/:uid/notes", s.addNote)
		app.Post("/invitees/:uid/notes/:id/delete", s.deleteNote)
		app.Post("/invitees/:uid/tags", s.addTag)
		app.Post("/invitees/:uid/tags/delete", s.removeTag)
	}
}
