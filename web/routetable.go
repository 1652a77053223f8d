package web

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/web/api"
	"rebatedesk/web/console"
)

// Need is what a route requires of its caller.
type Need string

// Requirements other than a permission. A Need that is none of these is the
// [access.Permission] of the same name.
const (
	Everybody Need = "everybody"      // callers may be unknown
	Half      Need = "half signed in" // a password was given; a second factor may be missing
	SignedIn  Need = "signed in"      // whatever the role
	Holder    Need = "holder"         // of a link that is a proof in itself; its form carries no other token
)

func permission(p access.Permission) Need { return Need(p) }

// Route is one route of the server and its requirements.
type Route struct {
	Method string // every GET also allows HEAD
	Path   string // as Fiber matches it
	Need   Need
	Tokens bool // programs may use an API token
	Upload bool // the form may have a file
	Fresh  bool // the caller must have proved their presence recently, by a code or the password
}

var (
	mayRead       = permission(access.MayRead)
	mayExport     = permission(access.MayExport)
	mayReadBills  = permission(access.MayReadBills)
	mayEdit       = permission(access.MayEdit)
	mayAdminister = permission(access.MayAdminister)
	mayConsole    = permission(access.MayConsole)
	mayTrade      = permission(access.MayTrade)
)

// routeTable lists every route of the server. A route that is not listed cannot be
// registered, and a test checks that every listed route is registered. Only a POST
// changes anything, and only the proxy's POST accepts an API token.
var routeTable = slices.Concat(
	[]Route{
		open(fiber.MethodGet, "/healthz"),
		open(fiber.MethodGet, "/readyz"),
		open(fiber.MethodGet, "/static/*"),
		open(fiber.MethodGet, "/favicon.ico"),

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
		proven("/account/feeds", SignedIn),
		post("/account/tokens/:id/revoke", SignedIn),
		post("/account/sessions/:id/revoke", SignedIn),

		post("/account/preferences", SignedIn),
		{Method: fiber.MethodGet, Path: "/help", Need: SignedIn},
		post("/hints/away", SignedIn),
		{Method: fiber.MethodGet, Path: "/tour", Need: SignedIn},
		{Method: fiber.MethodGet, Path: "/tour/:stop", Need: SignedIn}, // redirects
		post("/tour/leave", SignedIn),

		{Method: fiber.MethodGet, Path: "/settings", Need: SignedIn}, // redirects
		adminPage("/settings/users"),
		proven("/settings/users", mayAdminister),
		adminPage("/settings/users/:id"),
		proven("/settings/users/:id/role", mayAdminister),
		proven("/settings/users/:id/password", mayAdminister),
		proven("/settings/users/:id/reset-codes", mayAdminister),
		proven("/settings/users/:id/disable", mayAdminister),
		proven("/settings/users/:id/enable", mayAdminister),
		post("/settings/names", mayAdminister),
		proven("/settings/users/:id/bind", mayAdminister),
		proven("/settings/users/:id/unbind", mayAdminister),
		adminPage("/settings/tokens"),
		post("/settings/tokens/:id/revoke", mayAdminister),
		adminPage("/settings/sessions"),
		post("/settings/sessions/:id/revoke", mayAdminister),
		adminPage("/settings/accounts"),
		proven("/settings/accounts", mayAdminister),
		proven("/settings/accounts/test", mayAdminister),
		proven("/settings/accounts/rotate", mayAdminister),
		proven("/settings/accounts/disable", mayAdminister),
		proven("/settings/accounts/enable", mayAdminister),
		adminPage("/settings/audit"),
		adminPage("/settings/audit.csv"),
		adminPage("/settings/audit.json"),
		post("/settings/audit/check", mayAdminister),
		adminPage("/settings/setup"),
		post("/settings/setup/collect", mayAdminister),
		post("/settings/setup/mail", mayAdminister),
		post("/settings/setup/skip", mayAdminister),
		post("/settings/setup/leave", mayAdminister),
		post("/settings/setup/resume", mayAdminister),
		adminPage("/settings/backups"),
		post("/settings/backups/make", mayAdminister),

		page(console.ProxyRoute, mayConsole),
		{Method: fiber.MethodPost, Path: console.ProxyRoute, Need: mayConsole, Tokens: true}, // orders also require the permission to trade
		page("/console", mayConsole),
		page(console.ContractsPath+"/:symbol", mayConsole),
		{Method: fiber.MethodGet, Path: console.StreamPath, Need: mayConsole}, // of a page in a browser
		post("/console/favourites", mayConsole),
		post(console.StopReadingPath, mayConsole),
		page(console.TicketPath, mayConsole),
		post(console.TicketPath, mayTrade),                                         // leads to a review and sends nothing
		{Method: fiber.MethodGet, Path: console.TicketPanelPath, Need: mayConsole}, // parts of a page in a browser
		{Method: fiber.MethodGet, Path: console.TicketCheckPath, Need: mayConsole},
		page(console.CancellationPath, mayConsole),
		post(console.CancellationPath, mayTrade),
		page(console.IntentsPath, mayConsole),
		page(console.IntentRoute, mayConsole),
		post(console.IntentRoute+"/send", mayTrade),
		post(console.IntentRoute+"/resolve", mayTrade),
		post(console.IntentRoute+"/decide", mayTrade),
		post(console.IntentRoute+"/override", mayTrade),
		page("/console/trading/state", mayConsole),
		post("/console/trading/stop", mayConsole),
		post("/console/trading/resume", mayConsole),

		page(api.DocumentPath, mayRead),
		page(api.PagePath, mayRead),

		page("/summaries", mayRead),
		page("/summaries/deliveries", mayRead),
		page("/summaries/deliveries/:id", mayRead),
		page("/summaries/deliveries/:id/message", mayRead),
		page("/summaries/deliveries/:id/message.eml", mayExport),
		page("/summaries/deliveries/:id/attached.csv", mayExport),
		page("/summaries/deliveries/:id/attached.xlsx", mayExport),
		post("/summaries/deliveries/:id/resend", mayEdit),
		form("/summaries/new"),
		form("/summaries/new/preview"),
		form("/summaries/new/preview/message"),
		post("/summaries", mayEdit),
		form("/summaries/:id"),
		post("/summaries/:id", mayEdit),
		page("/summaries/:id/preview", mayRead),
		page("/summaries/:id/preview/message", mayRead),
		page("/summaries/:id/preview/message.eml", mayExport),
		page("/summaries/:id/preview/attached.csv", mayExport),
		page("/summaries/:id/preview/attached.xlsx", mayExport),
		form("/summaries/:id/send"),
		post("/summaries/:id/send", mayEdit),
		post("/summaries/:id/test", mayEdit),
		post("/summaries/:id/pause", mayEdit),
		post("/summaries/:id/resume", mayEdit),
		post("/summaries/:id/remove", mayEdit),
		page("/summaries/alerts", mayRead),
		{Method: fiber.MethodGet, Path: "/summaries/alerts/new", Need: mayEdit}, // no scope of a token covers it
		post("/summaries/alerts", mayEdit),
		{Method: fiber.MethodGet, Path: "/summaries/alerts/:id", Need: mayEdit},
		post("/summaries/alerts/:id", mayEdit),
		post("/summaries/alerts/:id/pause", mayEdit),
		post("/summaries/alerts/:id/resume", mayEdit),
		post("/summaries/alerts/:id/remove", mayEdit),
		page("/channels", mayRead),
		proven("/channels", mayEdit),
		post("/channels/:id/test", mayEdit),
		post("/channels/:id/pause", mayEdit),
		post("/channels/:id/resume", mayEdit),
		proven("/channels/:id/rotate", mayEdit),
		post("/channels/:id/remove", mayEdit),
		{Method: fiber.MethodGet, Path: "/unsubscribe/:token", Need: Holder},
		{Method: fiber.MethodPost, Path: "/unsubscribe/:token", Need: Holder},
		{Method: fiber.MethodGet, Path: "/calendar.ics", Need: Holder},
		{Method: fiber.MethodGet, Path: "/changes.atom", Need: Holder},

		page("/deliveries", mayRead),
		adminPage("/deliveries/new"),
		proven("/deliveries", mayAdminister),
		page("/deliveries/:id", mayRead),
		adminPage("/deliveries/:id/edit"),
		proven("/deliveries/:id", mayAdminister),
		post("/deliveries/:id/run", mayEdit),
		post("/deliveries/:id/pause", mayEdit),
		post("/deliveries/:id/resume", mayEdit),
		post("/deliveries/:id/remove", mayAdminister),

		page("/statements", mayRead),
		post("/statements", mayEdit),
		page("/statements/payees/:uid", mayRead),
		post("/statements/payees/:uid", mayEdit),
		page("/statements/:number", mayRead),
		page("/statements/:number/statement.pdf", mayExport),
		page("/statements/:number/statement.xlsx", mayExport),
		post("/statements/:number/correct", mayEdit),
		post("/statements/:number/paid", mayEdit),
		post("/statements/:number/unpaid", mayEdit),
		post("/statements/:number/send", mayEdit),

		page("/annotations", mayRead),
		form("/annotations/new"),
		form("/annotations/:id"),
		post("/annotations", mayEdit),
		post("/annotations/:id", mayEdit),
		post("/annotations/:id/remove", mayEdit),

		page("/attention", mayRead),
		page("/forecast", mayRead),
		page("/forecast.json", mayRead),
		page("/forecast/at-risk", mayRead),
		post("/forecast/goals", mayEdit),
		post("/forecast/goals/copy", mayEdit),
		post("/forecast/goals/:id", mayEdit),
		post("/forecast/goals/:id/remove", mayEdit),
		post("/returns/costs", mayEdit),
		post("/returns/costs/:id/end", mayEdit),
		post("/returns/costs/:id/remove", mayEdit),
		page("/segments", mayRead),
		form("/segments/new"),
		post("/segments", mayEdit),
		form("/segments/:id"),
		post("/segments/:id", mayEdit),
		post("/segments/:id/freeze", mayEdit),
		post("/segments/:id/thaw", mayEdit),
		post("/segments/:id/remove", mayEdit),
		page("/views", mayRead),
		page("/search", mayRead),
		page("/collection", mayRead),
		page("/collection/progress", mayRead),
		page("/collection/restatements", mayRead),
		page("/collection/runs/:id", mayRead),
		{Method: fiber.MethodGet, Path: "/collection/slices/:id/answers.zip", Need: mayEdit}, // no scope of a token covers it

		post("/collection/collect", mayEdit),
		post("/views", mayEdit),
		post("/views/:id/name", mayEdit),
		post("/views/:id/default", mayEdit),
		post("/views/:id/delete", mayEdit),
		form("/people/import"),
		page("/people/import.csv", mayExport),
		page("/people/import.xlsx", mayExport),
		post("/people/import", mayEdit),
		{Method: fiber.MethodPost, Path: "/people/import/preview", Need: mayEdit, Upload: true},
		post("/people/import/:id/undo", mayEdit),
		post("/invitees/:uid/person", mayEdit),
		post("/invitees/:uid/notes", mayEdit),
		post("/invitees/:uid/notes/:id/delete", mayEdit),
		post("/invitees/:uid/tags", mayEdit),
		post("/invitees/:uid/tags/delete", mayEdit),

		post("/worklist/:uid", mayEdit),
		post("/worklist/:uid/undo/:id", mayEdit),

		post("/months/:month/close", mayEdit),
		post("/months/:month/reopen", mayEdit),
		page("/payments/bills.csv", mayReadBills),
		page("/payments/line.zip", mayExport),
		page("/invitees/:uid.zip", mayExport),
		page("/rates/finding.zip", mayExport),
		page("/months/:month.zip", mayExport),
		page("/payments/bills.xlsx", mayReadBills),
		page("/payments/bills.json", mayReadBills),
		page("/rates/terms", mayRead),
		page("/rates/terms.csv", mayExport),
		{Method: fiber.MethodPost, Path: "/rates/terms", Need: mayEdit, Upload: true},
		{Method: fiber.MethodPost, Path: "/rates/terms/preview", Need: mayEdit, Upload: true},
		post("/rates/terms/:id/remove", mayEdit),

		page("/payments/line", mayRead),
		post("/payments/notes", mayEdit),
		page("/payments/rule", mayRead),
		proven("/payments/rule", mayAdminister),
		proven("/payments/rule/:id/remove", mayAdminister),
	},
	report("/", "/overview"),
	report("/commissions", "/commissions"),
	report("/payments", "/payments"),
	report("/months", "/months"),
	report("/months/:month", "/months/:month"),
	report("/drivers", "/drivers"),
	report("/programmes", "/programmes"),
	report("/changes", "/changes"),
	report("/rates", "/rates"),
	report("/pivot", "/pivot"),
	report("/worklist", "/worklist"),
	report("/invitees", "/invitees"),
	report("/invitees/:uid", "/invitees/:uid"),
	report("/codes", "/codes"),
	report("/returns", "/returns"),
	report("/cohorts", "/cohorts"),
	report("/sub-affiliates", "/sub-affiliates"),
	report("/sub-affiliates/:uid", "/sub-affiliates/:uid"),
	sheets("/console/markets", "/console/markets/:symbol", "/console/currencies", "/console/contracts", "/console/orders",
		"/console/fills", "/console/bills", "/console/funding", "/console/transfers"),
)

