package pages_test

import (
	"context"
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"

	"rebatedesk/acceptance/site"
	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/reports"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/identity"
	"rebatedesk/store/people"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/web"
)

// hostileName is an account name that the configuration would refuse.
const hostileName = affiliate.Account(`main<img src=x onerror=window.pwned=1>`)

// writeHostileTexts adds what users write, as hostile as it can be.
func writeHostileTexts(t *testing.T, service *reports.Service) {
	t.Helper()
	for i, text := range site.Hostile {
		uid := affiliate.UID(hostileUIDs[i])
		for _, err := range []error{
			service.AddTag(t.Context(), hostileName, uid, text, audit.Line{Actor: "ann"}),
			service.AddNote(t.Context(), people.Note{Account: hostileName, UID: uid, Text: text}),
			service.SaveView(t.Context(), identity.View{Name: text, Path: "/commissions", Query: url.Values{"q": {text}, "code": {site.HostileNames[(i+1)%len(site.HostileNames)]}}.Encode()}),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// hostileSite serves real reports over a database in which every text from the exchange,
// a user or an error is hostile.
func hostileSite(t *testing.T) string {
	t.Helper()
	clock := func() time.Time { return site.Now }
	st, err := store.Open(context.Background(), storetest.Empty(t), store.Options{Now: clock, AuditKey: storetest.AuditKey})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	writeHostile(t, st)
	service := reports.New(st, clock)
	writeHostileTexts(t, service)
	address, _ := site.Serve(t, web.Options{Reports: service, Desk: service, Collect: site.Nothing, Progress: hostileProgress})
	return address
}

func hostileProgress() collector.Progress {
	return collector.Progress{Failures: []collector.Failure{{Account: hostileName, Error: strings.Join(site.HostileNames, " ")}}, Several: true, Finished: site.Now, Account: hostileName}
}

// hostileUIDs holds the hostile names, and one UID that has a page.
var hostileUIDs = append([]string{"4667776811"}, site.HostileNames...)

// writeHostile stores two readings, of which the second changed amounts, and a third that
// failed.
func writeHostile(t *testing.T, st *store.Store) {
	t.Helper()
	today := affiliate.DayOf(site.Now, time.UTC)
	span := affiliate.Days{First: today - affiliate.Day(len(site.HostileNames)), Last: today}
	if err := st.WantFrom(t.Context(), hostileName, span.First); err != nil {
		t.Fatal(err)
	}
	run, err := records.StartRun(t.Context(), st, hostileName, site.Hostile[0])
	if err != nil {
		t.Fatal(err)
	}
	write := func(stream affiliate.Stream, write func(records.Slice) error) {
		t.Helper()
		slice := records.Slice{Account: hostileName, Stream: stream, Days: span, Run: run, Started: site.Now, Through: affiliate.MillisOf(site.Now)}
		if err := write(slice); err != nil {
			t.Fatal(err)
		}
	}
	for _, amount := range []affiliate.Number{"12.5", "7"} {
		for _, product := range affiliate.Products() {
			write(affiliate.Stream{Kind: affiliate.Commissions, Product: product}, func(s records.Slice) error {
				_, err := records.ReplaceCommissions(t.Context(), st, s, hostileRecords(today, product, amount))
				return err
			})
			write(affiliate.Stream{Kind: affiliate.SubAffiliates, Product: product}, func(s records.Slice) error {
				var days []affiliate.SubAffiliateDay
				for i, text := range hostileUIDs {
					days = append(days, affiliate.SubAffiliateDay{UID: affiliate.UID(text), Product: product, Date: today - affiliate.Day(i),
						TradingVolume: "1000", NetTradingFee: "10", PaidCommission: amount})
				}
				_, err := records.ReplaceSubAffiliateDays(t.Context(), st, s, days)
				return err
			})
		}
		write(affiliate.Stream{Kind: affiliate.Invitees}, func(s records.Slice) error {
			var list []affiliate.Invitee
			for i, text := range hostileUIDs { // a different invite code each time
				list = append(list, affiliate.Invitee{UID: affiliate.UID(text), InviteCode: site.HostileNames[(i+len(amount))%len(site.HostileNames)], RegisterTime: affiliate.MillisOf((today - affiliate.Day(i)).Start(time.UTC))})
			}
			_, err := records.ReplaceInvitees(t.Context(), st, s, list)
			return err
		})
	}
	write(affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Spot}, func(s records.Slice) error {
		return records.FailSlice(t.Context(), st, s, strings.Join(site.HostileNames, " "))
	})
	if err := records.FinishRun(t.Context(), st, run, 1, 1, strings.Join(site.HostileNames, " ")); err != nil {
		t.Fatal(err)
	}
}

func hostileRecords(today affiliate.Day, product affiliate.Product, amount affiliate.Number) []affiliate.Commission {
	var records []affiliate.Commission
	for i, text := range hostileUIDs {
		for n := range 3 {
			records = append(records, affiliate.Commission{
				DealTime: affiliate.MillisOf((today - affiliate.Day(i)).Start(time.UTC)) + affiliate.Millis(n), UID: affiliate.UID(text), Product: product,
				Symbol: site.HostileNames[(i+n)%len(site.HostileNames)], Coin: affiliate.Coin(site.Hostile[n]), Source: affiliate.Source(site.HostileNames[(i+1)%len(site.HostileNames)]),
				TakerAmount: "100", MakerAmount: "50", Fee: "20", Rate: "0.4", Commission: amount,
			})
		}
	}
	return records
}

var linked = regexp.MustCompile(`(?:href|hx-get)="(/[^"]*)"`)

// crawled starts from the table of pages and follows links. It returns addresses that
// answer with a page: four of each route, each with a different set of parameters.
func crawled(t *testing.T, address string) []string {
	t.Helper()
	var queue, pages []string
	for _, p := range site.EveryPage {
		if !strings.Contains(p.Route, ":uid") {
			queue = append(queue, p.Route, p.Route+"?"+url.Values{"range": {"14d"}}.Encode())
		}
	}
	seen, alike, of := map[string]bool{}, map[string]bool{}, map[string]int{}
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		route, asks := shape(path)
		if seen[path] || !hasFigures(route) && !strings.HasPrefix(route, "/months/") || alike[route+asks] || of[route] == 4 {
			continue
		}
		seen[path] = true
		a := site.Get(t, address+path)
		if a.StatusCode >= 500 {
			t.Errorf("%s: status %d", path, a.StatusCode)
		}
		if a.StatusCode != 200 || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
			continue
		}
		alike[route+asks] = true
		of[route]++
		pages = append(pages, path)
		for _, link := range linked.FindAllStringSubmatch(a.Body, -1) {
			queue = append(queue, html.UnescapeString(link[1]))
		}
	}
	return pages
}

