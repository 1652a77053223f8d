package acceptance_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// narrowAndWide are the screens for parts that depend on the width.
var narrowAndWide = []screen{
	{name: "phone", width: 390, height: 844},
	{name: "phone-dark", width: 390, height: 844, dark: true},
	{name: "wide", width: 1366, height: 900},
	{name: "wide-dark", width: 1366, height: 900, dark: true},
}

// focused names the element that has the focus.
const focused = `(document.activeElement === document.body ? "no element" : document.activeElement.id || document.activeElement.getAttribute("aria-label") || document.activeElement.textContent.trim())`

// A choice changes the figures in place. The focus stays on the menu, column heading or
// list that was used, and a status line describes the result.
func TestBrowserFocusStays(t *testing.T) {
	t.Parallel()
	address := lookedAt(t)
	steps := []struct{ name, path, focus, want, becomes string }{
		{"range", "/commissions", `#range-menu ~ .popover a[href*="range=7d"]`, `range-menu`, `location.search.includes("range=7d")`},
		{"comparison", "/commissions", `#compare-menu ~ ul a[href*="compare=previous"]`, `compare-menu`, `location.search.includes("compare=previous")`},
		{"chip", "/commissions?product=SPOT&coin=USDT", `.chip a[aria-label="Remove the filter Coin"]`, `Remove the filter Product`, `!location.search.includes("coin=")`},
		{"last chip", "/commissions?coin=USDT", `.chip a[aria-label="Remove the filter Coin"]`, `page`, `!location.search.includes("coin=")`},
		{"sort", "/commissions", `th[aria-sort] a[href*="fee"]`, `Fee`, `location.search.includes("sort=")`},
		{"rows", "/commissions", `a[aria-label="100 rows per page"]`, `100 rows per page`, `location.search.includes("per=100")`},
		{"pager", "/commissions", `#page-forward`, `page-forward`, `location.search.includes("page=2")`},
	}
	for _, s := range []screen{narrowAndWide[0], narrowAndWide[2]} { // colours do not move the focus
		b := open(t, address+"/commissions", s)
		for _, step := range steps {
			if step.name == "sort" && s.width < 640 { // a phone sorts by a menu
				step.focus, step.want = `#rows-sort ~ .popover a[href*="fee"]`, "rows-sort"
			}
			b.goes(address + step.path)
			b.arrives(`document.querySelector('` + step.focus + `') !== null`)
			eval[bool](b, `(() => {
				window.said = [];
				new MutationObserver((list) => {
					for (const { addedNodes } of list) for (const node of addedNodes) window.said.push(node.textContent);
				}).observe(document.getElementById("announcement"), { childList: true });
				window.opened = false;
				document.getElementById("exact-panel").addEventListener("toggle", () => (window.opened = true));
				const used = document.querySelector('`+step.focus+`');
				const menu = used.closest("details");
				if (menu) menu.open = true;
				used.focus();
				return document.activeElement === used;
			})()`)
			b.do(chromedp.KeyEvent(kb.Enter))
			b.until(step.becomes + ` && document.getElementById("announcement").textContent !== ""`)
			if got := eval[string](b, focused); !strings.Contains(strings.ToLower(got), strings.ToLower(step.want)) {
				t.Errorf("%s, %s: focus is on %q, want %q", s.name, step.name, got, step.want)
			}
			if eval[bool](b, `window.opened`) {
				t.Errorf("%s, %s: the panel of exact figures opened", s.name, step.name)
			}
			if said := eval[string](b, `document.getElementById("announcement").textContent`); !strings.HasPrefix(said, "Commissions. ") || !strings.Contains(said, "2026 (UTC)") {
				t.Errorf("%s, %s: the status line says %q", s.name, step.name, said)
			}
			if said := eval[[]string](b, `window.said`); len(said) != 1 {
				t.Errorf("%s, %s: %d announcements: %q", s.name, step.name, len(said), said)
			}
		}
	}
}

// A form that was sent is answered by one announcement, which says what was done.
func TestBrowserSentFormIsAnnounced(t *testing.T) {
	t.Parallel()
	m := openMailSite(t)
	m.plan()
	b := m.browse(t, desktop)
	b.goes(m.address + "/summaries")
	b.arrives(`document.querySelector('form[action$="/pause"]') !== null`)
	eval[bool](b, `(document.querySelector('form[action$="/pause"]').requestSubmit(), true)`)
	b.arrives(`document.querySelector('form[action$="/resume"]') !== null`)
	b.until(`document.getElementById("announcement").textContent !== ""`)
	said := eval[string](b, `document.getElementById("announcement").textContent`)
	if notice := eval[string](b, `document.querySelector("#page [data-done]").innerText.replace(/\s+/g, " ").trim()`); said != notice || !strings.Contains(said, "paused") {
		t.Errorf("the status line says %q, the page %q", said, notice)
	}
}

