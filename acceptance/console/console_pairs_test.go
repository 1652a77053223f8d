package console_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/trading"
)

// frameFile matches the link to the file that the frame of a page makes of its address.
var frameFile = regexp.MustCompile(`<a [^>]*data-file>`)

// Every field for a pair shows and takes it as people write it. Addresses, reviews, what is recorded
// and the audit log have the exact symbol.
func TestPairFieldsAreWrittenByPeople(t *testing.T) {
	t.Parallel()
	f := site.OpenTrading(t, nil)
	ways := []string{"BTCUSDT_SPBL", "BTC/USDT", "btcusdt", "BTC-USDT", " btc/usdt "}
	for _, page := range []struct{ address, param, field string }{
		{"/console/trade?kind=place", "symbol", "ticket-symbol"}, {"/console/trade?kind=batch", "symbol", "ticket-symbol"}, {"/console/trade?kind=cancel", "symbol", "ticket-symbol"},
		{"/console/orders?older=1h", "pair", "field-pair"}, {"/console/orders?limit=5", "symbol", "field-symbol"},
		{"/console/fills?range=7d", "symbol", "field-symbol"}, {"/console/fills?pageSize=5", "symbol", "field-symbol"},
	} {
		for _, way := range ways {
			address := page.address + "&" + page.param + "=" + url.QueryEscape(way)
			a := f.Theo.Get(address, "HX-Request", "true", "HX-Boosted", "true")
			if a.StatusCode != 200 || shownIn(a.Body, page.field) != "BTC/USDT" {
				t.Errorf("%s: status %d, the field shows %q", address, a.StatusCode, shownIn(a.Body, page.field))
			}
			if pushed := a.Header.Get("HX-Push-Url"); (pushed != "") != (way != site.Spot) || pushed != "" && !strings.Contains(pushed, page.param+"="+site.Spot) {
				t.Errorf("%s: the address becomes %q", address, pushed)
			}
			if links := frameFile.ReplaceAllString(a.Body, ""); strings.Contains(links, "=BTC%2FUSDT") || strings.Contains(links, "=btcusdt") {
				t.Errorf("%s: a link has no exact symbol", address)
			}
		}
	}
	for _, way := range []string{"cmt_btcusdt", "BTC/USDT", "btcusdt", "BTC-USDT", "BTC/USDT futures"} {
		query := url.QueryEscape(way)
		if a := f.Theo.Get("/console/contracts?symbol=" + query); a.StatusCode != 200 || shownIn(a.Body, "field-symbol") != "BTC/USDT" || !strings.Contains(a.Body, "1 pair, as of") {
			t.Errorf("contracts, %s: status %d, the field shows %q", way, a.StatusCode, shownIn(a.Body, "field-symbol"))
		}
		a := f.Theo.Get("/console/trade?kind=trigger&symbol=" + query)
		if shownIn(a.Body, "ticket-symbol") != "BTC/USDT" || !strings.Contains(a.Body, "symbol=cmt_btcusdt&amp;kind=trigger") {
			t.Errorf("the trigger ticket for %s: status %d, the field shows %q", way, a.StatusCode, shownIn(a.Body, "ticket-symbol"))
		}
		if a := f.Theo.Get("/console/ticket/check?account=main&kind=trigger&symbol="+query, "HX-Request", "true"); a.StatusCode != 200 || strings.Contains(a.Body, "spot pair") {
			t.Errorf("the check of a trigger for %s: status %d", way, a.StatusCode)
		}
		address, review := f.Reviewed("form", f.FormOf(a), "kind", "trigger", "account", "main", "symbol", way, "type", "2", "match_type", "1", "marginMode", "1",
			"size", "0.01", "trigger_price", "1000", "execute_price", "1000")
		if in, err := f.Desk.Intent(t.Context(), strings.TrimPrefix(address, "/console/intents/")); err != nil || in.Pair != "cmt_btcusdt" || !strings.Contains(review.Body, "cmt_btcusdt") {
			t.Errorf("%s is recorded as %q: %v", way, in.Pair, err)
		}
	}
	for _, way := range ways {
		address, review := f.Reviewed(f.Limit(f.FormOf(f.Theo.Get("/console/trade")), f.Price(95), "0.01", "symbol", way)...)
		in, err := f.Desk.Intent(t.Context(), strings.TrimPrefix(address, "/console/intents/"))
		if err != nil || in.Pair != site.Spot || !strings.Contains(review.Body, site.Spot) || in.Orders[0].State != trading.IntentDrafted {
			t.Errorf("%q is recorded as %q: %v", way, in.Pair, err)
		}
	}
	wrong := f.Theo.Post("/console/trade", f.Limit(f.FormOf(f.Theo.Get("/console/trade")), f.Price(95), "0.01", "symbol", "cmt_btcusdt")...)
	if wrong.StatusCode != 400 || shownIn(wrong.Body, "ticket-symbol") != "cmt_btcusdt" || !strings.Contains(wrong.Body, `id="ticket-symbol-said"`) {
		t.Errorf("a contract in a spot ticket: status %d, the field shows %q", wrong.StatusCode, shownIn(wrong.Body, "ticket-symbol"))
	}
	for _, search := range []string{"BTC/USDT", "btc-usdt", "BTCUSDT_SPBL", "btcusdt"} {
		if a := f.Theo.Get("/console/markets?q=" + url.QueryEscape(search)); !strings.Contains(a.Body, "1 pair, as of") {
			t.Errorf("the markets do not find %s", search)
		}
	}
}

// shownIn returns the value of a field.
func shownIn(page, id string) string {
	_, tag, found := strings.Cut(page, `id="`+id+`"`)
	tag, _, _ = strings.Cut(tag, ">")
	_, value, valued := strings.Cut(tag, ` value="`)
	value, _, _ = strings.Cut(value, `"`)
	if !found || !valued {
		return "no field"
	}
	return value
}
