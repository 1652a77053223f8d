package console_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/trading"
	"rebatedesk/web"
)

// calls returns one call to each of the 19 documented endpoints. id makes distinct client
// ids for orders.
func calls(id string) []weex.Request {
	get := func(path, query string) weex.Request {
		return weex.Request{Method: "GET", Path: path, Query: query}
	}
	post := func(path, body string) weex.Request {
		return weex.Request{Method: "POST", Path: path, Body: []byte(body)}
	}
	month := fmt.Sprintf("startTime=%d&endTime=%d", site.Now.AddDate(0, 0, -30).UnixMilli(), site.Now.UnixMilli())
	limit := `{"symbol":"BTCUSDT_SPBL","side":"buy","orderType":"limit","force":"normal","price":"1000.00","quantity":"0.01","clientOrderId":"%s"}`
	return []weex.Request{
		get("/api/v2/public/exchangeInfo", "symbol=BTCUSDT_SPBL"),
		get("/api/v2/public/currencies", ""),
		get("/api/v2/market/tickers", "unheard=%E2%82%AC"),
		get("/api/v2/market/fills", "symbol=BTCUSDT_SPBL&limit=10"),
		get("/capi/v2/market/ticker", "symbol=cmt_btcusdt"),
		get("/capi/v2/market/tickers", ""),
		post("/api/v2/trade/orders", fmt.Sprintf(limit, id)),
		post("/api/v2/trade/batch-orders", `{"symbol":"BTCUSDT_SPBL","orderList":[{"side":"buy","orderType":"limit","force":"normal","price":"1000.00","quantity":"0.01","clientOrderId":"`+id+`b"}]}`),
		post("/api/v2/trade/cancel-order", `{"symbol":"BTCUSDT_SPBL","clientOid":"`+id+`"}`),
		post("/api/v2/trade/cancel-batch-orders", `{"symbol":"BTCUSDT_SPBL","clientOids":["`+id+`b"]}`),
		post("/api/v2/trade/open-orders", `{ "symbol":"BTCUSDT_SPBL", "unheard":[1,{"of":null}] }`),
		post("/api/v2/trade/fills", `{"symbol":"BTCUSDT_SPBL","pageSize":5}`),
		post("/capi/v2/order/plan_order", `{"symbol":"cmt_btcusdt","client_oid":"`+id+`t","size":"1","type":"1","match_type":"0","execute_price":"60000.0","trigger_price":"60000.0"}`),
		post("/api/v2/account/bills", `{}`),
		post("/api/v2/account/fundingBills", `{"pageSize":3}`),
		get("/api/v2/account/transferRecords", "limit=4"),
		get("/api/v2/rebate/affiliate/getAffiliateCommission", month+"&productType=FUTURES&page=1&pageSize=7"),
		get("/api/v2/rebate/affiliate/getAffiliateUIDs", month),
		post("/api/v2/rebate/affiliate/querySubChannelTransactions", `{"productType":"SPOT","pageSize":5}`),
	}
}

// TestProxyAnswersLikeTheExchange: each endpoint answers through the proxy with the same
// bytes as directly.
func TestProxyAnswersLikeTheExchange(t *testing.T) {
	t.Parallel()
	a, b := site.OpenConsole(t, simulator.Options{}), site.OpenConsole(t, simulator.Options{})
	program := a.Program(access.ScopeTrade)
	d := site.CommittedDescription(t)
	described := 0
	direct, forwarded := calls("one"), calls("one")
	if len(direct) != 19 {
		t.Fatalf("%d calls", len(direct))
	}
	for i, r := range direct {
		want, err := b.Upstream.Forward(t.Context(), r)
		if err != nil {
			t.Fatal(r.Path, err)
		}
		got := a.Send(program, forwarded[i])
		if got.StatusCode != want.Status || got.Header.Get("Content-Type") != want.ContentType || got.Body != string(want.Body) {
			t.Errorf("%s: %d %s\n%.300s\nwant %d %s\n%.300s", r.Path, got.StatusCode, got.Header.Get("Content-Type"), got.Body, want.Status, want.ContentType, want.Body)
		}
		if got.StatusCode != 200 || len(got.Body) < 20 || got.Header.Get("X-Rebatedesk") != "" || !strings.Contains(got.Header.Get("X-Rebatedesk-Weight"), "/") {
			t.Errorf("%s: status %d, %d bytes, headers %v", r.Path, got.StatusCode, len(got.Body), got.Header)
		}
		if _, reads := d.Paths["/console/proxy/{account}"+r.Path]; reads {
			described++
			d.CheckProxied(t, r, got)
		}
	}
	all := 0
	for address := range d.Paths {
		if strings.HasPrefix(address, "/console/proxy/") {
			all++
		}
	}
	if described != all || all != 14 {
		t.Errorf("%d of %d described endpoints were asked, want 14", described, all)
	}
	// The batch was placed before one of its orders was cancelled.
	ledger := a.Sim.Ledger()
	if len(ledger.Orders) != 2 || ledger.Executions["oneb"].Received != 1 || len(ledger.TriggerOrders) != 1 {
		t.Errorf("the exchange received %+v and %+v", ledger.Orders, ledger.TriggerOrders)
	}
	if n := given(t, a); n != 5 {
		t.Errorf("%d order calls reached the desk", n)
	}
}

