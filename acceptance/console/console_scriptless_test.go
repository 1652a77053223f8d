package console_test

import (
	"net/url"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
)

// Without a script, stopping leads back: to the ticket with what was typed, to the ticket of the same
// kind, or to the review.
func TestStoppingLeadsBackToTheTicket(t *testing.T) {
	t.Parallel()
	f := site.OpenTrading(t, nil)
	stopped := func() bool {
		t.Helper()
		status, err := f.Desk.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !status.Stopped() {
			return false
		}
		f.Theo.Get("/console/trade")
		f.Theo.Post("/console/trading/resume", append(f.StepUp(), "why", "the drill is over")...)
		return true
	}
	page := f.Theo.Get("/console/trade?kind=place&symbol=ETHUSDT_SPBL")
	if !strings.Contains(page.Body, `formaction="/console/trading/stop"`) {
		t.Error("the ticket cannot be kept while all sending is stopped")
	}
	kept := f.Theo.Post("/console/trading/stop", f.Limit(f.FormOf(page), f.Price(95), "0.0123", "symbol", "ETH/USDT")...)
	if kept.StatusCode != 200 || shownIn(kept.Body, "ticket-symbol") != "ETH/USDT" || shownIn(kept.Body, "ticket-quantity") != "0.0123" || shownIn(kept.Body, "ticket-price") != f.Price(95) ||
		strings.Contains(kept.Body, `formaction="/console/trading/stop"`) || !strings.Contains(kept.Body, "Trading stopped by") {
		t.Errorf("the ticket is not kept: status %d, pair %q, quantity %q", kept.StatusCode, shownIn(kept.Body, "ticket-symbol"), shownIn(kept.Body, "ticket-quantity"))
	}
	if !stopped() || len(f.Orders()) != 0 {
		t.Error("the ticket's own button does not stop, or sends")
	}
	refused := f.Theo.Post("/console/trade", "form", f.FormOf(f.Theo.Get("/console/trade?kind=batch")), "kind", "batch", "account", "main", "symbol", site.Spot, "orderList", "buy limit")
	back := f.Theo.Post("/console/trading/stop", "back", backIn(refused.Body))
	if to := back.Header.Get("Location"); back.StatusCode != 303 || to != "/console/trade?account=main&kind=batch&symbol="+site.Spot || !stopped() {
		t.Errorf("after a refused ticket: status %d to %q", back.StatusCode, to)
	}
	address, review := f.Rests()
	back = f.Theo.Post("/console/trading/stop", "back", backIn(review.Body))
	if to := back.Header.Get("Location"); back.StatusCode != 303 || to != address || !stopped() {
		t.Errorf("from a review: status %d to %q, want %q", back.StatusCode, to, address)
	}
	for _, foreign := range []string{"https://example.com/", "//example.com/console/", "/\\example.com", "/console"} {
		if to := f.Theo.Post("/console/trading/stop", "back", foreign).Header.Get("Location"); to != "/console/trade" {
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
	f := site.OpenTrading(t, nil)
	path := "/console/markets/" + site.Spot
	hiddenIn := func(page string) string {
		_, rest, _ := strings.Cut(page, `data-hidden="`)
		value, _, _ := strings.Cut(rest, `"`)
		return value
	}
	link := func(page, hide string) bool {
		return strings.Contains(page, `href="`+path+`?`+strings.ReplaceAll(url.Values{"hide": {hide}, "interval": {"5m"}}.Encode(), "&", "&amp;")+`"`)
	}
	page := f.Theo.Get(path + "?interval=5m").Body
	if hiddenIn(page) != "" || !link(page, "average-short") || !link(page, "average-long") {
		t.Errorf("hidden: %q, and no links", hiddenIn(page))
	}
	page = f.Theo.Get(path + "?interval=5m&hide=average-short").Body
	if hiddenIn(page) != "average-short" || !link(page, "") || !link(page, "average-short.average-long") || !strings.Contains(page, "hide=average-short&amp;interval=1h") {
		t.Errorf("hidden: %q", hiddenIn(page))
	}
	// The address counts more than what the browser remembers.
	if page = f.Theo.Get(path+"?interval=5m&hide=", "Cookie", f.Theo.Cookie()+"; hidden=average-long").Body; hiddenIn(page) != "" {
		t.Errorf("hidden by the browser: %q", hiddenIn(page))
	}
	if page = f.Theo.Get(path+"?interval=5m", "Cookie", f.Theo.Cookie()+"; hidden=average-long").Body; hiddenIn(page) != "average-long" || !link(page, "") {
		t.Errorf("hidden by the browser alone: %q", hiddenIn(page))
	}
	if a := f.Theo.Get(path + "?hide=average-odd"); a.StatusCode != 400 || !strings.Contains(a.Body, "is none of average-short, average-long, average-volume") {
		t.Errorf("an average that does not exist: status %d", a.StatusCode)
	}
}
