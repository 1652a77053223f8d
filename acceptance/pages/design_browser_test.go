package pages_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"golang.org/x/image/font/gofont/goregular"

	"rebatedesk/acceptance/gallery"
	"rebatedesk/acceptance/site"
	"rebatedesk/internal/golden"
)

// sameLetters sets the page in a font that is the same on every machine, also within charts, and
// waits until it is drawn. Charts take the height of a line from the width of a letter that the font
// lacks and each machine takes from another one: here it has the width of one that the font has.
const sameLetters = `(async () => {
	const measure = CanvasRenderingContext2D.prototype.measureText;
	CanvasRenderingContext2D.prototype.measureText = function (text) { return measure.call(this, text === "国" ? "m" : text); };
	const data = Uint8Array.from(atob("%s"), c => c.charCodeAt(0));
	document.fonts.add(await new FontFace("Same", data.buffer).load());
	document.documentElement.style.setProperty("font-family", "Same");
	document.body.style.setProperty("font-family", "Same");
	document.dispatchEvent(new Event("chart:data"));
	// On a phone the navigation lies over the components, wherever the page has been scrolled to.
	const sheet = new CSSStyleSheet();
	sheet.replaceSync("#nav { visibility: hidden }");
	document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
	return true;
})()`

// The components of pages, in a page of the server, look as they did when someone last looked at
// them: on a wide screen in both schemes, and on a phone.
func TestBrowserDesign(t *testing.T) {
	t.Parallel()
	h := site.OpenSharedSite(t)
	letters := base64.StdEncoding.EncodeToString(goregular.TTF)
	var components strings.Builder
	if err := gallery.Gallery().Render(t.Context(), &components); err != nil {
		t.Fatal(err)
	}
	shown, err := json.Marshal(components.String())
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]site.Screen{
		"wide":  {Name: "wide", Width: 1366, Height: 900},
		"dark":  {Name: "dark", Width: 1366, Height: 900, Dark: true},
		"phone": site.Phone,
	} {
		t.Run(name, func(t *testing.T) {
			b := site.Open(t, h.At("/help"), s)
			site.Eval[bool](b, fmt.Sprintf(`(document.getElementById("page").innerHTML = %s, scrollTo(0, 0), true)`, shown))
			site.Eval[bool](b, fmt.Sprintf(sameLetters, letters))
			// As after a swap of htmx, charts are looked for. Else those of a page on which the pointer was before
			// wait for its next news.
			site.Eval[bool](b, `(dispatchEvent(new Event("pointermove")), document.dispatchEvent(new CustomEvent("htmx:afterSettle", {detail: {target: document.getElementById("page"), elt: document.getElementById("page")}})), true)`)
			site.Eval[bool](b, `(document.querySelectorAll("[data-chart]").forEach(e => e.scrollIntoView()), true)`)
			for _, id := range []string{"eight", "states", "lines", "moved", "running"} {
				site.Eval[bool](b, `(document.getElementById("`+id+`").scrollIntoView(), true)`)
				b.Until(site.DrawnIn(id))
			}
			b.Still()
			b.Arrives(site.Sideways + " <= 0")
			golden.Picture(t, "design/"+name+".png", func() []byte { return b.Picture("#page", 0.4) })
			if name != "phone" {
				b.Accessible()
			}
		})
	}
}

