package weex

import (
	"rebatedesk/exchange"

	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

const (
	orderText   = `{"symbol":"BTCUSDT_SPBL","side":"buy","orderType":"limit","force":"normal","price":"60000.00","quantity":"0.0100","clientOrderId":"a-1"}`
	batchText   = `{"symbol":"BTCUSDT_SPBL","orderList":[{"side":"buy","orderType":"limit","force":"ioc","price":"60000","quantity":"0.01","clientOrderId":"a-1"},{"side":"sell","orderType":"market","force":"normal","quantity":"0.01","clientOrderId":"a-2"}]}`
	triggerText = `{"symbol":"cmt_btcusdt","client_oid":"a1","size":"1","type":"1","match_type":"0","execute_price":"100","trigger_price":"100","marginMode":3}`
)

// good holds a request to each documented endpoint, with every documented parameter that
// can be combined with the others and one that is not documented.
var good = map[string]struct{ query, body string }{
	"4.1":  {"symbols=BTCUSDT_SPBL%2CETHUSDT_SPBL&extra=1", ""},
	"4.2":  {"extra=%E2%82%AC", ""},
	"4.3":  {"", ""},
	"4.4":  {"symbol=BTCUSDT_SPBL&limit=1000&extra=", ""},
	"4.5":  {"symbol=cmt_btcusdt", ""},
	"4.6":  {"", ""},
	"4.7":  {"", orderText},
	"4.8":  {"", batchText},
	"4.9":  {"", `{"symbol":"BTCUSDT_SPBL","orderId":"9007199254740993"}`},
	"4.10": {"", `{"symbol":"BTCUSDT_SPBL","clientOids":["a","b"]}`},
	"4.11": {"", `{ "symbol" : "BTCUSDT_SPBL", "limit" : 100, "pageNo" : 0, "extra":{"deep":[1]} }`},
	"4.12": {"", `{"symbol":"BTCUSDT_SPBL","orderId":9007199254740993,"after":1755648000000,"before":1756103438000,"pageIndex":"0","pageSize":1}`},
	"4.13": {"", triggerText},
	"4.14": {"", `{"coinId":1,"bizType":"rake_back_reward","after":1755648000000,"before":1756103438000,"limit":100}`},
	"4.15": {"", `{"coinId":1,"startTime":1755648000000,"endTime":1756103438000,"pageIndex":1,"pageSize":100}`},
	"4.16": {"coinId=1&fromType=spot&before=1755648000000&after=1756103438000&limit=500", ""},
	"4.17": {"uid=4667776811&startTime=1755648000000&endTime=1756103438000&coin=USDT&productType=FUTURES&page=1&pageSize=100", ""},
	"4.18": {"uid=4667776811&startTime=1755648000000&endTime=1756103438000&page=1&pageSize=100", ""},
	"4.19": {"", `{"subUid":6424873609,"startTime":null,"endTime":null,"productType":"FUTURES","pageNum":1,"pageSize":100}`},
}

// requestTo returns the good request to an endpoint.
func requestTo(e exchange.Endpoint) Request {
	g := good[e.Section]
	return Request{Method: e.Method, Path: e.Path, Query: g.query, Body: []byte(g.body)}
}

func endpointOf(t testing.TB, section string) exchange.Endpoint {
	t.Helper()
	for _, e := range endpoints {
		if e.Section == section {
			return e
		}
	}
	t.Fatalf("no endpoint has the section %s", section)
	return exchange.Endpoint{}
}

func TestGoodRequestsAreSentUnchanged(t *testing.T) {
	f := serve(t, says(200, `{"code":"00000","data":[]}`))
	c := dial(t, f)
	for _, e := range Endpoints()[1:] {
		r := requestTo(e)
		before := len(f.seen())
		answer, err := c.Forward(t.Context(), r)
		if err != nil {
			t.Errorf("%v: %v", e, err)
			continue
		}
		if answer.Status != 200 || string(answer.Body) != `{"code":"00000","data":[]}` || answer.ContentType != "application/json" {
			t.Errorf("%v: answered %d %q %q", e, answer.Status, answer.ContentType, answer.Body)
		}
		seen := f.seen()[before:]
		if len(seen) != 1 || seen[0].method != e.Method || seen[0].path != e.Path || seen[0].query != r.Query || seen[0].body != string(r.Body) {
			t.Fatalf("%v: %d requests arrived, %+v", e, len(seen), seen)
		}
		h := seen[0].header
		want := ""
		if e.Signed {
			want = Sign(canarySecret, h.Get("ACCESS-TIMESTAMP"), e.Method, e.Path, r.Query, string(r.Body))
		}
		if h.Get("ACCESS-SIGN") != want {
			t.Errorf("%v: the signature does not cover the request", e)
		}
		if e.Reading == (answer.Outcomes != nil) {
			t.Errorf("%v: outcomes %v", e, answer.Outcomes)
		}
	}
}

// TestBrokenRulesAreNamed breaks each rule of the document separately.
func TestBrokenRulesAreNamed(t *testing.T) {
	now := time.Date(2025, 8, 25, 12, 0, 0, 0, time.UTC) // three hours after the end of the good ranges
	f := serve(t, says(200, fmt.Sprintf(`{"code":"00000","data":%d}`, now.UnixMilli())), says(200, `{"code":"00000","data":[]}`))
	c := dial(t, f, func(cfg *exchange.Config) { cfg.Now = func() time.Time { return now } })
	if _, err := c.ServerTime(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, test := range brokenRules {
		e := endpointOf(t, test.section)
		r := requestTo(e)
		if e.Method == http.MethodGet {
			r.Query = broken(t, r.Query, test.old, test.new)
		} else {
			r.Body = []byte(broken(t, string(r.Body), test.old, test.new))
		}
		answer, err := c.Forward(t.Context(), r)
		invalid, ok := errors.AsType[*InvalidField](err)
		if !ok || exchange.ClassOf(err) != exchange.ClassRequest || !exchange.LeftNothing(err) {
			t.Errorf("%s with %s: not refused: %v", test.section, test.new, err)
			continue
		}
		if invalid.Field != test.field {
			t.Errorf("%s with %s: it names %q, want %q (%v)", test.section, test.new, invalid.Field, test.field, err)
		}
		if answer.Body != nil || len(answer.Outcomes) != 0 {
			t.Errorf("%s with %s: answered in spite of the error", test.section, test.new)
		}
	}
	if n := len(f.seen()); n != 1 { // the reading of the clock
		t.Errorf("%d requests were sent", n-1)
	}
}

func broken(t *testing.T, text, old, new string) string {
	t.Helper()
	if old == "" {
		return text + new
	}
	if strings.Count(text, old) == 0 {
		t.Fatalf("%q does not occur in %q", old, text)
	}
	return strings.Replace(text, old, new, 1)
}

var brokenRules = []struct{ section, old, new, field string }{
	{"4.1", "BTCUSDT_SPBL%2C", "BTCUSDT%2C", "symbols"},
	{"4.1", "symbols=BTCUSDT_SPBL%2CETHUSDT_SPBL", "symbol=btcusdt_SPBL", "symbol"},
	{"4.7", `{"symbol"`, `{"quoteSize":"5","symbol"`, "quoteSize"},
	{"4.8", `{"symbol"`, `{"size":5,"symbol"`, "size"},
	{"4.8", `{"side":"sell"`, `{"size":"5","side":"sell"`, "orderList[1].size"},
	{"4.9", `{"symbol"`, `{"all":true,"symbol"`, "all"},
	{"4.10", `{"symbol"`, `{"orderList":[],"symbol"`, "orderList"},
	{"4.13", `{"symbol"`, `{"leverage":null,"symbol"`, "leverage"},
	{"4.1", "extra=1", "symbol=BTCUSDT_SPBL", "symbols"},
	{"4.1", "extra=1", "symbols=BTCUSDT_SPBL", "symbols"},
	{"4.1", "extra=1", "symbol=", "symbol"},
	{"4.1", "extra=1", "Symbols=BTCUSDT_SPBL", "Symbols"},
	{"4.1", "extra=1", "extra=%zz", "query"},
	{"4.1", "extra=1", "extra=a b", "query"},
	{"4.1", "extra=1", "extra=a#b", "query"},
	{"4.1", "extra=1", "a;b", "query"},
	{"4.4", "symbol=BTCUSDT_SPBL&", "", "symbol"},
	{"4.4", "BTCUSDT_SPBL", "%EF%BC%A2TCUSDT_SPBL", "symbol"},
	{"4.4", "BTCUSDT_SPBL", "BTCUSDT_SPBL%0d%0aX", "symbol"},
	{"4.4", "BTCUSDT_SPBL", "..%2F..%2FBTCUSDT_SPBL", "symbol"},
	{"4.4", "limit=1000", "limit=1001", "limit"},
	{"4.4", "limit=1000", "limit=0", "limit"},
	{"4.4", "limit=1000", "limit=-1", "limit"},
	{"4.4", "limit=1000", "limit=1e2", "limit"},
	{"4.4", "limit=1000", "limit=10.0", "limit"},
	{"4.4", "limit=1000", "limit=%EF%BC%91", "limit"},
	{"4.4", "limit=1000", "limit=%2B10", "limit"},
	{"4.4", "limit=1000", "limit=010", "limit"},
	{"4.4", "limit=1000", "limit=", "limit"},
	{"4.4", "limit=1000", "limit=1&limit=2", "limit"},
	{"4.5", "cmt_btcusdt", "BTCUSDT_SPBL", "symbol"},
	{"4.5", "symbol=cmt_btcusdt", "", "symbol"},

	{"4.7", `"symbol":"BTCUSDT_SPBL",`, ``, "symbol"},
	{"4.7", `BTCUSDT_SPBL`, `BTCUSDT`, "symbol"},
	{"4.7", `"side":"buy",`, ``, "side"},
	{"4.7", `"buy"`, `"BUY"`, "side"},
	{"4.7", `"buy"`, `1`, "side"},
	{"4.7", `"limit"`, `"stop"`, "orderType"},
	{"4.7", `"force":"normal",`, ``, "force"},
	{"4.7", `"limit","force":"normal","price":"60000.00",`, `"market",`, "force"},
	{"4.7", `"normal"`, `"gtc"`, "force"},
	{"4.7", `"price":"60000.00",`, ``, "price"},
	{"4.7", `"60000.00"`, `60000.00`, "price"},
	{"4.7", `"60000.00"`, `"6e4"`, "price"},
	{"4.7", `"60000.00"`, `"-60000"`, "price"},
	{"4.7", `"60000.00"`, `"0.00"`, "price"},
	{"4.7", `"60000.00"`, `"NaN"`, "price"},
	{"4.7", `"60000.00"`, `"0x10"`, "price"},
	{"4.7", `"60000.00"`, `"60,000"`, "price"},
	{"4.7", `"60000.00"`, `"６００００"`, "price"},
	{"4.7", `"60000.00"`, `" 60000"`, "price"},
	{"4.7", `"60000.00"`, `null`, "price"},
	{"4.7", `"0.0100"`, `"0.` + strings.Repeat("1", 30) + `"`, "quantity"},
	{"4.7", `"0.0100"`, `""`, "quantity"},
	{"4.7", `,"clientOrderId":"a-1"`, ``, "clientOrderId"},
	{"4.7", `"a-1"`, `""`, "clientOrderId"},
	{"4.7", `"a-1"`, `null`, "clientOrderId"},
	{"4.7", `"a-1"`, `"a\u0000"`, "clientOrderId"},
	{"4.7", `"a-1"`, `" a"`, "clientOrderId"},
	{"4.7", `"side":"buy"`, `"side":"buy","side":"sell"`, "body"},
	{"4.7", `"side":"buy"`, `"side":"buy","Side":"sell"`, "Side"},
	{"4.7", `}`, `} {}`, "body"},
	{"4.7", orderText, ``, "body"},
	{"4.7", orderText, `[` + orderText + `]`, "body"},
	{"4.7", orderText, `null`, "body"},
	{"4.7", `a-1`, "a\xff", "body"},
	{"4.8", `"orderList":[`, `"orderList":[7,`, "orderList"},
	{"4.8", `"symbol":"BTCUSDT_SPBL",`, ``, "symbol"},
	{"4.8", `"side":"buy"`, `"side":"hold"`, "orderList[0].side"},
	{"4.8", `"quantity":"0.01","clientOrderId":"a-2"`, `"quantity":"1E-2","clientOrderId":"a-2"`, "orderList[1].quantity"},
	{"4.8", `"clientOrderId":"a-2"`, `"clientOrderId":""`, "orderList[1].clientOrderId"},
	{"4.8", `"a-2"`, `"a-1"`, "clientOrderId"},
	{"4.8", batchText, `{"symbol":"BTCUSDT_SPBL","orderList":[]}`, "orderList"},
	{"4.8", batchText, `{"symbol":"BTCUSDT_SPBL"}`, "orderList"},
	{"4.8", batchText, `{"symbol":"BTCUSDT_SPBL","orderList":"[]"}`, "orderList"},
	{"4.9", `,"orderId":"9007199254740993"`, ``, "orderId"},
	{"4.9", `"9007199254740993"`, `"1","clientOid":"a"`, "orderId"},
	{"4.9", `"9007199254740993"`, `9007199254740993`, "orderId"},
	{"4.9", `"9007199254740993"`, `"abc"`, "orderId"},
	{"4.10", `["a","b"]`, `[]`, "orderIds"},
	{"4.10", `["a","b"]`, `["a"],"orderIds":["1"]`, "orderIds"},
	{"4.10", `["a","b"]`, `["a","a"]`, "clientOids"},
	{"4.10", `["a","b"]`, `["a",1]`, "clientOids"},
	{"4.10", `["a","b"]`, `["` + strings.Repeat(`x","`, 50) + `y"]`, "clientOids"},
	{"4.11", `"symbol" : "BTCUSDT_SPBL",`, ``, "symbol"},
	{"4.11", `100`, `101`, "limit"},
	{"4.11", `100`, `0`, "limit"},
	{"4.11", `"pageNo" : 0`, `"pageNo" : -1`, "pageNo"},
	{"4.12", `9007199254740993`, `"9007199254740993x"`, "orderId"},
	{"4.12", `1755648000000`, `1756103438001`, "before"},
	{"4.12", `1755648000000`, `0`, "after"},
	{"4.12", `1755648000000`, `1755648000`, "after"},
	{"4.12", `"pageSize":1`, `"pageSize":101`, "pageSize"},
	{"4.12", `"pageIndex":"0"`, `"pageIndex":0.5`, "pageIndex"},
	{"4.13", `cmt_btcusdt`, `CMT_BTCUSDT`, "symbol"},
	{"4.13", `"a1"`, `""`, "client_oid"},
	{"4.13", `"a1"`, `"` + strings.Repeat("a", 41) + `"`, "client_oid"},
	{"4.13", `"a1"`, `"a-1"`, "client_oid"},
	{"4.13", `"size":"1"`, `"size":"-1"`, "size"},
	{"4.13", `"type":"1"`, `"type":"5"`, "type"},
	{"4.13", `"match_type":"0"`, `"match_type":"2"`, "match_type"},
	{"4.13", `"execute_price":"100"`, `"execute_price":"0"`, "execute_price"},
	{"4.13", `,"trigger_price":"100"`, ``, "trigger_price"},
	{"4.13", `"marginMode":3`, `"marginMode":2`, "marginMode"},
	{"4.13", `"marginMode":3`, `"marginMode":0`, "marginMode"},
	{"4.14", `"coinId":1`, `"coinId":"x"`, "coinId"},
	{"4.14", `rake_back_reward`, `lottery`, "bizType"},
	{"4.14", `"limit":100`, `"limit":101`, "limit"},
	{"4.14", `1755648000000`, `1756103438001`, "before"},
	{"4.15", `"pageIndex":1`, `"pageIndex":0`, "pageIndex"},
	{"4.15", `"pageSize":100`, `"pageSize":101`, "pageSize"},
	{"4.15", `1755648000000`, `1756103438001`, "endTime"},
	{"4.16", "limit=500", "limit=501", "limit"},
	{"4.16", "before=1755648000000", "before=1756103438001", "after"},
	{"4.16", "coinId=1", "coinId=one", "coinId"},
	{"4.17", "uid=4667776811", "uid=4667776811x", "uid"},
	{"4.17", "startTime=1755648000000", "startTime=1747000000000", "startTime"},
	{"4.17", "startTime=1755648000000&endTime=1756103438000", "startTime=1747000000000", "startTime"},
	{"4.17", "coin=USDT", "coin=ETH", "coin"},
	{"4.17", "productType=FUTURES", "productType=futures", "productType"},
	{"4.17", "page=1", "page=0", "page"},
	{"4.17", "pageSize=100", "pageSize=-5", "pageSize"},
	{"4.18", "endTime=1756103438000", "endTime=1755648000000", "endTime"},
	{"4.18", "startTime=1755648000000", "startTime=1748000000000", "startTime"},
	{"4.18", "startTime=1755648000000&endTime=1756103438000", "startTime=1724000000000&endTime=1724000000001", "startTime"},
	{"4.19", `"productType":"FUTURES",`, ``, "productType"},
	{"4.19", `"pageNum":1`, `"pageNum":0`, "pageNum"},
	{"4.19", `"subUid":6424873609`, `"subUid":1.5`, "subUid"},
}

func TestRequestsAreOnlyToDocumentedEndpoints(t *testing.T) {
	v2, v3 := dial(t, serve(t, says(200, `{}`))), dial(t, serve(t, says(200, `{}`)), func(c *exchange.Config) { c.APIVersion = "v3" })
	later := "/api/v3/rebate/affiliate/getAffiliateUIDs"
	for _, test := range []struct {
		c            *Client
		method, path string
		want         bool
	}{
		{v2, "GET", "/api/v2/market/tickers", true},
		{v2, "POST", "/api/v2/market/tickers", false},
		{v2, "HEAD", "/api/v2/market/tickers", false},
		{v2, "GET", "/api/v2/market/tickers/", false},
		{v2, "GET", "/api/v2/market//tickers", false},
		{v2, "GET", "/api/v2/public/time", false},
		{v2, "POST", "/capi/v2/order/placeOrder", false},
		{v2, "GET", later, false},
		{v3, "GET", later, true},
		{v3, "GET", "/api/v2/rebate/affiliate/getAffiliateUIDs", true},
		{v3, "GET", "/api/v3/market/tickers", false},
	} {
		e, ok := test.c.Route(test.method, test.path)
		if ok != test.want || ok && e.Method != test.method {
			t.Errorf("%s %s: %v %v", test.method, test.path, e, ok)
		}
		_, err := test.c.Read(Request{Method: test.method, Path: test.path})
		if (err == nil) != test.want {
			t.Errorf("%s %s: %v", test.method, test.path, err)
		}
	}
}

func TestOrdersAreRead(t *testing.T) {
	c := dial(t, serve(t, says(200, `{}`)))
	q, err := c.Read(requestTo(endpointOf(t, "4.8")))
	if err != nil {
		t.Fatal(err)
	}
	want := NewOrder{Side: Sell, Type: Market, Force: GoodTillCancelled, Quantity: "0.01", ClientOrderID: "a-2"}
	if q.Symbol != "BTCUSDT_SPBL" || len(q.Orders) != 2 || q.Orders[1] != want {
		t.Errorf("read as %+v", q)
	}
	if q, err = c.Read(requestTo(endpointOf(t, "4.13"))); err != nil || q.Trigger == nil || q.Trigger.MarginMode != Isolated || q.Symbol != "cmt_btcusdt" {
		t.Errorf("read as %+v, %v", q.Trigger, err)
	}
	if q, err = c.Read(requestTo(endpointOf(t, "4.9"))); err != nil || len(q.Cancel.OrderIDs) != 1 || len(q.Cancel.ClientOrderIDs) != 0 {
		t.Errorf("read as %+v, %v", q.Cancel, err)
	}
}