// monthPath matches the address of a month, each of which leads to the one before.
var monthPath = regexp.MustCompile(`^/months/\d{4}-\d{2}(.*)$`)

// shape returns what distinguishes the layout of a page: its route and its parameters,
// except those of days and order.
func shape(address string) (route, asks string) {
	u, err := url.Parse(address)
	if err != nil {
		return address, ""
	}
	route = monthPath.ReplaceAllString(u.Path, "/months/YYYY-MM$1")
	for _, list := range []string{"/invitees/", "/sub-affiliates/"} {
		if strings.HasPrefix(route, list) {
			route = list + ":uid"
		}
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(u.Query())), func(name string) bool {
		return slices.Contains([]string{"range", "from", "to", "sort", "compare", "page"}, name)
	})
	return route, "?" + strings.Join(names, "&")
}

// No text of the exchange, of users or of errors becomes markup of any page.
func TestNothingHostileBecomesMarkup(t *testing.T) {
	t.Parallel()
	address := hostileSite(t)
	pages := hostilePages(t, address)
	told := 0
	for _, path := range pages {
		page := site.Get(t, address+path).Body
		if found := site.ForeignMarkup(page); len(found) > 0 {
			t.Errorf("%s: a text became markup: %.300q", path, found)
		}
		if strings.Contains(page, "window.pwned") {
			told++
		}
	}
	if t.Logf("%d pages, %d of them with a hostile text", len(pages), told); told < len(pages)/2 {
		t.Errorf("only %d of %d pages have a hostile text", told, len(pages))
	}
}

// Neither do scripts of a page run such a text or make it an element: each page is looked at without the
// content security policy, which has nothing to block.
func TestBrowserNothingHostileRuns(t *testing.T) {
	site.AllBrowsers(t, "TestNothingHostileBecomesMarkup reads the same pages")
	t.Parallel()
	address := hostileSite(t)
	without := reportOnly(t, address)
	b := site.Open(t, address+"/views", site.Desktop)
	site.Call(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: `window.violations = []; addEventListener("securitypolicyviolation", e => violations.push(e.violatedDirective + " " + e.blockedURI))`})
	seen := map[string]int{}
	for _, path := range hostilePages(t, address) {
		if route, _ := shape(path); seen[route] < 2 { // alone, and with most parameters
			seen[route]++
			b.Goes(without + path)
			b.Until(allThere)
			if found := site.Eval[[]string](b, site.Foreign); len(found) > 0 || site.Eval[bool](b, `"pwned" in window`) {
				t.Errorf("%s: a text became an element of the page: %q", path, found)
			}
			if found := site.Eval[[]string](b, `window.violations`); len(found) > 0 {
				t.Errorf("%s: the policy would block something: %q", path, found)
			}
		}
	}
}

// hostilePages are the addresses of pages of each layout, and of what users type into their searches.
func hostilePages(t *testing.T, address string) []string {
	t.Helper()
	pages := crawled(t, address)
	for _, p := range site.EveryPage {
		if !slices.ContainsFunc(pages, func(path string) bool { route, _ := shape(path); return route == p.Route }) {
			t.Errorf("no link leads to %s", p.Name)
		}
	}
	typed := url.QueryEscape(site.Hostile[0])
	return append([]string{"/?q=" + typed, "/commissions?q=" + typed}, pages...)
}

// reportOnly serves the answers of another server with a content security policy that
// only reports.
func reportOnly(t *testing.T, address string) string {
	t.Helper()
	to, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.ModifyResponse = func(r *http.Response) error {
		const enforced = "Content-Security-Policy"
		r.Header.Set(enforced+"-Report-Only", r.Header.Get(enforced)+"; report-uri /healthz") // without a report address the browser reports nothing
		r.Header.Del(enforced)
		return nil
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL
}

// allThere reports whether the charts are drawn and no request is pending.
const allThere = `(() => {
	dispatchEvent(new Event("pointermove"));
	const chart = document.querySelector("[data-chart]:not(:has(canvas))");
	chart?.scrollIntoView({block: "nearest"});
	return chart === null && document.querySelector(".htmx-request") === null;
})()`
