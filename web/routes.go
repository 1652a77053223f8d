package web

import (
	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports"
	changereport "rebatedesk/reports/changes"
	driverreport "rebatedesk/reports/drivers"
	"rebatedesk/reports/export"
	monthreport "rebatedesk/reports/months"
	paymentreport "rebatedesk/reports/payments"
	pivotreport "rebatedesk/reports/pivot"
	programmereport "rebatedesk/reports/programmes"
	"rebatedesk/reports/query"
	ratereport "rebatedesk/reports/rates"
	returnreport "rebatedesk/reports/returns"
	worklistreport "rebatedesk/reports/worklist"
	"rebatedesk/web/annotations"
	"rebatedesk/web/api"
	"rebatedesk/web/changes"
	"rebatedesk/web/collection"
	"rebatedesk/web/console"
	"rebatedesk/web/drivers"
	"rebatedesk/web/earnings"
	"rebatedesk/web/feeds"
	"rebatedesk/web/forecast"
	"rebatedesk/web/guidance"
	"rebatedesk/web/months"
	"rebatedesk/web/packs"
	"rebatedesk/web/payments"
	"rebatedesk/web/people"
	"rebatedesk/web/pivot"
	"rebatedesk/web/rates"
	"rebatedesk/web/returns"
	"rebatedesk/web/search"
	"rebatedesk/web/segments"
	"rebatedesk/web/settings"
	"rebatedesk/web/shipping"
	"rebatedesk/web/statements"
	"rebatedesk/web/summaries"
	"rebatedesk/web/views"
	"rebatedesk/web/worklist"
)

// routes registers every route; the route table says who may use it. Fiber answers HEAD
// for every GET. Only a POST changes anything.
func (s *Server) routes() {
	s.app.Use(s.request, s.recoverPanics)
	s.get("/healthz", s.health)
	s.get("/readyz", s.ready)

	s.app.Use(s.refuseForeignHost, s.refuseEncodedBody, s.refuseControls, s.refuseCrossSite)

	s.get("/static/*", s.static)
	s.get("/favicon.ico", s.files.icon)

	s.signinRoutes()
	s.guidanceRoutes()
	s.settingsRoutes()
	views := views.New(s.Base, s.options.Desk)
	s.earningsRoutes(views.WithViews)
	s.packRoutes()
	s.paymentRoutes(views.WithViews)
	s.rateRoutes(views.WithViews)
	s.monthRoutes()
	s.driverRoutes(views.WithViews)
	s.changeRoutes(views.WithViews)
	s.forecastRoutes()
	s.worklistRoutes()
	s.returnRoutes(views.WithViews)
	s.peopleRoutes(views.WithViews)
	s.collectionRoutes(views.WithViews)
	s.viewRoutes(views)
	s.annotationRoutes()
	s.summaryRoutes()
	s.feedRoutes()
	s.shippingRoutes()
	ofConsole := s.consoleRoutes()
	find := search.New(s.Base, s.options.Desk)
	if ofConsole != nil {
		find.Markets = ofConsole.MarketsLike
	}
	s.get("/search", find.Search)
	s.apiRoutes()
	s.describe(ofConsole)
}

// signinRoutes registers the sign-in and the pages where users manage their own
// account.
func (s *Server) signinRoutes() {
	a := s.signin
	s.get("/setup", a.SetupPage)
	s.post("/setup", a.Setup)
	s.get("/login", a.LoginPage)
	s.post("/login", a.Login)
	if s.options.DemoLogin != nil {
		s.post("/login/demo", a.DemoLogin)
	}
	s.post("/logout", a.Logout)
	s.get("/account", a.Account)
	s.get("/account/totp", a.Enrol)
	s.post("/account/totp", a.ConfirmEnrolment)
	s.post("/account/password", a.ChangePassword)
	s.post("/account/tokens", a.CreateToken)
	s.post("/account/feeds", a.CreateFeed)
	s.post("/account/tokens/:id/revoke", a.RevokeToken)
	s.post("/account/sessions/:id/revoke", a.RevokeSession)
}

