package acceptance_test

import (
	"net/url"
	"strings"
	"testing"
)

// Without a script, stopping leads back: to the ticket with what was typed, to the ticket of the same
// kind, or to the review.
func TestStoppingLeadsBackToTheTicket(t *testing.T) {
	t.Parallel()
	f := openTrading(t, nil)
	stopped := func() bool {
		t.Helper()
		status, err := f.desk.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !status.Stopped() {
			return false
		}
		f.theo.get("/console/trade")
		f.theo.post("/console/trading/resume", append(f.stepUp(), "why", "the drill is over")...)
		return true
	}
	page := f.theo.get("/console/trade?kind=place&symbol=ETHUSDT_SPBL")
	if !strings.Contains(page.body, `formaction="/console/trading/stop"`) {
		t.Error("the ticket cannot be kept while all sending is stopped")
	}
	kept := f.theo.post("/console/trading/stop", f.limit(f.formOf(page), f.price(95), "0.0123", "symbol", "ETH/USDT")...)
	if kept.StatusCode != 200 || shownIn(kept.body, "ticket-symbol") != "ETH/USDT" || shownIn(kept.body, "ticket-quantity") != "0.0123" || shownIn(kept.body, "ticket-price") != f.price(95) ||
		strings.Contains(kept.body, `formaction="/console/trading/stop"`) || !strings.Contains(kept.body, "Trading stopped by") {
		t.Errorf("the ticket is not kept: status %d, pair %q, quantity %q", kept.StatusCode, shownIn(kept.body, "ticket-symbol"), shownIn(kept.body, "ticket-quantity"))
	}
	if !stopped() || len(f.orders()) != 0 {
		t.Error("the ticket's own button does not stop, or sends")
	}
	refused := f.theo.post("/console/trade", "form", f.formOf(f.theo.get("/console/trade?kind=batch")), "kind", "batch", "account", "main", "symbol", spot, "orderList", "buy limit")
	back := f.theo.post("/console/trading/stop", "back", backIn(refused.body))
	if to := back.Header.Get("Location"); back.StatusCode != 303 || to != "/console/trade?account=main&kind=batch&symbol="+spot || !stopped() {
		t.Errorf("after a refused ticket: status %d to %q", back.StatusCode, to)
	}
	address, review := f.rests()
	back = f.theo.post("/console/trading/stop", "back", backIn(review.body))
	if to := back.Header.Get("Location"); back.StatusCode != 303 || to != address || !stopped() {
		t.Errorf("from a review: status %d to %q, want %q", back.StatusCode, to, address)
	}
	for _, foreign := range []string{"https://example.com/", "//example.com/console/", "/\\example.com", "/console"} {
		if to := f.theo.post("/console/trading/stop", "back", foreign).Header.Get("Location"); to != "/console/trade" {
			t.Errorf("back to %q leads to %q", foreign, to)
		}
	}
}

// backIn returns the page to which the forms of the bar lead.
func backIn(page string) string {
	_, rest, _ := strings.Cut(page, `name="back" value="`)
	value, _, _ := strings.Cut(rest, `"`)
	return strings.ReplaceAll(value, "&amp;", "&")
}

// Without a script, averages are shown and hidden by links. The address keeps which.
func TestAveragesAreHiddenByLinks(t *testing.T) {
	t.Parallel()
	f := openTrading(t, nil)
	path := "/console/markets/" + spot
	hiddenIn := func(page string) string {
		_, rest, _ := strings.Cut(page, `data-hidden="`)
		value, _, _ := strings.Cut(rest, `"`)
		return value
	}
	link := func(page, hide string) bool {
		return strings.Contains(page, `href="`+path+`?`+strings.ReplaceAll(url.Values{"hide": {hide}, "interval": {"5m"}}.Encode(), "&", "&amp;")+`"`)
	}
	page := f.theo.get(path + "?interval=5m").body
	if hiddenIn(page) != "" || !link(page, "average-short") || !link(page, "average-long") {
		t.Errorf("hidden: %q, and no links", hiddenIn(page))
	}
	page = f.theo.get(path + "?interval=5m&hide=average-short").body
	if hiddenIn(page) != "average-short" || !link(page, "") || !link(page, "average-short.average-long") || !strings.Contains(page, "hide=average-short&amp;interval=1h") {
		t.Errorf("hidden: %q", hiddenIn(page))
	}
	// The address counts more than what the browser remembers.
	if page = f.theo.get(path+"?interval=5m&hide=", "Cookie", f.theo.cookie()+"; hidden=average-long").body; hiddenIn(page) != "" {
		t.Errorf("hidden by the browser: %q", hiddenIn(page))
	}
	if page = f.theo.get(path+"?interval=5m", "Cookie", f.theo.cookie()+"; hidden=average-long").body; hiddenIn(page) != "average-long" || !link(page, "") {
		t.Errorf("hidden by the browser alone: %q", hiddenIn(page))
	}
	if a := f.theo.get(path + "?hide=average-odd"); a.StatusCode != 400 || !strings.Contains(a.body, "is none of average-short, average-long, average-volume") {
		t.Errorf("an average that does not exist: status %d", a.StatusCode)
	}
}
