package acceptance_test

import (
	"context"
	"fmt"
	"html"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rebatedesk/reports"
	"rebatedesk/store"
	"rebatedesk/store/identity"
	"rebatedesk/web"
)

// hostile holds texts that would run or mislead if they were not treated as text.
var hostile = []string{
	`</script><script>window.pwned=1</script>`, `"><img src=x onerror=window.pwned=1>`, `' onfocus='window.pwned=1' autofocus='`,
	`javascript:window.pwned=1`, `=cmd|' /C calc'!A0`, "🧿{{7*7}}${7*7}", `%3Cscript%3E`, `a/../../b?c#d`,
}

// hostileNames holds names that only others may send: they contain invisible characters,
// which users cannot write into their names.
var hostileNames = append(slices.Clone(hostile), "\u202egnp\u2066.\u200be\ufeffxe")

func TestViewIsSavedAndOpened(t *testing.T) {
	t.Parallel()
	address, service := serveEditable(t)
	a := get(t, address+"/commissions?product=FUTURES&sort=-commission&page=2")
	asked := html.UnescapeString(between(t, a.body, `name="query" value="`, `"`))
	if asked != "product=FUTURES&range=30d&sort=-commission" {
		t.Fatalf("the page would save %q: want its range, and no page number", asked)
	}
	token := tokenOf(t, address)
	a = post(t, address+"/views", nil, "token", token, "name", "Futures, best first", "path", "/commissions", "query", asked)
	if want := "/commissions?product=FUTURES&range=30d&sort=-commission"; a.StatusCode != 303 || a.Header.Get("Location") != want {
		t.Fatalf("status %d leads to %q, want %q", a.StatusCode, a.Header.Get("Location"), want)
	}
	page := get(t, address+a.Header.Get("Location")).body
	for _, want := range []string{`<bdi class="sr-only max-w-44 truncate sm:not-sr-only" title="Futures, best first">`, `aria-current="true"`, "Of this page"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page that shows the view lacks %s", want)
		}
	}
	if page := get(t, address+"/").body; !strings.Contains(page, "Of other pages") || !strings.Contains(page, "Futures, best first") {
		t.Error("another page does not offer the view")
	}
	views, err := service.Views(context.Background(), "manager")
	if err != nil || len(views) != 1 || views[0].Owner != "manager" || views[0].Default {
		t.Errorf("saved are %+v (%v)", views, err)
	}
}

func between(t *testing.T, text, before, after string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, before)
	middle, _, closed := strings.Cut(rest, after)
	if !found || !closed {
		t.Fatalf("there is no %s", before)
	}
	return middle
}

