package acceptance_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
)

// A page of a market tells an own fill in a line and to screen readers, shows the price under the
// pointer before a click takes exactly that, and says the last price in the title of its tab. On a
// phone the ways to the order are where the thumb is, and lie over nothing.
func TestBrowserLiveMarket(t *testing.T) {
	t.Parallel()
	f := openCharts(t)
	b := openTrader(t, f.address, f.code(f.secret))
	b.goes(f.address + "/console/markets/" + spot)
	b.until(`dispatchEvent(new Event("scroll")), document.querySelector("#candles-chart canvas") !== null`)

	// The price under the pointer is a multiple of the tick, and a click takes it.
	for _, part := range []string{"0.31", "0.52"} {
		point := func(kind string) string {
			return fmt.Sprintf(`(chart => (({ left, top, width, height }) => chart.dispatchEvent(new MouseEvent(%q, { bubbles: true, clientX: left + width / 2, clientY: top + height * %s })))(chart.getBoundingClientRect()))(document.querySelector("#candles-chart canvas"))`, kind, part)
		}
		eval[bool](b, point("mousemove"))
		b.until(`/^[0-9]+[.][0-9]{2}$/.test(document.getElementById("candles-chart").dataset.pointed)`)
		eval[bool](b, `shown = document.getElementById("candles-chart").dataset.pointed, true`)
		for _, kind := range []string{"mousedown", "mouseup", "click"} {
			eval[bool](b, point(kind))
		}
		b.until(`Number(document.getElementById("ticket-price").value) === Number(shown) && ` + settledTicket)
		b.shoot("pointed-" + part)
	}

	// The title says the last price, as the page does.
	b.until(`/^[0-9,]+[.][0-9]+ BTC.USDT · Rebatedesk$/.test(document.title) && document.title.startsWith(document.querySelector("#market-head dd").textContent.trim())`)

	// The strip below the candles moves the part in sight, by its ends and by its middle.
	const sight = `document.getElementById("candles-chart").dataset.sight`
	drag := func(from, by float64) {
		t.Helper()
		at := eval[[]float64](b, `(strip => (strip.scrollIntoView({ block: "center", behavior: "instant" }), (({ left, top, width, height }) => [left + 8, top + height / 2, width - 92])(strip.getBoundingClientRect())))(document.getElementById("market-strip"))`)
		x, y := at[0]+at[2]*from, at[1]
		b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y), chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, x, y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
		for step := range 4 {
			b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x+at[2]*by*float64(step+1)/4, y, chromedp.ButtonLeft))
		}
		b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, x+at[2]*by, y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
	}
	// shows waits until parts of all candles are in sight, with a tenth of them as tolerance.
	shows := func(from, to float64) {
		t.Helper()
		b.until(fmt.Sprintf(`(([first, end, last]) => Math.abs(first / last - %g) < 0.1 && Math.abs(end / last - %g) < 0.1)(%s.split(" "))`, from, to, sight))
	}
	drag(0, 0.5)
	shows(0.5, 1)
	drag(0.75, -0.25)
	shows(0.25, 0.75)
	b.press("[data-zoom=all]")
	b.until(sight + `.startsWith("0 ")`)
	b.press("#ticket-quantity")

	// A fill is told once, and the line stays until it is closed. Nothing moves.
	o := f.client.PlaceOrder(b.ctx, spot, exchange.NewOrder{Side: exchange.Buy, Type: exchange.Market, Quantity: "0.001", ClientOrderID: "told-1"})
	if o.State != exchange.Placed {
		t.Fatal(o)
	}
	for end := time.Now().Add(30 * time.Second); !eval[bool](b, `document.getElementById("fill-line").checkVisibility()`) && time.Now().Before(end); {
		time.Sleep(200 * time.Millisecond)
	}
	b.until(`document.getElementById("fill-line").innerText.startsWith("Fill of BTC/USDT at ") && document.getElementById("announcement").textContent.startsWith("Fill of BTC/USDT at ")`)
	// Prices and notes of the page go on changing, so both states are measured at one instant.
	liesOver := func(line string) {
		t.Helper()
		if moved := eval[string](b, fmt.Sprintf(`(line => {
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
	b.shoot("fill")
	b.accessible()
	b.press("#fill-line button")
	b.until(`!document.getElementById("fill-line").checkVisibility() && document.activeElement.id === "page"`)

	// What fills between two pages is told on the second one.
	b.goes(f.address + "/console/bills")
	if o := f.client.PlaceOrder(b.ctx, spot, exchange.NewOrder{Side: exchange.Buy, Type: exchange.Market, Quantity: "0.003", ClientOrderID: "told-2"}); o.State != exchange.Placed {
		t.Fatal(o)
	}
	b.goes(f.address + "/console/markets/" + spot)
	b.until(`document.getElementById("fill-line").innerText.includes("bought 0.003\u00a0BTC")`)
	b.press("#fill-line button")

	// Rows of orders and fills with long fees make no phone too wide.
	shown := func(is bool) {
		eval[bool](b, fmt.Sprintf(`Object.defineProperty(document, "hidden", { configurable: true, value: %t }), document.dispatchEvent(new Event("visibilitychange")), true`, !is))
	}
	shown(false)
	for _, order := range []exchange.NewOrder{
		{Side: exchange.Sell, Type: exchange.Market, Quantity: "0.054321", ClientOrderID: "sold-1"},
		{Side: exchange.Buy, Type: exchange.Market, Quantity: "0.002", ClientOrderID: "bought-2"},
		{Side: exchange.Buy, Type: exchange.Limit, Force: exchange.GoodTillCancelled, Price: "12345.67", Quantity: "0.012345", ClientOrderID: "rests-1"},
	} {
		if o := f.client.PlaceOrder(b.ctx, spot, order); o.State != exchange.Placed {
			t.Fatal(o)
		}
	}
	for end := time.Now().Add(30 * time.Second); !eval[bool](b, `document.querySelectorAll("#market-own tbody tr").length >= 4`) && time.Now().Before(end); {
		time.Sleep(200 * time.Millisecond)
	}
	// What filled while the page was hidden is summed up once it is shown.
	if eval[bool](b, `document.getElementById("fill-line").checkVisibility()`) {
		t.Error("a hidden page tells fills")
	}
	shown(true)
	b.until(`document.getElementById("fill-line").innerText.startsWith("2 fills of BTC/USDT since ") && document.getElementById("announcement").textContent.startsWith("2 fills of BTC/USDT since ")`)
	// The words of an order in the chart lead to the review of its cancellation, and no price is taken.
	near := f.client.PlaceOrder(b.ctx, spot, exchange.NewOrder{Side: exchange.Buy, Type: exchange.Limit, Force: exchange.GoodTillCancelled, ClientOrderID: "near-1",
		Price: affiliate.Number(f.sim.Price(spot).Decimal().Mul(affiliate.Number("0.998").Decimal()).Truncate(2).String()), Quantity: "0.02"})
	if near.State != exchange.Placed {
		t.Fatal(near)
	}
	b.until(fmt.Sprintf(`dispatchEvent(new Event("scroll")), document.querySelector("#candles-chart canvas") !== null && document.getElementById("cancel-%s") !== null`, near.OrderID))
	b.still()
	at := eval[[]float64](b, `(chart => (chart.scrollIntoView({ block: "center", behavior: "instant" }), (({ left, top, width, height }) => [left + 30, left + width / 2, top + 8, height])(chart.getBoundingClientRect())))(document.getElementById("candles-chart"))`)
	eval[bool](b, `led = "", document.addEventListener("submit", event => event.target.id === "cancel-form" && (event.preventDefault(), led = event.submitter.id), true), true`)
	click := func(x, step float64) (led string) {
		for y := at[2]; y < at[2]+at[3]*0.75 && led == ""; y += step {
			b.do(chromedp.MouseClickXY(x, y))
			led = eval[string](b, `led`)
		}
		return led
	}
	if led := click(at[1], 2); led != "" {
		t.Errorf("a click on the line of an order leads to its cancellation: %s", led)
	}
	b.until(`document.getElementById("ticket-price").value !== "" && ` + settledTicket)
	if led := click(at[0], 5); led != "cancel-"+near.OrderID {
		t.Errorf("the words of an order in the chart lead to %q, not to its cancellation", led)
	}
	b.goes(f.address + "/console/markets/" + spot)
	b.arrives(`document.getElementById("ticket") !== null`)

	// On a phone, buying, selling, the open orders and stopping share a row at the foot.
	for _, s := range []screen{phone, {name: "small", width: 320, height: 640}} {
		b.look(s)
		b.still()
		const row = `[...document.querySelectorAll(".entries a, .thumbs a, .thumbs button")]`
		if bad := eval[string](b, row+`.filter(e => (({ top, bottom, left, right, height }) => height < 44 || top < innerHeight * 0.7 || left < 0 || right > innerWidth || bottom > innerHeight || e.scrollWidth > e.clientWidth || !e.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2)))(e.getBoundingClientRect())).map(e => e.textContent.trim()).join()`); bad != "" {
			t.Errorf("%s: out of reach of the thumb, too small or covered: %s", s.name, bad)
		}
		if tops := eval[float64](b, `new Set(`+row+`.map(e => e.getBoundingClientRect().top)).size`); tops != 1 {
			t.Errorf("%s: the buttons are in %.0f rows", s.name, tops)
		}
		b.until(fmt.Sprintf("%s <= 0 && innerWidth === %d", sideways, s.width))
		b.shoot("thumbs-" + s.name)
		b.press(`[data-entry=sell]`)
		b.until(`document.querySelector("[name=side][value=sell]").checked && document.getElementById("ticket").getBoundingClientRect().top < 100`)
	}
	// With a keyboard over the window, nothing lies over a field that has the focus.
	b.look(screen{name: "keyboard", width: 390, height: 380})
	for _, id := range []string{"ticket-price", "ticket-quantity", "ticket-value"} {
		b.until(fmt.Sprintf(`(e => { e.focus(); return (({ left, right, top, bottom }) => document.elementFromPoint((left + right) / 2, (top + bottom) / 2) === e)(e.getBoundingClientRect()) })(document.getElementById(%q))`, id))
	}

	// A stream that is lost is said in the title, and in a line over the page: nothing moves.
	b.look(desktop)
	eval[bool](b, `document.querySelector("[data-live]").dataset.live = "/console/nowhere", document.dispatchEvent(new Event("live:moved")), true`)
	b.until(`document.title === "not live · BTC/USDT · Rebatedesk" && document.getElementById("live-state").checkVisibility()`)
	liesOver("live-state")
	b.shoot("not-live-desktop")
	b.colours()
	b.turnsDark("not-live")
	b.look(desktop)
	// Nor does it move when the words below the chart change as minutes pass.
	for _, s := range []screen{phone, {name: "narrow", width: 320, height: 640}, {name: "tablet", width: 1024, height: 768}, desktop} {
		b.look(s)
		lines := eval[[]float64](b, `(p => [
			"Complete: no trade of this time is missing.",
			"Hatched: trades may be missing.",
			"Complete since 28 Nov 2026 11:46:32 UTC. Hatched: trades may be missing.",
		].map(words => (p.textContent = words, p.offsetHeight)))(document.querySelector("#market-chart > p"))`)
		if slices.Min(lines) != slices.Max(lines) {
			t.Errorf("%s: the words below the chart are %v pixels high", s.name, lines)
		}
	}
	b.look(phone)
	b.shoot("not-live-phone")
	b.colours()
}
