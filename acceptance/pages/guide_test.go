package pages_test

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

	"rebatedesk/acceptance/site"
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
	helped, server := map[string]guide.PageHelp{}, site.OpenSite(t, site.Everything()).Server
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
	o := site.OpenSite(t, web.Options{Guide: true})
	o.AddUser("vera", access.Viewer)
	o.AddUser("mia", access.Manager)
	vera, mia := o.SignedInAs("vera"), o.SignedInAs("mia")
	const mark = `aria-label="About this page"`
	shown := func(v *site.Visitor, page string) bool {
		a := v.Get(page)
		if a.StatusCode != 200 {
			t.Fatalf("%s: status %d", page, a.StatusCode)
		}
		return strings.Contains(a.Body, mark)
	}
	if !shown(vera, "/payments") || !shown(vera, "/invitees?range=7d") || shown(vera, "/attention") || shown(vera, "/account") {
		t.Error("hints are not on the main pages alone")
	}
	if a := vera.Get("/nothing"); strings.Contains(a.Body, mark) {
		t.Error("an error has a hint")
	}
	if a := vera.Post("/hints/away", "page", "/payments"); a.StatusCode != 303 {
		t.Fatalf("status %d", a.StatusCode)
	}
	if shown(vera, "/payments") || !shown(vera, "/invitees") || !shown(mia, "/payments") {
		t.Error("a hint that was put away is there, or another is not")
	}
	if a := vera.Post("/hints/away", "page", "/attention"); a.StatusCode != 400 {
		t.Errorf("a hint that does not exist: status %d", a.StatusCode)
	}
	vera.Get("/account")
	vera.Post("/account/preferences", "what", "hints", "hints", "on")
	if !shown(vera, "/payments") {
		t.Error("the hint does not come back")
	}
	vera.Post("/account/preferences", "what", "hints", "hints", "off")
	if shown(vera, "/payments") || shown(vera, "/") {
		t.Error("a hint is left")
	}
	if vera.Get("/"); strings.Contains(vera.Get("/").Body, `data-keys="off"`) {
		t.Error("keys are off without a reason")
	}
	vera.Post("/account/preferences", "what", "keys", "keys", "off")
	if !strings.Contains(vera.Get("/").Body, `data-keys="off"`) || strings.Contains(mia.Get("/").Body, `data-keys="off"`) {
		t.Error("keys are not off for the user alone")
	}
	if a := vera.Post("/account/preferences", "what", "nothing"); a.StatusCode != 400 {
		t.Errorf("an unknown preference: status %d", a.StatusCode)
	}
}

// The page of the help works without a script, and escapes what is in its address.
func TestHelpPage(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, web.Options{Guide: true})
	o.AddUser("vera", access.Viewer)
	v := o.SignedInAs("vera")
	if a := v.Get("/help"); a.StatusCode != 200 || !strings.Contains(a.Body, "Was I paid what I earned?") || strings.Contains(a.Body, "Who may sign in") {
		t.Errorf("status %d, or what it lists is not what a viewer opens", a.StatusCode)
	}
	if a := v.Get("/help?page=%2Finvitees%2F4667776811"); a.StatusCode != 200 || !strings.Contains(a.Body, "usual gap") || !strings.Contains(a.Body, `href="/invitees/4667776811"`) {
		t.Errorf("the help about an invitee: status %d", a.StatusCode)
	}
	for _, page := range []string{"//evil.example.com", "/nothing", "javascript:alert(1)", "x", "2", "x/y"} {
		if a := v.Get("/help?page=" + url.QueryEscape(page)); a.StatusCode != 404 && (page[0] != '/' || strings.Contains(a.Body, page)) {
			t.Errorf("%s: status %d", page, a.StatusCode)
		}
	}
}

// The tour leads from stop to stop, can be left and resumed, and ends.
func TestTour(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, web.Options{Guide: true, Demo: true})
	o.AddUser("vera", access.Viewer)
	v := o.SignedInAs("vera")
	const mark = `aria-label="Tour"`
	if a := v.Get("/"); strings.Contains(a.Body, mark) || !strings.Contains(a.Body, `href="/tour"`) {
		t.Error("the tour began by itself, or nothing leads to it")
	}
	for i, stop := range guide.Tour {
		a := v.Get(fmt.Sprint("/tour/", i+1))
		if a.StatusCode != 303 || a.Header.Get("Location") != stop.Href {
			t.Fatalf("stop %d: status %d, %s", i+1, a.StatusCode, a.Header.Get("Location"))
		}
		page := v.Get(stop.Href)
		if page.StatusCode != 200 || !strings.Contains(page.Body, stop.Text[:40]) || strings.Contains(page.Body, `aria-label="About this page"`) {
			t.Errorf("stop %d: status %d, without its words or with a hint", i+1, page.StatusCode)
		}
		if next := fmt.Sprintf(`href="/tour/%d"`, i+2); strings.Contains(page.Body, next) != (i+1 < len(guide.Tour)) {
			t.Errorf("stop %d leads nowhere, or too far", i+1)
		}
	}
	if a := v.Get("/commissions"); !strings.Contains(a.Body, "You left the tour at") || !strings.Contains(a.Body, `href="/tour/5"`) {
		t.Error("another page does not lead back")
	}
	for _, number := range []string{"0", "6", "x"} {
		if a := v.Get("/tour/" + number); a.StatusCode != 404 {
			t.Errorf("stop %s: status %d", number, a.StatusCode)
		}
	}
	v.Post("/tour/leave")
	if a := v.Get("/commissions"); strings.Contains(a.Body, mark) {
		t.Error("the tour goes on after it was left")
	}
}

// The tour and the help in a browser, by keyboard alone.
func TestBrowserGuide(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, web.Options{Guide: true, Demo: true})
	o.AddUser("vera", access.Viewer)
	v := o.SignedInAs("vera")
	b := site.OpenApart(t, o.Address+"/login", site.Desktop)
	b.EnterAs(v, o.Address)
	b.Goes(o.Address + "/commissions")
	b.Until(`document.querySelector(".guide-note") !== null`)
	b.Looks("hint")
	b.Do(chromedp.KeyEvent("?"))
	b.Until(`document.getElementById("help").open`)
	b.LooksRightOn("help", site.Darkness, site.Phone, site.Desktop)
	b.Do(chromedp.KeyEvent(kb.Escape))
	b.Until(`!document.getElementById("help").open`)
	site.Eval[bool](b, `document.querySelector(".guide-note button").focus(), true`)
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Arrives(`document.querySelector(".guide-note") === null && document.querySelector("h1") !== null`)
	// It is there at the first visit alone.
	b.Goes(o.Address + "/payments")
	b.Until(`document.querySelector(".guide-note") !== null`)
	b.Until(`fetch("/payments").then((answer) => answer.text()).then((page) => !page.includes("guide-note"))`)
	v.Get("/account")
	v.Post("/account/preferences", "what", "hints", "hints", "on")
	b.Goes(o.Address + "/tour")
	b.Looks("tour")
	b.Goes(o.Address + "/tour/4")
	b.Arrives(`location.pathname === "/worklist" && document.querySelector(".tour") !== null`)
	b.Looks("tour-stop")
	site.Eval[bool](b, `document.querySelector('.tour a[href="/tour/5"]').focus(), true`)
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Arrives(`location.pathname === "/months" && document.querySelector(".tour form button") !== null`)
	site.Eval[bool](b, `document.querySelector(".tour form button").focus(), true`)
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Arrives(`document.readyState === "complete" && document.querySelector("h1") !== null && document.querySelector(".tour") === null`)
}
