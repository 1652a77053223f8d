package console_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
)

// One whole task of each area is done by keys alone: the search opens with "/", arrows and Enter
// choose what it finds, and Tab and Enter do the rest. The setup, the worklist, orders and settings
// have tests of their own.
func TestBrowserTasksByKeyboard(t *testing.T) {
	t.Parallel()
	p := site.OpenPaid(t)
	mia := p.As("mia", access.Manager)
	b := site.OpenApart(t, p.Address+"/login", site.Desktop)
	b.EnterAs(mia, p.Address)
	seek := func(words, path string) {
		t.Helper()
		b.Keys("/")
		b.Until(`document.activeElement.id === "finder-text"`)
		site.Eval[bool](b, `document.activeElement.value = "", true`) // the protocol also types the key
		b.Keys(words)
		b.Until(`document.querySelector("#finder-chosen")?.getAttribute("href").startsWith("` + path + `")`)
		b.Do(chromedp.KeyEvent(kb.Enter))
		b.Arrives(`location.pathname === "` + path + `" && document.querySelector("main h1") !== null`)
	}
	notebook := site.Screen{Name: "notebook", Width: 1366, Height: 657}
	b.Look(notebook)
	b.Goes(p.Address + "/")
	b.Arrives(`document.querySelector("#earned") !== null`)

	// The first screen answers whether one was paid, before anything is pressed.
	if text := site.Eval[string](b, inSight(`paid`)); text == "" {
		t.Error("the first screen of Home does not say what is paid")
	}
	b.Look(site.Desktop)

	// What did I earn, and why?
	b.Presses(`main a[href^="/drivers"]`, `location.pathname === "/drivers" && document.querySelector("h1").textContent === "Earnings: Why"`)
	if first := site.Eval[bool](b, `(document.querySelector("#contributions [scope=rowgroup]").textContent === "Down") === /[−-]\s*\d/.test(document.querySelector("#contributions-title").textContent)`); !first {
		t.Error("who moved the commission the way it went does not come first")
	}
	b.Presses(`main table tbody a.font-medium`, `new URLSearchParams(location.search).has("uid") || location.pathname.startsWith("/invitees/")`)

	// Was I paid?
	seek("payments", "/payments")
	if answer := site.Eval[string](b, `document.getElementById("answer").innerText`); !strings.Contains(answer, "paid") {
		t.Errorf("the first line of payments is %q", answer)
	}
	b.Presses(`#rows tbody:not(.totals) a`, `location.pathname === "/payments/line"`)

	// Send the month to finance.
	seek("months", "/months")
	b.Presses(`main a[href^="/months/2026-10"]`, `location.pathname === "/months/2026-10"`)
	b.TabTo(`#export-menu`)
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Until(`document.querySelector("#export-menu").parentElement.open`)
	b.TabTo(`details[open] a[href*=".xlsx"]`)
	b.Do(chromedp.KeyEvent(kb.Escape))
	b.Until(`document.activeElement.id === "export-menu" && document.querySelector("details[data-menu][open]") === null`)

	// A UID that is pasted into the search opens the person, whose rate is in sight.
	b.Goes(p.Address + "/invitees")
	uid := site.Eval[string](b, `document.querySelector("#rows tbody th a").getAttribute("href").split(/[/?]/)[2]`)
	b.Look(notebook)
	seek(uid, "/invitees/"+uid)
	if text := site.Eval[string](b, inSight(`Paid rate`)); text == "" {
		t.Error("the rate of an invitee is not in sight")
	}
}

// inSight is the first element that says something without being scrolled to; empty if none does.
func inSight(words string) string {
	return `[...document.querySelectorAll("main :is(p, dt, dd, h2, div, span)")].find(e => e.checkVisibility() && e.textContent.includes("` + words + `") && e.getBoundingClientRect().top >= 0 && e.getBoundingClientRect().bottom <= innerHeight)?.textContent ?? ""`
}