// envelope is the body of an answer that the server itself made.
type envelope struct {
	Code, Msg   string
	RequestTime int64
	Data        *string
	Orders      []toldOrder
}

// toldOrder is what an answer of the server says of one order.
type toldOrder struct{ ClientOrderID, OrderID, State, Code, Msg string }

// ours checks that the server itself made the answer, with the given status and code.
func ours(t *testing.T, a site.Answer, status int, word string) envelope {
	t.Helper()
	var e envelope
	if err := json.Unmarshal([]byte(a.Body), &e); err != nil {
		t.Errorf("%s: %v in %q", a.Request.URL.Path, err, a.Body)
	}
	if a.StatusCode != status || a.Header.Get("X-Rebatedesk") != word || e.Code != "rebatedesk."+word || e.Msg == "" || e.RequestTime == 0 || e.Data != nil {
		t.Errorf("%s %s: status %d, word %q, %+v; want %d %s", a.Request.Method, a.Request.URL.Path, a.StatusCode, a.Header.Get("X-Rebatedesk"), e, status, word)
	}
	return e
}

// TestProxyRefusesBrokenRules: the answer names the field, and nothing is sent.
func TestProxyRefusesBrokenRules(t *testing.T) {
	t.Parallel()
	c := site.OpenConsole(t, simulator.Options{})
	program := c.Program(access.ScopeTrade)
	before := c.Sim.Stats().All()
	d := site.CommittedDescription(t)
	place := calls("x")[6]
	for _, test := range []struct{ path, query, old, new, field string }{
		{path: "/api/v2/market/fills", query: "symbol=btcusdt", field: "symbol"},
		{path: "/api/v2/market/fills", query: "symbol=%EF%BC%A2TCUSDT_SPBL", field: "symbol"},
		{path: "/api/v2/market/fills", query: "symbol=BTCUSDT_SPBL&limit=%EF%BC%91", field: "limit"},
		{path: "/api/v2/market/fills", query: "symbol=BTCUSDT_SPBL&limit=1001", field: "limit"},
		{old: `"1000.00"`, new: `"1E3"`, field: "price"},
		{old: `"1000.00"`, new: `"-1"`, field: "price"},
		{old: `"1000.00"`, new: `"１０００"`, field: "price"},
		{old: `"0.01"`, new: `"0.` + strings.Repeat("3", 30) + `"`, field: "quantity"},
		{old: `"clientOrderId":"x"`, new: `"clientOrderId":""`, field: "clientOrderId"},
		{old: `,"clientOrderId":"x"`, new: ``, field: "clientOrderId"},
		{old: `"side":"buy"`, new: `"side":"buy","side":"sell"`, field: "body"},
		{old: `"side":"buy"`, new: `"side":"buy","size":"5"`, field: "size"},
		{old: `"side":"buy"`, new: `"side":"buy","quoteSize":null`, field: "quoteSize"},
		{old: `"side":"buy"`, new: `"side":"buy","":{}`, field: ""},
	} {
		r := weex.Request{Method: "GET", Path: test.path, Query: test.query}
		if test.path == "" {
			r = place
			r.Body = []byte(strings.Replace(string(place.Body), test.old, test.new, 1))
		}
		a := c.Send(program, r)
		if r.Path == test.path {
			d.CheckProxied(t, r, a)
		}
		if e := ours(t, a, 400, "refused"); !strings.HasPrefix(e.Msg, test.field+" = ") {
			t.Errorf("%s%s: the error does not name %s: %s", test.query, test.new, test.field, e.Msg)
		}
	}
	if n := c.Sim.Stats().All(); n != before || given(t, c) != 0 {
		t.Errorf("%d requests were sent, %d order calls reached the desk", n-before, given(t, c))
	}
}