// guidanceRoutes registers what the program says about its own pages.
func (s *Server) guidanceRoutes() {
	a := guidance.New(s.Base)
	s.get("/help", a.Help)
	s.post("/hints/away", a.HintAway)
	s.post("/account/preferences", a.SetPreferences)
	if s.Demo {
		s.get("/tour", a.Tour)
		s.get("/tour/:stop", a.Stop)
		s.post("/tour/leave", a.Leave)
	}
}

// feedRoutes registers what other programs subscribe to.
func (s *Server) feedRoutes() {
	a := feeds.New(s.Base)
	s.get("/calendar.ics", a.Holder(access.ScopeCalendar), s.InTurn, a.Calendar)
	s.get("/changes.atom", a.Holder(access.ScopeFeed), s.InTurn, a.Changes)
}

// earningsRoutes registers the pages of earnings and their files.
func (s *Server) earningsRoutes(views fiber.Handler) {
	a := earnings.New(s.Base)
	s.get("/", views, a.Overview)
	s.downloads("/overview", reports.ExportDaily, earnings.OverviewChoices)
	s.get("/programmes", views, a.Programmes)
	s.downloads("/programmes", reports.ExportProgrammes, programmereport.AcceptedOfProgrammes)
	s.get("/attention", a.Attention)

	s.get("/commissions", views, a.Commissions)
	s.downloads("/commissions", reports.ExportCommissions, earnings.CommissionChoices)

	s.get("/pivot", views, pivot.New(s.Base).Pivot)
	s.downloads("/pivot", reports.ExportPivot, pivotreport.AcceptedOfPivot)
}

// paymentRoutes registers the pages that compare what was earned with what was paid.
func (s *Server) paymentRoutes(views fiber.Handler) {
	a := payments.New(s.Base, s.options.Desk)
	s.get("/payments", views, a.Payments)
	s.downloads("/payments", reports.ExportPayments, paymentreport.AcceptedOfPayments)
	s.downloads("/payments/bills", reports.ExportBills, paymentreport.AcceptedOfBills)
	s.get("/payments/line", a.Line)
	s.get("/payments/rule", a.Rule)
	if a.Desk == nil {
		return
	}
	s.post("/payments/notes", a.AddNote)
	s.post("/payments/rule", a.FixRule)
	s.post("/payments/rule/:id/remove", a.RemoveRule)
}

// rateRoutes registers the pages of the agreed rates, and of what was paid.
func (s *Server) rateRoutes(views fiber.Handler) {
	a := rates.New(s.Base, s.options.Desk)
	s.get("/rates", views, a.Rates)
	s.downloads("/rates", reports.ExportRates, ratereport.AcceptedOfRates)
	s.get("/rates/terms", a.Terms)
	s.get("/rates/terms.csv", a.TermsFile)
	if a.Desk == nil {
		return
	}
	s.post("/rates/terms", a.ImportTerms)
	s.post("/rates/terms/preview", a.PreviewTerms)
	s.post("/rates/terms/:id/remove", a.RemoveTerm)
}

// packRoutes registers the evidence packs. They come before the pages whose address ends in a
// parameter.
func (s *Server) packRoutes() {
	a := packs.New(s.Base, s.options.Signer)
	s.getFile("/payments/line.zip", a.Payment)
	s.getFile("/invitees/:uid.zip", a.Invitee)
	s.getFile("/rates/finding.zip", a.Rate)
	s.getFile("/months/:month.zip", a.Month)
}

// monthRoutes registers the pages on which months are closed.
func (s *Server) monthRoutes() {
	a := months.New(s.Base, s.options.Desk, s.options.Signer)
	s.get("/months", a.Months)
	s.downloads("/months", reports.ExportMonths, monthreport.AcceptedOfMonths)
	for _, format := range []export.Format{export.CSV, export.XLSX, export.JSON} {
		s.getFile("/months/:month."+string(format), a.File(format))
	}
	s.get("/months/:month", a.Month)
	if a.Desk == nil {
		return
	}
	s.post("/months/:month/close", a.Close)
	s.post("/months/:month/reopen", a.Reopen)
}

