package console_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"rebatedesk/acceptance/site"
	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
)

// A page of a market tells an own fill in a line and to screen readers, shows the price under the
// pointer before a click takes exactly that, and says the last price in the title of its tab. On a
// phone the ways to the order are where the thumb is, and lie over nothing.
func TestBrowserLiveMarket(t *testing.T) {
	site.AllBrowsers(t, "TestBrowserTicket uses the same page, whose news come by the clock")
	t.Parallel()
	f := site.OpenCharts(t)
	b := site.OpenTrader(t, f.Address, f.Code(f.Secret))
	b.Goes(f.Address + "/console/markets/" + site.Spot)
	b.Until(`dispatchEvent(new Event("scroll")), document.querySelector("#candles-chart canvas") !== null`)

	// The price under the pointer is a multiple of the tick, and a click takes it.
	for _, part := range []string{"0.31", "0.52"} {
		point := func(kind string) string {
			return fmt.Sprintf(`(chart => (({ left, top, width, height }) => chart.dispatchEvent(new MouseEvent(%q, { bubbles: true, clientX: left + width / 2, clientY: top + height * %s })))(chart.getBoundingClientRect()))(document.querySelector("#candles-chart canvas"))`, kind, part)
		}
		site.Eval[bool](b, point("mousemove"))
		b.Until(`/^[0-9]+[.][0-9]{2}$/.test(document.getElementById("candles-chart").dataset.pointed)`)
		site.Eval[bool](b, `shown = document.getElementById("candles-chart").dataset.pointed, true`)
		for _, kind := range []string{"mousedown", "mouseup", "click"} {
			site.Eval[bool](b, point(kind))
		}
		b.Until(`Number(document.getElementById("ticket-price").value) === Number(shown) && ` + settledTicket)
		b.Shoot("pointed-" + part)
	}

	// The title says the last price, as the page does.
	b.Until(`/^[0-9,]+[.][0-9]+ BTC.USDT · Rebatedesk$/.test(document.title) && document.title.startsWith(document.querySelector("#market-head dd").textContent.trim())`)

	// The strip below the candles moves the part in sight, by its ends and by its middle.
	const sight = `document.getElementById("candles-chart").dataset.sight`
	drag := func(from, by float64) {
		t.Helper()
		at := site.Eval[[]float64](b, `(strip => (strip.scrollIntoView({ block: "center", behavior: "instant" }), (({ left, top, width, height }) => [left + 8, top + height / 2, width - 92])(strip.getBoundingClientRect())))(document.getElementById("market-strip"))`)
		x, y := at[0]+at[2]*from, at[1]
		b.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y), chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, x, y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
		for step := range 4 {
			b.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x+at[2]*by*float64(step+1)/4, y, chromedp.ButtonLeft))
		}
		b.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, x+at[2]*by, y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
	}
	// shows waits until parts of all candles are in sight, with a tenth of them as tolerance.
	shows := func(from, to float64) {
		t.Helper()
		b.Until(fmt.Sprintf(`(([first, end, last]) => Math.abs(first / last - %g) < 0.1 && Math.abs(end / last - %g) < 0.1)(%s.split(" "))`, from, to, sight))
	}
	drag(0, 0.5)
	shows(0.5, 1)
	drag(0.75, -0.25)
	shows(0.25, 0.75)
	b.Press("[data-zoom=all]")
	b.Until(sight + `.startsWith("0 ")`)
	b.Press("#ticket-quantity")

	// A fill is told once, and the line stays until it is closed. Nothing moves.
	o := f.Client.PlaceOrder(b.Ctx, site.Spot, weex.NewOrder{Side: weex.Buy, Type: weex.Market, Quantity: "0.001", ClientOrderID: "told-1"})
	if o.State != weex.Placed {
		t.Fatal(o)
	}
	for end := time.Now().Add(30 * time.Second); !site.Eval[bool](b, `document.getElementById("fill-line").checkVisibility()`) && time.Now().Before(end); {
		time.Sleep(200 * time.Millisecond)
	}
	b.Until(`document.getElementById("fill-line").innerText.startsWith("Fill of BTC/USDT at ") && document.getElementById("announcement").textContent.startsWith("Fill of BTC/USDT at ")`)
	// Prices and notes of the page go on changing, so both states are measured at one instant.
	liesOver := func(line string) {
		t.Helper()
		if moved := site.Eval[string](b, fmt.Sprintf(`(line => {
			const places = () => [...document.querySelectorAll("#page, #market-head, #market-own, #ticket")].map(e => JSON.stringify(e.getBoundingClientRect())).join();
			const shown = places();
			line.hidden = true;
			const without = places();
			line.hidden = false;
			return shown === without ? "" : shown + " instead of " + without;
		})(document.getElementById(%q))`, line)); moved != "" {
			t.Errorf("%s moves the page: %s", line, moved)
		}
	}
	liesOver("fill-line")
	b.Shoot("fill")
	b.Accessible()
	b.Press("#fill-line button")
	b.Until(`!document.getElementById("fill-line").checkVisibility() && document.activeElement.id === "page"`)

	// What fills between two pages is told on the second one.
	b.Goes(f.Address + "/console/bills")
	if o := f.Client.PlaceOrder(b.Ctx, site.Spot, weex.NewOrder{Side: weex.Buy, Type: weex.Market, Quantity: "0.003", ClientOrderID: "told-2"}); o.State != weex.Placed {
		t.Fatal(o)
	}
	b.Goes(f.Address + "/console/markets/" + site.Spot)
	b.Until(`document.getElementById("fill-line").innerText.includes("bought 0.003\u00a0BTC")`)
	b.Press("#fill-line button")

	// Rows of orders and fills with long fees make no phone too wide.
	shown := func(is bool) {
		site.Eval[bool](b, fmt.Sprintf(`Object.defineProperty(document, "hidden", { configurable: true, value: %t }), document.dispatchEvent(new Event("visibilitychange")), true`, !is))
	}
	shown(false)
	for _, order := range []weex.NewOrder{
		{Side: weex.Sell, Type: weex.Market, Quantity: "0.054321", ClientOrderID: "sold-1"},
		{Side: weex.Buy, Type: weex.Market, Quantity: "0.002", ClientOrderID: "bought-2"},
		{Side: weex.Buy, Type: weex.Limit, Force: weex.GoodTillCancelled, Price: "12345.67", Quantity: "0.012345", ClientOrderID: "rests-1"},
	} {
		if o := f.Client.PlaceOrder(b.Ctx, site.Spot, order); o.State != weex.Placed {
			t.Fatal(o)
		}
	}
	for end := time.Now().Add(30 * time.Second); !site.Eval[bool](b, `document.querySelectorAll("#market-own tbody tr").length >= 4`) && time.Now().Before(end); {
		time.Sleep(200 * time.Millisecond)
	}
	// What filled while the page was hidden is summed up once it is shown.
	if site.Eval[bool](b, `document.getElementById("fill-line").checkVisibility()`) {
		t.Error("a hidden page tells fills")
	}
	shown(true)
	b.Until(`document.getElementById("fill-line").innerText.startsWith("2 fills of BTC/USDT since ") && document.getElementById("announcement").textContent.startsWith("2 fills of BTC/USDT since ")`)
	// The words of an order in the chart lead to the review of its cancellation, and no price is taken.
	near := f.Client.PlaceOrder(b.Ctx, site.Spot, weex.NewOrder{Side: weex.Buy, Type: weex.Limit, Force: weex.GoodTillCancelled, ClientOrderID: "near-1",
		Price: affiliate.Number(f.Sim.Price(site.Spot).Decimal().Mul(affiliate.Number("0.998").Decimal()).Truncate(2).String()), Quantity: "0.02"})
	if near.State != weex.Placed {
		t.Fatal(near)
	}
	b.Until(fmt.Sprintf(`dispatchEvent(new Event("scroll")), document.querySelector("#candles-chart canvas") !== null && document.getElementById("cancel-%s") !== null`, near.OrderID))
	b.Still()
	at := site.Eval[[]float64](b, `(chart => (chart.scrollIntoView({ block: "center", behavior: "instant" }), (({ left, top, width, height }) => [left + 30, left + width / 2, top + 8, height])(chart.getBoundingClientRect())))(document.getElementById("candles-chart"))`)
	site.Eval[bool](b, `led = "", document.addEventListener("submit", event => event.target.id === "cancel-form" && (event.preventDefault(), led = event.submitter.id), true), true`)
	click := func(x, step float64) (led string) {
		for y := at[2]; y < at[2]+at[3]*0.75 && led == ""; y += step {
			b.Do(chromedp.MouseClickXY(x, y))
			led = site.Eval[string](b, `led`)
		}
		return led
	}
	if led := click(at[1], 2); led != "" {
		t.Errorf("a click on the line of an order leads to its cancellation: %s", led)
	}
	b.Until(`document.getElementById("ticket-price").value !== "" && ` + settledTicket)
	if led := click(at[0], 5); led != "cancel-"+near.OrderID {
		t.Errorf("the words of an order in the chart lead to %q, not to its cancellation", led)
	}
	b.Goes(f.Address + "/console/markets/" + site.Spot)
	b.Arrives(`document.getElementById("ticket") !== null`)

	// On a phone, buying, selling, the open orders and stopping share a row at the foot.
	for _, s := range []site.Screen{site.Phone, {Name: "small", Width: 320, Height: 640}} {
		b.Look(s)
		b.Still()
		const row = `[...document.querySelectorAll(".entries a, .thumbs a, .thumbs button")]`
		if bad := site.Eval[string](b, row+`.filter(e => (({ top, bottom, left, right, height }) => height < 44 || top < innerHeight * 0.7 || left < 0 || right > innerWidth || bottom > innerHeight || e.scrollWidth > e.clientWidth || !e.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2)))(e.getBoundingClientRect())).map(e => e.textContent.trim()).join()`); bad != "" {
			t.Errorf("%s: out of reach of the thumb, too small or covered: %s", s.Name, bad)
		}
		if tops := site.Eval[float64](b, `new Set(`+row+`.map(e => e.getBoundingClientRect().top)).size`); tops != 1 {
			t.Errorf("%s: the buttons are in %.0f rows", s.Name, tops)
		}
		b.Until(fmt.Sprintf("%s <= 0 && innerWidth === %d", site.Sideways, s.Width))
		b.Shoot("thumbs-" + s.Name)
		b.Press(`[data-entry=sell]`)
		b.Until(`document.querySelector("[name=side][value=sell]").checked && document.getElementById("ticket").getBoundingClientRect().top < 100`)
	}
	// With a keyboard over the window, nothing lies over a field that has the focus.
	b.Look(site.Screen{Name: "keyboard", Width: 390, Height: 380})
	for _, id := range []string{"ticket-price", "ticket-quantity", "ticket-value"} {
		b.Until(fmt.Sprintf(`(e => { e.focus(); return (({ left, right, top, bottom }) => document.elementFromPoint((left + right) / 2, (top + bottom) / 2) === e)(e.getBoundingClientRect()) })(document.getElementById(%q))`, id))
	}

	// A stream that is lost is said in the title, and in a line over the page: nothing moves.
	b.Look(site.Desktop)
	site.Eval[bool](b, `document.querySelector("[data-live]").dataset.live = "/console/nowhere", document.dispatchEvent(new Event("live:moved")), true`)
	b.Until(`document.title === "not live · BTC/USDT · Rebatedesk" && document.getElementById("live-state").checkVisibility()`)
	liesOver("live-state")
	b.Shoot("not-live-desktop")
	b.Look(site.Darkness)
	b.Still()
	b.Shoot("not-live-dark")
	b.Colours()
	b.Look(site.Desktop)
	// Nor does it move when the words below the chart change as minutes pass.
	for _, s := range []site.Screen{site.Phone, {Name: "narrow", Width: 320, Height: 640}, {Name: "tablet", Width: 1024, Height: 768}, site.Desktop} {
		b.Look(s)
		lines := site.Eval[[]float64](b, `(p => [
			"Complete: no trade of this time is missing.",
			"Grey: trades may be missing.",
			"Complete since 28 Nov 2026 11:46:32 UTC. Grey: trades may be missing.",
		].map(words => (p.textContent = words, p.offsetHeight)))(document.querySelector("#market-chart > p"))`)
		if slices.Min(lines) != slices.Max(lines) {
			t.Errorf("%s: the words below the chart are %v pixels high", s.Name, lines)
		}
	}
	b.Look(site.Phone)
	b.Shoot("not-live-phone")
	b.Colours()
}
