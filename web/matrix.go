package web

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
)

// Need is what a route asks of whoever comes.
type Need string

// What routes ask besides a permission. A Need that is none of these is the
// [access.Permission] of its name.
const (
	Everybody Need = "everybody"      // nobody has to be known
	Half      Need = "half signed in" // a password was given; a second factor may be missing
	SignedIn  Need = "signed in"      // whatever the role
	Holder    Need = "holder"         // of a link that proves itself; its form carries no other token
)

func permission(p access.Permission) Need { return Need(p) }

// Route is one way into the server, and for whom it is.
type Route struct {
	Method string // HEAD goes wherever GET goes
	Path   string // as Fiber matches it
	Need   Need
	Tokens bool // programs may come with an API token
	Fresh  bool // whoever comes has to have proved lately to be there: by a code, or the password
}

var (
	read       = permission(access.Read)
	exports    = permission(access.Export)
	edit       = permission(access.Edit)
	administer = permission(access.Administer)
	console    = permission(access.Console)
	trade      = permission(access.Trade)
)

// matrix is every way into the server. A route that is not listed here cannot
// be registered, and a test holds that none listed is missing. Nothing but a
// POST changes anything, and no POST takes an API token but that of the proxy.
var matrix = slices.Concat(
	[]Route{
		open(fiber.MethodGet, "/healthz"),
		open(fiber.MethodGet, "/readyz"),
		open(fiber.MethodGet, "/static/*"),

		open(fiber.MethodGet, "/setup"),
		open(fiber.MethodPost, "/setup"),
		open(fiber.MethodGet, "/login"),
		open(fiber.MethodPost, "/login"),
		open(fiber.MethodPost, "/login/demo"),
		{Method: fiber.MethodPost, Path: "/logout", Need: Half},

		{Method: fiber.MethodGet, Path: "/account", Need: SignedIn},
		{Method: fiber.MethodGet, Path: "/account/totp", Need: Half},
		{Method: fiber.MethodPost, Path: "/account/totp", Need: Half},
		post("/account/password", SignedIn),
		proven("/account/tokens", SignedIn),
		post("/account/tokens/:id/revoke", SignedIn),
		post("/account/sessions/:id/revoke", SignedIn),

		{Method: fiber.MethodGet, Path: "/settings", Need: SignedIn}, // leads on
		settings("/settings/users"),
		proven("/settings/users", administer),
		settings("/settings/users/:id"),
		proven("/settings/users/:id/role", administer),
		proven("/settings/users/:id/password", administer),
		proven("/settings/users/:id/reset-codes", administer),
		proven("/settings/users/:id/disable", administer),
		proven("/settings/users/:id/enable", administer),
		settings("/settings/tokens"),
		post("/settings/tokens/:id/revoke", administer),
		settings("/settings/sessions"),
		post("/settings/sessions/:id/revoke", administer),
		settings("/settings/accounts"),
		proven("/settings/accounts", administer),
		proven("/settings/accounts/test", administer),
		proven("/settings/accounts/rotate", administer),
		proven("/settings/accounts/disable", administer),
		proven("/settings/accounts/enable", administer),
		settings("/settings/audit"),
		settings("/settings/audit.csv"),
		settings("/settings/audit.json"),
		post("/settings/audit/check", administer),
		settings("/settings/backups"),
		post("/settings/backups/make", administer),

		page(proxyRoute, console),
		{Method: fiber.MethodPost, Path: proxyRoute, Need: console, Tokens: true}, // orders take the permission to trade besides
		page("/console", console),
		post("/console/favourites", console),
		page(ticketPath, console),
		post(ticketPath, trade), // leads to a review and sends nothing
		page(intentsPath, console),
		page(intentRoute, console),
		post(intentRoute+"/send", trade),
		post(intentRoute+"/resolve", trade),
		post(intentRoute+"/decide", trade),
		post(intentRoute+"/override", trade),
		page("/console/trading/state", console),
		post("/console/trading/stop", console),
		post("/console/trading/resume", console),

		page("/summaries", read),
		page("/summaries/deliveries", read),
		page("/summaries/deliveries/:id", read),
		page("/summaries/deliveries/:id/message", read),
		page("/summaries/deliveries/:id/message.eml", exports),
		page("/summaries/deliveries/:id/attached.csv", exports),
		page("/summaries/deliveries/:id/attached.xlsx", exports),
		post("/summaries/deliveries/:id/resend", edit),
		form("/summaries/new"),
		post("/summaries", edit),
		form("/summaries/:id"),
		post("/summaries/:id", edit),
		page("/summaries/:id/preview", read),
		page("/summaries/:id/preview/message", read),
		page("/summaries/:id/preview/message.eml", exports),
		page("/summaries/:id/preview/attached.csv", exports),
		page("/summaries/:id/preview/attached.xlsx", exports),
		form("/summaries/:id/send"),
		post("/summaries/:id/send", edit),
		post("/summaries/:id/test", edit),
		post("/summaries/:id/pause", edit),
		post("/summaries/:id/resume", edit),
		post("/summaries/:id/remove", edit),
		page("/summaries/alerts", read),
		{Method: fiber.MethodGet, Path: "/summaries/alerts/new", Need: edit}, // no scope of a token covers it
		post("/summaries/alerts", edit),
		{Method: fiber.MethodGet, Path: "/summaries/alerts/:id", Need: edit},
		post("/summaries/alerts/:id", edit),
		post("/summaries/alerts/:id/pause", edit),
		post("/summaries/alerts/:id/resume", edit),
		post("/summaries/alerts/:id/remove", edit),
		{Method: fiber.MethodGet, Path: "/unsubscribe/:token", Need: Holder},
		{Method: fiber.MethodPost, Path: "/unsubscribe/:token", Need: Holder},

		page("/attention", read),
		page("/views", read),
		page("/collection", read),
		page("/collection/progress", read),
		page("/collection/restatements", read),

		post("/collection/collect", edit),
		post("/views", edit),
		post("/views/:id/name", edit),
		post("/views/:id/default", edit),
		post("/views/:id/delete", edit),
		post("/invitees/:uid/notes", edit),
		post("/invitees/:uid/notes/:id/delete", edit),
		post("/invitees/:uid/tags", edit),
		post("/invitees/:uid/tags/delete", edit),
	},
	report("/", "/overview"),
	report("/commissions", "/commissions"),
	report("/invitees", "/invitees"),
	report("/invitees/:uid", "/invitees/:uid"),
	report("/codes", "/codes"),
	report("/cohorts", "/cohorts"),
	report("/sub-affiliates", "/sub-affiliates"),
	report("/sub-affiliates/:uid", "/sub-affiliates/:uid"),
	sheets("/console/markets", "/console/markets/:symbol", "/console/currencies", "/console/contracts", "/console/orders",
		"/console/fills", "/console/bills", "/console/funding", "/console/transfers"),
)

