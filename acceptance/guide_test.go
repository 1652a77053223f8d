package acceptance_test

import (
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"rebatedesk/access"
	"rebatedesk/web"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/guide"
)

// partRoutes answer with a part of a page, or lead to another page.
var partRoutes = []string{"/settings", "/tour/:stop", "/search", "/collection/progress",
	"/console/stream", "/console/ticket", "/console/ticket/check", "/console/proxy/:account/*"}

// Every page that users open has help, each of its terms is in the glossary, and no help is about
// a page that does not exist.
func TestEveryPageHasHelp(t *testing.T) {
	t.Parallel()
	helped, server := map[string]guide.PageHelp{}, openSite(t, everything()).server
	for _, p := range server.Help {
		if _, twice := helped[p.Route]; twice {
			t.Errorf("%s has help twice", p.Route)
		}
		helped[p.Route] = p
		if at, ok := server.Help.At(strings.ReplaceAll(p.Route, ":", "")); !ok || at.Route != p.Route {
			t.Errorf("the help of %s is found as that of %s", p.Route, at.Route)
		}
		if !strings.Contains(p.Answers, "?") || len(p.Answers) > 150 || len(p.Try) > 150 || p.Try != "" && !strings.HasSuffix(p.Try, ".") {
			t.Errorf("the words of %s are %q, %q", p.Route, p.Answers, p.Try)
		}
		for _, d := range p.Definitions() {
			if d.Words == "" || strings.ContainsAny(d.Words, "`[]") {
				t.Errorf("%s: the glossary says %q of %q", p.Route, d.Words, d.Term)
			}
		}
	}
	for _, r := range server.Routes() {
		page := r.Method == http.MethodGet && path.Ext(r.Path) == "" && r.Need != route.Everybody && r.Need != route.Holder && !slices.Contains(partRoutes, r.Path)
		if _, ok := helped[r.Path]; page && !ok {
			t.Errorf("%s has no help", r.Path)
		}
		if page {
			delete(helped, r.Path)
		}
	}
	for route := range helped {
		if route != "/search" { // it is a page as well
			t.Errorf("there is help about %s, and no such page", route)
		}
	}
	for _, stop := range guide.Tour {
		if address, err := url.Parse(stop.Href); err != nil || address.Path != stop.Path {
			t.Errorf("the stop %q leads to %s", stop.Title, stop.Href)
		}
	}
}

// A hint is shown until its user puts it away, on every page of its own and for that user only.
func TestHints(t *testing.T) {
	t.Parallel()
	o := openSite(t, web.Options{Guide: true})
	o.addUser("vera", access.Viewer)
	o.addUser("mia", access.Manager)
	vera, mia := o.signedInAs("vera"), o.signedInAs("mia")
	const mark = `aria-label="About this page"`
	shown := func(v *visitor, page string) bool {
		a := v.get(page)
		if a.StatusCode != 200 {
			t.Fatalf("%s: status %d", page, a.StatusCode)
		}
		return strings.Contains(a.body, mark)
	}
	if !shown(vera, "/payments") || !shown(vera, "/invitees?range=7d") || shown(vera, "/attention") || shown(vera, "/account") {
		t.Error("hints are not on the main pages alone")
	}
	if a := vera.get("/nothing"); strings.Contains(a.body, mark) {
		t.Error("an error has a hint")
	}
	if a := vera.post("/hints/away", "page", "/payments"); a.StatusCode != 303 {
		t.Fatalf("status %d", a.StatusCode)
	}
	if shown(vera, "/payments") || !shown(vera, "/invitees") || !shown(mia, "/payments") {
		t.Error("a hint that was put away is there, or another is not")
	}
	if a := vera.post("/hints/away", "page", "/attention"); a.StatusCode != 400 {
		t.Errorf("a hint that does not exist: status %d", a.StatusCode)
	}
	vera.get("/account")
	vera.post("/account/preferences", "what", "hints", "hints", "on")
	if !shown(vera, "/payments") {
		t.Error("the hint does not come back")
	}
	vera.post("/account/preferences", "what", "hints", "hints", "off")
	if shown(vera, "/payments") || shown(vera, "/") {
		t.Error("a hint is left")
	}
	if vera.get("/"); strings.Contains(vera.get("/").body, `data-keys="off"`) {
		t.Error("keys are off without a reason")
	}
	vera.post("/account/preferences", "what", "keys", "keys", "off")
	if !strings.Contains(vera.get("/").body, `data-keys="off"`) || strings.Contains(mia.get("/").body, `data-keys="off"`) {
		t.Error("keys are not off for the user alone")
	}
	if a := vera.post("/account/preferences", "what", "nothing"); a.StatusCode != 400 {
		t.Errorf("an unknown preference: status %d", a.StatusCode)
	}
}

