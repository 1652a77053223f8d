package pages_test

import (
	"context"
	"fmt"
	"html"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/reports"
	"rebatedesk/store"
	"rebatedesk/store/identity"
	"rebatedesk/web"
)

func TestViewIsSavedAndOpened(t *testing.T) {
	t.Parallel()
	address, service := site.ServeEditable(t)
	a := site.Get(t, address+"/commissions?product=FUTURES&sort=-commission&page=2")
	asked := html.UnescapeString(site.Between(t, a.Body, `name="query" value="`, `"`))
	if asked != "product=FUTURES&range=30d&sort=-commission" {
		t.Fatalf("the page would save %q: want its range, and no page number", asked)
	}
	token := site.TokenOf(t, address)
	a = site.Post(t, address+"/views", nil, "token", token, "name", "Futures, best first", "path", "/commissions", "query", asked)
	if want := "/commissions?product=FUTURES&range=30d&sort=-commission"; a.StatusCode != 303 || a.Header.Get("Location") != want {
		t.Fatalf("status %d leads to %q, want %q", a.StatusCode, a.Header.Get("Location"), want)
	}
	page := site.Get(t, address+a.Header.Get("Location")).Body
	for _, want := range []string{`<bdi class="sr-only max-w-44 truncate sm:not-sr-only" title="Futures, best first">`, `aria-current="true"`, "Of this page"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page that shows the view lacks %s", want)
		}
	}
	if page := site.Get(t, address+"/").Body; !strings.Contains(page, "Of other pages") || !strings.Contains(page, "Futures, best first") {
		t.Error("another page does not offer the view")
	}
	views, err := service.Views(context.Background(), "manager")
	if err != nil || len(views) != 1 || views[0].Owner != "manager" || views[0].Default {
		t.Errorf("saved are %+v (%v)", views, err)
	}
}