// Matrix is every route there can be. Those of parts that a server is made
// without are not registered.
func Matrix() []Route { return slices.Clone(matrix) }

func open(method, path string) Route { return Route{Method: method, Path: path, Need: Everybody} }
func page(path string, need Need) Route {
	return Route{Method: fiber.MethodGet, Path: path, Need: need, Tokens: true}
}
func post(path string, need Need) Route {
	return Route{Method: fiber.MethodPost, Path: path, Need: need}
}
func form(path string) Route     { return Route{Method: fiber.MethodGet, Path: path, Need: edit} }
func settings(path string) Route { return Route{Method: fiber.MethodGet, Path: path, Need: administer} }

// proven is a form that somebody at an open browser must not send who is not its
// user.
func proven(path string, need Need) Route {
	return Route{Method: fiber.MethodPost, Path: path, Need: need, Fresh: true}
}

// report is a page of figures with its files.
func report(path, files string) []Route {
	return []Route{page(path, read), page(files+".csv", exports), page(files+".xlsx", exports), page(files+".json", read)}
}

// sheets are pages of the console, each with its file.
func sheets(paths ...string) (routes []Route) {
	for _, path := range paths {
		routes = append(routes, page(path, console), page(path+".csv", console))
	}
	return routes
}

// get registers a page.
func (s *Server) get(path string, handlers ...fiber.Handler) {
	route := routeOf(fiber.MethodGet, path)
	before := []fiber.Handler{s.permit(route)}
	if computed(route) {
		before = append(before, s.inTurn)
	}
	s.app.Get(path, append(before, handlers...)...)
}

// getFile registers a file, which finds a place by [Server.download].
func (s *Server) getFile(path string, handler fiber.Handler) {
	s.app.Get(path, s.permit(routeOf(fiber.MethodGet, path)), handler)
}

// post registers a form.
func (s *Server) post(path string, handler fiber.Handler) {
	s.app.Post(path, s.permit(routeOf(fiber.MethodPost, path)), handler)
}

// routeOf is the line of the matrix. Without one nobody has said for whom the
// route is.
func routeOf(method, path string) Route {
	for _, r := range matrix {
		if r.Method == method && r.Path == path {
			return r
		}
	}
	panic("web: " + method + " " + path + " is not in the matrix of routes")
}

// computed reports whether what a route answers with is made of the store, and so
// takes work that is shared out between users. The console waits for the exchange,
// which has a budget of its own; forms are no work, and whoever has to end a
// session must get that done beside whatever runs under it; files have places of
// their own.
func computed(r Route) bool {
	switch access.Permission(r.Need) {
	case access.Read, access.Export, access.Edit, access.Administer:
		return r.Method == fiber.MethodGet
	}
	return false
}
