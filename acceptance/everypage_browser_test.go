package acceptance_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// query returns the query of the browser tests for each page: days that have records,
// and few rows, because the Tab key walks to every link.
func (p reportPage) query() string {
	values := []string{}
	for _, pair := range []string{"range=14d", "compare=previous", "per=5"} {
		if name, _, _ := strings.Cut(pair, "="); p.takesIt(name) {
			values = append(values, pair)
		}
	}
	return "?" + strings.Join(values, "&")
}

// drawnIn reports whether a chart's canvas has more than a background.
func drawnIn(id string) string { return strings.ReplaceAll(drawn, "#daily-chart", "#"+id) }

// Every page on every screen is drawn, logs nothing on its console and is no wider than the
// screen, and axe finds no fault. On the wide screen it can also be used by keys alone.
func TestBrowserEveryPage(t *testing.T) {
	t.Parallel()
	h := openSharedSite(t)
	for i, p := range everyPage {
		t.Run(p.name+" phone", func(t *testing.T) {
			b := open(t, h.at(p.route)+p.query(), phone)
			b.settled(p)
			b.arrives(sideways + " <= 0")
			b.shoot(p.name + "-phone")
			b.accessibleInShape() // the wide screen has the same colours
			b.menusCanBePressed()
			if bare := eval[[]string](b, coinless); len(bare) > 0 {
				t.Errorf("amounts stand without their coin: %q", bare)
			}
		})
		t.Run(p.name+" desktop", func(t *testing.T) {
			b := open(t, h.at(p.route)+p.query(), desktop)
			b.settled(p)
			b.looksRight(p.name + "-desktop")
			b.turnsDark(p.name)
			b.look(desktop)
			b.settled(p)
			b.tabReachesEverything()
			for _, s := range []screen{desktop, tablet} {
				b.look(s)
				b.settled(p)
				b.menusCanBePressed()
			}
			b.look(desktop)
			if i%3 > 0 {
				return // one script and one component serve all pages
			}
			b.goes(h.at(p.route) + p.query()) // no browser has been here yet
			b.settled(p)
			b.filtersAndSortsByKeys(p)
		})
	}
}

// settled waits until everything that loads after the page is present.
func (b *tab) settled(p reportPage) {
	b.t.Helper()
	for _, id := range eval[[]string](b, `[...document.querySelectorAll("[data-chart]")].map(e => e.id)`) {
		b.until(drawnIn(id))
	}
	if p.route == "/" {
		b.until(`document.querySelector("#attention h3") !== null`)
	}
	b.until(`document.querySelector(".htmx-request") === null`)
}

// stops are the elements at which the Tab key must stop: all that can be pressed or chosen,
// and the boxes that scroll. It stops at one radio button of each name.
const stops = `[...document.querySelectorAll("main :is(a[href], button, select, input:not([type=hidden], [type=radio]), textarea, summary, [tabindex='0'])")]
	.filter(e => !e.disabled && e.checkVisibility({visibilityProperty: true}))`

// tabReachesEverything proves that the Tab key alone reaches every usable element of a page,
// and that the focus is visible.
func (b *tab) tabReachesEverything() {
	b.t.Helper()
	eval[bool](b, `window.stops = `+stops+`, window.met = new Set(), window.unseen = [], document.querySelector("main").addEventListener("focusin", e => {
		const at = e.target, style = getComputedStyle(at);
		window.met.add(at);
		if (style.outlineStyle === "none" && style.boxShadow === "none" && !at.closest("label")?.matches(":focus-within")) window.unseen.push(at.outerHTML.slice(0, 120));
	}), true`)
	n := eval[int](b, `window.stops.length`)
	for range n + 40 { // the head of the page comes first
		b.pressTab()
	}
	if missed := eval[[]string](b, `window.stops.filter(e => !window.met.has(e)).slice(0, 5).map(e => e.outerHTML.slice(0, 160))`); len(missed) > 0 || n < 2 {
		b.t.Errorf("of %d places the Tab key does not come to\n%s", n, strings.Join(missed, "\n"))
	}
	if unseen := eval[[]string](b, `window.unseen.slice(0, 5)`); len(unseen) > 0 {
		b.t.Errorf("nothing shows that the focus is on\n%s", strings.Join(unseen, "\n"))
	}
}

