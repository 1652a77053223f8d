package acceptance_test

import (
	"context"
	"fmt"
	"regexp"
	"sync/atomic"
	"testing"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/simulator"
	"rebatedesk/exchange/simulator/account"
	"rebatedesk/trading"
	"rebatedesk/web"
)

const spot = "BTCUSDT_SPBL"

// tradingSite is a site with a console that sends orders to a simulated exchange with fixed
// prices. A trader is signed in.
type tradingSite struct {
	*site
	sim    *simulator.Server
	desk   *trading.Desk
	client *exchange.Client
	prices *clock
	ahead  atomic.Int64 // of a clock that runs, in nanoseconds, see openCharts
	theo   *visitor
	secret string // secret of theo's authenticator
}

// openTrading opens the site; change may set the options of its desk.
func openTrading(t testing.TB, change func(*trading.Options), rules ...simulator.FaultRule) *tradingSite {
	t.Helper()
	f := &tradingSite{prices: &clock{at: now}}
	sim, client := startExchange(t, simulator.Options{Rules: rules, Now: f.prices.now})
	f.sim, f.client = sim, client
	o := trading.Options{Mode: trading.Live, Now: f.prices.now, Caps: trading.Caps{Order: "90000"}}
	if change != nil {
		change(&o)
	}
	f.desk = openDesk(t, o, client)
	f.site = openSite(t, web.Options{Console: &consoleExchange{client: client}, Trading: f.desk})
	f.addUser("theo", access.Trader)
	f.theo = f.signedInAs("theo")
	f.secret, _ = f.enrol(f.theo)
	return f
}

// price returns a percentage of the last price.
func (f *tradingSite) price(percent int) string {
	share := affiliate.Number(fmt.Sprintf("%d.%02d", percent/100, percent%100))
	return f.sim.Price(spot).Decimal().Mul(share.Decimal()).Truncate(2).String()
}

var (
	formField = regexp.MustCompile(`name="form" value="([a-z2-7]+)"`)
	sendField = regexp.MustCompile(`action="(/console/intents/[a-z0-9]+)/send"`)
)

// formOf returns the form number on a page.
func (f *tradingSite) formOf(a answer) string {
	f.Helper()
	found := formField.FindStringSubmatch(a.body)
	if found == nil {
		f.Fatalf("status %d, and the page has no ticket", a.StatusCode)
	}
	return found[1]
}

// limit returns the fields of a limit order to buy.
func (f *tradingSite) limit(form, price, quantity string, more ...string) []string {
	return append([]string{"form", form, "kind", "place", "account", "main", "symbol", spot, "side", "buy", "orderType", "limit",
		"force", "normal", "price", price, "quantity", quantity}, more...)
}

// reviewed writes an order and returns the address of its intent.
func (f *tradingSite) reviewed(fields ...string) (address string, review answer) {
	f.Helper()
	review = f.theo.post("/console/trade", fields...)
	found := sendField.FindStringSubmatch(review.body)
	if review.StatusCode != 200 || found == nil {
		f.Fatalf("no review: status %d %s", review.StatusCode, review.body)
	}
	return found[1], review
}

// rests writes an order that will stay open, from an empty ticket to its review.
func (f *tradingSite) rests() (address string, review answer) {
	f.Helper()
	return f.reviewed(f.limit(f.formOf(f.theo.get("/console/trade")), f.price(95), "0.01")...)
}

// stepUp posts the form that sends, with a code.
func (f *tradingSite) stepUp() []string { return []string{"totp", f.code(f.secret)} }

// orders returns the orders that the exchange accepted.
func (f *tradingSite) orders() []account.PlacedOrder { return f.sim.Ledger().Orders }

// said returns the stored state of the first order of an intent.
func (f *tradingSite) said(address string) trading.Order {
	f.Helper()
	in, err := f.desk.Intent(context.Background(), address[len("/console/intents/"):])
	if err != nil {
		f.Fatal(err)
	}
	return in.Orders[0]
}

// state returns the state of the first order of an intent.
func (f *tradingSite) state(address string) trading.IntentState {
	f.Helper()
	return f.said(address).State
}
