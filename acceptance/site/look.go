package site

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// allBrowsers is whether all browser tests run, as in make check, and not a sample of them.
func allBrowsers() bool { return os.Getenv("REBATEDESK_REQUIRE_BROWSER") == "1" }

// AllBrowsers skips a test unless all browser tests run. The reason says which test of the plain run
// finds most of what this one finds, or why it seldom finds anything.
func AllBrowsers(t *testing.T, reason string) {
	t.Helper()
	if !allBrowsers() {
		t.Skip("REBATEDESK_REQUIRE_BROWSER=1 runs it: " + reason)
	}
}

// Looks checks an open page in all its looks, without loading it again: it is no wider than a wide
// screen, a phone and the narrowest screen, the mouse reaches its menus and the keyboard all that can be
// used, and axe finds no fault on the wide screen, on a phone and in the dark. It leaves the page on
// the wide screen.
func (b *Tab) Looks(name string) {
	b.T.Helper()
	b.Look(Desktop)
	b.Fits(name)
	b.MenusCanBePressed()
	b.FocusReachesEverything()
	b.Shoot(name)
	b.Accessible()
	b.Look(Phone)
	b.Fits(name)
	b.MenusCanBePressed()
	b.Shoot(name + "-phone")
	b.AccessibleInShape() // the wide screen has the same colours
	b.Look(Narrow)
	b.Fits(name)
	if allBrowsers() { // colours are for axe to judge
		b.Look(Darkness)
		b.Still()
		b.Shoot(name + "-dark")
		b.Colours()
	}
	b.Look(Desktop)
}

// LooksRight checks an open page on the present screen alone, where its other looks show nothing new.
func (b *Tab) LooksRight(name string) {
	b.T.Helper()
	b.Fits(name)
	b.Shoot(name)
	b.Accessible()
}

// LooksRightOn checks an open page on each of some screens, without what lies behind its dialog.
func (b *Tab) LooksRightOn(name string, screens ...Screen) {
	b.T.Helper()
	for _, s := range screens {
		b.Look(s)
		b.Still()
		b.LooksRight(name + "-" + s.Name)
	}
}

// Fits checks that the page scrolls to no side and, on a small screen, cuts no entry of its navigation.
func (b *Tab) Fits(name string) {
	b.T.Helper()
	if wrong := Eval[string](b, fmt.Sprintf(`(%s)(%d)`, tooWide, b.screen.Width)); wrong != "" {
		b.T.Errorf("%s on a screen %d pixels wide: %s", name, b.screen.Width, wrong)
	}
	if odd := Eval[[]string](b, oddSizes); len(odd) > 0 {
		b.T.Errorf("%s on a screen %d pixels wide has text of other sizes: %s", name, b.screen.Width, strings.Join(odd, "\n"))
	}
}

// oddSizes lists texts that have none of the five sizes of app.css.
const oddSizes = `(() => {
	const odd = new Map(), texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (texts.nextNode()) {
		const e = texts.currentNode.parentElement;
		if (!texts.currentNode.data.trim() || e.matches("script, style, noscript, template, .sr-only, .sr-only *") || !e.checkVisibility()) continue;
		const size = parseFloat(getComputedStyle(e).fontSize);
		if (![12, 13, 15, 20, 30].includes(size) && !odd.has(size)) odd.set(size, size + ": " + e.outerHTML.slice(0, 160));
	}
	return [...odd.values()];
})()`

// tooWide waits until the page fits into a width, and says what sticks out if it never does. A page that
// is wider than a phone widens its window, which therefore is compared with the width as well.
const tooWide = `async width => {
	let over;
	for (let tries = 0; tries < 200; tries++) {
		await new Promise(done => requestAnimationFrame(() => setTimeout(done, tries > 3 ? 20 : 0)));
		` + AllSeen + `;
		over = Math.max(document.documentElement.scrollWidth, innerWidth) - width;
		if (over <= 0) break;
	}
	if (over > 0) return "it is " + over + " pixels too wide: " + [...document.querySelectorAll("body *")].filter(e => {
		for (let at = e; at !== document.body; at = at.parentElement) if (at.matches(".sr-only, #nav, .popover") || at !== e && getComputedStyle(at).overflowX !== "visible") return false;
		return e.getBoundingClientRect().right > width + 1;
	}).slice(-4).map(e => e.outerHTML.slice(0, 160)).join("\n");
	const cut = [...document.querySelectorAll("#nav > ul .nav-item span")].filter(e => width < 600 && !e.closest(".sr-only") && e.checkVisibility() && e.scrollWidth > e.clientWidth + 1).map(e => e.textContent);
	return cut.length > 0 ? "cut is " + cut.join() : "";
}`