// given returns how many order calls reached the desk.
func given(t *testing.T, c *site.ConsoleSite) int {
	t.Helper()
	log, err := c.Desk.Intents(t.Context(), trading.IntentQuery{})
	if err != nil {
		t.Fatal(err)
	}
	return len(log)
}

// TestProxyPermissions covers scopes, sessions and endpoints that do not exist.
func TestProxyPermissions(t *testing.T) {
	t.Parallel()
	c := site.OpenConsole(t, simulator.Options{})
	reads, order := calls("x")[13], calls("x")[6]
	before := c.Sim.Stats().All()
	d := site.CommittedDescription(t)
	refused := func(v *site.Visitor, status int) {
		t.Helper()
		a := c.Send(v, reads)
		ours(t, a, status, "forbidden")
		d.CheckProxied(t, reads, a)
	}
	refused(c.Program(access.ScopeExport), 403)
	ours(t, c.Send(c.Program(access.ScopeConsole), order), 403, "forbidden")
	refused(c.Visitor(), 401)
	refused(c.Visitor("Authorization", "Bearer nonsense"), 401)
	refused(c.Browser, 403) // the header is missing
	program := c.Program(access.ScopeTrade)
	for _, r := range []weex.Request{
		{Method: "GET", Path: "/api/v2/public/time"},
		{Method: "GET", Path: "/api/v2/market//tickers"},
		{Method: "GET", Path: "/api/v2/market/x/../tickers"},
		{Method: "GET", Path: "/api/v2/market/ticker%73"},
		{Method: "GET", Path: "/api/v3/rebate/affiliate/getAffiliateUIDs"},
		{Method: "POST", Path: "/api/v2/market/tickers"},
		{Method: "POST", Path: "/capi/v2/order/placeOrder"},
		{Method: "PUT", Path: "/api/v2/market/tickers"},
		{Method: "DELETE", Path: "/api/v2/trade/orders"},
	} {
		if a := c.Send(program, r); a.StatusCode != 404 {
			t.Errorf("%s %s: status %d", r.Method, r.Path, a.StatusCode)
		}
	}
	if a := program.Get("/console/proxy/other/api/v2/market/tickers"); a.StatusCode != 404 {
		t.Errorf("an unknown account: status %d", a.StatusCode)
	}
	if n := c.Sim.Stats().All(); n != before {
		t.Errorf("%d requests were sent", n-before)
	}
	if a := c.Browser.Send("POST", "/console/proxy/main"+reads.Path, string(reads.Body), "X-CSRF-Token", c.Browser.Token); a.StatusCode != 200 {
		t.Errorf("a browser with its form token: status %d %s", a.StatusCode, a.Body)
	}
	c.Pass(6 * time.Minute)
	e := ours(t, c.Browser.Send("POST", "/console/proxy/main"+order.Path, string(order.Body), "X-CSRF-Token", c.Browser.Token), 403, "forbidden")
	if !strings.Contains(e.Msg, "fresh code") {
		t.Errorf("an expired code: %s", e.Msg)
	}
}

// TestProxyOrdersObeyTheDesk: the program receives the answer of the desk.
func TestProxyOrdersObeyTheDesk(t *testing.T) {
	t.Parallel()
	c := site.OpenConsole(t, simulator.Options{})
	program := c.Program(access.ScopeTrade)
	if err := c.Desk.Stop(t.Context(), trading.Requester{Name: "test", Via: "test"}, "a drill"); err != nil {
		t.Fatal(err)
	}
	ours(t, c.Send(program, calls("stopped")[6]), 403, "forbidden")
	program.Address, _ = site.Serve(t, web.Options{Reports: site.SharedReports(t), Access: c.Access, Console: &site.ConsoleExchange{Upstream: c.Upstream}})
	ours(t, c.Send(program, calls("off")[6]), 403, "forbidden")
	if n := len(c.Sim.Ledger().Orders); n != 0 {
		t.Errorf("%d orders were sent", n)
	}

	lost := site.OpenConsole(t, simulator.Options{Rules: []simulator.FaultRule{{Fault: simulator.Dropped, Path: "/trade/orders", Every: 1}}})
	program = lost.Program(access.ScopeTrade)
	ours(t, lost.Send(program, calls("unknown")[6]), 502, "unknown")
	ours(t, lost.Send(program, calls("blocked")[6]), 409, "blocked")

	closed := site.OpenConsole(t, simulator.Options{})
	program = closed.Program(access.ScopeTrade)
	if err := closed.Sim.Close(); err != nil {
		t.Fatal(err)
	}
	ours(t, closed.Send(program, calls("closed")[6]), 503, "not-sent")
}