// A click into a column of the chart shows its day alone, with the rest of the question unchanged,
// and going back restores the range.
func TestBrowserColumnNarrowsRange(t *testing.T) {
	t.Parallel()
	h := site.OpenSharedSite(t)
	b := site.Open(t, h.At("/commissions?range=14d&coin=USDT"), site.Desktop)
	site.Eval[bool](b, `(document.getElementById("daily-chart").scrollIntoView({block: "center"}), true)`)
	b.Until(site.DrawnIn("daily-chart"))
	box := site.Eval[[]float64](b, `(r => [r.left + r.width / 2, r.bottom - 34])(document.getElementById("daily-chart").getBoundingClientRect())`)
	// The tooltip says what a click does before it is done, with all its lines in sight beside the pointer.
	const tip = `[...document.querySelectorAll(".chart-tip")].find(tip => tip.checkVisibility())`
	step := 0
	for ; !site.Eval[bool](b, tip+`?.innerText.includes("Click the column: this day alone") ?? false`); step++ {
		if step == 20 {
			t.Fatal("no tooltip says what a click does")
		}
		b.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, box[0]+float64(7*step), box[1]))
		b.Still()
	}
	b.Shoot("tip")
	for _, s := range []string{
		`innerText.split("\n").length >= 4`, // the day, what a click does, a product and its value
		`clientHeight === (` + tip + `).scrollHeight`,
		`getBoundingClientRect().left >= 0`,
		`getBoundingClientRect().right <= innerWidth`,
		`getBoundingClientRect().top >= 0`,
		`getBoundingClientRect().bottom <= innerHeight`,
	} {
		if !site.Eval[bool](b, `(`+tip+`).`+s) {
			t.Errorf("of the tooltip it is not true that %s", s)
		}
	}
	if away := site.Eval[float64](b, fmt.Sprintf(`(([x, y], { left, right, top, bottom }) => Math.max(left - x, x - right, top - y, y - bottom))([%f, %f], (%s).getBoundingClientRect())`,
		box[0]+float64(7*(step-1)), box[1], tip)); away < 1 || away > 40 {
		t.Errorf("the tooltip is %.0f pixels away from the pointer", away)
	}
	for step := 0; !site.Eval[bool](b, `new URLSearchParams(location.search).has("from")`); step++ {
		if step == 20 {
			t.Fatal("no click leads to a day")
		}
		b.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, box[0]+float64(7*step), box[1]))
		b.Still()
		b.Do(chromedp.MouseClickXY(box[0]+float64(7*step), box[1]))
		b.Until(`document.querySelector(".htmx-request") === null`)
	}
	b.Until(`(q => q.get("from") === q.get("to") && q.get("coin") === "USDT" && !q.has("range"))(new URLSearchParams(location.search))`)
	b.Until(`document.querySelector("#rows tbody tr") !== null || document.querySelector("h2") !== null`)
	site.Eval[bool](b, `(history.back(), true)`)
	b.Until(`new URLSearchParams(location.search).get("range") === "14d"`)
	b.Until(site.DrawnIn("daily-chart"))
	b.Until(`document.querySelectorAll(".chart-tip").length <= document.querySelectorAll("[data-chart][data-drawn]").length`)

	// A finger reads the column first, and shows its day when it taps once more.
	site.Call(b, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
	b.Look(site.Phone)
	b.Goes(h.At("/?range=14d&coin=USDT"))
	site.Eval[bool](b, `(document.getElementById("daily-chart").scrollIntoView({block: "center"}), true)`)
	b.Until(site.DrawnIn("daily-chart"))
	b.Still()
	box = site.Eval[[]float64](b, `(r => [r.left + r.width / 2, r.bottom - 34])(document.getElementById("daily-chart").getBoundingClientRect())`)
	taps := func(x float64) {
		site.Call(b, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchStart, TouchPoints: []*input.TouchPoint{{X: x, Y: box[1]}}})
		site.Call(b, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchEnd, TouchPoints: []*input.TouchPoint{}})
		b.Still()
	}
	const narrowed = `new URLSearchParams(location.search).has("from")`
	for step := 0; !site.Eval[bool](b, narrowed); step++ {
		if step == 20 {
			t.Fatal("no second tap leads to a day")
		}
		taps(box[0] + float64(7*step))
		b.Until(tip + `?.innerText.includes("Tap the column again: this day alone") ?? false`)
		if site.Eval[bool](b, narrowed) {
			t.Fatal("the first tap leads to a day")
		}
		taps(box[0] + float64(7*step))
		b.Until(`document.querySelector(".htmx-request") === null`)
	}
}
