package site

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/exchange/weex/simulator/account"
	"rebatedesk/trading"
	"rebatedesk/web"
)

const Spot = "BTCUSDT_SPBL"

// TradingSite is a site with a console that sends orders to a simulated exchange with fixed
// prices. A trader is signed in.
type TradingSite struct {
	*Site
	Sim    *simulator.Server
	Desk   *trading.Desk
	Client *weex.Client
	Prices *Clock
	Ahead  atomic.Int64 // of a clock that runs, in nanoseconds, see openCharts
	Theo   *Visitor
	Secret string // secret of theo's authenticator
}

// OpenTrading opens the site; change may set the options of its desk.
func OpenTrading(t testing.TB, change func(*trading.Options), rules ...simulator.FaultRule) *TradingSite {
	t.Helper()
	f := &TradingSite{Prices: &Clock{At: Now}}
	sim, client := StartExchange(t, simulator.Options{Rules: rules, Now: f.Prices.Now})
	f.Sim, f.Client = sim, client
	o := trading.Options{Mode: trading.Live, Now: f.Prices.Now, Caps: trading.Caps{Order: "90000"}}
	if change != nil {
		change(&o)
	}
	f.Desk = OpenDesk(t, o, client)
	f.Site = OpenSite(t, web.Options{Console: &ConsoleExchange{Upstream: client}, Trading: f.Desk})
	f.AddUser("theo", access.Trader)
	f.Theo = f.SignedInAs("theo")
	f.Secret, _ = f.Enrol(f.Theo)
	return f
}

// Price returns a percentage of the last price.
func (f *TradingSite) Price(percent int) string {
	share := affiliate.Number(fmt.Sprintf("%d.%02d", percent/100, percent%100))
	return f.Sim.Price(Spot).Decimal().Mul(share.Decimal()).Truncate(2).String()
}

var (
	formField = regexp.MustCompile(`name="form" value="([a-z2-7]+)"`)
	SendField = regexp.MustCompile(`action="(/console/intents/[a-z0-9]+)/send"`)
)

// FormOf returns the form number on a page.
func (f *TradingSite) FormOf(a Answer) string {
	f.Helper()
	found := formField.FindStringSubmatch(a.Body)
	if found == nil {
		f.Fatalf("status %d, and the page has no ticket", a.StatusCode)
	}
	return found[1]
}

// Limit returns the fields of a limit order to buy.
func (f *TradingSite) Limit(form, price, quantity string, more ...string) []string {
	return append([]string{"form", form, "kind", "place", "account", "main", "symbol", Spot, "side", "buy", "orderType", "limit",
		"force", "normal", "price", price, "quantity", quantity}, more...)
}

// Reviewed writes an order and returns the address of its intent.
func (f *TradingSite) Reviewed(fields ...string) (address string, review Answer) {
	f.Helper()
	review = f.Theo.Post("/console/trade", fields...)
	found := SendField.FindStringSubmatch(review.Body)
	if review.StatusCode != 200 || found == nil {
		f.Fatalf("no review: status %d %s", review.StatusCode, review.Body)
	}
	return found[1], review
}

// Cancels marks an order in the list of open orders and cancels it.
func (f *TradingSite) Cancels(id string) {
	f.Helper()
	page := f.Theo.Get("/console/trade?kind=cancel&symbol=" + Spot)
	if !strings.Contains(page.Body, `name="order-`+id+`"`) || !strings.Contains(page.Body, "Review cancelling all 1 of") {
		f.Fatalf("the open order is not offered: status %d", page.StatusCode)
	}
	head := []string{"form", f.FormOf(page), "kind", "cancel", "account", "main", "symbol", Spot}
	if a := f.Theo.Post("/console/trade", head...); a.StatusCode != 400 || !strings.Contains(a.Body, "Mark the orders") {
		f.Errorf("no order marked: status %d", a.StatusCode)
	}
	at, _ := f.Reviewed(append(head, "order-"+id, "yes")...)
	if a := f.Theo.Post(at + "/send"); a.StatusCode != 303 || f.State(at) != trading.IntentCancelled {
		f.Errorf("cancelling: status %d, %s", a.StatusCode, f.State(at))
	}
	if o := f.Orders()[0]; o.Status != account.StatusCancelled {
		f.Errorf("%+v", o)
	}
}

// Rests writes an order that will stay open, from an empty ticket to its review.
func (f *TradingSite) Rests() (address string, review Answer) {
	f.Helper()
	return f.Reviewed(f.Limit(f.FormOf(f.Theo.Get("/console/trade")), f.Price(95), "0.01")...)
}

// StepUp posts the form that sends, with a code.
func (f *TradingSite) StepUp() []string { return []string{"totp", f.Code(f.Secret)} }

// Orders returns the orders that the exchange accepted.
func (f *TradingSite) Orders() []account.PlacedOrder { return f.Sim.Ledger().Orders }

// Said returns the stored state of the first order of an intent.
func (f *TradingSite) Said(address string) trading.Order {
	f.Helper()
	in, err := f.Desk.Intent(context.Background(), address[len("/console/intents/"):])
	if err != nil {
		f.Fatal(err)
	}
	return in.Orders[0]
}

// State returns the state of the first order of an intent.
func (f *TradingSite) State(address string) trading.IntentState {
	f.Helper()
	return f.Said(address).State
}

// VisitorLike returns another window of the same browser.
func (f *TradingSite) VisitorLike(v *Visitor, token string) *Visitor {
	other := f.Visitor()
	for name, value := range v.Cookies {
		other.Cookies[name] = value
	}
	other.Token = token
	return other
}
