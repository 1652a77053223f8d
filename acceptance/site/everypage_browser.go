package site

import (
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Query returns the query of the browser tests for each page: days that have records,
// and few rows, because the Tab key walks to every link.
func (p ReportPage) Query() string {
	values := []string{}
	for _, pair := range []string{"range=14d", "compare=previous", "per=5"} {
		if name, _, _ := strings.Cut(pair, "="); p.TakesIt(name) {
			values = append(values, pair)
		}
	}
	return "?" + strings.Join(values, "&")
}

// DrawnIn reports whether a chart's canvas has more than a background.
func DrawnIn(id string) string { return strings.ReplaceAll(Drawn, "#daily-chart", "#"+id) }

// Settled waits until everything that loads after the page is present.
func (b *Tab) Settled(p ReportPage) {
	b.T.Helper()
	for _, id := range Eval[[]string](b, `[...document.querySelectorAll("[data-chart]")].map(e => e.id)`) {
		b.Until(DrawnIn(id))
	}
	if p.Route == "/" {
		b.Until(`document.querySelector("#attention h3") !== null`)
	}
	b.Until(`document.querySelector(".htmx-request") === null`)
}

// stops are the elements at which the Tab key must stop: all that can be pressed or chosen,
// and the boxes that scroll. It stops at one radio button of each name.
const stops = `[...document.querySelectorAll("main :is(a[href], button, select, input:not([type=hidden], [type=radio]), textarea, summary, [tabindex='0'])")]
	.filter(e => !e.disabled && e.checkVisibility({visibilityProperty: true}))`

// TabReachesEverything proves that the Tab key alone reaches every usable element of a page,
// and that the focus is visible.
func (b *Tab) TabReachesEverything() {
	b.T.Helper()
	Eval[bool](b, `window.stops = `+stops+`, window.met = new Set(), window.unseen = [], document.querySelector("main").addEventListener("focusin", e => {
		const at = e.target, style = getComputedStyle(at);
		window.met.add(at);
		if (style.outlineStyle === "none" && style.boxShadow === "none" && !at.closest("label")?.matches(":focus-within")) window.unseen.push(at.outerHTML.slice(0, 120));
	}), true`)
	n := Eval[int](b, `window.stops.length`)
	for range n + 40 { // the head of the page comes first
		b.pressTab()
	}
	if missed := Eval[[]string](b, `window.stops.filter(e => !window.met.has(e)).slice(0, 5).map(e => e.outerHTML.slice(0, 160))`); len(missed) > 0 || n < 2 {
		b.T.Errorf("of %d places the Tab key does not come to\n%s", n, strings.Join(missed, "\n"))
	}
	if unseen := Eval[[]string](b, `window.unseen.slice(0, 5)`); len(unseen) > 0 {
		b.T.Errorf("nothing shows that the focus is on\n%s", strings.Join(unseen, "\n"))
	}
}

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

// MenusCanBePressed proves that the mouse reaches every menu of the page, and every entry of it.
func (b *Tab) MenusCanBePressed() {
	b.T.Helper()
	if lost := Eval[[]string](b, hidden); len(lost) > 0 {
		b.T.Errorf("the mouse does not reach\n%s", strings.Join(lost, "\n"))
	}
}

// pressTab presses the Tab key and does not let it go: nothing on a page listens to that, and it
// takes a third of the time.
func (b *Tab) pressTab() {
	b.T.Helper()
	press := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeRawKeyDown, Key: "Tab", Code: "Tab", WindowsVirtualKeyCode: 9, NativeVirtualKeyCode: 9}
	if _, err := chromedp.Call(b.Ctx, input.DispatchKeyEvent, press); err != nil {
		b.T.Fatal(err)
	}
}

// FiltersAndSortsByKeys chooses a filter and sorts by a column with keys alone, without
// loading the whole page again; going back restores the previous state each time.
func (b *Tab) FiltersAndSortsByKeys(p ReportPage) {
	b.T.Helper()
	const (
		filter = `form[aria-label=Filters] select`
		column = `#rows thead th a`
		// The page shows the server's drawing of a chart, or that of the reader's
		// script. What is folded is text, or elements where htmx has parsed it.
		text = `(main => (main.querySelectorAll("[data-chart], noscript").forEach(e => e.remove()), main.textContent))(document.querySelector("main").cloneNode(true))`
	)
	Eval[bool](b, `window.same = true`)
	press := func(selector, key, query string) {
		if !Eval[bool](b, `(e => e !== null && (e.focus(), true))(document.querySelector("`+selector+`"))`) {
			return
		}
		before, address := Eval[string](b, text), Eval[string](b, `location.search`)
		b.Do(chromedp.KeyEvent(key))
		b.Until(`location.search.includes("` + query + `=") && location.search !== ` + fmt.Sprintf("%q", address))
		b.Settled(p)
		Eval[bool](b, `history.back(), true`)
		b.Until(`location.search === ` + fmt.Sprintf("%q", address))
		b.Settled(p)
		b.Until(text + ` === ` + fmt.Sprintf("%q", before))
	}
	press(filter, kb.ArrowDown, Eval[string](b, `document.querySelector("`+filter+`")?.name ?? ""`))
	press(column, kb.Enter, "sort")
	if !Eval[bool](b, `window.same === true`) {
		b.T.Error("the page was loaded anew on the way")
	}
}