// stops are the elements at which the Tab key must stop: all that can be pressed or chosen,
// and the boxes that scroll. It stops at one radio button of each name.
const stops = `[...document.querySelectorAll("main :is(a[href], button, select, input:not([type=hidden], [type=radio]), textarea, summary, [tabindex='0'])")]
	.filter(e => !e.disabled && e.checkVisibility({visibilityProperty: true}))`

// walked walks through the stops of a page by script. It lists those that the focus does not reach, or
// reaches without being seen, those that stand above the one before them in the same column, and whatever
// takes the focus out of its order.
const walked = `(() => {
	const list = ` + stops + `, wrong = [], told = (what, e) => wrong.push(what + ": " + e.outerHTML.slice(0, 160));
	const places = list.map(e => e.getBoundingClientRect());
	list.forEach((e, i) => {
		const a = places[i - 1], b = places[i];
		if (i > 0 && b.bottom <= a.top && b.left < a.right && a.left < b.right) told("it stands above the stop before it", e);
		e.focus({focusVisible: true});
		if (document.activeElement !== e) return told("the focus does not reach it", e);
		const style = getComputedStyle(e), box = e.getBoundingClientRect();
		if (style.outlineStyle === "none" && style.boxShadow === "none" && !e.closest("label")?.matches(":focus-within")) told("nothing shows that the focus is on it", e);
		if (box.right <= 0 || box.left >= innerWidth || box.bottom <= 0 || box.top >= innerHeight) told("it is out of sight while it has the focus", e);
	});
	document.querySelectorAll("[tabindex]").forEach(e => e.tabIndex > 0 && told("it is out of the order of the document", e));
	document.activeElement?.blur();
	scrollTo(0, 0);
	return wrong;
})()`

// FocusReachesEverything checks that the focus comes to every usable element of the page, in the order
// in which they stand, and that it is seen. [Tab.TabReachesEverything] does that with the real key.
func (b *Tab) FocusReachesEverything() {
	b.T.Helper()
	if wrong := Eval[[]string](b, walked); len(wrong) > 0 {
		b.T.Errorf("%d places of the focus:\n%s", len(wrong), strings.Join(wrong[:min(len(wrong), 8)], "\n"))
	}
}

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

// pressTab presses the Tab key and does not let it go: nothing on a page listens to that, and it
// takes a third of the time.
func (b *Tab) pressTab() {
	b.T.Helper()
	press := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeRawKeyDown, Key: "Tab", Code: "Tab", WindowsVirtualKeyCode: 9, NativeVirtualKeyCode: 9}
	if _, err := chromedp.Call(b.Ctx, input.DispatchKeyEvent, press); err != nil {
		b.T.Fatal(err)
	}
}

// menus opens each menu of the page, and returns how many entries they have and what is wrong with
// them: a menu, or an entry of it, at whose centre something else lies, and a menu that goes beyond the
// screen or makes the page wider.
const menus = `(() => {
	const lost = [], seen = e => e.checkVisibility({visibilityProperty: true}) && e.getClientRects().length > 0;
	const wide = document.documentElement.scrollWidth;
	const pressed = (name, e) => {
		e.scrollIntoView({block: "center", inline: "nearest", behavior: "instant"});
		const box = e.getBoundingClientRect(), hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
		if (hit === null || !(e.contains(hit) || hit.closest("label")?.contains(e)))
			lost.push(innerWidth + " px: " + name + ": " + (e.textContent.trim() || e.name) + " lies behind " + hit?.outerHTML.slice(0, 120));
	};
	const entries = menu => [...menu.querySelectorAll(":scope > :not(summary) :is(a[href], button, select, textarea, input:not([type=hidden])), :scope > :is(a[href], button)")];
	let count = 0;
	for (const menu of document.querySelectorAll("details:is([data-menu], :has(> .popover))")) {
		const head = menu.querySelector("summary"), name = head.id || head.textContent.trim();
		if (menu.open || !seen(head)) continue;
		pressed(name, head);
		head.click();
		if (!menu.open) lost.push(name + " does not open");
		const box = menu.querySelector(":scope > .popover")?.getBoundingClientRect();
		if (box && menu.closest("main") && (box.left < 0 || box.right > innerWidth || document.documentElement.scrollWidth > wide || innerWidth < 640 && box.bottom > innerHeight + 1))
			lost.push(name + " goes beyond the screen: from " + Math.round(box.left) + " to " + Math.round(box.right) + " of " + innerWidth + ", the page has " + document.documentElement.scrollWidth);
		for (const e of entries(menu).filter(seen)) count++, pressed(name, e);
		menu.open = false;
	}
	scrollTo(0, 0);
	return {count, lost};
})()`

