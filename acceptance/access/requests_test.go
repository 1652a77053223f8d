package access_test

import (
	"bytes"
	"context"
	"encoding/json"
	"html"
	"log/slog"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/collector"
	"rebatedesk/web"
	"rebatedesk/web/handler"
)

var staticPath = regexp.MustCompile(`"(/static/[^"]+)"`)

// staticPaths returns the addresses of the static files on a page.
func staticPaths(page string) []string {
	var paths []string
	for _, match := range staticPath.FindAllStringSubmatch(page, -1) {
		paths = append(paths, match[1])
	}
	return paths
}

func TestPageNamesFiveStaticFiles(t *testing.T) {
	t.Parallel()
	address, _ := site.Serve(t, web.Options{Reports: site.SharedReports(t)})
	if paths := staticPaths(site.Get(t, address+"/").Body); len(paths) != 5 {
		t.Errorf("the overview requests %v, want icon, style, app, htmx and charts", paths)
	}
}

// No script delays the first drawing of a page, and the script of charts loads only after
// a reader interacts. The page itself contains the theme, because a script would set it
// too late.
func TestNoScriptBlocks(t *testing.T) {
	t.Parallel()
	address, _ := site.Serve(t, web.Options{Reports: site.SharedReports(t)})
	scripts := regexp.MustCompile(`<script[^>]* src=[^>]*>`).FindAllString(site.Get(t, address+"/").Body, -1)
	if len(scripts) != 1 || !strings.Contains(scripts[0], " defer") || strings.Contains(scripts[0], "charts") {
		t.Errorf("the overview loads %v", scripts)
	}
	cookie := site.SignedIn(t, access.Viewer)
	for theme, want := range map[string]string{"dark": `data-theme="dark"`, "light": `data-theme="light"`} {
		if page := site.Get(t, address+"/", "Cookie", cookie+"; theme="+theme).Body; !strings.Contains(page, want) {
			t.Errorf("with the theme %s the page begins %.200q", theme, page)
		}
	}
	if page := site.Get(t, address+"/", "Cookie", cookie+`; theme="><script>`).Body; strings.Contains(page[:400], "data-theme") {
		t.Errorf("the page accepts any theme: %.200q", page)
	}
}

func TestHosts(t *testing.T) {
	t.Parallel()
	address, _ := site.Serve(t, web.Options{Reports: site.SharedReports(t)})
	for host, want := range map[string]int{
		"localhost": 200, "LOCALHOST:8080": 200, "127.0.0.1": 200, "127.0.0.1:1": 200, "[::1]:8080": 200, "[::1]": 200,
		"localhost.example": 421, "127.0.0.1.example:80": 421, "192.168.1.4": 421, "0.0.0.0": 421, "example.com": 421,
	} {
		// A client can write anything into a forwarding header.
		a := site.Get(t, address+"/", "Host", host, "X-Forwarded-Host", "localhost")
		if a.StatusCode != want {
			t.Errorf("Host %s: status %d, want %d", host, a.StatusCode, want)
		}
		if want == 421 && (strings.Contains(a.Body, "<") || !strings.Contains(a.Body, "localhost")) {
			t.Errorf("Host %s received more than the right address: %s", host, a.Body)
		}
	}
}

func TestCrossSite(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	address, server := site.Serve(t, web.Options{Reports: site.SharedReports(t), Collect: func(context.Context) error { calls.Add(1); return nil }})
	own := strings.TrimPrefix(address, "http://")
	cases := []struct {
		headers []string
		status  int
	}{
		{[]string{"Sec-Fetch-Site", "same-origin"}, 303},
		{[]string{"Sec-Fetch-Site", "none"}, 303},
		{[]string{"Origin", "http://" + own}, 303},
		{nil, 303},
		{[]string{"Sec-Fetch-Site", "cross-site", "Origin", "http://" + own}, 403},
		{[]string{"Sec-Fetch-Site", "same-site"}, 403},
		{[]string{"Origin", "http://evil.example"}, 403},
		{[]string{"Origin", "null"}, 403},
	}
	for _, c := range cases {
		a := collect(t, address, c.headers...)
		if a.StatusCode != c.status {
			t.Errorf("%v: status %d, want %d", c.headers, a.StatusCode, c.status)
		}
		if c.status == 303 && a.Header.Get("Location") != "/collection" {
			t.Errorf("%v: links to %q", c.headers, a.Header.Get("Location"))
		}
	}
	site.Shutdown(t, server)
	if n := calls.Load(); n < 1 || n > 4 {
		t.Errorf("the collection was started %d times by four accepted requests", n)
	}
}

