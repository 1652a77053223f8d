package acceptance_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"golang.org/x/image/font/gofont/goregular"

	"rebatedesk/acceptance/gallery"
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
	return true;
})()`

// The components of pages, in a page of the server, look as they did when someone last looked at
// them: on a wide screen in both schemes, and on a phone.
func TestBrowserDesign(t *testing.T) {
	t.Parallel()
	h := openSharedSite(t)
	letters := base64.StdEncoding.EncodeToString(goregular.TTF)
	var components strings.Builder
	if err := gallery.Gallery().Render(t.Context(), &components); err != nil {
		t.Fatal(err)
	}
	shown, err := json.Marshal(components.String())
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]screen{
		"wide":  {name: "wide", width: 1366, height: 900},
		"dark":  {name: "dark", width: 1366, height: 900, dark: true},
		"phone": phone,
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, h.at("/help"), s)
			eval[bool](b, fmt.Sprintf(`(document.getElementById("page").innerHTML = %s, scrollTo(0, 0), true)`, shown))
			eval[bool](b, fmt.Sprintf(sameLetters, letters))
			eval[bool](b, `(document.querySelectorAll("[data-chart]").forEach(e => e.scrollIntoView()), true)`)
			for _, id := range []string{"eight", "states", "lines", "moved", "running"} {
				eval[bool](b, `(document.getElementById("`+id+`").scrollIntoView(), true)`)
				b.until(drawnIn(id))
			}
			b.still()
			b.arrives(sideways + " <= 0")
			golden.Picture(t, "design/"+name+".png", b.picture("#page", 0.4))
			if name != "phone" {
				b.accessible()
			}
		})
	}
}

// picture returns what an element looks like, as a PNG of the given scale.
func (b *tab) picture(selector string, scale float64) []byte {
	b.t.Helper()
	box := eval[[]float64](b, `(r => [r.left + scrollX, r.top + scrollY, r.width, r.height])(document.querySelector("`+selector+`").getBoundingClientRect())`)
	taken, err := chromedp.Call(b.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{
		Format: page.CaptureScreenshotFormatPng, CaptureBeyondViewport: new(true),
		Clip: &page.Viewport{X: box[0], Y: box[1], Width: box[2], Height: box[3], Scale: scale},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return taken.Data
}

// A click into a column of the chart shows its day alone, with the rest of the question unchanged,
// and going back restores the range.
func TestBrowserColumnNarrowsRange(t *testing.T) {
	t.Parallel()
	h := openSharedSite(t)
	b := open(t, h.at("/commissions?range=14d&coin=USDT"), desktop)
	eval[bool](b, `(document.getElementById("daily-chart").scrollIntoView({block: "center"}), true)`)
	b.until(drawnIn("daily-chart"))
	box := eval[[]float64](b, `(r => [r.left + r.width / 2, r.bottom - 34])(document.getElementById("daily-chart").getBoundingClientRect())`)
	// The tooltip says what a click does before it is done, with all its lines in sight beside the pointer.
	const tip = `[...document.querySelectorAll(".chart-tip")].find(tip => tip.checkVisibility())`
	step := 0
	for ; !eval[bool](b, tip+`?.innerText.includes("Click the column: this day alone") ?? false`); step++ {
		if step == 20 {
			t.Fatal("no tooltip says what a click does")
		}
		b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, box[0]+float64(7*step), box[1]))
		b.still()
	}
	b.shoot("tip")
	for _, s := range []string{
		`innerText.split("\n").length >= 4`, // the day, what a click does, a product and its value
		`clientHeight === (` + tip + `).scrollHeight`,
		`getBoundingClientRect().left >= 0`,
		`getBoundingClientRect().right <= innerWidth`,
		`getBoundingClientRect().top >= 0`,
		`getBoundingClientRect().bottom <= innerHeight`,
	} {
		if !eval[bool](b, `(`+tip+`).`+s) {
			t.Errorf("of the tooltip it is not true that %s", s)
		}
	}
	if away := eval[float64](b, fmt.Sprintf(`(([x, y], { left, right, top, bottom }) => Math.max(left - x, x - right, top - y, y - bottom))([%f, %f], (%s).getBoundingClientRect())`,
		box[0]+float64(7*(step-1)), box[1], tip)); away < 1 || away > 40 {
		t.Errorf("the tooltip is %.0f pixels away from the pointer", away)
	}
	for step := 0; !eval[bool](b, `new URLSearchParams(location.search).has("from")`); step++ {
		if step == 20 {
			t.Fatal("no click leads to a day")
		}
		b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, box[0]+float64(7*step), box[1]))
		b.still()
		b.do(chromedp.MouseClickXY(box[0]+float64(7*step), box[1]))
		b.until(`document.querySelector(".htmx-request") === null`)
	}
	b.until(`(q => q.get("from") === q.get("to") && q.get("coin") === "USDT" && !q.has("range"))(new URLSearchParams(location.search))`)
	b.until(`document.querySelector("#rows tbody tr") !== null || document.querySelector("h2") !== null`)
	eval[bool](b, `(history.back(), true)`)
	b.until(`new URLSearchParams(location.search).get("range") === "14d"`)
	b.until(drawnIn("daily-chart"))
	b.until(`document.querySelectorAll(".chart-tip").length <= document.querySelectorAll("[data-chart][data-drawn]").length`)

	// A finger reads the column first, and shows its day when it taps once more.
	call(b, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
	b.look(phone)
	b.goes(h.at("/?range=14d&coin=USDT"))
	eval[bool](b, `(document.getElementById("daily-chart").scrollIntoView({block: "center"}), true)`)
	b.until(drawnIn("daily-chart"))
	b.still()
	box = eval[[]float64](b, `(r => [r.left + r.width / 2, r.bottom - 34])(document.getElementById("daily-chart").getBoundingClientRect())`)
	taps := func(x float64) {
		call(b, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchStart, TouchPoints: []*input.TouchPoint{{X: x, Y: box[1]}}})
		call(b, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchEnd, TouchPoints: []*input.TouchPoint{}})
		b.still()
	}
	const narrowed = `new URLSearchParams(location.search).has("from")`
	for step := 0; !eval[bool](b, narrowed); step++ {
		if step == 20 {
			t.Fatal("no second tap leads to a day")
		}
		taps(box[0] + float64(7*step))
		b.until(tip + `?.innerText.includes("Tap the column again: this day alone") ?? false`)
		if eval[bool](b, narrowed) {
			t.Fatal("the first tap leads to a day")
		}
		taps(box[0] + float64(7*step))
		b.until(`document.querySelector(".htmx-request") === null`)
	}
}
