package acceptance_test

import (
	"context"
	"net/url"
	"rebatedesk/store/audit"
	"slices"
	"strings"
	"testing"

	"rebatedesk/collector"
	"rebatedesk/reports"
	"rebatedesk/store/identity"
	"rebatedesk/store/people"
	"rebatedesk/web"
)

// reportPage describes a page of figures to the tests that cover all pages.
type reportPage struct {
	name   string
	route  string   // the registered pattern
	files  string   // pattern of the export route, without the extension; empty if the page has none
	charts []string // charts on the page
	takes  []string // the reports.Params that the page accepts; nil: all
	lasts  bool     // a page number beyond the last one is answered with the number of pages, not with an error
}

// everyPage lists all pages. TestEveryRouteIsKnown fails for a route that is neither here
// nor in otherRoutes.
var everyPage = []reportPage{
	{name: "overview", route: "/", files: "/overview", charts: []string{"daily-chart", "users-chart"}},
	{name: "attention", route: "/attention", takes: []string{"account", "segment", "as_of"}},
	{name: "forecast", route: "/forecast", charts: []string{"forecast-chart"}, takes: []string{"month", "from", "to", "account", "product", "coin", "uid", "symbol", "source", "code", "tag", "segment", "as_of"}},
	{name: "revenue at risk", route: "/forecast/at-risk", takes: []string{"account", "coin", "segment", "as_of"}},
	{name: "drivers", route: "/drivers", files: "/drivers", charts: []string{"drivers-chart"}},
	{name: "pivot", route: "/pivot", files: "/pivot",
		takes: []string{"range", "from", "to", "compare", "account", "product", "coin", "uid", "symbol", "source", "code", "segment", "q", "by", "across", "metric", "show", "page", "per", "as_of"}},
	{name: "commissions", route: "/commissions", files: "/commissions", charts: []string{"daily-chart"}},
	{name: "invitees", route: "/invitees", files: "/invitees"},
	{name: "invitee", route: "/invitees/:uid", files: "/invitees/:uid", charts: []string{"daily-chart"},
		takes: []string{"range", "from", "to", "compare", "account", "product", "coin", "symbol", "source", "as_of"}},
	{name: "codes", route: "/codes", files: "/codes", charts: []string{"daily-chart"}},
	{name: "cohorts", route: "/cohorts", files: "/cohorts"},
	{name: "sub-affiliates", route: "/sub-affiliates", files: "/sub-affiliates", charts: []string{"daily-chart"}},
	{name: "sub-affiliate", route: "/sub-affiliates/:uid", files: "/sub-affiliates/:uid", charts: []string{"daily-chart"}},
	{name: "payments", route: "/payments", files: "/payments", charts: []string{"running-chart"},
		takes: []string{"range", "from", "to", "account", "coin", "kind", "state", "q", "sort", "page", "per", "as_of"}},
	{name: "changes", route: "/changes", files: "/changes",
		takes: []string{"since", "until", "range", "from", "to", "account", "product", "coin", "uid", "symbol", "source", "code", "segment", "q", "change", "by", "sort", "page", "per"}},
	{name: "rates", route: "/rates", files: "/rates",
		takes: []string{"range", "from", "to", "account", "product", "coin", "uid", "symbol", "source", "code", "segment", "q", "sort", "page", "per", "as_of"}},
	{name: "months", route: "/months", files: "/months", takes: []string{"account", "as_of"}},
	{name: "payout rules", route: "/payments/rule", takes: []string{"range", "from", "to", "account", "as_of"}},
	{name: "collection", route: "/collection", takes: []string{"range", "from", "to", "compare", "account", "page", "per"}, lasts: true},
	{name: "restatements", route: "/collection/restatements",
		takes: []string{"range", "from", "to", "account", "product", "coin", "uid", "symbol", "source", "code", "segment", "page", "per"}},
	{name: "programmes", route: "/programmes", files: "/programmes", charts: []string{"programmes-chart"},
		takes: []string{"range", "from", "to", "account", "product", "coin", "source", "code", "segment", "as_of"}},
	{name: "worklist", route: "/worklist", files: "/worklist",
		takes: []string{"account", "coin", "uid", "code", "segment", "q", "tag", "state", "reason", "owner", "show", "sort", "page", "per", "as_of"}, lasts: true},
	{name: "returns", route: "/returns", files: "/returns",
		takes: []string{"range", "from", "to", "account", "product", "coin", "source", "code", "tag", "segment", "sort", "as_of"}},
	{name: "segments", route: "/segments", takes: []string{"as_of"}},
	{name: "search", route: "/search", takes: []string{"q"}},
	{name: "views", route: "/views", takes: []string{"range", "from", "to", "compare", "account"}},
}