// MenusCanBePressed checks that each menu of the page stays on the screen, and that the mouse reaches
// it and every entry of it. It returns how many entries there are.
func (b *Tab) MenusCanBePressed() int {
	b.T.Helper()
	found := Eval[struct {
		Count int
		Lost  []string
	}](b, menus)
	if len(found.Lost) > 0 {
		b.T.Errorf("the mouse does not reach\n%s", strings.Join(found.Lost, "\n"))
	}
	return found.Count
}

// Shoot saves a picture of the whole page if REBATEDESK_SCREENSHOTS names a directory.
func (b *Tab) Shoot(name string) {
	b.T.Helper()
	dir := os.Getenv("REBATEDESK_SCREENSHOTS")
	if dir == "" {
		return
	}
	picture := ValueOf(b, chromedp.FullScreenshot(100))
	if err := os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644); err != nil {
		b.T.Fatal(err)
	}
}

// Accessible runs axe over the page, with its rule that what is pressed is large enough.
func (b *Tab) Accessible() {
	b.T.Helper()
	b.axe(`{rules: {"target-size": {enabled: true}}}`)
}

// Colours runs the colour rules of axe. They suffice for a page that was checked with all
// rules in its other scheme.
func (b *Tab) Colours() {
	b.T.Helper()
	b.axe(`{runOnly: {type: "rule", values: ["color-contrast", "link-in-text-block"]}}`)
}

// AccessibleInShape does as accessible, without the colour rules, for a page whose colours were
// checked on another screen.
func (b *Tab) AccessibleInShape() {
	b.T.Helper()
	b.axe(`{rules: {"color-contrast": {enabled: false}, "link-in-text-block": {enabled: false}, "target-size": {enabled: true}}}`)
}

// TurnsDark checks in dark colours a page that passed all checks on a wide screen.
func (b *Tab) TurnsDark(name string) {
	b.T.Helper()
	b.Look(Darkness)
	b.Still()
	b.Until(Sideways + " <= 0")
	b.Shoot(name + "-dark")
	b.Colours()
}

// Still waits until nothing moves. Colours fade from one scheme into the other, and
// those of inner elements begin when those around them have ended.
func (b *Tab) Still() {
	b.T.Helper()
	Eval[bool](b, `(async () => {
		for (;;) {
			await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
			const moving = document.getAnimations().filter(a => a.playState !== "finished" && a.effect.getComputedTiming().iterations !== Infinity);
			if (moving.length === 0) return true;
			await Promise.allSettled(moving.map(a => a.finished));
		}
	})()`)
}

// axeSource is axe-core, read once.
var axeSource = sync.OnceValues(func() (string, error) {
	source, err := os.ReadFile("../../web/assets/node_modules/axe-core/axe.min.js")
	return string(source) + ";undefined", err
})

