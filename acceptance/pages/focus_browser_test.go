package pages_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"rebatedesk/acceptance/site"
	"rebatedesk/internal/golden"
)

// focused names the element that has the focus.
const focused = `(document.activeElement === document.body ? "no element" : document.activeElement.id || document.activeElement.getAttribute("aria-label") || document.activeElement.textContent.trim())`

// A choice changes the figures in place. The focus stays on the menu, column heading or
// list that was used, and a status line describes the result.
func TestBrowserFocusStays(t *testing.T) {
	t.Parallel()
	address := site.LookedAt(t)
	steps := []struct{ name, path, focus, want, becomes string }{
		{"range", "/commissions", `#range-menu ~ .popover a[href*="range=7d"]`, `range-menu`, `location.search.includes("range=7d")`},
		{"comparison", "/commissions", `#compare-menu ~ ul a[href*="compare=previous"]`, `compare-menu`, `location.search.includes("compare=previous")`},
		{"chip", "/commissions?product=SPOT&coin=USDT", `.chip a[aria-label="Remove the filter Coin"]`, `Remove the filter Product`, `!location.search.includes("coin=")`},
		{"last chip", "/commissions?coin=USDT", `.chip a[aria-label="Remove the filter Coin"]`, `page`, `!location.search.includes("coin=")`},
		{"sort", "/commissions", `th[aria-sort] a[href*="fee"]`, `Fee`, `location.search.includes("sort=")`},
		{"rows", "/commissions", `a[aria-label="100 rows per page"]`, `100 rows per page`, `location.search.includes("per=100")`},
		{"pager", "/commissions", `#page-forward`, `page-forward`, `location.search.includes("page=2")`},
	}
	for _, s := range []site.Screen{site.Desktop, site.Phone} {
		b := site.Open(t, address+"/commissions", s)
		for _, step := range steps {
			if s == site.Phone { // it sorts by a menu, and its menus are sheets; the others are as on a wide screen
				if step.name != "sort" && step.name != "range" {
					continue
				}
				if step.name == "sort" {
					step.focus, step.want = `#rows-sort ~ .popover a[href*="fee"]`, "rows-sort"
				}
			}
			b.Goes(address + step.path)
			b.Arrives(`document.querySelector('` + step.focus + `') !== null`)
			site.Eval[bool](b, `(() => {
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
			b.Do(chromedp.KeyEvent(kb.Enter))
			b.Until(step.becomes + ` && document.getElementById("announcement").textContent !== ""`)
			if got := site.Eval[string](b, focused); !strings.Contains(strings.ToLower(got), strings.ToLower(step.want)) {
				t.Errorf("%s, %s: focus is on %q, want %q", s.Name, step.name, got, step.want)
			}
			if site.Eval[bool](b, `window.opened`) {
				t.Errorf("%s, %s: the panel of exact figures opened", s.Name, step.name)
			}
			if said := site.Eval[string](b, `document.getElementById("announcement").textContent`); !strings.HasPrefix(said, "Earnings: Records. ") || !strings.Contains(said, "2026 (UTC)") {
				t.Errorf("%s, %s: the status line says %q", s.Name, step.name, said)
			}
			if said := site.Eval[[]string](b, `window.said`); len(said) != 1 {
				t.Errorf("%s, %s: %d announcements: %q", s.Name, step.name, len(said), said)
			}
		}
	}
}

// A form that was sent is answered by one announcement, which says what was done.
func TestBrowserSentFormIsAnnounced(t *testing.T) {
	t.Parallel()
	m := site.OpenMailSite(t)
	m.Plan()
	b := m.Browse(t, site.Desktop)
	b.Goes(m.Address + "/summaries")
	b.Arrives(`document.querySelector('form[action$="/pause"]') !== null`)
	site.Eval[bool](b, `(document.querySelector('form[action$="/pause"]').requestSubmit(), true)`)
	b.Arrives(`document.querySelector('form[action$="/resume"]') !== null`)
	b.Until(`document.getElementById("announcement").textContent !== ""`)
	said := site.Eval[string](b, `document.getElementById("announcement").textContent`)
	if notice := site.Eval[string](b, `document.querySelector("#page [data-done]").innerText.replace(/\s+/g, " ").trim()`); said != notice || !strings.Contains(said, "paused") {
		t.Errorf("the status line says %q, the page %q", said, notice)
	}
}

// The key "/" opens the search on every page. It finds pages with a slip of typing, people and
// codes, and arrow keys and Enter open what was found.
func TestBrowserSlashSearchesEverywhere(t *testing.T) {
	t.Parallel()
	address := site.LookedAt(t)
	b := site.Open(t, address+"/commissions", site.Desktop)
	b.Leaves = true
	for _, path := range []string{"/", "/collection", "/account"} {
		b.Goes(address + path)
		b.Arrives(`document.getElementById("finder") !== null`)
		b.Do(chromedp.KeyEvent("/"))
		b.Until(`document.activeElement.id === "finder-text"`)
	}
	b.Goes(address + "/collection")
	b.Arrives(`true`)
	b.Do(chromedp.KeyEvent("/"))
	b.Until(`document.activeElement.id === "finder-text"`)
	site.Eval[bool](b, `document.activeElement.value = "", true`) // the protocol also types the key
	b.Do(chromedp.KeyEvent("comission"))
	b.Until(`document.querySelector("#finder-chosen")?.getAttribute("href") === "/commissions"`)
	golden.Equal(t, "aloud/search.txt", []byte(b.Aloud("#finder", 60)))
	b.LooksRightOn("finder", site.Desktop, site.Phone, site.Darkness)
	b.Look(site.Desktop)
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Arrives(`location.pathname === "/commissions"`)
	uid := site.Eval[string](b, `document.querySelector("main a[href^='/invitees/']").getAttribute("href").split(/[/?]/)[2]`)
	b.Do(chromedp.KeyEvent("/"))
	b.Until(`document.activeElement.id === "finder-text"`)
	site.Eval[bool](b, `document.activeElement.value = "", true`)
	b.Do(chromedp.KeyEvent(uid[:6]))
	b.Until(`document.querySelector("#found .hit[href$='q=` + uid[:6] + `']") !== null`) // the answer to the whole text
	b.Do(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowUp))
	b.Until(`document.querySelector("#finder-chosen")?.getAttribute("href").startsWith("/invitees/` + uid[:6] + `")`)
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Arrives(`location.pathname.startsWith("/invitees/` + uid[:6] + `")`)
}

// A search that is typed before htmx listens has an answer of the server once it does.
func TestBrowserSearchTypedAtOnce(t *testing.T) {
	t.Parallel()
	address := site.LookedAt(t)
	b := site.Open(t, address+"/collection", site.Desktop)
	site.Call(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `addEventListener("load", () => {
		const field = document.getElementById("finder-text");
		window.early = !globalThis.htmx;
		field.value = "comission";
		field.dispatchEvent(new Event("input", {bubbles: true}));
	})`})
	b.Goes(address + "/account")
	if !site.Eval[bool](b, `window.early`) {
		t.Fatal("htmx was there before the search was typed")
	}
	b.Until(`document.querySelector("#found .hit[href='/commissions']:not([hidden])") !== null && document.querySelectorAll("#found .hit").length < 8`)
}