// driverRoutes registers the page that explains a change in commission.
func (s *Server) driverRoutes(views fiber.Handler) {
	a := drivers.New(s.Base)
	s.get("/drivers", views, a.Drivers)
	s.downloads("/drivers", reports.ExportDrivers, driverreport.AcceptedOfDrivers)
}

// changeRoutes registers the page about what became known between two instants.
func (s *Server) changeRoutes(views fiber.Handler) {
	s.get("/changes", views, changes.New(s.Base).Changes)
	s.downloads("/changes", reports.ExportChanges, changereport.AcceptedOfChanges)
}

// forecastRoutes registers the pages on where a month will end.
func (s *Server) forecastRoutes() {
	a := forecast.New(s.Base, s.options.Desk)
	s.get("/forecast", a.Forecast)
	s.get("/forecast.json", a.JSON)
	s.get("/forecast/at-risk", a.AtRisk)
	if a.Desk == nil {
		return
	}
	s.post("/forecast/goals", a.AddGoal)
	s.post("/forecast/goals/copy", a.CopyGoals)
	s.post("/forecast/goals/:id", a.ChangeGoal)
	s.post("/forecast/goals/:id/remove", a.RemoveGoal)
}

// worklistRoutes registers the page of whom it is worth calling.
func (s *Server) worklistRoutes() {
	a := worklist.New(s.Base, s.options.Desk)
	s.get("/worklist", a.Worklist)
	s.downloads("/worklist", reports.ExportWorklist, worklistreport.AcceptedOfWorklist)
	if a.Desk == nil {
		return
	}
	s.post("/worklist/:uid", a.Work)
	s.post("/worklist/:uid/undo/:id", a.Undo)
}

// peopleRoutes registers the pages of the people who bring in the earnings, with their
// files and notes.
func (s *Server) peopleRoutes(views fiber.Handler) {
	a := people.New(s.Base, s.options.Desk)
	s.get("/invitees", views, a.Invitees)
	s.downloads("/invitees", reports.ExportInviteeList, people.InviteeChoices)
	s.downloads("/invitees/:uid", reports.ExportCommissions, earnings.CommissionChoices)
	s.get("/invitees/:uid", a.Invitee)

	s.get("/codes", views, a.Codes)
	s.downloads("/codes", reports.ExportCodes, people.CodeChoices)

	s.get("/cohorts", views, a.Cohorts)
	s.downloads("/cohorts", reports.ExportCohorts, people.CohortChoices)

	s.get("/sub-affiliates", views, a.SubAffiliates)
	s.downloads("/sub-affiliates", reports.ExportSubAffiliates, people.SubAffiliateFileChoices)
	s.downloads("/sub-affiliates/:uid", reports.ExportSubAffiliates, people.SubAffiliateDayChoices)
	s.get("/sub-affiliates/:uid", a.SubAffiliate)

	s.segmentRoutes()
	s.statementRoutes()
	if a.Desk == nil {
		return
	}
	s.get("/people/import", a.Imports)
	s.get("/people/import.csv", a.PeopleFile(export.CSV))
	s.get("/people/import.xlsx", a.PeopleFile(export.XLSX))
	s.post("/people/import", a.ImportPeople)
	s.post("/people/import/preview", a.PreviewImport)
	s.post("/people/import/:id/undo", a.UndoImport)
	s.post("/invitees/:uid/person", a.EditPerson)
	s.post("/invitees/:uid/notes", a.AddNote)
	s.post("/invitees/:uid/notes/:id/delete", a.DeleteNote)
	s.post("/invitees/:uid/tags", a.AddTag)
	s.post("/invitees/:uid/tags/delete", a.RemoveTag)
}