// TestProxyTellsEachOrder: of a call without an answer of the exchange the program learns what
// became of each order, also if the outcome of only one of them is unknown.
func TestProxyTellsEachOrder(t *testing.T) {
	t.Parallel()
	c := site.OpenConsole(t, simulator.Options{})
	target, err := url.Parse(c.Sim.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	between := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ModifyResponse: func(r *http.Response) error { // the second order of a batch has no id, and the third an error
			if !strings.HasSuffix(r.Request.URL.Path, "/trade/batch-orders") {
				return nil
			}
			var body map[string]any
			decoder := json.NewDecoder(r.Body)
			decoder.UseNumber()
			if err := decoder.Decode(&body); err != nil {
				return err
			}
			list := body["data"].(map[string]any)["resultList"].([]any)
			delete(list[1].(map[string]any), "orderId")
			delete(list[2].(map[string]any), "orderId")
			list[2].(map[string]any)["errorCode"], list[2].(map[string]any)["errorMsg"] = "50004", "Insufficient balance"
			changed, err := json.Marshal(body)
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(changed)), int64(len(changed))
			r.Header.Set("Content-Length", strconv.Itoa(len(changed)))
			return err
		},
	})
	t.Cleanup(between.Close)
	client, err := weex.New(exchange.Config{
		BaseURL: between.URL, ContractBaseURL: c.Sim.ContractBaseURL, Key: exchange.Secret(c.Sim.APIKey),
		Secret: exchange.Secret(c.Sim.APISecret), Passphrase: exchange.Secret(c.Sim.APIPassphrase),
		Budget: exchange.NewBudget(1 << 30), Now: site.ClockAtNow, Tries: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	program := c.Program(access.ScopeTrade)
	program.Address, _ = site.Serve(t, web.Options{
		Reports: site.SharedReports(t), Access: c.Access, Console: &site.ConsoleExchange{Upstream: client},
		Trading: site.OpenDesk(t, trading.Options{Mode: trading.Live}, client),
	})
	item := func(id string) string {
		return `{"side":"buy","orderType":"limit","force":"normal","price":"1000.00","quantity":"0.01","clientOrderId":"` + id + `"}`
	}
	batch := weex.Request{Method: "POST", Path: "/api/v2/trade/batch-orders",
		Body: []byte(`{"symbol":"BTCUSDT_SPBL","orderList":[` + item("first") + `,` + item("second") + `,` + item("third") + `]}`)}
	e := ours(t, c.Send(program, batch), 502, "unknown")
	placed := c.Sim.Ledger().Orders
	if len(placed) != 3 || len(e.Orders) != 3 {
		t.Fatalf("%d orders were placed, and told is %+v", len(placed), e.Orders)
	}
	id := fmt.Sprint(placed[0].ID)
	for i, want := range []toldOrder{
		{ClientOrderID: "first", OrderID: id, State: "placed", Msg: e.Orders[0].Msg, Code: e.Orders[0].Code},
		{ClientOrderID: "second", State: "unknown", Msg: "the answer gives this order no id", Code: e.Orders[1].Code},
		{ClientOrderID: "third", State: "refused", Msg: "Insufficient balance", Code: "50004"},
	} {
		if e.Orders[i] != want {
			t.Errorf("order %d is told as %+v, want %+v", i+1, e.Orders[i], want)
		}
	}
	if e.Msg != "What became of order 2 is unknown: the answer gives this order no id." {
		t.Errorf("it says %q", e.Msg)
	}

	blocked := ours(t, c.Send(program, weex.Request{Method: "POST", Path: "/api/v2/trade/orders",
		Body: []byte(`{"symbol":"BTCUSDT_SPBL",` + item("fourth")[1:])}), 409, "blocked")
	if len(blocked.Orders) != 0 {
		t.Errorf("a call that was never prepared has orders: %+v", blocked.Orders)
	}
}

// TestProxyWhenTheExchangeFails: the proxy returns every answer of the exchange. If the
// exchange does not answer, the server's own answer says so.
func TestProxyWhenTheExchangeFails(t *testing.T) {
	t.Parallel()
	c := site.OpenConsole(t, simulator.Options{})
	program := c.Program(access.ScopeConsole)
	bad := weex.Request{Method: "GET", Path: "/api/v2/market/fills", Query: "symbol=NOSUCHUSDT_SPBL"}
	a := c.Send(program, bad)
	want, err := c.Upstream.Forward(t.Context(), bad)
	if err != nil || a.StatusCode != want.Status || a.Body != string(want.Body) || a.Header.Get("X-Rebatedesk") != "" || a.StatusCode < 400 {
		t.Errorf("a refusal of the exchange: status %d %q, direct %d, %v", a.StatusCode, a.Body, want.Status, err)
	}
	if err := c.Sim.Close(); err != nil {
		t.Fatal(err)
	}
	c.Upstream.Close()
	lost := calls("x")[2]
	a = c.Send(program, lost)
	site.CommittedDescription(t).CheckProxied(t, lost, a)
	e := ours(t, a, 503, "not-sent")
	if strings.Contains(e.Msg, c.Sim.APISecret) || strings.Contains(e.Msg, c.Sim.APIKey) {
		t.Error("it tells a secret")
	}
}

// TestProxyIsLogged: the log records who sent a request and the result.
func TestProxyIsLogged(t *testing.T) {
	t.Parallel()
	c := site.OpenConsole(t, simulator.Options{})
	program := c.Program(access.ScopeConsole)
	c.Send(program, calls("x")[3])
	c.Send(program, weex.Request{Method: "GET", Path: "/api/v2/market/fills", Query: "symbol=odd"})
	const secret = "token=GbkxkcYDsecret"
	c.Send(program, weex.Request{Method: "POST", Path: "/api/v2/trade/open-orders", Body: []byte(secret)})
	c.Send(program, weex.Request{Method: "POST", Path: "/api/v2/trade/open-orders", Body: []byte(`{"symbol":"` + secret + `"}`)})
	var found []string
	site.Soon(t, "each call is in the log", func() bool { // the server writes the lines after the answers
		found = nil
		for _, line := range c.Audit() {
			if line.Action == "console call" {
				found = append(found, line.Actor+" "+line.Via+" "+line.Object+" "+line.Detail+" "+line.Outcome)
			}
		}
		return len(found) == 4
	})
	// The log contains nothing of the body, because a body can contain anything.
	want := []string{
		`theo token open orders (4.11) main POST /api/v2/trade/open-orders? refused: symbol is a spot pair like BTCUSDT_SPBL`,
		`theo token open orders (4.11) main POST /api/v2/trade/open-orders? refused: body is a JSON object with each name once; {} where there are no parameters`,
		`theo token public trades (4.4) main GET /api/v2/market/fills?symbol=odd refused: symbol = "odd": it is a spot pair like BTCUSDT_SPBL`,
		`theo token public trades (4.4) main GET /api/v2/market/fills?symbol=BTCUSDT_SPBL&limit=10 HTTP 200`,
	}
	if strings.Join(found, "\n") != strings.Join(want, "\n") {
		t.Errorf("noted:\n%s", strings.Join(found, "\n"))
	}
}

// BenchmarkProxy compares calls through the proxy with direct calls in the same run; the
// difference is the cost of the proxy.
func BenchmarkProxy(b *testing.B) {
	c := site.OpenConsole(b, simulator.Options{})
	r := calls("x")[0]
	c.Browser.Get("/account")
	var direct, through []time.Duration
	for b.Loop() {
		began := time.Now()
		if _, err := c.Upstream.Forward(b.Context(), r); err != nil {
			b.Fatal(err)
		}
		middle := time.Now()
		if a := c.Browser.Get("/console/proxy/main" + r.Path + "?" + r.Query); a.StatusCode != http.StatusOK {
			b.Fatal(a.StatusCode, a.Body)
		}
		direct, through = append(direct, middle.Sub(began)), append(through, time.Since(middle))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(median(direct).Microseconds()), "direct-µs")
	b.ReportMetric(float64((median(through) - median(direct)).Microseconds()), "added-µs")
}
