package acceptance_test

import (
	"html"
	"math/big"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/exchange/simulator"
	"rebatedesk/exchange/simulator/account"
	"rebatedesk/reports/phrase"
	"rebatedesk/trading"
)

var intentsField = regexp.MustCompile(`name="intents" value="([a-z0-9.]+)"`)

// places places an order that rests.
func (f *tradingSite) places(symbol string, percent string, quantity string) (worth *big.Rat) {
	f.Helper()
	price := f.sim.Price(symbol).Decimal().Mul(affiliate.Number(percent).Decimal()).Truncate(2).String()
	at, _ := f.reviewed(f.limit(f.formOf(f.theo.get("/console/trade")), price, quantity, "symbol", symbol)...)
	f.theo.post(at + "/send")
	if f.state(at) != trading.IntentPlaced {
		f.Fatalf("%+v", f.said(at))
	}
	return new(big.Rat).Mul(fraction(price), fraction(quantity))
}

// open returns the ids of the open orders of a pair.
func (f *tradingSite) open(symbol string) (ids []string) {
	for _, o := range f.orders() {
		if o.Symbol == symbol && o.Status != account.StatusCancelled {
			ids = append(ids, o.ID)
		}
	}
	return ids
}

// cancellations returns how many calls to cancel arrived at the exchange.
func (f *tradingSite) cancellations() (n int) {
	for path, times := range f.sim.Stats().Requests {
		if strings.Contains(path, "/trade/cancel") {
			n += times
		}
	}
	return n
}

// Orders of several pairs are cancelled after one review with their count and worth, by one call
// for each pair, however often and wherever the button is pressed.
func TestCancelAcrossPairs(t *testing.T) {
	t.Parallel()
	f := openTrading(t, nil)
	f.theo.post("/account/totp", "present", "yes", "totp", f.code(f.secret))
	const other = "ETHUSDT_SPBL"
	worth := new(big.Rat)
	worth.Add(worth, f.places(spot, "0.95", "0.01")).Add(worth, f.places(spot, "0.94", "0.02")).Add(worth, f.places(other, "0.93", "0.3"))
	f.places(spot, "0.92", "0.03")
	f.places(other, "0.91", "0.2")
	page := f.theo.get("/console/orders")
	if !strings.Contains(page.body, `name="cancel-every"`) || !strings.Contains(html.UnescapeString(page.body), "Cancel all 5 orders of 2 pairs…") {
		t.Fatal("the page does not offer to cancel orders of all pairs")
	}
	btc, eth := f.open(spot), f.open(other)
	fields := []string{"form", f.formOf(page), "kind", "cancel", "account", "main", "cancel-every", "marked",
		"order-" + btc[0], spot, "order-" + btc[1], spot, "order-" + eth[0], other}
	review := f.theo.post("/console/trade", fields...)
	found := intentsField.FindStringSubmatch(review.body)
	if want := "3 orders of 2 pairs, worth " + withoutZeros(worth); found == nil || !strings.Contains(strings.ReplaceAll(review.body, ",", ""), strings.ReplaceAll(want, ",", "")) {
		t.Fatalf("the review does not say %q: status %d %s", want, review.StatusCode, review.body)
	}
	// Back and forward, Enter twice, and a second tab: the same intents.
	if again := f.theo.post("/console/trade", fields...); intentsField.FindStringSubmatch(again.body)[1] != found[1] {
		t.Error("the same form makes other intents")
	}
	if n := f.cancellations(); n != 0 {
		t.Fatalf("the review sent %d calls", n)
	}
	f.addUser("mira", access.Trader)
	mira := f.signedInAs("mira")
	f.enrol(mira)
	if a := mira.post("/console/trade/cancel", "intents", found[1]); a.StatusCode != 403 {
		t.Errorf("somebody else sends it: status %d", a.StatusCode)
	}
	var pressed sync.WaitGroup
	answers := make([]answer, 6)
	for i := range answers {
		v := f.visitorLike(f.theo, f.theo.token)
		pressed.Go(func() { answers[i] = v.post("/console/trade/cancel", "intents", found[1]) })
	}
	pressed.Wait()
	for _, a := range answers {
		if a.StatusCode != 303 {
			t.Errorf("status %d", a.StatusCode)
		}
	}
	if n := f.cancellations(); n != 2 {
		t.Errorf("%d calls to cancel arrived, want one for each pair", n)
	}
	if len(f.open(spot)) != 1 || len(f.open(other)) != 1 {
		t.Errorf("open: %q %q", f.open(spot), f.open(other))
	}
	result := f.theo.get("/console/trade/cancel?intents=" + url.QueryEscape(found[1])).body
	if strings.Count(result, ">2"+phrase.Space+"cancelled<") != 1 || strings.Count(result, ">cancelled<") != 1 || strings.Contains(result, `name="intents"`) {
		t.Errorf("the outcome of each pair is not told: %s", result)
	}

	// All of them, of pairs of which one has none: it is left out, and said.
	review = f.theo.post("/console/trade", "form", f.formOf(f.theo.get("/console/orders")), "kind", "cancel", "account", "main", "cancel-every", spot+" "+other+" SOLUSDT_SPBL")
	if !strings.Contains(review.body, "Left out. SOL/USDT: No order of SOL/USDT is open.") || !strings.Contains(review.body, "2 orders of 2 pairs") {
		t.Errorf("status %d %s", review.StatusCode, review.body)
	}
	f.theo.post("/console/trade/cancel", "intents", intentsField.FindStringSubmatch(review.body)[1])
	if len(f.open(spot))+len(f.open(other)) != 0 {
		t.Error("orders are still open")
	}
	for _, query := range []string{"", "?intents=", "?intents=x", "?intents=" + found[1] + "." + found[1][:20]} {
		if a := f.theo.get("/console/trade/cancel" + query); a.StatusCode != 400 && a.StatusCode != 404 {
			t.Errorf("%q: status %d", query, a.StatusCode)
		}
	}
	for _, wrong := range []string{"nothing marked", "no such pair"} {
		every := map[string]string{"nothing marked": "marked", "no such pair": "BTC/<b>"}[wrong]
		if a := f.theo.post("/console/trade", "form", trading.NewID(), "kind", "cancel", "account", "main", "cancel-every", every); a.StatusCode != 400 || !strings.Contains(a.body, "Nothing was sent.") {
			t.Errorf("%s: status %d", wrong, a.StatusCode)
		}
	}
}