// Matrix returns every possible route. Routes of parts that a server leaves out are not
// registered.
func Matrix() []Route { return slices.Clone(routeTable) }

func open(method, path string) Route { return Route{Method: method, Path: path, Need: Everybody} }
func page(path string, need Need) Route {
	return Route{Method: fiber.MethodGet, Path: path, Need: need, Tokens: true}
}
func post(path string, need Need) Route {
	return Route{Method: fiber.MethodPost, Path: path, Need: need}
}
func form(path string) Route { return Route{Method: fiber.MethodGet, Path: path, Need: mayEdit} }
func adminPage(path string) Route {
	return Route{Method: fiber.MethodGet, Path: path, Need: mayAdminister}
}

// proven is a form that requires recent proof, so that a stranger at an open browser
// cannot send it.
func proven(path string, need Need) Route {
	return Route{Method: fiber.MethodPost, Path: path, Need: need, Fresh: true}
}

// report is a page of figures with its files.
func report(path, files string) []Route {
	return []Route{page(path, mayRead), page(files+".csv", mayExport), page(files+".xlsx", mayExport), page(files+".json", mayRead)}
}

// sheets are pages of the console, each with its file.
func sheets(paths ...string) (routes []Route) {
	for _, path := range paths {
		routes = append(routes, page(path, mayConsole), page(path+".csv", mayConsole))
	}
	return routes
}