// otherRoutes lists the GET routes that show no figures.
var otherRoutes = []string{"/healthz", "/readyz", "/static/*", "/favicon.ico", "/collection/progress", "/collection/runs/:id", "/collection/slices/:id/answers.zip", "/setup", "/login", "/account", "/account/totp",
	"/help", "/settings/setup", "/settings", "/settings/users", "/settings/users/:id", "/settings/tokens", "/settings/sessions", "/settings/accounts",
	"/openapi.json", "/docs/api", "/forecast.json", "/statements", "/statements/:number", "/statements/:number/statement.pdf", "/statements/:number/statement.xlsx", "/statements/payees/:uid", "/payments/line", "/payments/bills.csv", "/payments/bills.xlsx", "/payments/bills.json", // tests of their own
	"/annotations", "/annotations/new", "/annotations/:id", "/people/import", "/people/import.csv", "/people/import.xlsx",
	"/segments/new", "/segments/:id", "/rates/terms", "/rates/terms.csv", "/months/:month", "/months/:month.csv", "/months/:month.xlsx", "/months/:month.json",
	"/payments/line.zip", "/invitees/:uid.zip", "/rates/finding.zip", "/months/:month.zip",
	"/settings/audit", "/settings/audit.csv", "/settings/audit.json", "/settings/backups",
	"/deliveries", "/deliveries/new", "/deliveries/:id", "/deliveries/:id/edit", // not of figures
	"/channels", "/summaries", "/summaries/new", "/summaries/new/preview", "/summaries/new/preview/message", "/summaries/:id", "/summaries/:id/send", "/summaries/:id/preview", "/summaries/:id/preview/message",
	"/summaries/:id/preview/message.eml", "/summaries/:id/preview/attached.csv", "/summaries/:id/preview/attached.xlsx",
	"/summaries/alerts", "/summaries/alerts/new", "/summaries/alerts/:id", "/summaries/deliveries", "/summaries/deliveries/:id", "/summaries/deliveries/:id/message", "/summaries/deliveries/:id/message.eml",
	"/summaries/deliveries/:id/attached.csv", "/summaries/deliveries/:id/attached.xlsx", "/unsubscribe/:token", "/calendar.ics", "/changes.atom"}

var fileEndings = []string{".csv", ".xlsx", ".json"}

// routes returns the routes of the page and of its files.
func (p reportPage) routes() []string {
	list := []string{p.route}
	for _, ending := range fileEndings {
		if p.files != "" {
			list = append(list, p.files+ending)
		}
	}
	return list
}

// takesIt reports whether the page takes a parameter.
func (p reportPage) takesIt(param string) bool {
	return p.takes == nil || slices.Contains(p.takes, param)
}

// A new page has to be added to the table above, so that every test over all pages covers
// it.
func TestEveryRouteIsKnown(t *testing.T) {
	t.Parallel()
	server := web.New(web.Options{Reports: sharedReports(t), Access: sharedAccess(t), Desk: sharedReports(t), Collect: nothing})
	known := slices.Clone(otherRoutes)
	for _, p := range everyPage {
		known = append(known, p.routes()...)
	}
	var registered []string
	for _, route := range server.App().GetRoutes(true) {
		if route.Method == "GET" {
			registered = append(registered, route.Path)
		}
	}
	for _, path := range registered {
		if !slices.Contains(known, path) {
			t.Errorf("%s is missing in the tables of pages", path)
		}
	}
	for _, path := range known {
		if !slices.Contains(registered, path) {
			t.Errorf("%s is in the table of pages, and this route does not exist", path)
		}
	}
}

// sharedSite is the usual programme, collected and served, with notes, tags and views.
type sharedSite struct {
	*pipeline
	invitee, subAffiliate string
}

// openSharedSite returns the site that all tests share; a test must not change it.
func openSharedSite(t testing.TB) *sharedSite {
	t.Helper()
	h := *theSharedSite(t)
	h.pipeline = &pipeline{TB: t, pipelineParts: h.pipelineParts}
	return &h
}

var theSharedSite = once(func(t testing.TB) *sharedSite {
	h := &sharedSite{pipeline: openKnown(t)}
	line := h.invitees(url.Values{"range": {"14d"}}).Lines[0]
	h.invitee, h.subAffiliate = string(line.UID), string(h.uids()[0])
	ctx := context.Background()
	for _, err := range []error{
		h.service.AddTag(ctx, line.Account, line.UID, "VIP", audit.Line{Actor: "ann"}),
		h.service.AddTag(ctx, line.Account, line.UID, "calls <b>back</b>", audit.Line{Actor: "ann"}),
		h.service.AddNote(ctx, people.Note{Account: line.Account, UID: line.UID, Text: "Asked for a higher rate."}),
		h.service.SaveView(ctx, identity.View{Name: "Spot of a fortnight", Path: "/commissions", Query: "product=SPOT&range=14d"}),
		h.service.SaveView(ctx, identity.View{Name: "Codes against the week before", Path: "/codes", Query: "compare=previous&range=7d"}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	h.address, _ = serve(t, web.Options{Reports: h.service, Desk: h.service, Collect: nothing, Demo: true, Version: "0.1.0",
		Progress: func() collector.Progress { return collector.Progress{Finished: now} }})
	return h
})

// at returns the address of a route for a known invitee.
func (h *sharedSite) at(route string) string {
	who := h.invitee
	if strings.HasPrefix(route, "/sub-affiliates") {
		who = h.subAffiliate
	}
	return h.address + strings.Replace(route, ":uid", who, 1)
}

// sharedReports returns the reports of the shared site, for tests that need pages of any
// content.
func sharedReports(t testing.TB) *reports.Service {
	t.Helper()
	return openSharedSite(t).service
}
