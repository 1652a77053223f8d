package console_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"rebatedesk/acceptance/site"
	"rebatedesk/affiliate"
	"rebatedesk/trading"
)

// sightSpan and sightEnd are how many candles are in sight, and whether the newest is among them.
const (
	sightSpan = `(([first, end]) => end - first + 1)(document.getElementById("candles-chart").dataset.sight.split(" "))`
	sightEnd  = `(([, end, last]) => end === last)(document.getElementById("candles-chart").dataset.sight.split(" "))`
)

const settledTicket = `!document.querySelector("form[data-ticket]").hasAttribute("data-pending")`

// A ticket is taken to its result by the mouse on a wide screen, and by keys alone on a phone.
// No key but the one that presses the focused button sends.
func TestBrowserTicket(t *testing.T) {
	t.Parallel()
	f := site.OpenCharts(t)
	b := site.OpenTrader(t, f.Address, f.Code(f.Secret))
	page := f.Address + "/console/markets/" + site.Spot
	b.Goes(page)
	b.Arrives(`document.querySelector("form[data-ticket]") !== null`)
	// The first press loads the script of the chart. The drawing of the server takes it: here at a label of the axis.
	b.Until(`document.querySelector("#market-chart .still text") !== null`)
	// Its lowest label is never at the upper edge. The price taken differs by less than a pixel, as a click has whole ones.
	label := site.Eval[[]float64](b, `(() => {
		const [low, next] = document.querySelectorAll("#market-chart .still > svg:first-child text"), box = document.querySelectorAll("#market-chart .still > svg")[1].getBoundingClientRect();
		const height = text => box.height * parseFloat(text.getAttribute("y")) / 100, price = text => Number(text.textContent.replaceAll(",", ""));
		const at = { bubbles: true, clientX: box.left + box.width / 2, clientY: box.top + height(low) };
		const place = document.querySelector("#market-chart [data-chart]");
		place.dispatchEvent(new PointerEvent("pointerdown", at));
		place.dispatchEvent(new MouseEvent("click", at));
		return [price(low), (price(next) - price(low)) / (height(low) - height(next))];
	})()`)
	b.Until(fmt.Sprintf(`document.getElementById("ticket-price").value !== "" && Math.abs(document.getElementById("ticket-price").value - %g) < %g && `+settledTicket, label[0], label[1]))
	b.Until(`dispatchEvent(new Event("scroll")), document.querySelector("#candles-chart canvas") !== null`)
	b.Still()
	// What is told changes only what differs: a trade that stays keeps its row.
	const trades = `[...document.querySelectorAll("#market-trades tr[data-key]")]`
	site.Eval[bool](b, `rows = new Map(`+trades+`.map(row => [row.dataset.key, row])), true`)
	f.Ahead.Add(int64(30 * time.Second)) // enough for a trade, which may be rare
	b.Until(`!rows.has(` + trades + `[0].dataset.key)`)
	if kept := site.Eval[int](b, trades+`.filter(row => rows.get(row.dataset.key) === row).length`); kept == 0 {
		t.Error("new trades replaced the rows of all others")
	}
	if made := site.Eval[int](b, trades+`.filter(row => rows.has(row.dataset.key) && rows.get(row.dataset.key) !== row).length`); made > 0 {
		t.Errorf("%d trades that stay have new rows", made)
	}
	b.Until(`(time => (time.dataset.asOf = new Date(Date.now() - 9000).toISOString(), time.textContent.includes(" s ago")))(document.querySelector("#market-head time"))`)
	// The table of the candles is read when it is unfolded, and once more if that fails.
	site.Eval[bool](b, `(whole => {
		globalThis.fetch = (address, ...more) => {
			if (address !== document.getElementById("candles-chart-table").dataset.table) return whole(address, ...more);
			globalThis.fetch = whole;
			return Promise.reject(new TypeError("cut"));
		};
		said = [];
		const place = document.getElementById("candles-table");
		new MutationObserver(() => said.push(place.textContent)).observe(place, { childList: true });
		return true;
	})(globalThis.fetch)`)
	b.Press("#candles-chart-table summary")
	b.Until(`said.includes("The table cannot be read now; it is tried again.")`)
	b.Until(`document.querySelectorAll("#candles-table tbody tr").length > 10`)
	b.Press("#candles-chart-table summary")
	// An average that is hidden is told neither by the drawing nor by the legend; the browser keeps that.
	const hidden = `document.getElementById("market").dataset.hidden === "average-long" && document.querySelector("[data-average=average-long]").ariaPressed === "false"`
	b.Press("[data-average=average-long]")
	b.Until(hidden)
	// The chart shows a part of itself, which stays when new data arrives, and keys reach the ticket.
	const sight = `document.getElementById("candles-chart").dataset.sight`
	b.Do(chromedp.KeyEvent("+"), chromedp.KeyEvent("+"))
	b.Until(sight + ` !== undefined && Number(` + sight + `.split(" ")[0]) > 0`)
	part := site.Eval[string](b, sight)
	site.Eval[bool](b, `document.dispatchEvent(new CustomEvent("chart:data")), true`)
	if now := site.Eval[string](b, sight); now != part {
		t.Errorf("the part in sight changed from %s to %s", part, now)
	}
	// A candle that arrives moves nothing, unless the newest one is in sight.
	const since, until = `document.getElementById("candles-chart").dataset.since`, `(({ start, step, tips }) => start + step * tips.length)(JSON.parse(document.getElementById("candles-chart-data").textContent))`
	arrives := func() {
		t.Helper()
		end := site.Eval[float64](b, until)
		f.Ahead.Add(int64(time.Minute))
		b.Until(fmt.Sprintf(`%s > %.0f && document.getElementById("candles-chart").dataset.until == %s`, until, end, until))
	}
	b.Do(chromedp.KeyEvent(kb.ArrowLeft))
	b.Until(sight + ` !== "` + part + `"`)
	first, span := site.Eval[string](b, since), site.Eval[float64](b, sightSpan)
	arrives()
	if now, n := site.Eval[string](b, since), site.Eval[float64](b, sightSpan); now != first || n != span {
		t.Errorf("%.0f candles since %s were in sight; with another one %.0f since %s", span, first, n, now)
	}
	for range 3 {
		b.Do(chromedp.KeyEvent(kb.ArrowRight))
	}
	b.Until(sightEnd)
	arrives()
	if n := site.Eval[float64](b, sightSpan); n != span || !site.Eval[bool](b, sightEnd) {
		t.Errorf("%.0f candles up to the newest were in sight; with another one %.0f, or not the newest", span, n)
	}
	b.Do(chromedp.KeyEvent("0"))
	b.Until(sight + `.startsWith("0 ")`)
	b.Do(chromedp.KeyEvent("s"), chromedp.KeyEvent("b"), chromedp.KeyEvent("q"))
	b.Until(`document.activeElement.id === "ticket-quantity" && document.querySelector("[name=side][value=buy]").checked`)
	b.Press("#candles-chart")
	b.Until(`document.getElementById("ticket-price").value !== "" && ` + settledTicket)
	site.Eval[bool](b, `document.getElementById("ticket-price").value = "", true`)
	b.Press(`tr[data-price]`)
	b.Until(`document.getElementById("ticket-price").value !== "" && ` + settledTicket)
	const reviewAt = `document.querySelector("[data-review]").getBoundingClientRect().top - document.querySelector("form[data-ticket]").getBoundingClientRect().top`
	at := site.Eval[float64](b, reviewAt)
	b.Do(chromedp.SendKeys(chromedp.CSS("#ticket-value"), "500"))
	b.Until(`document.getElementById("ticket-quantity").value > "0" && ` + settledTicket + ` && document.getElementById("ticket-check").innerText.includes("rules hold")`)
	if now := site.Eval[float64](b, reviewAt); now != at {
		t.Errorf("the check moved the button from %.0f to %.0f", at, now)
	}
	// The button says what is reviewed.
	b.Until(`((words, quantity, value) => words === "buy " + quantity + "\u00a0BTC for " + value)(document.querySelector("[data-review] .sum").textContent, document.getElementById("ticket-quantity").value, document.querySelector("#ticket-check dd").textContent.trim())`)
	b.Shoot("ticket-" + site.Desktop.Name)
	b.Accessible()
	b.Press(`[data-review]`)
	b.Until(`document.activeElement.id === "ticket-title" && document.activeElement.textContent.startsWith("Review")`)
	b.Accessible()
	if n := len(f.Orders()); n != 0 {
		t.Fatalf("the review sent %d orders", n)
	}
	if said := site.Eval[string](b, `(() => { const send = document.querySelector("form[data-confirm] [data-sends]"), before = send.innerText; send.click(); const said = send.textContent; send.click(); return before + "|" + said + "|" + send.disabled })()`); !strings.HasPrefix(said, "Buy ") || !strings.HasSuffix(said, "|Sending…|true") {
		t.Errorf("before, and at once after it is pressed, the button says %q", said)
	}
	b.Until(`document.getElementById("ticket-title").textContent.startsWith("Result: placed")`)
	if n := len(f.Orders()); n != 1 {
		t.Fatalf("two clicks sent %d orders", n)
	}

	b.Look(site.Phone)
	b.Goes(page)
	b.Arrives(`document.querySelector("form[data-ticket]") !== null && ` + hidden)
	// Price and chart are in sight at once, above what the thumb reaches.
	if far := site.Eval[string](b, `["#market-head dd", "#market-chart"].filter(s => document.querySelector(s).getBoundingClientRect().top + 44 > document.querySelector(".thumbs").getBoundingClientRect().top).join()`); far != "" {
		t.Errorf("below the first screen of a phone: %s", far)
	}
	b.Press("[data-entry=sell]")
	b.Until(`document.querySelector("[name=side][value=sell]").checked && document.getElementById("ticket").getBoundingClientRect().top < 100`)
	b.Press("[data-entry=buy]")
	price := f.Sim.Price(site.Spot).Decimal().Mul(affiliate.Number("0.95").Decimal()).Truncate(2).String()
	b.Do(chromedp.SendKeys(chromedp.CSS("#ticket-price"), price), chromedp.KeyEvent(kb.Enter))
	b.Do(chromedp.SendKeys(chromedp.CSS("#ticket-quantity"), "0.001"), chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.Enter))
	b.Until(settledTicket + ` && document.getElementById("ticket-check").innerText.includes("rules hold")`)
	time.Sleep(200 * time.Millisecond) // enough time for a form to be sent
	b.Until(`document.querySelector("form[data-ticket]") !== null && ` + site.Sideways + ` <= 0`)
	b.Shoot("ticket-" + site.Phone.Name)
	b.Accessible()
	tabTo := func(selector string) {
		t.Helper()
		for range 90 {
			if site.Eval[bool](b, fmt.Sprintf(`document.activeElement.matches(%q)`, selector)) {
				return
			}
			b.Do(chromedp.KeyEvent(kb.Tab))
		}
		t.Fatalf("no key reaches %s", selector)
	}
	tabTo("[data-review]")
	b.Do(chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.Enter))
	b.Until(`document.activeElement.id === "ticket-title" && document.activeElement.textContent.startsWith("Review")`)
	b.Do(chromedp.KeyEvent(kb.Enter))
	time.Sleep(200 * time.Millisecond)
	if n := len(f.Orders()); n != 1 {
		t.Fatalf("Enter in the review sent an order: %d", n)
	}
	tabTo("form[data-confirm] [data-sends]")
	b.Do(chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.Enter))
	b.Until(`document.getElementById("ticket-title").textContent.startsWith("Result: placed")`)
	if n := len(f.Orders()); n != 2 {
		t.Errorf("%d orders, want 2", n)
	}
	// A name without a place to break makes no page too wide.
	if _, err := f.Desk.Prepare(b.Ctx, trading.Requester{Name: strings.Repeat("W", 64)}, trading.Draft{ID: trading.NewID(), Account: "main", Kind: trading.Place, Pair: site.Spot,
		Source: trading.FromPage, Orders: []trading.Order{{Side: "buy", Type: "limit", Force: "normal", Price: affiliate.Number(price), Quantity: "0.002"}}}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/console/intents", "/console", "/console/markets/" + site.Spot} {
		b.Goes(f.Address + path)
		b.Arrives(`document.body.innerText.includes("WWWW") && ` + site.Sideways + ` <= 0`)
	}
	// What stops and what cancels is within reach of the thumb.
	b.Goes(f.Address + "/console/orders")
	b.Arrives(`document.querySelector("[data-mark]") !== null`)
	if small := site.Eval[string](b, `[...document.querySelectorAll(".thumbs a, .thumbs button, [data-cancels]")].filter(e => e.offsetHeight > 0 && e.offsetHeight < 44).map(e => e.textContent.trim()).join()`); small != "" {
		t.Errorf("too small for a thumb: %s", small)
	}
	if !site.Eval[bool](b, `document.querySelector(".thumbs").getBoundingClientRect().top > innerHeight * 0.7`) {
		t.Error("stopping is out of reach of the thumb")
	}
	b.Shoot("open-orders-" + site.Phone.Name)
	b.Accessible()
	tabTo(`[name="cancel-one"]`)
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Arrives(`document.title.startsWith("Review") && document.body.innerText.includes("1 order, worth ")`)
	b.Until(`document.body.innerText.includes(" left)")`)
	tabTo(`form[action$="/send"] [data-sends]`)
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Arrives(`document.body.innerText.includes("The exchange cancelled the order.")`)
	// Who stops, or allows sending again, keeps what is typed.
	b.Goes(page)
	b.Arrives(`document.querySelector("form[data-ticket]") !== null`)
	b.Do(chromedp.SendKeys(chromedp.CSS("#ticket-price"), price), chromedp.SendKeys(chromedp.CSS("#ticket-quantity"), "0.001"))
	b.Until(settledTicket)
	typed := fmt.Sprintf(` && document.getElementById("ticket-price").value === %q && document.getElementById("ticket-quantity").value === "0.001"`, price)
	tabTo(`form[action="/console/trading/stop"] button`)
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Until(`document.querySelector("[data-badge]")?.textContent === "STOPPED"` + typed)
	b.Press(`#trading-bar summary`)
	b.Until(`(b => (({ x, y, width, height }) => document.elementFromPoint(x + width / 2, y + height / 2) === b)(b.getBoundingClientRect()))(document.querySelector('form[action="/console/trading/resume"] [type=submit]:not([disabled])'))`)
	b.Fill("why", "a drill")
	site.Eval[bool](b, `document.querySelector('form[action="/console/trading/resume"] [type=submit]:not([disabled])').click(), true`)
	b.Until(`document.querySelector("[data-badge]")?.textContent === "LIVE"` + typed)
	// Without an answer in its place the form is sent as a page: stopping never fails without a word.
	site.Eval[bool](b, `document.addEventListener("htmx:configRequest", ({ detail }) => detail.verb === "post" && (detail.path = "/console/nowhere")), true`)
	site.Eval[bool](b, `document.querySelector('form[action="/console/trading/stop"] button').click(), true`)
	b.Arrives(`document.querySelector("[data-badge]")?.textContent === "STOPPED"`)
}
