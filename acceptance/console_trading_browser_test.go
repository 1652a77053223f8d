package acceptance_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"rebatedesk/exchange/simulator"
	"rebatedesk/exchange/simulator/account"
	"rebatedesk/trading"
)

// press clicks the element that the selector matches.
func (b *tab) press(selector string) {
	b.t.Helper()
	b.arrives(`document.querySelector(` + fmt.Sprintf("%q", selector) + `) !== null`)
	b.do(chromedp.Click(chromedp.CSS(selector)))
}

// everyWay checks the page on each screen.
func (b *tab) everyWay(name string) {
	b.t.Helper()
	for _, s := range []screen{phone, desktop} {
		b.look(s)
		b.still()
		b.until(fmt.Sprintf("%s <= 0 && innerWidth <= %d", sideways, s.width))
		b.shoot("trading-" + name + "-" + s.name)
		b.accessible()
	}
	b.turnsDark("trading-" + name)
	b.look(desktop)
}

// TestBrowserOrder takes an order through the pages: ticket, review, code, sending,
// waiting and filling. It cancels a second order.
func TestBrowserOrder(t *testing.T) {
	t.Parallel()
	f := openTrading(t, nil)
	b := openTrader(t, f.address, f.code(f.secret))
	f.pass(6 * time.Minute)

	b.writes(f, 99)
	b.everyWay("ticket")
	b.do(chromedp.SendKeys(chromedp.CSS("#ticket-quantity"), kb.Enter))
	b.arrives(`document.title.startsWith("Review")`)
	if n := len(f.orders()); n != 0 {
		t.Fatalf("Enter in the ticket sent %d orders", n)
	}
	b.everyWay("review")
	b.fill("totp", f.code(f.secret))
	b.do(chromedp.KeyEvent(kb.Enter))
	time.Sleep(300 * time.Millisecond) // enough time for a form to be sent
	if n := len(f.orders()); n != 0 {
		t.Fatalf("Enter in the field of the code sent %d orders", n)
	}
	b.press(`form[action$="/send"] button.grave`)
	b.arrives(`document.body.innerText.includes("The exchange took the order.")`)
	b.everyWay("placed")
	if o := f.orders(); len(o) != 1 || o[0].Filled != "0" {
		t.Fatalf("%+v", o)
	}
	b.goes(f.address + "/console/orders?symbol=" + spot)
	b.arrives(`document.querySelector("#sheet tbody tr") !== null`)

	for range 4000 { // until the market price reaches the limit
		if f.orders()[0].Status == account.StatusFilled {
			break
		}
		f.prices.pass(time.Minute)
	}
	if o := f.orders()[0]; o.Status != account.StatusFilled {
		t.Fatalf("%+v", o)
	}
	b.goes(f.address + "/console/fills?symbol=" + spot + "&orderId=" + f.orders()[0].ID)
	b.arrives(`document.querySelector("#sheet tbody tr") !== null`)

	b.writes(f, 90)
	b.press(`form[action="/console/trade"] button.bg-primary`)
	b.press(`form[action$="/send"] button.grave`)
	b.arrives(`document.body.innerText.includes("The exchange took the order.")`)
	b.goes(f.address + "/console/orders?symbol=" + spot)
	b.press(`a[href^="/console/trade?kind=cancel"]`)
	b.press(`input[name^="order-"]`)
	b.everyWay("cancel")
	b.press(`form[action="/console/trade"] button.bg-primary`)
	b.press(`form[action$="/send"] button.grave`)
	b.arrives(`document.body.innerText.includes("The exchange cancelled the order.")`)
	if o := f.orders(); len(o) != 2 || o[1].Status != account.StatusCancelled {
		t.Errorf("%+v", o)
	}
	b.goes(f.address + "/console/intents")
	b.arrives(`document.querySelectorAll('main a[href^="/console/intents/r"]').length === 3`)
	b.everyWay("intents")
}

// writes fills in a ticket that buys at a percentage of the last price.
func (b *tab) writes(f *tradingSite, percent int) {
	b.t.Helper()
	b.goes(f.address + "/console/trade")
	b.fill("price", f.price(percent))
	b.fill("quantity", "0.0100009")
}

// TestBrowserTradingPages covers the pages through which an order does not pass.
func TestBrowserTradingPages(t *testing.T) {
	t.Parallel()
	f := openTrading(t, nil, simulator.FaultRule{Fault: simulator.Dropped, Path: "/trade/orders", Every: 1, Limit: 1})
	at, _ := f.rests()
	f.theo.post(at+"/send", f.stepUp()...)
	if f.state(at) != trading.IntentUnknown {
		t.Fatal(f.state(at))
	}
	b := openTrader(t, f.address, f.code(f.secret))
	for name, path := range map[string]string{"unknown": at, "batch": "/console/trade?kind=batch", "trigger": "/console/trade?kind=trigger"} {
		b.goes(f.address + path)
		b.arrives(`document.querySelector("main h1") !== null`)
		b.everyWay(name)
	}
	b.goes(f.address + at)
	b.press(`form[action$="/resolve"] button`)
	b.arrives(`document.body.innerText.includes("This is no proof either way")`)
	b.everyWay("looked")
	b.writes(f, 95)
	b.press(`form[action="/console/trade"] button.bg-primary`)
	b.arrives(`document.body.innerText.includes("Not sent. ")`)
	b.everyWay("refused")
	b.press(`form[action="/console/trading/stop"] button`)
	b.arrives(`document.body.innerText.includes("Trading stopped")`)
	b.press(`section[aria-label="Trading"] summary`)
	b.everyWay("stopped")
}

// If sending is stopped elsewhere, every open page shows it: with one badge, and without
// a button that appears to send.
func TestBrowserStopReachesOpenPages(t *testing.T) {
	t.Parallel()
	f := openTrading(t, nil)
	at, _ := f.rests()
	b := openTrader(t, f.address, f.code(f.secret))
	const badges = `[...document.querySelectorAll("[data-badge]")].map(e => e.textContent).join()`
	for _, page := range []struct{ path, button string }{{at, `form[action$="/send"] [data-sends]`}, {"/console/trade", `form[action="/console/trade"] [data-sends]`}} {
		b.goes(f.address + page.path)
		b.arrives(badges + ` === "LIVE" && !document.querySelector('` + page.button + `').disabled`)
		f.theo.get("/console/trade")
		f.theo.post("/console/trading/stop")
		b.until(badges + ` === "STOPPED" && document.querySelector('` + page.button + `').disabled && document.querySelector(".sending-stopped").offsetHeight > 0`)
		for _, s := range bothWays {
			b.look(s)
			b.until(badges + ` === "STOPPED" && !document.body.innerText.includes("LIVE")`)
		}
		b.shoot("stopped" + strings.ReplaceAll(page.path, "/", "-"))
		b.accessible()
		f.pass(6 * time.Minute)
		f.theo.post("/console/trading/resume", append(f.stepUp(), "why", "a drill")...)
		b.until(badges + ` === "LIVE" && !document.querySelector('` + page.button + `').disabled && document.querySelector(".sending-stopped").offsetHeight === 0`)
	}
}