// coinless lists the amounts that stay beside the edge of a narrow screen, of tables with a column
// of coins, whose coin is not told with them.
const coinless = `[...document.querySelectorAll(".grid-table:has(thead th)")].filter(table => [...table.querySelectorAll("thead th")].some(th => th.textContent.trim() === "Coin"))
	.flatMap(table => [...table.querySelectorAll(":is(tbody, tfoot) td.keep")].filter(td => /[0-9]/.test(td.textContent)))
	.filter(td => !td.querySelector("bdi") && !/[A-Z]/.test(getComputedStyle(td, "::after").content)).map(td => td.textContent.trim())`

// hidden lists what a mouse cannot press: menus, and entries of open menus, at whose centre
// something else lies.
const hidden = `(() => {
	const lost = [], seen = e => e.checkVisibility({visibilityProperty: true}) && e.getClientRects().length > 0;
	const pressed = (menu, e) => {
		e.scrollIntoView({block: "center", inline: "nearest", behavior: "instant"});
		const box = e.getBoundingClientRect(), hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
		if (hit === null || !(e.contains(hit) || hit.closest("label")?.contains(e)))
			lost.push(innerWidth + " px: " + (menu.querySelector("summary").id || menu.querySelector("summary").textContent.trim()) + ": " + (e.textContent.trim() || e.name) + " lies behind " + hit?.outerHTML.slice(0, 120));
	};
	const entries = menu => [...menu.querySelectorAll(":scope > :not(summary) :is(a[href], button, select, textarea, input:not([type=hidden])), :scope > :is(a[href], button)")];
	let count = 0;
	for (const menu of document.querySelectorAll("details:is([data-menu], :has(> .popover))")) {
		if (menu.open || !seen(menu.querySelector("summary"))) continue;
		pressed(menu, menu.querySelector("summary"));
		menu.querySelector("summary").click();
		for (const e of entries(menu).filter(seen)) count++, pressed(menu, e);
		menu.open = false;
	}
	scrollTo(0, 0);
	return count > 0 ? lost : ["no menu has an entry"];
})()`

// menusCanBePressed proves that the mouse reaches every menu of the page, and every entry of it.
func (b *tab) menusCanBePressed() {
	b.t.Helper()
	if lost := eval[[]string](b, hidden); len(lost) > 0 {
		b.t.Errorf("the mouse does not reach\n%s", strings.Join(lost, "\n"))
	}
}

// pressTab presses the Tab key and does not let it go: nothing on a page listens to that, and it
// takes a third of the time.
func (b *tab) pressTab() {
	b.t.Helper()
	press := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeRawKeyDown, Key: "Tab", Code: "Tab", WindowsVirtualKeyCode: 9, NativeVirtualKeyCode: 9}
	if _, err := chromedp.Call(b.ctx, input.DispatchKeyEvent, press); err != nil {
		b.t.Fatal(err)
	}
}

// filtersAndSortsByKeys chooses a filter and sorts by a column with keys alone, without
// loading the whole page again; going back restores the previous state each time.
func (b *tab) filtersAndSortsByKeys(p reportPage) {
	b.t.Helper()
	const (
		filter = `form[aria-label=Filters] select`
		column = `#rows thead th a`
		// The page shows the server's drawing of a chart, or that of the reader's
		// script. What is folded is text, or elements where htmx has parsed it.
		text = `(main => (main.querySelectorAll("[data-chart], noscript").forEach(e => e.remove()), main.textContent))(document.querySelector("main").cloneNode(true))`
	)
	eval[bool](b, `window.same = true`)
	press := func(selector, key, query string) {
		if !eval[bool](b, `(e => e !== null && (e.focus(), true))(document.querySelector("`+selector+`"))`) {
			return
		}
		before, address := eval[string](b, text), eval[string](b, `location.search`)
		b.do(chromedp.KeyEvent(key))
		b.until(`location.search.includes("` + query + `=") && location.search !== ` + fmt.Sprintf("%q", address))
		b.settled(p)
		eval[bool](b, `history.back(), true`)
		b.until(`location.search === ` + fmt.Sprintf("%q", address))
		b.settled(p)
		b.until(text + ` === ` + fmt.Sprintf("%q", before))
	}
	press(filter, kb.ArrowDown, eval[string](b, `document.querySelector("`+filter+`")?.name ?? ""`))
	press(column, kb.Enter, "sort")
	if !eval[bool](b, `window.same === true`) {
		b.t.Error("the page was loaded anew on the way")
	}
}
