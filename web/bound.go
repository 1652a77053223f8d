package web

import "slices"

// treatment says how a route answers a caller who is bound to some invitees.
type treatment int

const (
	// closedToBound answers as a page that does not exist: what it shows or changes cannot be
	// divided by invitee. It is also how a route is treated that no list names.
	closedToBound treatment = iota
	// dividedForBound answers about the caller's own invitees. It asks [handler.Base.Reports].
	dividedForBound
	// openToBound says nothing about any invitee.
	openToBound
)

// boundTreatments state for each route, as method and path, how it treats bound callers. A test
// refuses a route that is missing here, unless the roles of bound users do not open it.
var boundTreatments = map[treatment][]string{
	openToBound: {
		"GET /healthz", "GET /readyz", "GET /static/*", "GET /favicon.ico",
		"GET /setup", "POST /setup", "GET /login", "POST /login", "POST /login/demo", "POST /logout",
		"GET /account", "GET /account/totp", "POST /account/totp", "POST /account/password",
		"POST /account/tokens", "POST /account/feeds", "POST /account/tokens/:id/revoke", "POST /account/sessions/:id/revoke",
		"POST /account/preferences", "GET /help", "POST /hints/away",
		"GET /openapi.json", "GET /docs/api", // about the program, not about invitees
		"GET /unsubscribe/:token", "POST /unsubscribe/:token", // the link is the proof, whoever follows it
		"GET /calendar.ics", "GET /changes.atom", // divided by the user of the token
		"GET /views", "POST /views", "POST /views/:id/name", "POST /views/:id/default", "POST /views/:id/delete", // the caller's own
	},
	dividedForBound: slices.Concat([]string{
		"GET /attention",
		"GET /forecast", "GET /forecast.json", "GET /forecast/at-risk",
		"POST /invitees/:uid/notes", "POST /invitees/:uid/notes/:id/delete", "POST /invitees/:uid/tags", "POST /invitees/:uid/tags/delete",
		"GET /search", "GET /annotations", "GET /annotations/new", "GET /annotations/:id", "POST /annotations", "POST /annotations/:id", "POST /annotations/:id/remove",
		"GET /segments", "GET /segments/new", "POST /segments", "GET /segments/:id", "POST /segments/:id", "POST /segments/:id/freeze",
		"POST /segments/:id/thaw", "POST /segments/:id/remove",
		"POST /invitees/:uid/person", "POST /worklist/:uid", "POST /worklist/:uid/undo/:id",
	},
		reportLines("/", "/overview"), reportLines("/commissions", "/commissions"), reportLines("/drivers", "/drivers"),
		reportLines("/changes", "/changes"), reportLines("/pivot", "/pivot"), reportLines("/invitees", "/invitees"),
		reportLines("/invitees/:uid", "/invitees/:uid"), reportLines("/codes", "/codes"), reportLines("/cohorts", "/cohorts"),
		reportLines("/worklist", "/worklist"), reportLines("/programmes", "/programmes"), reportLines("/returns", "/returns")),
	closedToBound: slices.Concat([]string{
		"GET /settings", // leads to the settings
		"GET /tour", "GET /tour/:stop", "POST /tour/leave",
		"GET /people/import", "GET /people/import.csv", "GET /people/import.xlsx", "POST /people/import", "POST /people/import/preview", "POST /people/import/:id/undo",
		"POST /returns/costs", "POST /returns/costs/:id/end", "POST /returns/costs/:id/remove",
		"GET /summaries", "GET /summaries/deliveries", "GET /summaries/deliveries/:id", "GET /summaries/deliveries/:id/message",
		"GET /summaries/deliveries/:id/message.eml", "GET /summaries/deliveries/:id/attached.csv", "GET /summaries/deliveries/:id/attached.xlsx",
		"POST /summaries/deliveries/:id/resend", "GET /summaries/new", "GET /summaries/new/preview", "GET /summaries/new/preview/message", "POST /summaries", "GET /summaries/:id", "POST /summaries/:id",
		"GET /summaries/:id/preview", "GET /summaries/:id/preview/message", "GET /summaries/:id/preview/message.eml",
		"GET /summaries/:id/preview/attached.csv", "GET /summaries/:id/preview/attached.xlsx", "GET /summaries/:id/send",
		"POST /summaries/:id/send", "POST /summaries/:id/test", "POST /summaries/:id/pause", "POST /summaries/:id/resume",
		"POST /summaries/:id/remove", "GET /summaries/alerts", "GET /summaries/alerts/new", "POST /summaries/alerts",
		"GET /summaries/alerts/:id", "POST /summaries/alerts/:id", "POST /summaries/alerts/:id/pause",
		"POST /summaries/alerts/:id/resume", "POST /summaries/alerts/:id/remove",
		"GET /channels", "POST /channels", "POST /channels/:id/test", "POST /channels/:id/pause", "POST /channels/:id/resume",
		"POST /channels/:id/rotate", "POST /channels/:id/remove",

		"GET /deliveries", "GET /deliveries/new", "POST /deliveries", "GET /deliveries/:id", "GET /deliveries/:id/edit", "POST /deliveries/:id",
		"POST /deliveries/:id/run", "POST /deliveries/:id/pause", "POST /deliveries/:id/resume", "POST /deliveries/:id/remove",

		"GET /statements", "POST /statements", "GET /statements/payees/:uid", "POST /statements/payees/:uid", "GET /statements/:number",
		"GET /statements/:number/statement.pdf", "GET /statements/:number/statement.xlsx", "POST /statements/:number/correct",
		"POST /statements/:number/paid", "POST /statements/:number/unpaid", "POST /statements/:number/send",

		"POST /forecast/goals", "POST /forecast/goals/copy", "POST /forecast/goals/:id", "POST /forecast/goals/:id/remove",
		"GET /collection", "GET /collection/progress", "GET /collection/restatements", "GET /collection/runs/:id",
		"GET /collection/slices/:id/answers.zip", "POST /collection/collect",
		"POST /months/:month/close", "POST /months/:month/reopen", "GET /payments/bills.csv", "GET /payments/line.zip",
		"GET /invitees/:uid.zip", "GET /rates/finding.zip", "GET /months/:month.zip", "GET /payments/bills.xlsx", "GET /payments/bills.json",
		"GET /rates/terms", "GET /rates/terms.csv", "POST /rates/terms", "POST /rates/terms/preview", "POST /rates/terms/:id/remove",
		"GET /payments/line", "POST /payments/notes", "GET /payments/rule", "POST /payments/rule", "POST /payments/rule/:id/remove",
	},
		reportLines("/payments", "/payments"), reportLines("/months", "/months"), reportLines("/months/:month", "/months/:month"),
		reportLines("/rates", "/rates"), reportLines("/sub-affiliates", "/sub-affiliates"), reportLines("/sub-affiliates/:uid", "/sub-affiliates/:uid")),
}

// reportLines are the lines of a page of figures with its files.
func reportLines(path, files string) []string {
	return []string{"GET " + path, "GET " + files + ".csv", "GET " + files + ".xlsx", "GET " + files + ".json"}
}

// treatmentOf returns how a route treats bound callers.
func treatmentOf(r Route) treatment {
	line := r.Method + " " + r.Path
	for _, t := range []treatment{openToBound, dividedForBound} {
		if slices.Contains(boundTreatments[t], line) {
			return t
		}
	}
	return closedToBound
}

// DividedRoute reports whether a route answers bound callers about their own invitees.
func DividedRoute(r Route) bool { return treatmentOf(r) == dividedForBound }