// The key "/" opens the search on every page. It finds pages with a slip of typing, people and
// codes, and arrow keys and Enter open what was found.
func TestBrowserSlashSearchesEverywhere(t *testing.T) {
	t.Parallel()
	address := lookedAt(t)
	for _, s := range []screen{narrowAndWide[0], narrowAndWide[3]} {
		b := open(t, address+"/commissions", s)
		b.leaves = true
		for _, path := range []string{"/", "/collection", "/account"} {
			b.goes(address + path)
			b.arrives(`document.getElementById("finder") !== null`)
			b.do(chromedp.KeyEvent("/"))
			b.until(`document.activeElement.id === "finder-text"`)
		}
		b.goes(address + "/collection")
		b.arrives(`true`)
		b.do(chromedp.KeyEvent("/"))
		b.until(`document.activeElement.id === "finder-text"`)
		eval[bool](b, `document.activeElement.value = "", true`) // the protocol also types the key
		b.do(chromedp.KeyEvent("comission"))
		b.until(`document.querySelector("#finder-chosen")?.getAttribute("href") === "/commissions"`)
		b.accessible()
		b.shoot("finder-" + s.name)
		b.do(chromedp.KeyEvent(kb.Enter))
		b.arrives(`location.pathname === "/commissions"`)
		uid := eval[string](b, `document.querySelector("main a[href^='/invitees/']").getAttribute("href").split(/[/?]/)[2]`)
		b.do(chromedp.KeyEvent("/"))
		b.until(`document.activeElement.id === "finder-text"`)
		eval[bool](b, `document.activeElement.value = "", true`)
		b.do(chromedp.KeyEvent(uid[:6]))
		b.until(`document.querySelector("#found .hit[href$='q=` + uid[:6] + `']") !== null`) // the answer to the whole text
		b.do(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowUp))
		b.until(`document.querySelector("#finder-chosen")?.getAttribute("href").startsWith("/invitees/` + uid[:6] + `")`)
		b.do(chromedp.KeyEvent(kb.Enter))
		b.arrives(`location.pathname.startsWith("/invitees/` + uid[:6] + `")`)
	}
}

// Menus stay within the screen at every width.
func TestBrowserMenusStayOnTheScreen(t *testing.T) {
	t.Parallel()
	address := lookedAt(t)
	for _, s := range []screen{{name: "small", width: 320, height: 640}, phone, {name: "wide-dark", width: 1366, height: 900, dark: true}} {
		b := open(t, address+"/commissions", s)
		for _, path := range []string{"/", "/commissions", "/invitees", "/codes", "/sub-affiliates", "/cohorts"} {
			b.goes(address + path)
			b.arrives(`true`)
			for i := range eval[int](b, `document.querySelectorAll("main details[data-menu]").length`) {
				menu := fmt.Sprintf(`document.querySelectorAll("main details[data-menu]")[%d]`, i)
				if eval[bool](b, `!`+menu+`.checkVisibility()`) {
					continue
				}
				wrong := eval[string](b, fmt.Sprintf(`(() => {
					const menu = %s;
					menu.querySelector("summary").click();
					if (!menu.open) return "it does not open";
					const box = menu.querySelector(".popover").getBoundingClientRect();
					const wide = document.documentElement.scrollWidth;
					menu.open = false;
					const left = Math.round(box.left), right = Math.round(box.right);
					return left < 0 || right > innerWidth || wide > innerWidth || (innerWidth < 640 && box.bottom > innerHeight + 1)
						? (menu.querySelector("summary").id || menu.textContent.trim().slice(0, 20)) + ": " + left + " to " + right + " of " + innerWidth + ", page " + wide : "";
				})()`, menu))
				if wrong != "" {
					t.Errorf("%s %s: %s", s.name, path, wrong)
				}
			}
		}
	}
	b := open(t, address+"/commissions", phone)
	b.do(chromedp.Click(chromedp.CSS("#compare-menu")))
	b.until(`document.querySelector("#compare-menu").parentElement.open`)
	b.shoot("menu-sheet")
}

// A search that is typed before htmx listens has an answer of the server once it does.
func TestBrowserSearchTypedAtOnce(t *testing.T) {
	t.Parallel()
	address := lookedAt(t)
	b := open(t, address+"/collection", desktop)
	call(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `addEventListener("load", () => {
		const field = document.getElementById("finder-text");
		window.early = !globalThis.htmx;
		field.value = "comission";
		field.dispatchEvent(new Event("input", {bubbles: true}));
	})`})
	b.goes(address + "/account")
	if !eval[bool](b, `window.early`) {
		t.Fatal("htmx was there before the search was typed")
	}
	b.until(`document.querySelector("#found .hit[href='/commissions']:not([hidden])") !== null && document.querySelectorAll("#found .hit").length < 8`)
}
