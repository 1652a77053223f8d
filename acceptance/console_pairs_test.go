package acceptance_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"rebatedesk/trading"
)

// frameFile matches the link to the file that the frame of a page makes of its address.
var frameFile = regexp.MustCompile(`<a [^>]*data-file>`)

// Every field for a pair shows and takes it as people write it. Addresses, reviews, what is recorded
// and the audit log have the exact symbol.
func TestPairFieldsAreWrittenByPeople(t *testing.T) {
	t.Parallel()
	f := openTrading(t, nil)
	ways := []string{"BTCUSDT_SPBL", "BTC/USDT", "btcusdt", "BTC-USDT", " btc/usdt "}
	for _, page := range []struct{ address, param, field string }{
		{"/console/trade?kind=place", "symbol", "ticket-symbol"}, {"/console/trade?kind=batch", "symbol", "ticket-symbol"}, {"/console/trade?kind=cancel", "symbol", "ticket-symbol"},
		{"/console/orders?older=1h", "pair", "field-pair"}, {"/console/orders?limit=5", "symbol", "field-symbol"},
		{"/console/fills?range=7d", "symbol", "field-symbol"}, {"/console/fills?pageSize=5", "symbol", "field-symbol"},
	} {
		for _, way := range ways {
			address := page.address + "&" + page.param + "=" + url.QueryEscape(way)
			a := f.theo.get(address, "HX-Request", "true", "HX-Boosted", "true")
			if a.StatusCode != 200 || shownIn(a.body, page.field) != "BTC/USDT" {
				t.Errorf("%s: status %d, the field shows %q", address, a.StatusCode, shownIn(a.body, page.field))
			}
			if pushed := a.Header.Get("HX-Push-Url"); (pushed != "") != (way != spot) || pushed != "" && !strings.Contains(pushed, page.param+"="+spot) {
				t.Errorf("%s: the address becomes %q", address, pushed)
			}
			if links := frameFile.ReplaceAllString(a.body, ""); strings.Contains(links, "=BTC%2FUSDT") || strings.Contains(links, "=btcusdt") {
				t.Errorf("%s: a link has no exact symbol", address)
			}
		}
	}
	for _, way := range []string{"cmt_btcusdt", "BTC/USDT", "btcusdt", "BTC-USDT", "BTC/USDT futures"} {
		query := url.QueryEscape(way)
		if a := f.theo.get("/console/contracts?symbol=" + query); a.StatusCode != 200 || shownIn(a.body, "field-symbol") != "BTC/USDT" || !strings.Contains(a.body, "1 pair, as of") {
			t.Errorf("contracts, %s: status %d, the field shows %q", way, a.StatusCode, shownIn(a.body, "field-symbol"))
		}
		a := f.theo.get("/console/trade?kind=trigger&symbol=" + query)
		if shownIn(a.body, "ticket-symbol") != "BTC/USDT" || !strings.Contains(a.body, "symbol=cmt_btcusdt&amp;kind=trigger") {
			t.Errorf("the trigger ticket for %s: status %d, the field shows %q", way, a.StatusCode, shownIn(a.body, "ticket-symbol"))
		}
		if a := f.theo.get("/console/ticket/check?account=main&kind=trigger&symbol="+query, "HX-Request", "true"); a.StatusCode != 200 || strings.Contains(a.body, "spot pair") {
			t.Errorf("the check of a trigger for %s: status %d", way, a.StatusCode)
		}
		address, review := f.reviewed("form", f.formOf(a), "kind", "trigger", "account", "main", "symbol", way, "type", "2", "match_type", "1", "marginMode", "1",
			"size", "0.01", "trigger_price", "1000", "execute_price", "1000")
		if in, err := f.desk.Intent(t.Context(), strings.TrimPrefix(address, "/console/intents/")); err != nil || in.Pair != "cmt_btcusdt" || !strings.Contains(review.body, "cmt_btcusdt") {
			t.Errorf("%s is recorded as %q: %v", way, in.Pair, err)
		}
	}
	for _, way := range ways {
		address, review := f.reviewed(f.limit(f.formOf(f.theo.get("/console/trade")), f.price(95), "0.01", "symbol", way)...)
		in, err := f.desk.Intent(t.Context(), strings.TrimPrefix(address, "/console/intents/"))
		if err != nil || in.Pair != spot || !strings.Contains(review.body, spot) || in.Orders[0].State != trading.IntentDrafted {
			t.Errorf("%q is recorded as %q: %v", way, in.Pair, err)
		}
	}
	wrong := f.theo.post("/console/trade", f.limit(f.formOf(f.theo.get("/console/trade")), f.price(95), "0.01", "symbol", "cmt_btcusdt")...)
	if wrong.StatusCode != 400 || shownIn(wrong.body, "ticket-symbol") != "cmt_btcusdt" || !strings.Contains(wrong.body, `id="ticket-symbol-said"`) {
		t.Errorf("a contract in a spot ticket: status %d, the field shows %q", wrong.StatusCode, shownIn(wrong.body, "ticket-symbol"))
	}
	for _, search := range []string{"BTC/USDT", "btc-usdt", "BTCUSDT_SPBL", "btcusdt"} {
		if a := f.theo.get("/console/markets?q=" + url.QueryEscape(search)); !strings.Contains(a.body, "1 pair, as of") {
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