// axe runs axe over the page, which takes longer than to load it, if all browser tests run.
func (b *Tab) axe(options string) {
	b.T.Helper()
	if !allBrowsers() {
		return
	}
	source, err := axeSource()
	if err != nil {
		b.T.Fatalf("axe-core is not installed: run make packages (%v)", err)
	}
	if !Eval[bool](b, `"axe" in window`) {
		Eval[chromedp.Void](b, source)
	}
	Eval[chromedp.Void](b, AllSeen)
	b.Still()
	// The only frame is the preview of a mail, in a sandbox where no script runs, axe neither.
	violations := Eval[[]string](b, `axe.run(document, Object.assign({resultTypes: ["violations"], preload: false, iframes: false}, `+options+`)).then(r => r.violations.map(v =>
		v.id + ": " + v.help + "\n" + v.nodes.slice(0, 4).map(n => "  " + n.html.slice(0, 200) + "\n    " + n.failureSummary.replaceAll("\n", " ")).join("\n")))`)
	if len(violations) > 0 {
		b.T.Errorf("axe:\n%s", strings.Join(violations, "\n"))
	}
}

// Drawn shows the chart to a reader who is there, so that its script draws it, and
// reports whether its canvas has more than a background. It runs at each frame until it is
// true, so it stops as soon as it has found enough colours.
const Drawn = `(() => {
	dispatchEvent(new Event("pointermove"));
	document.querySelector("#daily-chart")?.scrollIntoView({block: "nearest"});
	const canvas = document.querySelector("#daily-chart canvas");
	if (!canvas || !canvas.width) return false;
	const copy = Object.assign(document.createElement("canvas"), {width: canvas.width, height: canvas.height}).getContext("2d", {willReadFrequently: true});
	copy.drawImage(canvas, 0, 0);
	const colours = new Set();
	return new Uint32Array(copy.getImageData(0, 0, canvas.width, canvas.height).data.buffer).some(pixel => colours.add(pixel).size > 10);
})()`

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
		if !Eval[bool](b, `(e => e !== null && (e.closest("details")?.setAttribute("open", ""), e.focus(), true))(document.querySelector("`+selector+`"))`) {
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

// ChoosesFilter chooses a value of a filter on a page without a script: it opens the menu of the filters,
// and sends their form.
func (b *Tab) ChoosesFilter(name, value string) {
	b.T.Helper()
	b.Clicks("details:not([open]) > #filter-menu", "form[aria-label=Filters] button")
	b.Do(chromedp.SetValue(chromedp.ID("filter-"+name), value))
	b.Clicks("main:not(:has(.chip)) form[aria-label=Filters] button", ".chip")
}

// Foreign matches elements that the application never creates and that a hostile text
// could.
const Foreign = `[...document.querySelectorAll("img, iframe, object, embed, base, form[action^='javascript:' i], a[href^='javascript:' i], a[href^='data:' i], script:not([src], [type='application/json']), style, [onerror], [onload], [onfocus], [onclick], [autofocus][onfocus]")]
	.filter(e => !e.matches("[data-chart] *")).map(e => e.outerHTML.slice(0, 160))`

// Sideways returns by how many pixels the page scrolls to the side when all of it is laid out.
const Sideways = `(` + AllSeen + `, document.documentElement.scrollWidth - innerWidth)`

// AllSeen lays out what a phone lays out when it is scrolled near.
const AllSeen = `document.querySelectorAll(".later").forEach(e => e.classList.add("seen"))`

// Picture returns what an element looks like, as a PNG of the given scale.
func (b *Tab) Picture(selector string, scale float64) []byte {
	b.T.Helper()
	box := Eval[[]float64](b, `(r => [r.left + scrollX, r.top + scrollY, r.width, r.height])(document.querySelector("`+selector+`").getBoundingClientRect())`)
	taken, err := chromedp.Call(b.Ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{
		Format: page.CaptureScreenshotFormatPng, CaptureBeyondViewport: new(true),
		Clip: &page.Viewport{X: box[0], Y: box[1], Width: box[2], Height: box[3], Scale: scale},
	})
	if err != nil {
		b.T.Fatal(err)
	}
	return taken.Data
}

// InSight fails the test if an open menu extends beyond the sides of the screen.
func (b *Tab) InSight() {
	b.T.Helper()
	const menu = `[...document.querySelectorAll("main details[open] > .popover")].map(p => p.getBoundingClientRect())`
	if n := Eval[int](b, menu+`.length`); n != 1 {
		b.T.Errorf("%d menus are open", n)
	}
	if out := Eval[int](b, menu+`.filter(r => r.left < 0 || r.right > innerWidth).length`); out > 0 {
		b.T.Error("the menu goes beyond the screen")
	}
}