// The bare address of a page opens its default view. An address with parameters is used
// unchanged, and every page has a link to itself without a view.
func TestDefaultView(t *testing.T) {
	t.Parallel()
	address, service := serveEditable(t)
	done(t, service.SaveView(context.Background(), identity.View{Name: "v", Path: "/commissions", Query: "product=SPOT&range=mtd", Default: true}))
	for path, want := range map[string]string{
		"/commissions":             "/commissions?product=SPOT&range=mtd",
		"/commissions?range=30d":   "",
		"/commissions?q=":          "",
		"/commissions.json":        "",
		"/":                        "",
		"/collection/restatements": "",
	} {
		a := get(t, address+path)
		if want == "" && a.StatusCode != 200 || want != "" && (a.StatusCode != 302 || a.Header.Get("Location") != want) {
			t.Errorf("%s: status %d leads to %q, want %q", path, a.StatusCode, a.Header.Get("Location"), want)
		}
	}
	for _, c := range []struct {
		headers []string
		status  int
	}{{[]string{"HX-Request", "true", "HX-Boosted", "true"}, 302}, {[]string{"HX-Request", "true"}, 200}} {
		if a := get(t, address+"/commissions", c.headers...); a.StatusCode != c.status {
			t.Errorf("%v: status %d, want %d", c.headers, a.StatusCode, c.status)
		}
	}
	// Every link of the page keeps a parameter, because the bare address would open the
	// view.
	page := get(t, address+"/commissions?product=SPOT").body
	main, _, _ := strings.Cut(page[strings.Index(page, "<main"):], "</main>")
	for _, at := range regexp.MustCompile(`(href|hx-get)="/commissions"[^>]*>`).FindAllString(main, -1) {
		t.Errorf("a link of the page has the bare address: %s", at)
	}
	for _, want := range []string{`<a class="option text-muted" href="/commissions?range=30d">Without a view`, `type="hidden" name="range" value="30d"`, `href="/commissions?range=30d" aria-label="Remove the filter Product"`} {
		if !strings.Contains(main, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	token := tokenOf(t, address)
	id := viewID(t, address, "default")
	if a := post(t, address+"/views/"+id+"/default", nil, "token", token, "default", "no", "version", viewVersion(t, address, id)); a.StatusCode != 303 || a.Header.Get("Location") != "/views" {
		t.Errorf("status %d leads to %q", a.StatusCode, a.Header.Get("Location"))
	}
	if a := get(t, address+"/commissions"); a.StatusCode != 200 {
		t.Errorf("no default any more: status %d, want 200", a.StatusCode)
	}
	post(t, address+"/views/"+id+"/default", nil, "token", token, "version", viewVersion(t, address, id))
	if a := get(t, address+"/commissions"); a.StatusCode != 302 {
		t.Errorf("the default again: status %d, want 302", a.StatusCode)
	}
}

// viewID returns the id of the first view on the page of views.
func viewID(t *testing.T, address, action string) string {
	t.Helper()
	page := get(t, address+"/views").body
	id, _, _ := strings.Cut(between(t, page, `action="/views/`, `"`), "/")
	if !strings.Contains(page, `action="/views/`+id+"/"+action+`"`) {
		t.Fatalf("the page does not offer %s of view %s", action, id)
	}
	return id
}

// viewVersion returns the version of a view on the page of views.
func viewVersion(t *testing.T, address, id string) string {
	t.Helper()
	return versionOf(get(t, address+"/views").body, "/views/"+id+"/name")
}

func done(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestViewIsRenamedAndDeleted(t *testing.T) {
	t.Parallel()
	address, service := serveEditable(t)
	done(t, service.SaveView(context.Background(), identity.View{Name: "old", Path: "/", Query: "range=7d"}))
	done(t, service.SaveView(context.Background(), identity.View{Name: "other", Path: "/", Query: "range=90d"}))
	token, id := tokenOf(t, address), viewID(t, address, "name")
	if a := post(t, address+"/views/"+id+"/name", nil, "token", token, "name", " new ", "version", viewVersion(t, address, id)); a.StatusCode != 303 {
		t.Errorf("renaming: status %d", a.StatusCode)
	}
	for name, want := range map[string]string{"other": "another view of this page", "": "empty", strings.Repeat("x", 81): "longer than 80", "a\nb": "control characters"} {
		a := post(t, address+"/views/"+id+"/name", []string{"Referer", address + "/views"}, "token", token, "name", name, "version", viewVersion(t, address, id))
		if a.StatusCode != 400 || !strings.Contains(a.body, want) || !strings.Contains(a.body, `role="alert"`) || !strings.Contains(a.body, "/views/"+id+"/name") {
			t.Errorf("renaming to %.20q: status %d without %q beside the form", name, a.StatusCode, want)
		}
	}
	if page := get(t, address+"/views").body; !strings.Contains(page, ">new</bdi>") || strings.Contains(page, ">old</bdi>") {
		t.Error("the page does not show the new name")
	}
	version := viewVersion(t, address, id)
	for range 2 { // the second is a double click
		if a := post(t, address+"/views/"+id+"/delete", nil, "token", token, "version", version); a.StatusCode != 303 || a.Header.Get("Location") != "/views" {
			t.Errorf("deleting: status %d leads to %q", a.StatusCode, a.Header.Get("Location"))
		}
	}
	for path, want := range map[string]int{"/views/" + id + "/name": 404, "/views/999/default": 404, "/views/x/delete": 404, "/views/-1/delete": 303} {
		if a := post(t, address+path, nil, "token", token, "name", "x", "version", "1"); a.StatusCode != want {
			t.Errorf("%s: status %d, want %d", path, a.StatusCode, want)
		}
	}
	if page := get(t, address+"/views").body; strings.Contains(page, ">new</bdi>") || !strings.Contains(page, ">other</bdi>") {
		t.Error("the wrong view was deleted, or none")
	}
}

// An invalid view is refused when it is saved.
func TestViewsThatAreRefused(t *testing.T) {
	t.Parallel()
	address, service := serveEditable(t)
	token := tokenOf(t, address)
	for _, c := range []struct{ name, path, query, want string }{
		{"v", "//evil.example", "range=7d", "names no page"},
		{"v", "https://evil.example/", "range=7d", "names no page"},
		{"v", `/\evil.example`, "range=7d", "names no page"},
		{"v", "/", "", "no question"},
		{"v", "/", "%zz", "no question"},
		{"v", "/", "colour=red", "cannot be part of a view"},
		{"v", "/", "range=7d&range=30d", "cannot be part of a view"},
		{"v", "/", "q=" + strings.Repeat("x", 5000), "too long"},
		{" ", "/", "range=7d", "empty"},
	} {
		a := post(t, address+"/views", nil, "token", token, "name", c.name, "path", c.path, "query", c.query)
		if a.StatusCode != 400 || !strings.Contains(a.body, c.want) {
			t.Errorf("%s?%.20s: status %d, and it does not say %q", c.path, c.query, a.StatusCode, c.want)
		}
	}
	if views, err := service.Views(context.Background(), "manager"); err != nil || len(views) != 0 {
		t.Errorf("saved are %v (%v)", views, err)
	}
}

// A view that can no longer be opened reports the same error as any address, and it can
// still be listed and deleted.
func TestViewThatIsNoLongerValid(t *testing.T) {
	t.Parallel()
	address, service := serveEditable(t)
	done(t, service.SaveView(context.Background(), identity.View{Name: "stale", Path: "/commissions", Query: "cols=gone&range=30d", Default: true}))
	done(t, service.SaveView(context.Background(), identity.View{Name: "lost", Path: "/nowhere", Query: "range=30d"}))
	opened := get(t, address+get(t, address+"/commissions").Header.Get("Location"))
	if opened.StatusCode != 400 || !strings.Contains(opened.body, "is none of") || !strings.Contains(opened.body, `href="/commissions?range=30d"`) {
		t.Errorf("status %d without words or a way out", opened.StatusCode)
	}
	if page := get(t, address+"/views").body; !strings.Contains(page, "cols\u00a0gone") {
		t.Error("the page of views does not list it")
	}
	token := tokenOf(t, address)
	for range 2 {
		id := viewID(t, address, "delete")
		if a := post(t, address+"/views/"+id+"/delete", nil, "token", token, "version", viewVersion(t, address, id)); a.StatusCode != 303 {
			t.Fatalf("deleting: status %d", a.StatusCode)
		}
	}
	if a := get(t, address+"/commissions"); a.StatusCode != 200 {
		t.Errorf("status %d, want 200", a.StatusCode)
	}
}

// Names of every allowed length are escaped text everywhere.
func TestHostileViewNames(t *testing.T) {
	t.Parallel()
	address, _ := serveEditable(t)
	token := tokenOf(t, address)
	names := append([]string{strings.Repeat("W", identity.MaxViewName)}, hostile...)
	for i, name := range names {
		query := url.Values{"q": {name}, "page": {fmt.Sprint(i + 1)}}.Encode()
		if a := post(t, address+"/views", nil, "token", token, "name", name, "path", "/commissions", "query", query); a.StatusCode != 303 {
			t.Fatalf("%q: status %d", name, a.StatusCode)
		}
	}
	for _, path := range []string{"/views", "/", "/commissions?range=7d"} {
		a := get(t, address+path)
		checkPolicy(t, a)
		for _, name := range names {
			if !strings.Contains(a.body, ">"+html.EscapeString(name)+"</bdi>") {
				t.Errorf("%s does not show %q as text", path, name)
			}
		}
		if strings.Contains(a.body, "<script>window") || strings.Contains(a.body, "<img") {
			t.Errorf("%s: a name became part of the page", path)
		}
	}
}

// The page of views accepts the parameters of the navigation. If views cannot be read, no
// page claims that none exist.
func TestViewListParameters(t *testing.T) {
	t.Parallel()
	address, _ := serveEditable(t)
	for path, want := range map[string]int{"/views": 200, "/views?range=7d&compare=previous": 200, "/views?colour=red": 400, "/views/": 404, "/views/1": 404} {
		if a := get(t, address+path); a.StatusCode != want {
			t.Errorf("%s: status %d, want %d", path, a.StatusCode, want)
		}
	}
	if page := get(t, address+"/views").body; !strings.Contains(page, "No view is saved yet") {
		t.Error("the page does not say that there are none")
	}
	closed, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "closed.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	failing, _ := serve(t, web.Options{Reports: sharedReports(t), Desk: reports.New(closed, clockAtNow)})
	for _, path := range []string{"/", "/views"} {
		if a := get(t, failing+path); a.StatusCode != 500 || strings.Contains(a.body, "closed") {
			t.Errorf("%s: status %d, want 500", path, a.StatusCode)
		}
	}
}