// Links from other sites work; pages of other sites cannot embed images and scripts from
// here.
func TestCrossSiteReading(t *testing.T) {
	t.Parallel()
	address, _ := site.Serve(t, web.Options{Reports: site.SharedReports(t)})
	for _, c := range []struct {
		mode, into string
		status     int
	}{{"navigate", "document", 200}, {"navigate", "", 200}, {"navigate", "iframe", 403}, {"navigate", "object", 403}, {"no-cors", "image", 403}, {"no-cors", "", 403}, {"cors", "empty", 403}, {"", "", 403}} {
		for _, path := range []string{"/", "/commissions.csv"} {
			if a := site.Send(t, "GET", address+path, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", c.mode, "Sec-Fetch-Dest", c.into); a.StatusCode != c.status {
				t.Errorf("%s in mode %q into %q: status %d, want %d", path, c.mode, c.into, a.StatusCode, c.status)
			}
		}
	}
}

// Only one collection runs at a time, and a panic in it does not end the server.
func TestCollectNowRunsOnce(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	release := make(chan struct{})
	address, server := site.Serve(t, web.Options{Reports: site.SharedReports(t), Collect: func(context.Context) error {
		calls.Add(1)
		<-release
		panic("a fault of the collector")
	}})
	for range 5 {
		collect(t, address)
	}
	close(release)
	site.Shutdown(t, server)
	if calls.Load() != 1 || server.Panics() != 1 {
		t.Errorf("%d collections and %d panics, want one of each", calls.Load(), server.Panics())
	}
}

func TestNoCollectWithoutCollector(t *testing.T) {
	t.Parallel()
	address, _ := site.Serve(t, web.Options{Reports: site.SharedReports(t)})
	if got := site.Send(t, "POST", address+"/collection/collect").StatusCode; got != 404 {
		t.Errorf("status %d, want 404", got)
	}
	if page := site.Get(t, address+"/collection").Body; strings.Contains(page, "Collect now") {
		t.Error("the page offers a collection that the server does not have")
	}
}

// The error about an invalid value names the parameter, the value and the correction, and
// links to the page without it.
func TestBadQueries(t *testing.T) {
	t.Parallel()
	address, _ := site.Serve(t, web.Options{Reports: site.SharedReports(t)})
	cases := []struct{ path, param, value, mend, back string }{
		{"/?range=forever&coin=BTC", "range", "forever", "is none of today, yesterday", "/?coin=BTC"},
		{"/commissions?sort=name", "sort", "name", "cannot be sorted by", "/commissions"},
		{"/commissions?per=5000", "per", "5000", "whole number from 1 to 500", "/commissions"},
		{"/?colour=red", "colour", "red", "there is no such parameter", "/"},
		{"/?coin=BTC&coin=ETH", "coin", "ETH", "more than once", "/"},
		{"/collection?range=x", "range", "x", "is none of", "/collection"},
		{"/?sort=-commission&coin=BTC", "sort", "-commission", "one order only", "/?coin=BTC"},
		{"/?uid=%3Cscript%3E", "uid", "<script>", "is not a UID", "/"},
	}
	for _, c := range cases {
		a := site.Get(t, address+c.path)
		if a.StatusCode != 400 {
			t.Errorf("%s: status %d, want 400", c.path, a.StatusCode)
		}
		for _, want := range []string{">" + c.param + "<", ">" + html.EscapeString(c.value) + "<", c.mend, `href="` + html.EscapeString(c.back) + `"`} {
			if !strings.Contains(a.Body, want) {
				t.Errorf("%s: the page does not say %q", c.path, want)
			}
		}
	}
	a := site.Get(t, address+"/commissions.json?range=forever")
	var said struct {
		Error struct {
			Status                int
			Param, Value, Message string
		}
	}
	if err := json.Unmarshal([]byte(a.Body), &said); err != nil {
		t.Fatalf("%v: %s", err, a.Body)
	}
	if e := said.Error; a.StatusCode != 400 || e.Status != 400 || e.Param != "range" || e.Value != "forever" || !strings.HasPrefix(e.Message, `range="forever": is none of`) {
		t.Errorf("a program received %s", a.Body)
	}
}

func TestPanicsEndOneRequest(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	address, server := site.Serve(t, web.Options{Reports: panicking(t), Log: slog.New(slog.NewTextHandler(&log, nil))})
	a := site.Get(t, address+"/")
	reference := regexp.MustCompile(`Reference for the log: ([0-9a-f]{12})`).FindStringSubmatch(a.Body)
	if a.StatusCode != 500 || reference == nil {
		t.Fatalf("status %d without a reference: %s", a.StatusCode, a.Body)
	}
	if site.Get(t, address+"/healthz").Body != "ok\n" {
		t.Error("the server no longer answers")
	}
	site.Shutdown(t, server)
	if server.Panics() != 1 || !strings.Contains(log.String(), "a fault of the fixture") || !strings.Contains(log.String(), reference[1]) {
		t.Errorf("%d panics counted, the log contains\n%s", server.Panics(), log.String())
	}
}

