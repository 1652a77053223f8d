package acceptance_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/exchange/simulator"
	prices "rebatedesk/market"
	"rebatedesk/store"
	"rebatedesk/store/storetest"
	"rebatedesk/trading"
	"rebatedesk/web"
)

// openCharts opens a trading site whose prices run and are kept, so that its pages have charts.
func openCharts(t *testing.T) *tradingSite {
	t.Helper()
	f := &tradingSite{}
	now := func() time.Time { return time.Now().Add(time.Duration(f.ahead.Load())) }
	f.sim, f.client = startExchange(t, simulator.Options{Now: now})
	f.desk = openDesk(t, trading.Options{Mode: trading.Live, Now: now}, f.client)
	kept, err := store.Open(context.Background(), storetest.Empty(t), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	console := &consoleExchange{client: f.client}
	feed := prices.New(prices.Options{Accounts: func() []affiliate.Account { return console.Names() }, Client: console.Client, Store: kept, Now: now})
	ctx, stop := context.WithCancel(context.Background())
	go feed.Run(ctx)
	t.Cleanup(func() {
		stop()
		<-feed.Done()
		if err := kept.Close(); err != nil {
			t.Error(err)
		}
	})
	f.site = openSite(t, web.Options{Console: console, Trading: f.desk, Market: feed})
	f.addUser("theo", access.Trader)
	f.theo = f.signedInAs("theo")
	f.secret, _ = f.enrol(f.theo)
	return f
}

// openTrader opens a wide window in which theo, a trader, has signed in with both factors.
func openTrader(t *testing.T, address, code string) *tab {
	t.Helper()
	b := openApart(t, address+"/login", desktop)
	b.comeIn(address, "theo", longWord)
	b.fill("totp", code)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.arrives(`location.pathname === "/account"`)
	return b
}

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
	f := openCharts(t)
	b := openTrader(t, f.address, f.code(f.secret))
	page := f.address + "/console/markets/" + spot
	b.goes(page)
	b.arrives(`document.querySelector("form[data-ticket]") !== null`)
	// The first press loads the script of the chart. The drawing of the server takes it: here at a label of the axis.
	b.until(`document.querySelector("#market-chart .still text") !== null`)
	// Its lowest label is never at the upper edge. The price taken differs by less than a pixel, as a click has whole ones.
	label := eval[[]float64](b, `(() => {
		const [low, next] = document.querySelectorAll("#market-chart .still > svg:first-child text"), box = document.querySelectorAll("#market-chart .still > svg")[1].getBoundingClientRect();
		const height = text => box.height * parseFloat(text.getAttribute("y")) / 100, price = text => Number(text.textContent.replaceAll(",", ""));
		const at = { bubbles: true, clientX: box.left + box.width / 2, clientY: box.top + height(low) };
		const place = document.querySelector("#market-chart [data-chart]");
		place.dispatchEvent(new PointerEvent("pointerdown", at));
		place.dispatchEvent(new MouseEvent("click", at));
		return [price(low), (price(next) - price(low)) / (height(low) - height(next))];
	})()`)
	b.until(fmt.Sprintf(`document.getElementById("ticket-price").value !== "" && Math.abs(document.getElementById("ticket-price").value - %g) < %g && `+settledTicket, label[0], label[1]))
	b.until(`dispatchEvent(new Event("scroll")), document.querySelector("#candles-chart canvas") !== null`)
	b.still()
	// What is told changes only what differs: a trade that stays keeps its row.
	const trades = `[...document.querySelectorAll("#market-trades tr[data-key]")]`
	eval[bool](b, `rows = new Map(`+trades+`.map(row => [row.dataset.key, row])), true`)
	f.ahead.Add(int64(30 * time.Second)) // enough for a trade, which may be rare
	b.until(`!rows.has(` + trades + `[0].dataset.key)`)
	if kept := eval[int](b, trades+`.filter(row => rows.get(row.dataset.key) === row).length`); kept == 0 {
		t.Error("new trades replaced the rows of all others")
	}
	if made := eval[int](b, trades+`.filter(row => rows.has(row.dataset.key) && rows.get(row.dataset.key) !== row).length`); made > 0 {
		t.Errorf("%d trades that stay have new rows", made)
	}
	b.until(`(time => (time.dataset.asOf = new Date(Date.now() - 9000).toISOString(), time.textContent.includes(" s ago")))(document.querySelector("#market-head time"))`)
	// The table of the candles is read when it is unfolded, and once more if that fails.
	eval[bool](b, `(whole => {
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
	b.press("#candles-chart-table summary")
	b.until(`said.includes("The table cannot be read now; it is tried again.")`)
	b.until(`document.querySelectorAll("#candles-table tbody tr").length > 10`)
	b.press("#candles-chart-table summary")
	// An average that is hidden is told neither by the drawing nor by the legend; the browser keeps that.
	const hidden = `document.getElementById("market").dataset.hidden === "average-long" && document.querySelector("[data-average=average-long]").ariaPressed === "false"`
	b.press("[data-average=average-long]")
	b.until(hidden)
	// The chart shows a part of itself, which stays when new data arrives, and keys reach the ticket.
	const sight = `document.getElementById("candles-chart").dataset.sight`
	b.do(chromedp.KeyEvent("+"), chromedp.KeyEvent("+"))
	b.until(sight + ` !== undefined && Number(` + sight + `.split(" ")[0]) > 0`)
	part := eval[string](b, sight)
	eval[bool](b, `document.dispatchEvent(new CustomEvent("chart:data")), true`)
	if now := eval[string](b, sight); now != part {
		t.Errorf("the part in sight changed from %s to %s", part, now)
	}
	// A candle that arrives moves nothing, unless the newest one is in sight.
	const since, until = `document.getElementById("candles-chart").dataset.since`, `(({ start, step, tips }) => start + step * tips.length)(JSON.parse(document.getElementById("candles-chart-data").textContent))`
	arrives := func() {
		t.Helper()
		end := eval[float64](b, until)
		f.ahead.Add(int64(time.Minute))
		b.until(fmt.Sprintf(`%s > %.0f && document.getElementById("candles-chart").dataset.until == %s`, until, end, until))
	}
	b.do(chromedp.KeyEvent(kb.ArrowLeft))
	b.until(sight + ` !== "` + part + `"`)
	first, span := eval[string](b, since), eval[float64](b, sightSpan)
	arrives()
	if now, n := eval[string](b, since), eval[float64](b, sightSpan); now != first || n != span {
		t.Errorf("%.0f candles since %s were in sight; with another one %.0f since %s", span, first, n, now)
	}
	for range 3 {
		b.do(chromedp.KeyEvent(kb.ArrowRight))
	}
	b.until(sightEnd)
	arrives()
	if n := eval[float64](b, sightSpan); n != span || !eval[bool](b, sightEnd) {
		t.Errorf("%.0f candles up to the newest were in sight; with another one %.0f, or not the newest", span, n)
	}
	b.do(chromedp.KeyEvent("0"))
	b.until(sight + `.startsWith("0 ")`)
	b.do(chromedp.KeyEvent("s"), chromedp.KeyEvent("b"), chromedp.KeyEvent("q"))
	b.until(`document.activeElement.id === "ticket-quantity" && document.querySelector("[name=side][value=buy]").checked`)
	b.press("#candles-chart")
	b.until(`document.getElementById("ticket-price").value !== "" && ` + settledTicket)
	eval[bool](b, `document.getElementById("ticket-price").value = "", true`)
	b.press(`tr[data-price]`)
	b.until(`document.getElementById("ticket-price").value !== "" && ` + settledTicket)
	const reviewAt = `document.querySelector("[data-review]").getBoundingClientRect().top - document.querySelector("form[data-ticket]").getBoundingClientRect().top`
	at := eval[float64](b, reviewAt)
	b.do(chromedp.SendKeys(chromedp.CSS("#ticket-value"), "500"))
	b.until(`document.getElementById("ticket-quantity").value > "0" && ` + settledTicket + ` && document.getElementById("ticket-check").innerText.includes("rules hold")`)
	if now := eval[float64](b, reviewAt); now != at {
		t.Errorf("the check moved the button from %.0f to %.0f", at, now)
	}
	// The button says what is reviewed.
	b.until(`((words, quantity, value) => words === "buy " + quantity + "\u00a0BTC for " + value)(document.querySelector("[data-review] .sum").textContent, document.getElementById("ticket-quantity").value, document.querySelector("#ticket-check dd").textContent.trim())`)
	b.shoot("ticket-" + desktop.name)
	b.accessible()
	b.press(`[data-review]`)
	b.until(`document.activeElement.id === "ticket-title" && document.activeElement.textContent.startsWith("Review")`)
	b.accessible()
	if n := len(f.orders()); n != 0 {
		t.Fatalf("the review sent %d orders", n)
	}
	eval[bool](b, `(() => { const send = document.querySelector("form[data-confirm] [data-sends]"); send.click(); send.click(); return true })()`)
	b.until(`document.getElementById("ticket-title").textContent.startsWith("Result: placed")`)
	if n := len(f.orders()); n != 1 {
		t.Fatalf("two clicks sent %d orders", n)
	}

	b.look(phone)
	b.goes(page)
	b.arrives(`document.querySelector("form[data-ticket]") !== null && ` + hidden)
	// Price and chart are in sight at once, above what the thumb reaches.
	if far := eval[string](b, `["#market-head dd", "#market-chart"].filter(s => document.querySelector(s).getBoundingClientRect().top + 44 > document.querySelector(".thumbs").getBoundingClientRect().top).join()`); far != "" {
		t.Errorf("below the first screen of a phone: %s", far)
	}
	b.press("[data-entry=sell]")
	b.until(`document.querySelector("[name=side][value=sell]").checked && document.getElementById("ticket").getBoundingClientRect().top < 100`)
	b.press("[data-entry=buy]")
	price := f.sim.Price(spot).Decimal().Mul(affiliate.Number("0.95").Decimal()).Truncate(2).String()
	b.do(chromedp.SendKeys(chromedp.CSS("#ticket-price"), price), chromedp.KeyEvent(kb.Enter))
	b.do(chromedp.SendKeys(chromedp.CSS("#ticket-quantity"), "0.001"), chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.Enter))
	b.until(settledTicket + ` && document.getElementById("ticket-check").innerText.includes("rules hold")`)
	time.Sleep(200 * time.Millisecond) // enough time for a form to be sent
	b.until(`document.querySelector("form[data-ticket]") !== null && ` + sideways + ` <= 0`)
	b.shoot("ticket-" + phone.name)
	b.accessible()
	tabTo := func(selector string) {
		t.Helper()
		for range 90 {
			if eval[bool](b, fmt.Sprintf(`document.activeElement.matches(%q)`, selector)) {
				return
			}
			b.do(chromedp.KeyEvent(kb.Tab))
		}
		t.Fatalf("no key reaches %s", selector)
	}
	tabTo("[data-review]")
	b.do(chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.Enter))
	b.until(`document.activeElement.id === "ticket-title" && document.activeElement.textContent.startsWith("Review")`)
	b.do(chromedp.KeyEvent(kb.Enter))
	time.Sleep(200 * time.Millisecond)
	if n := len(f.orders()); n != 1 {
		t.Fatalf("Enter in the review sent an order: %d", n)
	}
	tabTo("form[data-confirm] [data-sends]")
	b.do(chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.Enter))
	b.until(`document.getElementById("ticket-title").textContent.startsWith("Result: placed")`)
	if n := len(f.orders()); n != 2 {
		t.Errorf("%d orders, want 2", n)
	}
	// A name without a place to break makes no page too wide.
	if _, err := f.desk.Prepare(b.ctx, trading.Requester{Name: strings.Repeat("W", 64)}, trading.Draft{ID: trading.NewID(), Account: "main", Kind: trading.Place, Pair: spot,
		Source: trading.FromPage, Orders: []trading.Order{{Side: "buy", Type: "limit", Force: "normal", Price: affiliate.Number(price), Quantity: "0.002"}}}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/console/intents", "/console", "/console/markets/" + spot} {
		b.goes(f.address + path)
		b.arrives(`document.body.innerText.includes("WWWW") && ` + sideways + ` <= 0`)
	}
	// What stops and what cancels is within reach of the thumb.
	b.goes(f.address + "/console/orders")
	b.arrives(`document.querySelector("[data-mark]") !== null`)
	if small := eval[string](b, `[...document.querySelectorAll(".thumbs a, .thumbs button, [data-cancels]")].filter(e => e.offsetHeight > 0 && e.offsetHeight < 44).map(e => e.textContent.trim()).join()`); small != "" {
		t.Errorf("too small for a thumb: %s", small)
	}
	if !eval[bool](b, `document.querySelector(".thumbs").getBoundingClientRect().top > innerHeight * 0.7`) {
		t.Error("stopping is out of reach of the thumb")
	}
	b.shoot("open-orders-" + phone.name)
	b.accessible()
	tabTo(`[name="cancel-one"]`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.arrives(`document.title.startsWith("Review") && document.body.innerText.includes("1 order, worth ")`)
	b.until(`document.body.innerText.includes(" left)")`)
	tabTo(`form[action$="/send"] [data-sends]`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.arrives(`document.body.innerText.includes("The exchange cancelled the order.")`)
	// Who stops, or allows sending again, keeps what is typed.
	b.goes(page)
	b.arrives(`document.querySelector("form[data-ticket]") !== null`)
	b.do(chromedp.SendKeys(chromedp.CSS("#ticket-price"), price), chromedp.SendKeys(chromedp.CSS("#ticket-quantity"), "0.001"))
	b.until(settledTicket)
	typed := fmt.Sprintf(` && document.getElementById("ticket-price").value === %q && document.getElementById("ticket-quantity").value === "0.001"`, price)
	tabTo(`form[action="/console/trading/stop"] button`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector("[data-badge]")?.textContent === "STOPPED"` + typed)
	b.press(`#trading-bar summary`)
	b.until(`(b => (({ x, y, width, height }) => document.elementFromPoint(x + width / 2, y + height / 2) === b)(b.getBoundingClientRect()))(document.querySelector('form[action="/console/trading/resume"] [type=submit]:not([disabled])'))`)
	b.fill("why", "a drill")
	eval[bool](b, `document.querySelector('form[action="/console/trading/resume"] [type=submit]:not([disabled])').click(), true`)
	b.until(`document.querySelector("[data-badge]")?.textContent === "LIVE"` + typed)
	// Without an answer in its place the form is sent as a page: stopping never fails without a word.
	eval[bool](b, `document.addEventListener("htmx:configRequest", ({ detail }) => detail.verb === "post" && (detail.path = "/console/nowhere")), true`)
	eval[bool](b, `document.querySelector('form[action="/console/trading/stop"] button').click(), true`)
	b.arrives(`document.querySelector("[data-badge]")?.textContent === "STOPPED"`)
}
