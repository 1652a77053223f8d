package acceptance_test

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"testing"

	"rebatedesk/access"
	"rebatedesk/reports/query"
	"rebatedesk/store/audit"
	"rebatedesk/web/route"

	"rebatedesk/collector"
	"rebatedesk/reports"
	"rebatedesk/store/identity"
	"rebatedesk/store/people"
	"rebatedesk/web"
)

// reportPage is a page of figures for the tests that cover all pages.
type reportPage struct {
	name    string
	route   string // the registered pattern
	files   string // pattern of the export route, without the extension; empty if the page has none
	accepts query.AcceptedParams
	lasts   bool // a page number beyond the last one is answered with the number of pages, not with an error
}

// everyPage lists all pages of figures, as the routes state them.
var everyPage = func() (list []reportPage) {
	routes := web.New(web.Options{Access: new(access.Service), Desk: new(reports.Service), Collect: nothing}).Routes()
	for _, r := range routes {
		if r.Figures {
			files := r.Helps.Files
			if slices.ContainsFunc(routes, func(file route.Route) bool { return file.Path == r.Path+".xlsx" }) {
				files = r.Path // of another feature
			}
			list = append(list, reportPage{name: strings.ToLower(r.Helps.Name), route: r.Path, files: files, accepts: r.Accepts,
				lasts: slices.Contains([]string{"/collection", "/worklist"}, r.Path)})
		}
	}
	return list
}()

// hasFigures reports whether a route is a page of figures.
func hasFigures(route string) bool {
	return slices.ContainsFunc(everyPage, func(p reportPage) bool { return p.route == route })
}

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
func (p reportPage) takesIt(param string) bool { return p.accepts.Takes(param) }

// Nothing answers that is not a route, and each page of the navigation is one of them.
func TestEveryRouteIsStated(t *testing.T) {
	t.Parallel()
	server := web.New(web.Options{Reports: sharedReports(t), Access: sharedAccess(t), Desk: sharedReports(t), Collect: nothing})
	var stated, listed []string
	for _, r := range server.Routes() {
		stated = append(stated, r.Method+" "+r.Path)
		for _, item := range r.Listing() {
			path, _, _ := strings.Cut(item.Path, "#")
			listed = append(listed, "GET "+path)
		}
	}
	for _, r := range server.App().GetRoutes(true) {
		if r.Method != "HEAD" && !slices.Contains(stated, r.Method+" "+r.Path) {
			t.Errorf("%s %s answers and is no route", r.Method, r.Path)
		}
	}
	for _, address := range listed {
		if !slices.Contains(stated, address) {
			t.Errorf("%s is in the navigation or the search, and is no route", address)
		}
	}
	if len(everyPage) < 25 || len(listed) < 40 {
		t.Errorf("%d pages of figures and %d entries", len(everyPage), len(listed))
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
