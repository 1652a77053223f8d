package web

import "rebatedesk/reports"

// routes is every way into the server; for whom each is says the matrix. Fiber
// answers HEAD where there is GET. Nothing but a POST changes anything.
func (s *Server) routes() {
	s.app.Use(s.request, s.recoverPanics)
	s.get("/healthz", s.health)
	s.get("/readyz", s.ready)

	s.app.Use(s.refuseForeignHost, s.refuseEncodedBody, s.refuseCrossSite)

	s.get("/static/*", s.static)

	s.signInRoutes()
	s.settingsRoutes()
	s.reportRoutes()
	s.deskRoutes()
	s.alertRoutes() // before the schedules, whose addresses are numbers
	s.summaryRoutes()
	s.consoleRoutes()
}

// signInRoutes are the way in, and what everybody manages on their own.
func (s *Server) signInRoutes() {
	s.get("/setup", s.setupPage)
	s.post("/setup", s.setup)
	s.get("/login", s.loginPage)
	s.post("/login", s.login)
	if s.DemoLogin != nil {
		s.post("/login/demo", s.demoLogin)
	}
	s.post("/logout", s.logout)
	s.get("/account", s.account)
	s.get("/account/totp", s.enrol)
	s.post("/account/totp", s.confirmEnrolment)
	s.post("/account/password", s.changePassword)
	s.post("/account/tokens", s.createToken)
	s.post("/account/tokens/:id/revoke", s.revokeToken)
	s.post("/account/sessions/:id/revoke", s.revokeSession)
}

// reportRoutes are the pages of figures and their files.
func (s *Server) reportRoutes() {
	s.get("/", s.withViews, s.overview)
	s.downloads("/overview", reports.ExportDaily, overviewChoices)
	s.get("/attention", s.attention)

	s.get("/commissions", s.withViews, s.commissions)
	s.downloads("/commissions", reports.ExportCommissions, commissionChoices)

	s.get("/invitees", s.withViews, s.invitees)
	s.downloads("/invitees", reports.ExportInviteeList, inviteeChoices)
	s.downloads("/invitees/:uid", reports.ExportCommissions, commissionChoices)
	s.get("/invitees/:uid", s.invitee)

	s.get("/codes", s.withViews, s.codes)
	s.downloads("/codes", reports.ExportCodes, codeChoices)

	s.get("/cohorts", s.withViews, s.cohorts)
	s.downloads("/cohorts", reports.ExportCohorts, cohortChoices)

	s.get("/sub-affiliates", s.withViews, s.subAffiliates)
	s.downloads("/sub-affiliates", reports.ExportSubAffiliates, subAffiliateFileChoices)
	s.downloads("/sub-affiliates/:uid", reports.ExportSubAffiliates, subAffiliateDayChoices)
	s.get("/sub-affiliates/:uid", s.subAffiliate)
}

// deskRoutes are the collection, and what people write themselves.
func (s *Server) deskRoutes() {
	s.get("/collection", s.collection)
	s.get("/collection/progress", s.progress)
	s.get("/collection/restatements", s.withViews, s.restatements)
	if s.Collect != nil {
		s.post("/collection/collect", s.collectNow)
	}
	if s.Desk == nil {
		return
	}
	s.get("/views", s.viewList)
	s.post("/views", s.saveView)
	s.post("/views/:id/name", s.renameView)
	s.post("/views/:id/default", s.setDefaultView)
	s.post("/views/:id/delete", s.deleteView)
	s.post("/invitees/:uid/notes", s.addNote)
	s.post("/invitees/:uid/notes/:id/delete", s.deleteNote)
	s.post("/invitees/:uid/tags", s.addTag)
	s.post("/invitees/:uid/tags/delete", s.removeTag)
}
