package pages_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
)

// lists are pages whose first row is seen without scrolling, and so are those of mails and of the console.
var (
	lists = []string{"/commissions", "/pivot", "/payments", "/rates", "/invitees", "/codes", "/sub-affiliates", "/worklist", "/months",
		"/forecast", "/collection"}
	mailLists    = []string{"/summaries", "/summaries/alerts"}
	consoleLists = []string{"/console/markets", "/console/contracts", "/console/currencies", "/console/bills", "/console/funding", "/console/transfers"}
)

// firstRow returns the distance in pixels of the first row of the first table from the top of the page;
// -1 without any.
const firstRow = `(row => row ? Math.round(row.getBoundingClientRect().top + scrollY) : -1)([...document.querySelectorAll("main :is(.grid-table, .plain-table) tbody:not(.totals) tr, main [data-row]")].find(e => e.checkVisibility() && e.getBoundingClientRect().height > 0))`

// cutFigures are amounts of rows of a phone that do not fit their cells.
const cutFigures = `[...document.querySelectorAll("main .grid-table.paired tbody .at-figure")].filter((cell) => cell.checkVisibility() && innerWidth < 640 && cell.scrollWidth > cell.clientWidth + 1).map((cell) => "cut: " + cell.innerText).slice(0, 5)`

// coveredByActs are the words of a line of To do that lie below its buttons.
const coveredByActs = `(() => {
	const wrong = [], over = (a, b) => a.left < b.right - 1 && a.right > b.left + 1 && a.top < b.bottom - 1 && a.bottom > b.top + 1;
	for (const line of document.querySelectorAll(".worklist [data-row]")) {
		const acts = [...line.querySelectorAll(".acts .tool")].filter((act) => act.checkVisibility());
		for (const words of line.querySelectorAll("tr:first-child :is(li, td > span, th a, p)")) {
			if (words.checkVisibility() && acts.some((act) => over(act.getBoundingClientRect(), words.getBoundingClientRect()))) wrong.push("covered: " + words.innerText);
		}
	}
	return wrong.slice(0, 5);
})()`

// The first row of every list is on the first screen: so much of it is left for the head of the page.
func TestBrowserFirstRowIsInSight(t *testing.T) {
	t.Parallel()
	address := site.OpenSharedSite(t).Address
	site.SignedIn(t, access.Manager) // so that a user exists
	mails, trading := site.OpenMailSite(t), site.OpenTrading(t, nil)
	mails.Plan()
	if a := mails.Mia.Post("/summaries/alerts", "watches", "drop", "name", "Low days", "account", "main", "percent", "60", "coin", "USDT", "recipients", "boss@example.com", "zone", "UTC", "apart", "6"); a.StatusCode != 303 {
		t.Fatalf("an alert was refused: status %d", a.StatusCode)
	}
	trader := site.OpenTrader(t, trading.Address, trading.Code(trading.Secret))
	for _, s := range []struct {
		site.Screen
		most int
	}{
		{site.Screen{Name: "notebook", Width: 1366, Height: 900}, 420},
		{site.Phone, 640},
	} {
		looks := func(b *site.Tab, path string) {
			at := site.Eval[int](b, firstRow)
			for tries := 0; at > s.most && tries < 20; tries++ { // a busy machine lays out later
				time.Sleep(50 * time.Millisecond)
				at = site.Eval[int](b, firstRow)
			}
			if at < 0 || at > s.most {
				t.Errorf("%s, %s: the first row is at %d pixels, want at most %d", s.Name, path, at, s.most)
			}
			b.Fits(path)
			for _, wrong := range append(site.Eval[[]string](b, coveredByActs), site.Eval[[]string](b, cutFigures)...) {
				t.Errorf("%s, %s: %s", s.Name, path, wrong)
			}
		}
		looks(site.Open(t, site.LookedAt(t)+"/drivers", s.Screen), "/drivers") // it has days to compare
		// Tests beside this one enlarge charts, which their window remembers.
		b := site.OpenApart(t, address+"/login", s.Screen)
		b.ComeIn(address, string(access.Manager), site.PasswordOf(access.Manager))
		for _, path := range lists {
			b.Goes(address + path)
			looks(b, path)
		}
		m := mails.Browse(t, s.Screen)
		for _, path := range mailLists {
			m.Goes(mails.Address + path)
			looks(m, path)
		}
		trader.Look(s.Screen)
		for _, path := range consoleLists {
			trader.Goes(trading.Address + path)
			trader.Until(`document.querySelector("main table tbody tr") !== null`)
			looks(trader, path)
		}
	}
}