// returnRoutes registers the page of costs and what they brought back.
func (s *Server) returnRoutes(views fiber.Handler) {
	a := returns.New(s.Base, s.options.Desk)
	s.get("/returns", views, a.Returns)
	s.downloads("/returns", reports.ExportReturns, returnreport.AcceptedOfReturns)
	if a.Desk == nil {
		return
	}
	s.post("/returns/costs", a.Add)
	s.post("/returns/costs/:id/end", a.End)
	s.post("/returns/costs/:id/remove", a.Remove)
}

// segmentRoutes registers the segments of invitees.
func (s *Server) segmentRoutes() {
	a := segments.New(s.Base, s.options.Desk)
	s.get("/segments", a.Segments)
	if a.Desk == nil {
		return
	}
	s.get("/segments/new", a.NewSegment)
	s.post("/segments", a.SaveSegment)
	s.get("/segments/:id", a.EditSegment)
	s.post("/segments/:id", a.SaveSegment)
	s.post("/segments/:id/freeze", a.Freeze)
	s.post("/segments/:id/thaw", a.Thaw)
	s.post("/segments/:id/remove", a.Remove)
}

// statementRoutes registers statements to sub-affiliates.
func (s *Server) statementRoutes() {
	a := statements.New(s.Base, s.options.Desk)
	s.get("/statements", a.List)
	s.get("/statements/payees/:uid", a.Payee)
	s.getFile("/statements/:number/statement.pdf", a.File("pdf"))
	s.getFile("/statements/:number/statement.xlsx", a.File("xlsx"))
	s.get("/statements/:number", a.Statement)
	if !a.Writing {
		return
	}
	s.post("/statements", a.Issue)
	s.post("/statements/payees/:uid", a.SavePayee)
	s.post("/statements/:number/correct", a.Correct)
	s.post("/statements/:number/paid", a.Pay)
	s.post("/statements/:number/unpaid", a.Unpay)
	s.post("/statements/:number/send", a.Send)
}

// collectionRoutes registers the pages that show the state of the collection.
func (s *Server) collectionRoutes(views fiber.Handler) {
	a := collection.New(s.Base, s.options.Collect, s.facts)
	s.get("/collection", a.Collection)
	s.get("/collection/progress", a.Progress)
	s.get("/collection/restatements", views, a.Restatements)
	s.get("/collection/runs/:id", a.RunOne)
	s.get("/collection/slices/:id/answers.zip", a.AnswersOfSlice)
	if a.Collect != nil {
		s.post("/collection/collect", a.CollectNow)
	}
}

// shippingRoutes registers the scheduled deliveries.
func (s *Server) shippingRoutes() {
	a := shipping.New(s.Base)
	s.get("/deliveries", a.List)
	s.get("/deliveries/new", a.Form)
	s.post("/deliveries", a.Save)
	s.get("/deliveries/:id", a.One)
	s.get("/deliveries/:id/edit", a.Edit)
	s.post("/deliveries/:id", a.Save)
	s.post("/deliveries/:id/run", a.Run)
	s.post("/deliveries/:id/pause", a.Pause)
	s.post("/deliveries/:id/resume", a.Resume)
	s.post("/deliveries/:id/remove", a.Remove)
}

// viewRoutes registers the saved views.
func (s *Server) viewRoutes(a *views.Area) {
	if a.Desk == nil {
		return
	}
	s.get("/views", a.ViewList)
	s.post("/views", a.SaveView)
	s.post("/views/:id/name", a.RenameView)
	s.post("/views/:id/default", a.SetDefaultView)
	s.post("/views/:id/delete", a.DeleteView)
}

// annotationRoutes registers what managers write about days.
func (s *Server) annotationRoutes() {
	a := annotations.New(s.Base)
	s.get("/annotations", a.List)
	if !s.Writing {
		return
	}
	s.get("/annotations/new", a.Form)
	s.get("/annotations/:id", a.Edit)
	s.post("/annotations", a.Add)
	s.post("/annotations/:id", a.Change)
	s.post("/annotations/:id/remove", a.Remove)
}

