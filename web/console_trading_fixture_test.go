package web_test

import (
	"context"
	"fmt"
	"regexp"
	"testing"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/exchange/simulator"
	"rebatedesk/exchange/simulator/account"
	"rebatedesk/trading"
	"rebatedesk/web"
)

const spot = "BTCUSDT_SPBL"

// floor is an office with a console that sends orders to a simulated exchange with
// fixed prices, and a trader who is signed in.
type floor struct {
	*office
	sim    *simulator.Server
	desk   *trading.Desk
	prices *clock
	theo   *visitor
	secret string // of theo's authenticator
}

// openTrading opens one; change may set the options of the desk.
func openTrading(t testing.TB, change func(*trading.Options), rules ...simulator.FaultRule) *floor {
	t.Helper()
	f := &floor{prices: &clock{at: now}}
	sim, client := startExchange(t, simulator.Options{Rules: rules, Now: f.prices.now})
	f.sim = sim
	o := trading.Options{Mode: trading.Live, Now: f.prices.now, Caps: trading.Caps{Order: "90000"}}
	if change != nil {
		change(&o)
	}
	f.desk = openDesk(t, o, client)
	f.office = openOffice(t, web.Options{Console: &counter{client: client}, Trading: f.desk})
	f.hire("theo", access.Trader)
	f.theo = f.enter("theo")
	f.secret, _ = f.enrol(f.theo)
	return f
}

// price is a share of the last price, in per cent.
func (f *floor) price(percent int) string {
	share := affiliate.Number(fmt.Sprintf("%d.%02d", percent/100, percent%100))
	return f.sim.Price(spot).Decimal().Mul(share.Decimal()).Truncate(2).String()
}

var (
	formField = regexp.MustCompile(`name="form" value="([a-z2-7]+)"`)
	sendField = regexp.MustCompile(`action="(/console/intents/[a-z0-9]+)/send"`)
)

// formOf is the number of the form on a page.
func (f *floor) formOf(a answer) string {
	f.Helper()
	found := formField.FindStringSubmatch(a.body)
	if found == nil {
		f.Fatalf("status %d, and no ticket on the page", a.StatusCode)
	}
	return found[1]
}

// limit are the fields of a limit order to buy.
func (f *floor) limit(form, price, quantity string, more ...string) []string {
	return append([]string{"form", form, "kind", "place", "account", "main", "symbol", spot, "side", "buy", "orderType", "limit",
		"force", "normal", "price", price, "quantity", quantity}, more...)
}

// reviewed writes an order down and gives the address of its intent.
func (f *floor) reviewed(fields ...string) (address string, review answer) {
	f.Helper()
	review = f.theo.post("/console/trade", fields...)
	found := sendField.FindStringSubmatch(review.body)
	if review.StatusCode != 200 || found == nil {
		f.Fatalf("no review: status %d %s", review.StatusCode, review.body)
	}
	return found[1], review
}

// rests writes an order that will rest, from an empty ticket to its review.
func (f *floor) rests() (address string, review answer) {
	f.Helper()
	return f.reviewed(f.limit(f.formOf(f.theo.get("/console/trade")), f.price(95), "0.01")...)
}

// stepUp shows a code with the form that sends.
func (f *floor) stepUp() []string { return []string{"totp", f.code(f.secret)} }

// orders are those that the exchange has taken.
func (f *floor) orders() []account.PlacedOrder { return f.sim.Ledger().Orders }

// said returns the known state of the first order of an intent.
func (f *floor) said(address string) trading.Order {
	f.Helper()
	in, err := f.desk.Intent(context.Background(), address[len("/console/intents/"):])
	if err != nil {
		f.Fatal(err)
	}
	return in.Orders[0]
}

// state is the state of the first order of an intent.
func (f *floor) state(address string) trading.IntentState {
	f.Helper()
	return f.said(address).State
}
