package console_test

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"rebatedesk/acceptance/site"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/exchange/weex/simulator/account"
	"rebatedesk/trading"
)

// TestBrowserOrder takes an order through the pages: ticket, review, code, sending,
// waiting and filling. It cancels a second order.
func TestBrowserOrder(t *testing.T) {
	t.Parallel()
	f := site.OpenTrading(t, nil)
	b := site.OpenTrader(t, f.Address, f.Code(f.Secret))
	f.Pass(6 * time.Minute)

	b.Writes(f, 99)
	b.Looks("trading-ticket")
	b.Do(chromedp.SendKeys(chromedp.CSS("#ticket-quantity"), kb.Enter))
	b.Arrives(`document.title.startsWith("Review")`)
	if n := len(f.Orders()); n != 0 {
		t.Fatalf("Enter in the ticket sent %d orders", n)
	}
	b.Looks("trading-review")
	b.Fill("totp", f.Code(f.Secret))
	b.Do(chromedp.KeyEvent(kb.Enter))
	time.Sleep(300 * time.Millisecond) // enough time for a form to be sent
	if n := len(f.Orders()); n != 0 {
		t.Fatalf("Enter in the field of the code sent %d orders", n)
	}
	b.Press(`form[action$="/send"] button.grave`)
	b.Arrives(`document.body.innerText.includes("The exchange took the order.")`)
	b.Looks("trading-placed")
	if o := f.Orders(); len(o) != 1 || o[0].Filled != "0" {
		t.Fatalf("%+v", o)
	}
	b.Goes(f.Address + "/console/orders?symbol=" + site.Spot)
	b.Arrives(`document.querySelector("#sheet tbody tr") !== null`)

	for range 4000 { // until the market price reaches the limit
		if f.Orders()[0].Status == account.StatusFilled {
			break
		}
		f.Prices.Pass(time.Minute)
	}
	if o := f.Orders()[0]; o.Status != account.StatusFilled {
		t.Fatalf("%+v", o)
	}
	b.Goes(f.Address + "/console/fills?symbol=" + site.Spot + "&orderId=" + f.Orders()[0].ID)
	b.Arrives(`document.querySelector("#sheet tbody tr") !== null`)

	b.Writes(f, 90)
	b.Press(`form[action="/console/trade"] button.bg-primary`)
	b.Press(`form[action$="/send"] button.grave`)
	b.Arrives(`document.body.innerText.includes("The exchange took the order.")`)
	b.Goes(f.Address + "/console/orders?symbol=" + site.Spot)
	b.Press(`a[href^="/console/trade?kind=cancel"]`)
	b.Press(`input[name^="order-"]`)
	b.Looks("trading-cancel")
	b.Press(`form[action="/console/trade"] button.bg-primary`)
	b.Press(`form[action$="/send"] button.grave`)
	b.Arrives(`document.body.innerText.includes("The exchange cancelled the order.")`)
	if o := f.Orders(); len(o) != 2 || o[1].Status != account.StatusCancelled {
		t.Errorf("%+v", o)
	}
	b.Goes(f.Address + "/console/intents")
	b.Arrives(`document.querySelectorAll('main a[href^="/console/intents/r"]').length === 3`)
	b.Looks("trading-intents")
}

// TestBrowserTradingPages covers the pages through which an order does not pass.
func TestBrowserTradingPages(t *testing.T) {
	site.AllBrowsers(t, "TestBrowserOrder goes through the same parts of a page")
	t.Parallel()
	f := site.OpenTrading(t, nil, simulator.FaultRule{Fault: simulator.Dropped, Path: "/trade/orders", Every: 1, Limit: 1})
	at, _ := f.Rests()
	f.Theo.Post(at+"/send", f.StepUp()...)
	if f.State(at) != trading.IntentUnknown {
		t.Fatal(f.State(at))
	}
	b := site.OpenTrader(t, f.Address, f.Code(f.Secret))
	for name, path := range map[string]string{"unknown": at, "batch": "/console/trade?kind=batch", "trigger": "/console/trade?kind=trigger"} {
		b.Goes(f.Address + path)
		b.Arrives(`document.querySelector("main h1") !== null`)
		b.Looks("trading-" + name)
	}
	b.Goes(f.Address + at)
	b.Press(`form[action$="/resolve"] button`)
	b.Arrives(`document.body.innerText.includes("This is no proof either way")`)
	b.Looks("trading-looked")
	b.Writes(f, 95)
	b.Press(`form[action="/console/trade"] button.bg-primary`)
	b.Arrives(`document.body.innerText.includes("Not sent. ")`)
	b.Looks("trading-refused")
	b.Press(`form[action="/console/trading/stop"] button`)
	b.Arrives(`document.body.innerText.includes("Trading stopped")`)
	b.Press(`section[aria-label="Trading"] summary`)
	b.Looks("trading-stopped")
}

// If sending is stopped elsewhere, every open page shows it: with one badge, and without
// a button that appears to send.
func TestBrowserStopReachesOpenPages(t *testing.T) {
	t.Parallel()
	f := site.OpenTrading(t, nil)
	at, _ := f.Rests()
	b := site.OpenTrader(t, f.Address, f.Code(f.Secret))
	const badges = `[...document.querySelectorAll("[data-badge]")].map(e => e.textContent).join()`
	for _, page := range []struct{ path, button string }{{at, `form[action$="/send"] [data-sends]`}, {"/console/trade", `form[action="/console/trade"] [data-sends]`}} {
		b.Goes(f.Address + page.path)
		b.Arrives(badges + ` === "LIVE" && !document.querySelector('` + page.button + `').disabled`)
		f.Theo.Get("/console/trade")
		f.Theo.Post("/console/trading/stop")
		b.Until(badges + ` === "STOPPED" && document.querySelector('` + page.button + `').disabled && document.querySelector(".sending-stopped").offsetHeight > 0`)
		for _, s := range site.BothWays {
			b.Look(s)
			b.Until(badges + ` === "STOPPED" && !document.body.innerText.includes("LIVE")`)
		}
		b.Shoot("stopped" + strings.ReplaceAll(page.path, "/", "-"))
		b.Accessible()
		f.Pass(6 * time.Minute)
		f.Theo.Post("/console/trading/resume", append(f.StepUp(), "why", "a drill")...)
		b.Until(badges + ` === "LIVE" && !document.querySelector('` + page.button + `').disabled && document.querySelector(".sending-stopped").offsetHeight === 0`)
	}
}
