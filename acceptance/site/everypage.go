package site

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

// ReportPage is a page of figures for the tests that cover all pages.
type ReportPage struct {
	Name    string
	Route   string // the registered pattern
	Files   string // pattern of the export route, without the extension; empty if the page has none
	accepts query.AcceptedParams
	Lasts   bool // a page number beyond the last one is answered with the number of pages, not with an error
}

// EveryPage lists all pages of figures, as the routes state them.
var EveryPage = func() (list []ReportPage) {
	routes := web.New(web.Options{Access: new(access.Service), Desk: new(reports.Service), Collect: Nothing}).Routes()
	for _, r := range routes {
		if r.Figures {
			files := r.Helps.Files
			if slices.ContainsFunc(routes, func(file route.Route) bool { return file.Path == r.Path+".xlsx" }) {
				files = r.Path // of another feature
			}
			list = append(list, ReportPage{Name: strings.ToLower(r.Helps.Name), Route: r.Path, Files: files, accepts: r.Accepts,
				Lasts: slices.Contains([]string{"/collection", "/worklist"}, r.Path)})
		}
	}
	return list
}()

var FileEndings = []string{".csv", ".xlsx", ".json"}

// Routes returns the routes of the page and of its files.
func (p ReportPage) Routes() []string {
	list := []string{p.Route}
	for _, ending := range FileEndings {
		if p.Files != "" {
			list = append(list, p.Files+ending)
		}
	}
	return list
}

// TakesIt reports whether the page takes a parameter.
func (p ReportPage) TakesIt(param string) bool { return p.accepts.Takes(param) }

// sharedSite is the usual programme, collected and served, with notes, tags and views.
type sharedSite struct {
	*Pipeline
	Invitee, subAffiliate string
}

// OpenSharedSite returns the site that all tests share; a test must not change it.
func OpenSharedSite(t testing.TB) *sharedSite {
	t.Helper()
	h := *theSharedSite(t)
	h.Pipeline = &Pipeline{TB: t, PipelineParts: h.PipelineParts}
	return &h
}

var theSharedSite = once(func(t testing.TB) *sharedSite {
	h := &sharedSite{Pipeline: OpenKnown(t)}
	line := h.Invitees(url.Values{"range": {"14d"}}).Lines[0]
	h.Invitee, h.subAffiliate = string(line.UID), string(h.Uids()[0])
	ctx := context.Background()
	for _, err := range []error{
		h.Service.AddTag(ctx, line.Account, line.UID, "VIP", audit.Line{Actor: "ann"}),
		h.Service.AddTag(ctx, line.Account, line.UID, "calls <b>back</b>", audit.Line{Actor: "ann"}),
		h.Service.AddNote(ctx, people.Note{Account: line.Account, UID: line.UID, Text: "Asked for a higher rate."}),
		h.Service.SaveView(ctx, identity.View{Name: "Spot of a fortnight", Path: "/commissions", Query: "product=SPOT&range=14d"}),
		h.Service.SaveView(ctx, identity.View{Name: "Codes against the week before", Path: "/codes", Query: "compare=previous&range=7d"}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	h.Address, _ = Serve(t, web.Options{Reports: h.Service, Desk: h.Service, Collect: Nothing, Demo: true, Version: "0.1.0",
		Progress: func() collector.Progress { return collector.Progress{Finished: Now} }})
	return h
})

// At returns the address of a route for a known invitee.
func (h *sharedSite) At(route string) string {
	who := h.Invitee
	if strings.HasPrefix(route, "/sub-affiliates") {
		who = h.subAffiliate
	}
	return h.Address + strings.Replace(route, ":uid", who, 1)
}

// SharedReports returns the reports of the shared site, for tests that need pages of any
// content.
func SharedReports(t testing.TB) *reports.Service {
	t.Helper()
	return OpenSharedSite(t).Service
}

// Query returns the query of the browser tests for each page: days that have records,
// and few rows, because the Tab key walks to every link.
func (p ReportPage) Query() string {
	values := []string{}
	for _, pair := range []string{"range=14d", "compare=previous", "per=5"} {
		if name, _, _ := strings.Cut(pair, "="); p.TakesIt(name) {
			values = append(values, pair)
		}
	}
	return "?" + strings.Join(values, "&")
}