// On a phone a row has two lines, and no amount stands without its coin.
func TestBrowserRowsOfAPhone(t *testing.T) {
	t.Parallel()
	address := site.OpenSharedSite(t).Address
	b := site.Open(t, address+"/account", site.Phone)
	for _, path := range []string{"/commissions", "/commissions?sort=-fee", "/commissions?sort=-commission&coin=BTC", "/invitees", "/invitees?sort=-lifetime", "/payments", "/payments?sort=earned", "/codes"} {
		b.Goes(address + path)
		b.Until(site.AllSeen + `, document.querySelectorAll("#rows tbody:not(.totals) tr .at-figure").length > 0`)
		for _, wrong := range site.Eval[[]string](b, `(() => {
			const wrong = [], text = (cell) => cell.innerText.trim().replace(/\s+/g, " ");
			for (const row of document.querySelectorAll("#rows tbody tr")) {
				if (!row.checkVisibility()) continue;
				const shown = [...row.cells].filter((cell) => cell.checkVisibility());
				for (const cell of shown) {
					const box = cell.getBoundingClientRect();
					if (box.right > innerWidth || box.left < 0) wrong.push("beyond the screen: " + text(cell));
					if (!cell.matches(".at-figure, .keep") || !/\d/.test(text(cell))) continue;
					if (!getComputedStyle(cell, "::after").content.includes(cell.dataset.coin ?? "?")) wrong.push("without its coin: " + text(cell));
				}
				const rule = row.parentElement.matches(".totals") ? 4 : 3; // lines, with room for badges
				if (row.getBoundingClientRect().height > rule * 26) wrong.push("too high: " + text(row));
			}
			return wrong.slice(0, 5);
		})()`) {
			t.Errorf("%s: %s", path, wrong)
		}
		b.Fits(path)
	}
}

// Names of others may be long: on a phone and on a wide screen no page of them scrolls to a side.
func TestBrowserLongNamesFit(t *testing.T) {
	t.Parallel()
	address := hostileSite(t)
	b := site.Open(t, address+"/account", site.Phone)
	for _, path := range []string{"/", "/commissions", "/invitees", "/payments", "/codes", "/collection", "/changes", "/drivers", "/pivot", "/rates", "/sub-affiliates", "/worklist", "/months", "/forecast"} {
		b.Goes(address + path)
		b.Fits(path)
	}
}

// held puts off what the page asks for until the test lets it go: an answer that comes late.
const held = `(() => {
	const send = XMLHttpRequest.prototype.send;
	window.asked = [], window.holds = true;
	XMLHttpRequest.prototype.send = function (...body) {
		const go = () => this.readyState === XMLHttpRequest.OPENED && send.apply(this, body);
		window.holds ? window.asked.push(go) : go();
	};
	return true;
})()`

// The search of a list filters while one types. What is typed while an answer is on its way stays, with
// the place in it, and the address follows without a further step of the history.
func TestBrowserSearchWhileTyping(t *testing.T) {
	t.Parallel()
	address := site.LookedAt(t)
	b := site.Open(t, address+"/invitees", site.Desktop)
	b.Leaves = true
	b.Goes(address + "/commissions")
	b.Until(`"htmx" in window && document.getElementById("search") !== null`)
	site.Eval[bool](b, held)
	steps := site.Eval[int](b, `window.same = document.getElementById("search"), window.same.focus(), history.length`)
	b.Do(chromedp.KeyEvent("v"))
	b.Until(`asked.length === 1`)
	b.Do(chromedp.KeyEvent("i"), chromedp.KeyEvent("p"), chromedp.KeyEvent("0"), chromedp.KeyEvent(kb.ArrowLeft))
	site.Eval[bool](b, `holds = false, asked.forEach(go => go()), true`) // "v" is answered now, if it still counts
	b.Until(`location.search === "?q=vip0" || location.search === "?q=v"`)
	b.Do(chromedp.KeyEvent("5"))
	b.Until(`location.search === "?q=vip50" && document.querySelector(".htmx-request") === null`)
	const state = `(f => f === window.same && f.value + " " + f.selectionStart + " " + (document.activeElement === f))(document.getElementById("search"))`
	if got := site.Eval[string](b, state); got != "vip50 4 true" {
		t.Errorf("the field is %q, want the same one with vip50, the caret before its last letter", got)
	}
	if codes := site.Eval[[]string](b, `[...new Set([...document.querySelectorAll("#rows tbody:not(.totals) tr")].map(row => row.cells[2].innerText.trim()))]`); fmt.Sprint(codes) != "[vip50]" {
		t.Errorf("the rows are of the codes %q", codes)
	}
	if links := site.Eval[int](b, `document.querySelectorAll('#head-tools a[href*="q=vip50"], #tabs a[href*="q=vip50"]').length`); links < 3 {
		t.Errorf("%d links of the head carry what is sought", links)
	}
	if now := site.Eval[int](b, `history.length`); now != steps {
		t.Errorf("the history has %d steps after typing, %d before", now, steps)
	}
	// Enter asks at once and keeps the field, and a filter keeps what is sought.
	b.Do(chromedp.KeyEvent(kb.End), chromedp.KeyEvent(kb.Backspace), chromedp.KeyEvent(kb.Enter))
	b.Until(`location.search === "?q=vip5" && document.querySelector(".htmx-request") === null`)
	if got := site.Eval[string](b, state); got != "vip5 4 true" {
		t.Errorf("after Enter the field is %q", got)
	}
	site.Eval[bool](b, `(f => (f.value = "SPOT", f.dispatchEvent(new Event("change", {bubbles: true}))))(document.getElementById("filter-product"))`)
	b.Until(`location.search.includes("product=SPOT") && location.search.includes("q=vip5") && document.querySelector(".chip") !== null`)
	site.Eval[bool](b, `history.back(), true`)
	b.Until(`location.search === "?q=vip5" && document.getElementById("search").value === "vip5"`)
	site.Eval[bool](b, `setTimeout(() => history.back()), true`) // which may load the page anew
	b.Arrives(`location.pathname === "/invitees"`)
}