// An outcome that is unknown ends the cancellation: it is told, the rest waits for another press,
// and nothing is sent twice.
func TestCancelAcrossPairsWithAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	f := openTrading(t, nil, simulator.FaultRule{Fault: simulator.Dropped, Path: "/trade/cancel", Every: 1, Limit: 1})
	f.theo.post("/account/totp", "present", "yes", "totp", f.code(f.secret))
	f.places(spot, "0.95", "0.01")
	f.places("ETHUSDT_SPBL", "0.93", "0.3")
	review := f.theo.post("/console/trade", "form", f.formOf(f.theo.get("/console/orders")), "kind", "cancel", "account", "main",
		"cancel-every", spot+" ETHUSDT_SPBL")
	intents := intentsField.FindStringSubmatch(review.body)[1]
	ids := strings.Split(intents, ".")
	state := func(n int) trading.IntentState { return f.state("/console/intents/" + ids[n]) }
	f.theo.post("/console/trade/cancel", "intents", intents)
	if state(0) != trading.IntentUnknown || state(1) != trading.IntentDrafted || f.cancellations() != 1 {
		t.Fatalf("%s, %s, %d calls", state(0), state(1), f.cancellations())
	}
	page := f.theo.get("/console/trade/cancel?intents=" + intents)
	if !strings.Contains(page.body, "An outcome is unknown") || !strings.Contains(page.body, "Clear it up") || !strings.Contains(page.body, "Cancel 1 order of 1 pair now") {
		t.Errorf("status %d %s", page.StatusCode, page.body)
	}
	f.theo.post("/console/trade/cancel", "intents", intents)
	if state(0) != trading.IntentUnknown || state(1) != trading.IntentCancelled || f.cancellations() != 2 {
		t.Errorf("%s, %s, %d calls", state(0), state(1), f.cancellations())
	}
}