// The page of the help works without a script, and escapes what is in its address.
func TestHelpPage(t *testing.T) {
	t.Parallel()
	o := openSite(t, web.Options{Guide: true})
	o.addUser("vera", access.Viewer)
	v := o.signedInAs("vera")
	if a := v.get("/help"); a.StatusCode != 200 || !strings.Contains(a.body, "Was I paid what I earned?") || strings.Contains(a.body, "Who may sign in") {
		t.Errorf("status %d, or what it lists is not what a viewer opens", a.StatusCode)
	}
	if a := v.get("/help?page=%2Finvitees%2F4667776811"); a.StatusCode != 200 || !strings.Contains(a.body, "usual gap") || !strings.Contains(a.body, `href="/invitees/4667776811"`) {
		t.Errorf("the help about an invitee: status %d", a.StatusCode)
	}
	for _, page := range []string{"//evil.example.com", "/nothing", "javascript:alert(1)", "x", "2", "x/y"} {
		if a := v.get("/help?page=" + url.QueryEscape(page)); a.StatusCode != 404 && (page[0] != '/' || strings.Contains(a.body, page)) {
			t.Errorf("%s: status %d", page, a.StatusCode)
		}
	}
}

// The tour leads from stop to stop, can be left and resumed, and ends.
func TestTour(t *testing.T) {
	t.Parallel()
	o := openSite(t, web.Options{Guide: true, Demo: true})
	o.addUser("vera", access.Viewer)
	v := o.signedInAs("vera")
	const mark = `aria-label="Tour"`
	if a := v.get("/"); strings.Contains(a.body, mark) || !strings.Contains(a.body, `href="/tour"`) {
		t.Error("the tour began by itself, or nothing leads to it")
	}
	for i, stop := range guide.Tour {
		a := v.get(fmt.Sprint("/tour/", i+1))
		if a.StatusCode != 303 || a.Header.Get("Location") != stop.Href {
			t.Fatalf("stop %d: status %d, %s", i+1, a.StatusCode, a.Header.Get("Location"))
		}
		page := v.get(stop.Href)
		if page.StatusCode != 200 || !strings.Contains(page.body, stop.Text[:40]) || strings.Contains(page.body, `aria-label="About this page"`) {
			t.Errorf("stop %d: status %d, without its words or with a hint", i+1, page.StatusCode)
		}
		if next := fmt.Sprintf(`href="/tour/%d"`, i+2); strings.Contains(page.body, next) != (i+1 < len(guide.Tour)) {
			t.Errorf("stop %d leads nowhere, or too far", i+1)
		}
	}
	if a := v.get("/commissions"); !strings.Contains(a.body, "You left the tour at") || !strings.Contains(a.body, `href="/tour/5"`) {
		t.Error("another page does not lead back")
	}
	for _, number := range []string{"0", "6", "x"} {
		if a := v.get("/tour/" + number); a.StatusCode != 404 {
			t.Errorf("stop %s: status %d", number, a.StatusCode)
		}
	}
	v.post("/tour/leave")
	if a := v.get("/commissions"); strings.Contains(a.body, mark) {
		t.Error("the tour goes on after it was left")
	}
}

// The tour and the help in a browser, by keyboard alone.
func TestBrowserGuide(t *testing.T) {
	t.Parallel()
	o := openSite(t, web.Options{Guide: true, Demo: true})
	o.addUser("vera", access.Viewer)
	v := o.signedInAs("vera")
	for _, s := range bothWays {
		b := openApart(t, o.address+"/login", s)
		b.enterAs(v, o.address)
		b.goes(o.address + "/commissions")
		b.until(`document.querySelector(".guide-note") !== null`)
		b.looksRight("hint-" + s.name)
		b.do(chromedp.KeyEvent("?"))
		b.until(`document.getElementById("help").open`)
		b.looksRight("help-" + s.name)
		b.do(chromedp.KeyEvent(kb.Escape))
		b.until(`!document.getElementById("help").open`)
		eval[bool](b, `document.querySelector(".guide-note button").focus(), true`)
		b.do(chromedp.KeyEvent(kb.Enter))
		b.arrives(`document.querySelector(".guide-note") === null && document.querySelector("h1") !== null`)
		v.get("/account")
		v.post("/account/preferences", "what", "hints", "hints", "on")
		b.goes(o.address + "/tour")
		b.looksRight("tour-" + s.name)
		b.goes(o.address + "/tour/4")
		b.arrives(`location.pathname === "/worklist" && document.querySelector(".tour") !== null`)
		b.looksRight("tour-stop-" + s.name)
		eval[bool](b, `document.querySelector('.tour a[href="/tour/5"]').focus(), true`)
		b.do(chromedp.KeyEvent(kb.Enter))
		b.arrives(`location.pathname === "/months" && document.querySelector(".tour form button") !== null`)
		eval[bool](b, `document.querySelector(".tour form button").focus(), true`)
		b.do(chromedp.KeyEvent(kb.Enter))
		b.arrives(`document.readyState === "complete" && document.querySelector("h1") !== null && document.querySelector(".tour") === null`)
	}
}
