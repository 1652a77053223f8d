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

// downloads answers at a report's address with .csv, .xlsx and .json put to it,
// with the very question of the page. They have to be registered before the
// page where its address ends in a name: "/invitees/:uid" would take
// "/invitees/7.csv" for a UID.
func (s *Server) downloads(path string, kind reports.ExportKind, with reports.Choices) {
	for _, format := range []reports.Format{reports.CSV, reports.XLSX, reports.JSON} {
		s.getFile(path+"."+string(format), s.export(kind, format, with))
	}
}

// consoleRoutes are the exchange's own endpoints: as pages, and as they are.
func (s *Server) consoleRoutes() {
	if s.Console == nil {
		return
	}
	s.get(proxyRoute, s.proxy)
	s.post(proxyRoute, s.proxy)
	s.get("/console", s.consoleHome)
	s.get(marketsPath+"/:symbol.csv", s.pairFile)
	s.get(marketsPath+"/:symbol", s.pair)
	s.post("/console/favourites", s.setFavourite)
	s.tradingRoutes()
	for _, sh := range s.sheets() {
		s.get(sh.path, s.consolePage(sh))
		s.get(sh.path+".csv", s.consoleFile(sh))
	}
}

// tradingRoutes are the pages that send orders. Filling in a ticket leads to a
// review, and only the form of the review sends.
func (s *Server) tradingRoutes() {
	s.get(ticketPath, s.ticket)
	s.post(ticketPath, s.review)
	s.get(intentsPath, s.intentList)
	s.get(intentRoute, s.intent)
	s.post(intentRoute+"/send", s.sendIntent)
	s.post(intentRoute+"/resolve", s.resolveIntent)
	s.post(intentRoute+"/decide", s.decideIntent)
	s.post(intentRoute+"/override", s.overrideIntent)
	s.get("/console/trading/state", s.tradingState)
	s.post("/console/trading/stop", s.stopTrading)
	s.post("/console/trading/resume", s.resumeTrading)
}

// settingsRoutes are the pages of the administrators.
func (s *Server) settingsRoutes() {
	s.get("/settings", s.settings)

	s.get("/settings/users", s.userList)
	s.post("/settings/users", s.addUser)
	s.get("/settings/users/:id", s.userPage)
	s.post("/settings/users/:id/role", s.setRole)
	s.post("/settings/users/:id/password", s.setPassword)
	s.post("/settings/users/:id/reset-codes", s.resetCodes)
	s.post("/settings/users/:id/disable", s.disableUser)
	s.post("/settings/users/:id/enable", s.enableUser)

	s.get("/settings/tokens", s.tokenList)
	s.post("/settings/tokens/:id/revoke", s.revokeAnyToken)
	s.get("/settings/sessions", s.sessionList)
	s.post("/settings/sessions/:id/revoke", s.revokeAnySession)

	s.get("/settings/accounts", s.accountList)
	s.post("/settings/accounts", s.addAccount)
	s.post("/settings/accounts/test", s.testAccount)
	s.post("/settings/accounts/rotate", s.rotateAccount)
	s.post("/settings/accounts/disable", s.disableAccount)
	s.post("/settings/accounts/enable", s.enableAccount)

	s.getFile("/settings/audit.csv", s.auditFile("csv"))
	s.getFile("/settings/audit.json", s.auditFile("json"))
	s.get("/settings/audit", s.auditPage)
	s.post("/settings/audit/check", s.checkAudit)

	s.get("/settings/backups", s.backupList)
	s.post("/settings/backups/make", s.backUpNow)
}

// alertRoutes are the pages about what is told by mail as soon as it happens.
func (s *Server) alertRoutes() {
	s.get(alertsPath, s.alerts)
	s.get(alertsPath+"/new", s.newAlert)
	s.post(alertsPath, s.saveAlert)
	s.get(alertsPath+"/:id", s.editAlert)
	s.post(alertsPath+"/:id", s.saveAlert)
	s.post(alertsPath+"/:id/pause", s.pauseAlert)
	s.post(alertsPath+"/:id/resume", s.pauseAlert)
	s.post(alertsPath+"/:id/remove", s.removeAlert)
}

// summaryRoutes are the pages about what is sent by mail. Those with a name of
// their own come before the schedules, whose addresses are numbers.
func (s *Server) summaryRoutes() {
	s.get("/summaries", s.summaries)
	s.get("/summaries/deliveries", s.deliveryList)
	s.get("/summaries/deliveries/:id", s.delivery)
	s.get("/summaries/deliveries/:id/message", s.deliveredMessage)
	s.get("/summaries/deliveries/:id/message.eml", s.deliveredFile)
	s.get("/summaries/deliveries/:id/attached.csv", s.deliveredFile)
	s.get("/summaries/deliveries/:id/attached.xlsx", s.deliveredFile)
	s.post("/summaries/deliveries/:id/resend", s.resend)

	s.get("/summaries/new", s.newSchedule)
	s.post("/summaries", s.saveSchedule)
	s.get("/summaries/:id", s.editSchedule)
	s.post("/summaries/:id", s.saveSchedule)
	s.get("/summaries/:id/preview", s.preview)
	s.get("/summaries/:id/preview/message", s.previewedMessage)
	s.get("/summaries/:id/preview/message.eml", s.previewedFile)
	s.get("/summaries/:id/preview/attached.csv", s.previewedFile)
	s.get("/summaries/:id/preview/attached.xlsx", s.previewedFile)
	s.get("/summaries/:id/send", s.sendReview)
	s.post("/summaries/:id/send", s.sendNow)
	s.post("/summaries/:id/test", s.sendTest)
	s.post("/summaries/:id/pause", s.pauseSchedule)
	s.post("/summaries/:id/resume", s.pauseSchedule)
	s.post("/summaries/:id/remove", s.removeSchedule)

	s.get("/unsubscribe/:token", s.unsubscribePage)
	s.post("/unsubscribe/:token", s.unsubscribe)
}