// get registers a page.
func (s *Server) get(path string, handlers ...fiber.Handler) {
	route := routeOf(fiber.MethodGet, path)
	before := []fiber.Handler{s.authorize(route)}
	if computed(route) {
		before = append(before, s.InTurn)
	}
	s.app.Get(path, append(before, handlers...)...)
}

// getFile registers a file, which gets its place from [handler.Base.Download].
func (s *Server) getFile(path string, handler fiber.Handler) {
	s.app.Get(path, s.authorize(routeOf(fiber.MethodGet, path)), handler)
}

// post registers a form.
func (s *Server) post(path string, handler fiber.Handler) {
	s.app.Post(path, s.authorize(routeOf(fiber.MethodPost, path)), handler)
}

// routeOf returns the line of the route table. Without one, no rule says who may use
// the route.
func routeOf(method, path string) Route {
	for _, r := range routeTable {
		if r.Method == method && r.Path == path {
			return r
		}
	}
	panic("web: " + method + " " + path + " is not in the matrix of routes")
}

// computed reports whether the answer of a route is made from the store and therefore
// takes work that users share. The console waits for the exchange, which has its own
// budget; forms take no such work, and a user who has to end a session must be able to
// do so whatever else runs in it; files have separate places.
func computed(r Route) bool {
	switch access.Permission(r.Need) {
	case access.MayRead, access.MayExport, access.MayReadBills, access.MayEdit, access.MayAdminister:
		return r.Method == fiber.MethodGet
	}
	return false
}