// downloads registers the files of a report at its address plus .csv, .xlsx and .json,
// with the same query as the page. They have to be registered before the page if its
// address ends in a parameter: "/invitees/:uid" would take "/invitees/7.csv" for a UID.
func (s *Server) downloads(path string, kind reports.ExportKind, with query.AcceptedParams) {
	for _, format := range []export.Format{export.CSV, export.XLSX, export.JSON} {
		s.getFile(path+"."+string(format), s.Export(kind, format, with))
		s.described = append(s.described, api.ReportFile(path+"."+string(format), kind, format, with))
	}
}

// consoleRoutes registers the exchange's endpoints, as pages and as a proxy.
func (s *Server) consoleRoutes() *console.Area {
	if s.options.Console == nil {
		return nil
	}
	a := console.New(s.Base, s.options.Console, s.options.Trading, s.options.Market)
	s.get(console.ProxyRoute, a.Proxy)
	s.post(console.ProxyRoute, a.Proxy)
	s.get("/console", a.Home)
	s.get(console.MarketsPath+"/:symbol.csv", a.PairFile)
	s.get(console.MarketsPath+"/:symbol", a.Pair)
	s.get(console.ContractsPath+"/:symbol", a.Pair)
	s.get(console.StreamPath, a.Stream)
	s.post("/console/favourites", a.SetFavourite)
	s.post(console.StopReadingPath, a.StopReading)
	s.tradingRoutes(a)
	for _, sh := range a.Sheets() {
		page := a.SheetPage(sh)
		if sh.Path == console.OrdersPath {
			page = a.OpenOrders
		}
		s.get(sh.Path, page)
		s.get(sh.Path+".csv", a.SheetFile(sh))
	}
	for _, h := range a.Histories() {
		s.get(h.Path, a.HistoryPage(h))
		s.get(h.Path+".csv", a.HistoryFile(h))
	}
	return a
}

// tradingRoutes registers the pages that send orders. A completed ticket leads to a
// review, and only the form of the review sends.
func (s *Server) tradingRoutes(a *console.Area) {
	s.get(console.TicketPath, a.Ticket)
	s.post(console.TicketPath, a.Review)
	s.get(console.IntentsPath, a.IntentList)
	s.get(console.IntentRoute, a.Intent)
	s.post(console.IntentRoute+"/send", a.SendIntent)
	s.post(console.IntentRoute+"/resolve", a.ResolveIntent)
	s.post(console.IntentRoute+"/decide", a.DecideIntent)
	s.post(console.IntentRoute+"/override", a.OverrideIntent)

	s.get(console.CancellationPath, a.Cancellation)
	s.post(console.CancellationPath, a.Send)

	s.get(console.TicketPanelPath, a.TicketPart)
	s.get(console.TicketCheckPath, a.TicketCheck)
	s.get("/console/trading/state", a.TradingState)
	s.post("/console/trading/stop", a.StopTrading)
	s.post("/console/trading/resume", a.ResumeTrading)
}