// The bare address of a page opens its default view. An address with parameters is used
// unchanged, and every page has a link to itself without a view.
func TestDefaultView(t *testing.T) {
	t.Parallel()
	address, service := site.ServeEditable(t)
	site.Done(t, service.SaveView(context.Background(), identity.View{Name: "v", Path: "/commissions", Query: "product=SPOT&range=mtd", Default: true}))
	for path, want := range map[string]string{
		"/commissions":             "/commissions?product=SPOT&range=mtd",
		"/commissions?range=30d":   "",
		"/commissions?q=":          "",
		"/commissions.json":        "",
		"/":                        "",
		"/collection/restatements": "",
	} {
		a := site.Get(t, address+path)
		if want == "" && a.StatusCode != 200 || want != "" && (a.StatusCode != 302 || a.Header.Get("Location") != want) {
			t.Errorf("%s: status %d leads to %q, want %q", path, a.StatusCode, a.Header.Get("Location"), want)
		}
	}
	for _, c := range []struct {
		headers []string
		status  int
	}{{[]string{"HX-Request", "true", "HX-Boosted", "true"}, 302}, {[]string{"HX-Request", "true"}, 200}} {
		if a := site.Get(t, address+"/commissions", c.headers...); a.StatusCode != c.status {
			t.Errorf("%v: status %d, want %d", c.headers, a.StatusCode, c.status)
		}
	}
	// Every link of the page keeps a parameter, because the bare address would open the
	// view.
	page := site.Get(t, address+"/commissions?product=SPOT").Body
	main, _, _ := strings.Cut(page[strings.Index(page, "<main"):], "</main>")
	for _, at := range regexp.MustCompile(`(href|hx-get)="/commissions"[^>]*>`).FindAllString(main, -1) {
		if !strings.Contains(at, "hx-include") { // the search takes the fields of its form along, with the range
			t.Errorf("a link of the page has the bare address: %s", at)
		}
	}
	for _, want := range []string{`<a class="option text-muted" href="/commissions?range=30d">Without a view`, `type="hidden" name="range" value="30d"`, `href="/commissions?range=30d" aria-label="Remove the filter Product"`} {
		if !strings.Contains(main, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	token := site.TokenOf(t, address)
	id := site.ViewID(t, address, "default")
	if a := site.Post(t, address+"/views/"+id+"/default", nil, "token", token, "default", "no", "version", site.ViewVersion(t, address, id)); a.StatusCode != 303 || a.Header.Get("Location") != "/views" {
		t.Errorf("status %d leads to %q", a.StatusCode, a.Header.Get("Location"))
	}
	if a := site.Get(t, address+"/commissions"); a.StatusCode != 200 {
		t.Errorf("no default any more: status %d, want 200", a.StatusCode)
	}
	site.Post(t, address+"/views/"+id+"/default", nil, "token", token, "version", site.ViewVersion(t, address, id))
	if a := site.Get(t, address+"/commissions"); a.StatusCode != 302 {
		t.Errorf("the default again: status %d, want 302", a.StatusCode)
	}
}

func TestViewIsRenamedAndDeleted(t *testing.T) {
	t.Parallel()
	address, service := site.ServeEditable(t)
	site.Done(t, service.SaveView(context.Background(), identity.View{Name: "old", Path: "/", Query: "range=7d"}))
	site.Done(t, service.SaveView(context.Background(), identity.View{Name: "other", Path: "/", Query: "range=90d"}))
	token, id := site.TokenOf(t, address), site.ViewID(t, address, "name")
	if a := site.Post(t, address+"/views/"+id+"/name", nil, "token", token, "name", " new ", "version", site.ViewVersion(t, address, id)); a.StatusCode != 303 {
		t.Errorf("renaming: status %d", a.StatusCode)
	}
	for name, want := range map[string]string{"other": "another view of this page", "": "empty", strings.Repeat("x", 81): "longer than 80", "a\nb": "control characters"} {
		a := site.Post(t, address+"/views/"+id+"/name", []string{"Referer", address + "/views"}, "token", token, "name", name, "version", site.ViewVersion(t, address, id))
		if a.StatusCode != 400 || !strings.Contains(a.Body, want) || !strings.Contains(a.Body, `role="alert"`) || !strings.Contains(a.Body, "/views/"+id+"/name") {
			t.Errorf("renaming to %.20q: status %d without %q beside the form", name, a.StatusCode, want)
		}
	}
	if page := site.Get(t, address+"/views").Body; !strings.Contains(page, ">new</bdi>") || strings.Contains(page, ">old</bdi>") {
		t.Error("the page does not show the new name")
	}
	version := site.ViewVersion(t, address, id)
	for range 2 { // the second is a double click
		if a := site.Post(t, address+"/views/"+id+"/delete", nil, "token", token, "version", version); a.StatusCode != 303 || a.Header.Get("Location") != "/views" {
			t.Errorf("deleting: status %d leads to %q", a.StatusCode, a.Header.Get("Location"))
		}
	}
	for path, want := range map[string]int{"/views/" + id + "/name": 404, "/views/999/default": 404, "/views/x/delete": 404, "/views/-1/delete": 303} {
		if a := site.Post(t, address+path, nil, "token", token, "name", "x", "version", "1"); a.StatusCode != want {
			t.Errorf("%s: status %d, want %d", path, a.StatusCode, want)
		}
	}
	if page := site.Get(t, address+"/views").Body; strings.Contains(page, ">new</bdi>") || !strings.Contains(page, ">other</bdi>") {
		t.Error("the wrong view was deleted, or none")
	}
}

// An invalid view is refused when it is saved.
func TestViewsThatAreRefused(t *testing.T) {
	t.Parallel()
	address, service := site.ServeEditable(t)
	token := site.TokenOf(t, address)
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
		a := site.Post(t, address+"/views", nil, "token", token, "name", c.name, "path", c.path, "query", c.query)
		if a.StatusCode != 400 || !strings.Contains(a.Body, c.want) {
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
	address, service := site.ServeEditable(t)
	site.Done(t, service.SaveView(context.Background(), identity.View{Name: "stale", Path: "/commissions", Query: "cols=gone&range=30d", Default: true}))
	site.Done(t, service.SaveView(context.Background(), identity.View{Name: "lost", Path: "/nowhere", Query: "range=30d"}))
	opened := site.Get(t, address+site.Get(t, address+"/commissions").Header.Get("Location"))
	if opened.StatusCode != 400 || !strings.Contains(opened.Body, "is none of") || !strings.Contains(opened.Body, `href="/commissions?range=30d"`) {
		t.Errorf("status %d without words or a way out", opened.StatusCode)
	}
	if page := site.Get(t, address+"/views").Body; !strings.Contains(page, "cols\u00a0gone") {
		t.Error("the page of views does not list it")
	}
	token := site.TokenOf(t, address)
	for range 2 {
		id := site.ViewID(t, address, "delete")
		if a := site.Post(t, address+"/views/"+id+"/delete", nil, "token", token, "version", site.ViewVersion(t, address, id)); a.StatusCode != 303 {
			t.Fatalf("deleting: status %d", a.StatusCode)
		}
	}
	if a := site.Get(t, address+"/commissions"); a.StatusCode != 200 {
		t.Errorf("status %d, want 200", a.StatusCode)
	}
}

// Names of every allowed length are escaped text everywhere.
func TestHostileViewNames(t *testing.T) {
	t.Parallel()
	address, _ := site.ServeEditable(t)
	token := site.TokenOf(t, address)
	names := append([]string{strings.Repeat("W", identity.MaxViewName)}, site.Hostile...)
	for i, name := range names {
		query := url.Values{"q": {name}, "page": {fmt.Sprint(i + 1)}}.Encode()
		if a := site.Post(t, address+"/views", nil, "token", token, "name", name, "path", "/commissions", "query", query); a.StatusCode != 303 {
			t.Fatalf("%q: status %d", name, a.StatusCode)
		}
	}
	for _, path := range []string{"/views", "/", "/commissions?range=7d"} {
		a := site.Get(t, address+path)
		site.CheckPolicy(t, a)
		for _, name := range names {
			if !strings.Contains(a.Body, ">"+html.EscapeString(name)+"</bdi>") {
				t.Errorf("%s does not show %q as text", path, name)
			}
		}
		if strings.Contains(a.Body, "<script>window") || strings.Contains(a.Body, "<img") {
			t.Errorf("%s: a name became part of the page", path)
		}
	}
}

// The page of views accepts the parameters of the navigation. If views cannot be read, no
// page claims that none exist.
func TestViewListParameters(t *testing.T) {
	t.Parallel()
	address, _ := site.ServeEditable(t)
	for path, want := range map[string]int{"/views": 200, "/views?range=7d&compare=previous": 200, "/views?colour=red": 400, "/views/": 404, "/views/1": 404} {
		if a := site.Get(t, address+path); a.StatusCode != want {
			t.Errorf("%s: status %d, want %d", path, a.StatusCode, want)
		}
	}
	if page := site.Get(t, address+"/views").Body; !strings.Contains(page, "No view is saved yet") {
		t.Error("the page does not say that there are none")
	}
	closed, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "closed.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	failing, _ := site.Serve(t, web.Options{Reports: site.SharedReports(t), Desk: reports.New(closed, site.ClockAtNow)})
	for _, path := range []string{"/", "/views"} {
		if a := site.Get(t, failing+path); a.StatusCode != 500 || strings.Contains(a.Body, "closed") {
			t.Errorf("%s: status %d, want 500", path, a.StatusCode)
		}
	}
}
