package web

import (
	"github.com/gofiber/fiber/v2"

	"rebatedesk/reports"
	"rebatedesk/reports/export"
	"rebatedesk/reports/query"
)

// routes registers every route; the route table says who may use it. Fiber
// answers HEAD where there is GET. Nothing but a POST changes anything.
func (s *Server) routes() {
	s.app.Use(s.request, s.recoverPanics)
	s.get("/healthz", s.health)
	s.get("/readyz", s.ready)

	s.app.Use(s.refuseForeignHost, s.refuseEncodedBody, s.refuseCrossSite)

	s.get("/static/*", s.static)

	s.signinRoutes()
	s.settingsRoutes()
	views := newViewsArea(s.base, s.options.Desk)
	s.earningsRoutes(views.withViews)
	s.peopleRoutes(views.withViews)
	s.collectionRoutes(views.withViews)
	s.viewRoutes(views)
	s.summaryRoutes()
	s.consoleRoutes()
}

// signinRoutes are the way in, and what everybody manages on their own.
func (s *Server) signinRoutes() {
	a := s.signin
	s.get("/setup", a.setupPage)
	s.post("/setup", a.setup)
	s.get("/login", a.loginPage)
	s.post("/login", a.login)
	if s.options.DemoLogin != nil {
		s.post("/login/demo", a.demoLogin)
	}
	s.post("/logout", a.logout)
	s.get("/account", a.account)
	s.get("/account/totp", a.enrol)
	s.post("/account/totp", a.confirmEnrolment)
	s.post("/account/password", a.changePassword)
	s.post("/account/tokens", a.createToken)
	s.post("/account/tokens/:id/revoke", a.revokeToken)
	s.post("/account/sessions/:id/revoke", a.revokeSession)
}

// earningsRoutes are what is earned, with its files.
func (s *Server) earningsRoutes(views fiber.Handler) {
	a := newEarningsArea(s.base)
	s.get("/", views, a.overview)
	s.downloads("/overview", reports.ExportDaily, overviewChoices)
	s.get("/attention", a.attention)

	s.get("/commissions", views, a.commissions)
	s.downloads("/commissions", reports.ExportCommissions, commissionChoices)
}

// peopleRoutes are who brings it in, with their files and what is written about
// them.
func (s *Server) peopleRoutes(views fiber.Handler) {
	a := newPeopleArea(s.base, s.options.Desk)
	s.get("/invitees", views, a.invitees)
	s.downloads("/invitees", reports.ExportInviteeList, inviteeChoices)
	s.downloads("/invitees/:uid", reports.ExportCommissions, commissionChoices)
	s.get("/invitees/:uid", a.invitee)

	s.get("/codes", views, a.codes)
	s.downloads("/codes", reports.ExportCodes, codeChoices)

	s.get("/cohorts", views, a.cohorts)
	s.downloads("/cohorts", reports.ExportCohorts, cohortChoices)

	s.get("/sub-affiliates", views, a.subAffiliates)
	s.downloads("/sub-affiliates", reports.ExportSubAffiliates, subAffiliateFileChoices)
	s.downloads("/sub-affiliates/:uid", reports.ExportSubAffiliates, subAffiliateDayChoices)
	s.get("/sub-affiliates/:uid", a.subAffiliate)

	if a.Desk == nil {
		return
	}
	s.post("/invitees/:uid/notes", a.addNote)
	s.post("/invitees/:uid/notes/:id/delete", a.deleteNote)
	s.post("/invitees/:uid/tags", a.addTag)
	s.post("/invitees/:uid/tags/delete", a.removeTag)
}

// collectionRoutes are the state of the collection.
func (s *Server) collectionRoutes(views fiber.Handler) {
	a := newCollectionArea(s.base, s.options.Collect)
	s.get("/collection", a.collection)
	s.get("/collection/progress", a.progress)
	s.get("/collection/restatements", views, a.restatements)
	if a.Collect != nil {
		s.post("/collection/collect", a.collectNow)
	}
}

// viewRoutes are the saved views.
func (s *Server) viewRoutes(a *viewsArea) {
	if a.Desk == nil {
		return
	}
	s.get("/views", a.viewList)
	s.post("/views", a.saveView)
	s.post("/views/:id/name", a.renameView)
	s.post("/views/:id/default", a.setDefaultView)
	s.post("/views/:id/delete", a.deleteView)
}

// downloads answers at a report's address with .csv, .xlsx and .json put to it,
// with the very question of the page. They have to be registered before the
// page where its address ends in a name: "/invitees/:uid" would take
// "/invitees/7.csv" for a UID.
func (s *Server) downloads(path string, kind reports.ExportKind, with query.Choices) {
	for _, format := range []export.Format{export.CSV, export.XLSX, export.JSON} {
		s.getFile(path+"."+string(format), s.export(kind, format, with))
	}
}

// consoleRoutes are the exchange's own endpoints: as pages, and as they are.
func (s *Server) consoleRoutes() {
	if s.options.Console == nil {
		return
	}
	a := newConsoleArea(s.base, s.options.Console, s.options.Orders, s.options.Trading)
	s.get(proxyRoute, a.proxy)
	s.post(proxyRoute, a.proxy)
	s.get("/console", a.consoleHome)
	s.get(marketsPath+"/:symbol.csv", a.pairFile)
	s.get(marketsPath+"/:symbol", a.pair)
	s.post("/console/favourites", a.setFavourite)
	s.tradingRoutes(a)
	for _, sh := range a.sheets() {
		s.get(sh.path, a.consolePage(sh))
		s.get(sh.path+".csv", a.consoleFile(sh))
	}
}