func TestReadiness(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		checks []web.HealthCheck
		status int
		body   string
	}{
		{nil, 200, "ready\n"},
		{[]web.HealthCheck{{Name: "database"}, {Name: "last backup", Fault: "is too old"}}, 200, "ready\ndatabase: ok\nlast backup: failed: is too old\n"},
		{[]web.HealthCheck{{Name: "database", Fault: "does not answer", Fatal: true}, {Name: "disk space"}}, 503, "not ready\ndatabase: failed: does not answer\ndisk space: ok\n"},
	} {
		address, _ := site.Serve(t, web.Options{Reports: site.SharedReports(t), Checks: func(context.Context) ([]web.HealthCheck, handler.HealthFacts) { return c.checks, handler.HealthFacts{} }})
		// Probes use the address of the server because they do not know its name.
		if a := site.Get(t, address+"/readyz", "Host", "10.1.2.3", "Accept", "text/plain"); a.StatusCode != c.status || a.Body != c.body {
			t.Errorf("%+v: %d %q, want %d %q", c.checks, a.StatusCode, a.Body, c.status, c.body)
		}
	}
}

// Without a wish of the client the answer is JSON.
func TestReadinessAsJSON(t *testing.T) {
	t.Parallel()
	address, _ := site.Serve(t, web.Options{Reports: site.SharedReports(t), Checks: func(context.Context) ([]web.HealthCheck, handler.HealthFacts) {
		return []web.HealthCheck{{Name: "database", Fault: "does not answer", Fatal: true}}, handler.HealthFacts{Node: "one"}
	}})
	want := `{"state":"not ready","node":"one","checks":[{"name":"database","ok":false,"fatal":true,"fault":"does not answer"}],"leases":{}}`
	for _, accept := range []string{"", "*/*", "application/json"} {
		a := site.Get(t, address+"/readyz", "Accept", accept)
		if a.StatusCode != 503 || a.Body != want || a.Header.Get("Content-Type") != "application/json" {
			t.Errorf("Accept %q: %d %s %s", accept, a.StatusCode, a.Header.Get("Content-Type"), a.Body)
		}
	}
}

// The server checks itself at a fixed rate, independently of how often it is asked.
func TestReadinessIsCheckedAtAFixedRate(t *testing.T) {
	t.Parallel()
	var looked atomic.Int64
	address, _ := site.Serve(t, web.Options{Reports: site.SharedReports(t), Checks: func(context.Context) ([]web.HealthCheck, handler.HealthFacts) {
		looked.Add(1)
		return nil, handler.HealthFacts{}
	}})
	began := time.Now()
	for range 50 {
		site.Get(t, address+"/readyz")
	}
	if most := 1 + int64(time.Since(began)/(2*time.Second)); looked.Load() < 1 || looked.Load() > most {
		t.Errorf("50 requests caused %d checks, want at most %d", looked.Load(), most)
	}
}

// The status bar tells the page when its figures are outdated.
func TestProgressEvents(t *testing.T) {
	t.Parallel()
	state := site.Running()
	address, _ := site.Serve(t, web.Options{Reports: site.SharedReports(t), Progress: func() collector.Progress { return state }})
	a := site.Get(t, address+"/collection/progress?seen=running")
	if a.Header.Get("HX-Trigger") != "collecting" || !strings.Contains(a.Body, `value="42"`) || !strings.Contains(a.Body, `hx-trigger="every 4s"`) {
		t.Errorf("during the collection: %q\n%s", a.Header.Get("HX-Trigger"), a.Body)
	}
	state = collector.Progress{Finished: time.UnixMilli(1_795_183_500_000)}
	if a = site.Get(t, address+"/collection/progress?seen=running"); a.Header.Get("HX-Trigger") != "collected" {
		t.Errorf("after the collection: %q", a.Header.Get("HX-Trigger"))
	}
	seen := regexp.MustCompile(`seen=(\w+)`).FindStringSubmatch(a.Body)
	if seen == nil || seen[1] != "1795183500000" {
		t.Fatalf("the bar does not remember the version that it has seen: %s", a.Body)
	}
	if a = site.Get(t, address+"/collection/progress?seen="+seen[1]); a.Header.Get("HX-Trigger") != "" {
		t.Errorf("without news: %q", a.Header.Get("HX-Trigger"))
	}
}

// Links of a page keep the query and change one parameter.
func TestLinksKeepTheQuestion(t *testing.T) {
	t.Parallel()
	address, _ := site.Serve(t, web.Options{Reports: site.SharedReports(t)})
	page := html.UnescapeString(site.Get(t, address+"/commissions?range=14d&product=FUTURES&page=2").Body)
	for _, want := range []string{
		`href="/commissions?page=3&product=FUTURES&range=14d"`,             // next page
		`href="/commissions?product=FUTURES&range=14d&sort=-commission"`,   // sort
		`href="/commissions?product=FUTURES&range=14d&sort=time"`,          // reverse order
		`href="/commissions?from=2026-10-24&product=FUTURES&to=2026-11-06`, // previous period
		`href="/commissions.csv?product=FUTURES&range=14d"`,                // export without the page number
		`href="/commissions?range=14d"`,                                    // without a filter
		`href="/?range=14d"`,                                               // another page with the same range
		`aria-sort="descending"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}
