package acceptance_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"rebatedesk/access"
)

// One whole task of each area is done by keys alone: the search opens with "/", arrows and Enter
// choose what it finds, and Tab and Enter do the rest. The setup, the worklist, orders and settings
// have tests of their own.
func TestBrowserTasksByKeyboard(t *testing.T) {
	t.Parallel()
	p := openPaid(t)
	mia := p.as("mia", access.Manager)
	b := openApart(t, p.address+"/login", desktop)
	b.enterAs(mia, p.address)
	seek := func(words, path string) {
		t.Helper()
		b.keys("/")
		b.until(`document.activeElement.id === "finder-text"`)
		eval[bool](b, `document.activeElement.value = "", true`) // the protocol also types the key
		b.keys(words)
		b.until(`document.querySelector("#finder-chosen")?.getAttribute("href").startsWith("` + path + `")`)
		b.do(chromedp.KeyEvent(kb.Enter))
		b.arrives(`location.pathname === "` + path + `" && document.querySelector("main h1") !== null`)
	}
	b.goes(p.address + "/")
	b.arrives(`document.querySelector("#earned") !== null`)

	// What did I earn, and why?
	b.presses(`main a[href^="/drivers"]`, `location.pathname === "/drivers" && document.querySelector("h1").textContent === "Drivers"`)
	b.presses(`main table tbody a.font-medium`, `new URLSearchParams(location.search).has("uid") || location.pathname.startsWith("/invitees/")`)

	// Was I paid?
	seek("payments", "/payments")
	if answer := eval[string](b, `document.getElementById("answer").innerText`); !strings.Contains(answer, "paid") {
		t.Errorf("the first line of payments is %q", answer)
	}
	b.presses(`#rows tbody:not(.totals) a`, `location.pathname === "/payments/line"`)

	// Send the month to finance.
	seek("months", "/months")
	b.presses(`main a[href^="/months/2026-10"]`, `location.pathname === "/months/2026-10"`)
	b.tabTo(`#export-menu`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector("#export-menu").parentElement.open`)
	b.tabTo(`details[open] a[href*=".xlsx"]`)
	b.do(chromedp.KeyEvent(kb.Escape))
	b.until(`document.activeElement.id === "export-menu" && document.querySelector("details[data-menu][open]") === null`)
}

// Pages that show no figures of a range are no wider than the narrowest screen either, with their
// forms; TestBrowserEveryPage looks at the others on a phone.
func TestBrowserNarrowest(t *testing.T) {
	t.Parallel()
	p := openPaid(t)
	mia := p.as("mia", access.Manager)
	narrowest := screen{name: "narrowest", width: 320, height: 640}
	b := openApart(t, p.address+"/login", narrowest)
	b.enterAs(mia, p.address)
	for _, path := range []string{"/", "/commissions", "/payments", "/payments/rule", "/drivers", "/forecast", "/rates", "/rates/terms", "/changes", "/pivot", "/worklist",
		"/invitees", "/codes", "/cohorts", "/returns", "/sub-affiliates", "/segments", "/segments/new", "/months", "/months/2026-10", "/statements", "/collection", "/collection/runs/1",
		"/annotations/new", "/people/import", "/search", "/account", "/help", "/docs/api", "/nothing", "/?range=bogus"} {
		b.goes(p.address + path)
		b.arrives(`document.querySelector("main h1") !== null`)
		if over := eval[int](b, sideways); over > 0 {
			t.Errorf("%s is %d pixels wider than the screen", path, over)
		}
		if cut := eval[string](b, `[...document.querySelectorAll("#nav > ul .nav-item span")].filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1).map(e => e.textContent).join()`); cut != "" {
			t.Errorf("%s: %s is cut", path, cut)
		}
	}
}