// settingsRoutes registers the pages of the administrators.
func (s *Server) settingsRoutes() {
	a := settings.New(s.Base, s.options.Desk, s.options.Accounts, s.options.Backups)
	s.get("/settings", a.Settings)

	s.get("/settings/users", a.UserList)
	s.post("/settings/users", a.AddUser)
	s.get("/settings/users/:id", a.UserPage)
	s.post("/settings/users/:id/role", a.SetRole)
	s.post("/settings/users/:id/password", a.SetPassword)
	s.post("/settings/users/:id/reset-codes", a.ResetCodes)
	s.post("/settings/users/:id/disable", a.DisableUser)
	s.post("/settings/users/:id/enable", a.EnableUser)
	s.post("/settings/names", a.HideNames)
	s.post("/settings/users/:id/bind", a.BindUser)
	s.post("/settings/users/:id/unbind", a.UnbindUser)

	s.get("/settings/tokens", a.TokenList)
	s.post("/settings/tokens/:id/revoke", a.RevokeAnyToken)
	s.get("/settings/sessions", a.SessionList)
	s.post("/settings/sessions/:id/revoke", a.RevokeAnySession)

	s.get("/settings/accounts", a.AccountList)
	s.post("/settings/accounts", a.AddAccount)
	s.post("/settings/accounts/test", a.TestAccount)
	s.post("/settings/accounts/rotate", a.RotateAccount)
	s.post("/settings/accounts/disable", a.DisableAccount)
	s.post("/settings/accounts/enable", a.EnableAccount)

	s.getFile("/settings/audit.csv", a.AuditFile("csv"))
	s.getFile("/settings/audit.json", a.AuditFile("json"))
	s.get("/settings/audit", a.AuditPage)
	s.post("/settings/audit/check", a.CheckAudit)

	s.get("/settings/backups", a.BackupList)
	s.post("/settings/backups/make", a.BackUpNow)

	s.SetupStrip = a.Strip
	s.get("/settings/setup", a.SetupPage)
	s.post("/settings/setup/collect", a.BeginCollection)
	s.post("/settings/setup/mail", a.TestMailServer)
	s.post("/settings/setup/skip", a.SkipStep)
	s.post("/settings/setup/leave", a.LeaveSetup)
	s.post("/settings/setup/resume", a.ResumeSetup)
}

// subscriptionRoutes registers the forms of one kind of subscription, below its list.
func (s *Server) subscriptionRoutes(a *summaries.Area, list string) {
	s.get(list+"/new", a.New)
	s.post(list, a.Save)
	s.get(list+"/:id", a.Edit)
	s.post(list+"/:id", a.Save)
	s.post(list+"/:id/pause", a.Pause)
	s.post(list+"/:id/resume", a.Pause)
	s.post(list+"/:id/remove", a.Remove)
}

// summaryRoutes registers the pages about mail. Named pages come before the schedules,
// whose addresses are numbers.
func (s *Server) summaryRoutes() {
	a := summaries.New(s.Base, s.options.PublicURL == "" && !s.options.Demo)
	s.get("/summaries", a.Summaries)
	s.get("/summaries/alerts", a.Alerts)
	s.subscriptionRoutes(a, "/summaries/alerts")
	s.get("/summaries/deliveries", a.DeliveryList)
	s.get("/summaries/deliveries/:id", a.Delivery)
	s.get("/summaries/deliveries/:id/message", a.DeliveredMessage)
	s.get("/summaries/deliveries/:id/message.eml", a.DeliveredFile)
	s.get("/summaries/deliveries/:id/attached.csv", a.DeliveredFile)
	s.get("/summaries/deliveries/:id/attached.xlsx", a.DeliveredFile)
	s.post("/summaries/deliveries/:id/resend", a.Resend)

	s.get("/summaries/new/preview", a.Draft)
	s.get("/summaries/new/preview/message", a.DraftedMessage)
	s.subscriptionRoutes(a, "/summaries")
	s.get("/summaries/:id/preview", a.Preview)
	s.get("/summaries/:id/preview/message", a.PreviewedMessage)
	s.get("/summaries/:id/preview/message.eml", a.PreviewedFile)
	s.get("/summaries/:id/preview/attached.csv", a.PreviewedFile)
	s.get("/summaries/:id/preview/attached.xlsx", a.PreviewedFile)
	s.get("/summaries/:id/send", a.SendReview)
	s.post("/summaries/:id/send", a.SendNow)
	s.post("/summaries/:id/test", a.SendTest)

	s.get("/channels", a.ChannelList)
	s.post("/channels", a.AddChannel)
	s.post("/channels/:id/test", a.TestChannel)
	s.post("/channels/:id/pause", a.PauseChannel)
	s.post("/channels/:id/resume", a.PauseChannel)
	s.post("/channels/:id/rotate", a.RotateChannel)
	s.post("/channels/:id/remove", a.RemoveChannel)

	s.get("/unsubscribe/:token", a.UnsubscribePage)
	s.post("/unsubscribe/:token", a.Unsubscribe)
}