// tradingRoutes are the pages that send orders. Filling in a ticket leads to a
// review, and only the form of the review sends.
func (s *Server) tradingRoutes(a *consoleArea) {
	s.get(ticketPath, a.ticket)
	s.post(ticketPath, a.review)
	s.get(intentsPath, a.intentList)
	s.get(intentRoute, a.intent)
	s.post(intentRoute+"/send", a.sendIntent)
	s.post(intentRoute+"/resolve", a.resolveIntent)
	s.post(intentRoute+"/decide", a.decideIntent)
	s.post(intentRoute+"/override", a.overrideIntent)
	s.get("/console/trading/state", a.tradingState)
	s.post("/console/trading/stop", a.stopTrading)
	s.post("/console/trading/resume", a.resumeTrading)
}

// settingsRoutes are the pages of the administrators.
func (s *Server) settingsRoutes() {
	a := newSettingsArea(s.base, s.options.Accounts, s.options.Backups)
	s.get("/settings", a.settings)

	s.get("/settings/users", a.userList)
	s.post("/settings/users", a.addUser)
	s.get("/settings/users/:id", a.userPage)
	s.post("/settings/users/:id/role", a.setRole)
	s.post("/settings/users/:id/password", a.setPassword)
	s.post("/settings/users/:id/reset-codes", a.resetCodes)
	s.post("/settings/users/:id/disable", a.disableUser)
	s.post("/settings/users/:id/enable", a.enableUser)

	s.get("/settings/tokens", a.tokenList)
	s.post("/settings/tokens/:id/revoke", a.revokeAnyToken)
	s.get("/settings/sessions", a.sessionList)
	s.post("/settings/sessions/:id/revoke", a.revokeAnySession)

	s.get("/settings/accounts", a.accountList)
	s.post("/settings/accounts", a.addAccount)
	s.post("/settings/accounts/test", a.testAccount)
	s.post("/settings/accounts/rotate", a.rotateAccount)
	s.post("/settings/accounts/disable", a.disableAccount)
	s.post("/settings/accounts/enable", a.enableAccount)

	s.getFile("/settings/audit.csv", a.auditFile("csv"))
	s.getFile("/settings/audit.json", a.auditFile("json"))
	s.get("/settings/audit", a.auditPage)
	s.post("/settings/audit/check", a.checkAudit)

	s.get("/settings/backups", a.backupList)
	s.post("/settings/backups/make", a.backUpNow)
}

// alertRoutes are the pages about what is told by mail as soon as it happens.
func (s *Server) alertRoutes(a *summariesArea) {
	s.get(alertsPath, a.alerts)
	s.get(alertsPath+"/new", a.newAlert)
	s.post(alertsPath, a.saveAlert)
	s.get(alertsPath+"/:id", a.editAlert)
	s.post(alertsPath+"/:id", a.saveAlert)
	s.post(alertsPath+"/:id/pause", a.pauseAlert)
	s.post(alertsPath+"/:id/resume", a.pauseAlert)
	s.post(alertsPath+"/:id/remove", a.removeAlert)
}

// summaryRoutes are the pages about what is sent by mail. Those with a name of
// their own come before the schedules, whose addresses are numbers.
func (s *Server) summaryRoutes() {
	a := newSummariesArea(s.base, s.options.PublicURL == "" && !s.options.Demo)
	s.alertRoutes(a) // before the schedules, whose addresses are numbers
	s.get("/summaries", a.summaries)
	s.get("/summaries/deliveries", a.deliveryList)
	s.get("/summaries/deliveries/:id", a.delivery)
	s.get("/summaries/deliveries/:id/message", a.deliveredMessage)
	s.get("/summaries/deliveries/:id/message.eml", a.deliveredFile)
	s.get("/summaries/deliveries/:id/attached.csv", a.deliveredFile)
	s.get("/summaries/deliveries/:id/attached.xlsx", a.deliveredFile)
	s.post("/summaries/deliveries/:id/resend", a.resend)

	s.get("/summaries/new", a.newSchedule)
	s.post("/summaries", a.saveSchedule)
	s.get("/summaries/:id", a.editSchedule)
	s.post("/summaries/:id", a.saveSchedule)
	s.get("/summaries/:id/preview", a.preview)
	s.get("/summaries/:id/preview/message", a.previewedMessage)
	s.get("/summaries/:id/preview/message.eml", a.previewedFile)
	s.get("/summaries/:id/preview/attached.csv", a.previewedFile)
	s.get("/summaries/:id/preview/attached.xlsx", a.previewedFile)
	s.get("/summaries/:id/send", a.sendReview)
	s.post("/summaries/:id/send", a.sendNow)
	s.post("/summaries/:id/test", a.sendTest)
	s.post("/summaries/:id/pause", a.pauseSchedule)
	s.post("/summaries/:id/resume", a.pauseSchedule)
	s.post("/summaries/:id/remove", a.removeSchedule)

	s.get("/unsubscribe/:token", a.unsubscribePage)
	s.post("/unsubscribe/:token", a.unsubscribe)
}
