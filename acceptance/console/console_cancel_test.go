package console_test

import (
	"html"
	"math/big"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/reports/phrase"
	"rebatedesk/trading"
)

var intentsField = regexp.MustCompile(`name="intents" value="([a-z0-9.]+)"`)

// Orders of several pairs are cancelled after one review with their count and worth, by one call
// for each pair, however often and wherever the button is pressed.
func TestCancelAcrossPairs(t *testing.T) {
	t.Parallel()
	f := site.OpenTrading(t, nil)
	f.Theo.Post("/account/totp", "present", "yes", "totp", f.Code(f.Secret))
	const other = "ETHUSDT_SPBL"
	worth := new(big.Rat)
	worth.Add(worth, f.Places(site.Spot, "0.95", "0.01")).Add(worth, f.Places(site.Spot, "0.94", "0.02")).Add(worth, f.Places(other, "0.93", "0.3"))
	f.Places(site.Spot, "0.92", "0.03")
	f.Places(other, "0.91", "0.2")
	page := f.Theo.Get("/console/orders")
	if !strings.Contains(page.Body, `name="cancel-every"`) || !strings.Contains(html.UnescapeString(page.Body), "Cancel all 5 orders of 2 pairs…") {
		t.Fatal("the page does not offer to cancel orders of all pairs")
	}
	btc, eth := f.Open(site.Spot), f.Open(other)
	fields := []string{"form", f.FormOf(page), "kind", "cancel", "account", "main", "cancel-every", "marked",
		"order-" + btc[0], site.Spot, "order-" + btc[1], site.Spot, "order-" + eth[0], other}
	review := f.Theo.Post("/console/trade", fields...)
	found := intentsField.FindStringSubmatch(review.Body)
	if want := "3 orders of 2 pairs, worth " + withoutZeros(worth); found == nil || !strings.Contains(strings.ReplaceAll(review.Body, ",", ""), strings.ReplaceAll(want, ",", "")) {
		t.Fatalf("the review does not say %q: status %d %s", want, review.StatusCode, review.Body)
	}
	// Back and forward, Enter twice, and a second tab: the same intents.
	if again := f.Theo.Post("/console/trade", fields...); intentsField.FindStringSubmatch(again.Body)[1] != found[1] {
		t.Error("the same form makes other intents")
	}
	if n := f.Cancellations(); n != 0 {
		t.Fatalf("the review sent %d calls", n)
	}
	f.AddUser("mira", access.Trader)
	mira := f.SignedInAs("mira")
	f.Enrol(mira)
	if a := mira.Post("/console/trade/cancel", "intents", found[1]); a.StatusCode != 403 {
		t.Errorf("somebody else sends it: status %d", a.StatusCode)
	}
	var pressed sync.WaitGroup
	answers := make([]site.Answer, 6)
	for i := range answers {
		v := f.VisitorLike(f.Theo, f.Theo.Token)
		pressed.Go(func() { answers[i] = v.Post("/console/trade/cancel", "intents", found[1]) })
	}
	pressed.Wait()
	for _, a := range answers {
		if a.StatusCode != 303 {
			t.Errorf("status %d", a.StatusCode)
		}
	}
	if n := f.Cancellations(); n != 2 {
		t.Errorf("%d calls to cancel arrived, want one for each pair", n)
	}
	if len(f.Open(site.Spot)) != 1 || len(f.Open(other)) != 1 {
		t.Errorf("open: %q %q", f.Open(site.Spot), f.Open(other))
	}
	result := f.Theo.Get("/console/trade/cancel?intents=" + url.QueryEscape(found[1])).Body
	if strings.Count(result, ">2"+phrase.Space+"cancelled<") != 1 || strings.Count(result, ">cancelled<") != 1 || strings.Contains(result, `name="intents"`) {
		t.Errorf("the outcome of each pair is not told: %s", result)
	}

	// All of them, of pairs of which one has none: it is left out, and said.
	review = f.Theo.Post("/console/trade", "form", f.FormOf(f.Theo.Get("/console/orders")), "kind", "cancel", "account", "main", "cancel-every", site.Spot+" "+other+" SOLUSDT_SPBL")
	if !strings.Contains(review.Body, "Left out. SOL/USDT: No order of SOL/USDT is open.") || !strings.Contains(review.Body, "2 orders of 2 pairs") {
		t.Errorf("status %d %s", review.StatusCode, review.Body)
	}
	f.Theo.Post("/console/trade/cancel", "intents", intentsField.FindStringSubmatch(review.Body)[1])
	if len(f.Open(site.Spot))+len(f.Open(other)) != 0 {
		t.Error("orders are still open")
	}
	for _, query := range []string{"", "?intents=", "?intents=x", "?intents=" + found[1] + "." + found[1][:20]} {
		if a := f.Theo.Get("/console/trade/cancel" + query); a.StatusCode != 400 && a.StatusCode != 404 {
			t.Errorf("%q: status %d", query, a.StatusCode)
		}
	}
	for _, wrong := range []string{"nothing marked", "no such pair"} {
		every := map[string]string{"nothing marked": "marked", "no such pair": "BTC/<b>"}[wrong]
		if a := f.Theo.Post("/console/trade", "form", trading.NewID(), "kind", "cancel", "account", "main", "cancel-every", every); a.StatusCode != 400 || !strings.Contains(a.Body, "Nothing was sent.") {
			t.Errorf("%s: status %d", wrong, a.StatusCode)
		}
	}
}

// An outcome that is unknown ends the cancellation: it is told, the rest waits for another press,
// and nothing is sent twice.
func TestCancelAcrossPairsWithAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	f := site.OpenTrading(t, nil, simulator.FaultRule{Fault: simulator.Dropped, Path: "/trade/cancel", Every: 1, Limit: 1})
	f.Theo.Post("/account/totp", "present", "yes", "totp", f.Code(f.Secret))
	f.Places(site.Spot, "0.95", "0.01")
	f.Places("ETHUSDT_SPBL", "0.93", "0.3")
	review := f.Theo.Post("/console/trade", "form", f.FormOf(f.Theo.Get("/console/orders")), "kind", "cancel", "account", "main",
		"cancel-every", site.Spot+" ETHUSDT_SPBL")
	intents := intentsField.FindStringSubmatch(review.Body)[1]
	ids := strings.Split(intents, ".")
	state := func(n int) trading.IntentState { return f.State("/console/intents/" + ids[n]) }
	f.Theo.Post("/console/trade/cancel", "intents", intents)
	if state(0) != trading.IntentUnknown || state(1) != trading.IntentDrafted || f.Cancellations() != 1 {
		t.Fatalf("%s, %s, %d calls", state(0), state(1), f.Cancellations())
	}
	page := f.Theo.Get("/console/trade/cancel?intents=" + intents)
	if !strings.Contains(page.Body, "An outcome is unknown") || !strings.Contains(page.Body, "Clear it up") || !strings.Contains(page.Body, "Cancel 1 order of 1 pair now") {
		t.Errorf("status %d %s", page.StatusCode, page.Body)
	}
	f.Theo.Post("/console/trade/cancel", "intents", intents)
	if state(0) != trading.IntentUnknown || state(1) != trading.IntentCancelled || f.Cancellations() != 2 {
		t.Errorf("%s, %s, %d calls", state(0), state(1), f.Cancellations())
	}
}
