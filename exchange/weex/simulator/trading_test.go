package simulator

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/account"
)

func TestOrdersRefused(t *testing.T) {
	d := newHarness(t, Options{Seed: 1})
	price := d.price("BTCUSDT_SPBL").Truncate(0).String()
	d.place(d.order("BTCUSDT_SPBL", "sell", "limit", "normal", price, "0.01"))
	for _, test := range []struct{ change, to, want string }{
		{"", "", "200 00000"},
		{`"BTCUSDT_SPBL"`, `""`, "400 40019"},
		{`"BTCUSDT_SPBL"`, `"BTCUSDT"`, "400 40020"},
		{`"BTCUSDT_SPBL"`, `"LUNCUSDT_SPBL"`, "400 50003"},
		{`"buy"`, `"long"`, "400 40020"},
		{`"side"`, `"sides"`, "400 40019"},
		{`"limit"`, `"stop"`, "400 40020"},
		{`"normal"`, `"gtc"`, "400 40020"},
		{`"normal"`, `null`, "400 40019"},
		{`"` + price + `"`, `""`, "400 40019"},
		{`"` + price + `"`, `"-1"`, "400 40020"},
		{`"` + price + `"`, `"7e4"`, "400 40020"},
		{`"` + price + `"`, `"abc"`, "400 40020"},
		{`"` + price + `"`, `"` + price + `.001"`, "400 40017"},
		{`"` + price + `"`, `"99999999999999999999"`, "400 40017"},
		{`"` + price + `"`, `"` + d.price("BTCUSDT_SPBL").Mul(decimal.New(12, -1)).Round(0).String() + `"`, "400 40017"},
		{`"0.01"`, `"0"`, "400 40020"},
		{`"0.01"`, `"0.0100001"`, "400 40017"},
		{`"0.01"`, `"0.00001"`, "400 40017"},
		{`"0.01"`, `"101"`, "400 40017"},
		{`"0.01"`, `"10"`, "400 40017"}, // more than the balance
		{`"t`, `"", "x":"`, "400 40019"},
	} {
		body := d.order("BTCUSDT_SPBL", "buy", "limit", "normal", price, "0.01")
		before := len(d.s.Ledger().Orders)
		if got := d.code(placePath, strings.Replace(body, test.change, test.to, 1)); got != test.want {
			t.Errorf("%s → %s: %s, want %s", test.change, test.to, got, test.want)
		}
		placed := len(d.s.Ledger().Orders) - before
		if (placed == 1) != (test.want == "200 00000") {
			t.Errorf("%s → %s: %d orders", test.change, test.to, placed)
		}
	}
	low := d.price("BTCUSDT_SPBL").Mul(decimal.New(8, -1)).Round(0).String()
	if got := d.code(placePath, d.order("BTCUSDT_SPBL", "sell", "limit", "normal", low, "0.01")); got != "400 40017" {
		t.Errorf("a sale far below the market: %s", got)
	}
	if got := d.code(placePath, d.order("BTCUSDT_SPBL", "sell", "market", "", "", "21")); got != "400 40017" {
		t.Errorf("a market order above its limit: %s", got)
	}
	if got := d.code(placePath, `[1]`); got != "400 40020" {
		t.Errorf("no object: %s", got)
	}
	repeated := d.order("BTCUSDT_SPBL", "buy", "limit", "normal", price, "0.01")
	first, second := d.code(placePath, repeated), d.code(placePath, repeated)
	if first != "200 00000" || second != "400 40017" {
		t.Errorf("the same identifier twice: %s, then %s", first, second)
	}
	if e := d.s.Ledger().Executions[fmt.Sprint("t", d.sent)]; e != (account.Execution{Received: 2, Accepted: 1}) {
		t.Errorf("executions %+v", e)
	}
}

// A limit order away from the market waits. When the price reaches it, it is filled in
// parts at its own price and leaves the list of open orders.
func TestLimitOrderRestsAndFills(t *testing.T) {
	for _, side := range []string{"buy", "sell"} {
		parts := map[int]bool{}
		for n := range 12 {
			d := newHarness(t, Options{Seed: int64(n), Balances: map[affiliate.Coin]affiliate.Number{"USDT": "100000", "ETH": "20"}})
			factor := map[string]string{"buy": "0.995", "sell": "1.005"}[side]
			body := d.limit("ETHUSDT_SPBL", side, "normal", factor, "1.5")
			id := d.place(body)
			if o := d.placed(id); o.Status != account.StatusNew || !o.Filled.IsZero() {
				t.Fatalf("%+v", o)
			}
			listed := false
			for range 24 * 60 {
				d.wait(time.Hour)
				o := d.placed(id)
				open := rows(d.post(openPath, `{"symbol":"ETHUSDT_SPBL"}`)["orderInfoResultList"])
				if (o.Status == account.StatusFilled) != (len(open) == 0) {
					t.Fatalf("%+v is listed %d times", o, len(open))
				}
				if listed = o.Status == account.StatusFilled; listed {
					break
				}
			}
			if !listed {
				continue // this seed's price never reached the limit
			}
			fills := rows(d.post(fillPath, fmt.Sprintf(`{"symbol":"ETHUSDT_SPBL","orderId":%s,"pageSize":100}`, id))["fillsOrderResultList"])
			parts[len(fills)] = true
			m := d.s.marketOf("ETHUSDT_SPBL")
			sum := decimal.Zero
			for _, f := range fills {
				sum = sum.Add(dec(f["fillQuantity"]))
				limit := d.placed(id).Price.Decimal()
				market := m.Decimal(m.At(dec(f["cTime"]).IntPart()))
				if !dec(f["fillPrice"]).Equal(limit) || side == "buy" && market.GreaterThan(limit) || side == "sell" && market.LessThan(limit) {
					t.Errorf("%v at a market of %v", f, market)
				}
				received := dec(f["fillQuantity"])
				if side == "sell" {
					received = dec(f["fillTotalAmount"])
				}
				if !dec(f["fees"]).Equal(received.Mul(decimal.New(8, -4))) {
					t.Errorf("fee of a maker: %v", f)
				}
			}
			if !sum.Equal(decimal.RequireFromString("1.5")) {
				t.Errorf("filled %v", sum)
			}
		}
		if len(parts) < 2 {
			t.Errorf("%s: all orders were filled in %v parts", side, parts)
		}
	}
}

func TestExecutionTypes(t *testing.T) {
	for _, test := range []struct {
		name, kind, force, factor, quantity string
		status                              string
		filled                              func(part decimal.Decimal) bool // as a fraction
	}{
		{"market", "market", "", "", "0.5", account.StatusFilled, isOne},
		{"large market", "market", "", "", "19", account.StatusFilled, isOne},
		{"within the price", "limit", "normal", "1.01", "0.5", account.StatusFilled, isOne},
		{"away from the price", "limit", "normal", "0.97", "0.5", account.StatusNew, decimal.Decimal.IsZero},
		{"more than there is at the price", "limit", "normal", "1", "60", account.StatusPartial, isSome},
		{"maker only, away", "limit", "postOnly", "0.97", "0.5", account.StatusNew, decimal.Decimal.IsZero},
		{"maker only, at the price", "limit", "postOnly", "1.01", "0.5", account.StatusCancelled, decimal.Decimal.IsZero},
		{"fill or kill, possible", "limit", "fok", "1.01", "0.5", account.StatusFilled, isOne},
		{"fill or kill, too much", "limit", "fok", "1", "60", account.StatusCancelled, decimal.Decimal.IsZero},
		{"immediate or cancel, all", "limit", "ioc", "1.01", "0.5", account.StatusFilled, isOne},
		{"immediate or cancel, some", "limit", "ioc", "1", "60", account.StatusCancelled, isSome},
		{"immediate or cancel, none", "limit", "ioc", "0.97", "0.5", account.StatusCancelled, decimal.Decimal.IsZero},
	} {
		for _, side := range []string{"buy", "sell"} {
			t.Run(test.name+" "+side, func(t *testing.T) {
				d := newHarness(t, Options{Seed: 4, Balances: map[affiliate.Coin]affiliate.Number{"USDT": "9000000", "BTC": "100"}})
				body := d.order("BTCUSDT_SPBL", side, test.kind, test.force, "", test.quantity)
				if test.kind == "limit" {
					factor := decimal.RequireFromString(test.factor)
					if side == "sell" {
						factor = decimal.NewFromInt(2).Sub(factor)
					}
					body = d.limit("BTCUSDT_SPBL", side, test.force, factor.String(), test.quantity)
				}
				o := d.placed(d.place(body))
				if part := o.Filled.Decimal().Div(o.Quantity.Decimal()); o.Status != test.status || !test.filled(part) {
					t.Errorf("%+v", o)
				}
				open := rows(d.post(openPath, `{"symbol":"BTCUSDT_SPBL"}`)["orderInfoResultList"])
				if rests := test.status == account.StatusNew || test.status == account.StatusPartial; rests != (len(open) == 1) {
					t.Errorf("%d open orders", len(open))
				}
				sound(t, d.s)
			})
		}
	}
}

func isOne(d decimal.Decimal) bool  { return d.Equal(decimal.NewFromInt(1)) }
func isSome(d decimal.Decimal) bool { return d.IsPositive() && !isOne(d) }

func TestMarketOrderSettlesExactly(t *testing.T) {
	d := newHarness(t, Options{Seed: 4, Balances: map[affiliate.Coin]affiliate.Number{"USDT": "1000", "SOL": "3"}})
	d.s.Balances()
	price := d.price("SOLUSDT_SPBL")
	d.place(d.order("SOLUSDT_SPBL", "buy", "market", "", "", "2.5"))
	b := d.s.Balances()
	paid := price.Mul(decimal.RequireFromString("2.5"))
	if got, want := b["USDT"].Available.Decimal(), decimal.NewFromInt(1000).Sub(paid); !got.Equal(want) {
		t.Errorf("USDT %v, want %v", got, want)
	}
	if got := b["SOL"].Available; got != "5.4975" {
		t.Errorf("SOL %v", got)
	}
	bills := rows(d.data("POST", billPath, `{"limit":2}`))
	out, in := bills[1], bills[0]
	if out["bizType"] != "trade_out" || !dec(out["deltaAmount"]).Equal(paid.Neg()) || out["coinName"] != "USDT" {
		t.Errorf("out %v", out)
	}
	if in["bizType"] != "trade_in" || in["deltaAmount"] != "2.4975" || in["fees"] != "0.0025" || in["afterAmount"] != "5.4975" || in["fillSize"] != "2.5" {
		t.Errorf("in %v", in)
	}
	d.place(d.order("USDCUSDT_SPBL", "buy", "market", "", "", "10"))
	if b := d.s.Balances(); b["USDC"].Available != "10" {
		t.Errorf("a pair without fee: %v", b["USDC"])
	}
}

func TestBatch(t *testing.T) {
	d := newHarness(t, Options{Seed: 1})
	good := d.limit("BTCUSDT_SPBL", "buy", "normal", "0.95", "0.01")
	dear := d.limit("BTCUSDT_SPBL", "buy", "normal", "0.95", "5")
	bad := d.order("BTCUSDT_SPBL", "up", "limit", "normal", "1", "1")
	post := func(items ...string) string {
		return fmt.Sprintf(`{"symbol":"BTCUSDT_SPBL","orderList":[%s]}`, strings.Join(items, ","))
	}
	results := rows(d.post(batchPath, post(dear, good, bad, good))["resultList"])
	if len(results) != 1 || results[0]["clientOrderId"] != "t1" {
		t.Errorf("results %v", results)
	}
	many := make([]string, 51)
	for i := range many {
		many[i] = d.limit("BTCUSDT_SPBL", "sell", "normal", "1.05", "0.001")
	}
	for body, want := range map[string]string{
		post(dear, bad):                        "400 40017",
		post():                                 "400 40019",
		post("7"):                              "400 40020",
		post(many...):                          "400 40020",
		`{"symbol":"BTCUSDT_SPBL"}`:            "400 40019",
		`{"symbol":"X","orderList":[{"a":1}]}`: "400 40020",
		`{"symbol":"BTCUSDT_SPBL","orderList":"all"}`: "400 40020",
	} {
		if got := d.code(batchPath, body); got != want {
			t.Errorf("%.80s: %s, want %s", body, got, want)
		}
	}
	if n := len(rows(d.post(batchPath, post(many[:50]...))["resultList"])); n != 50 {
		t.Errorf("%d placed", n)
	}
	if e := d.s.Ledger().Executions["t1"]; e != (account.Execution{Received: 2, Accepted: 1}) {
		t.Errorf("%+v", e)
	}
}

func TestCancel(t *testing.T) {
	d := newHarness(t, Options{Seed: 1})
	before := d.s.Balances()
	one, two := d.place(d.limit("ETHUSDT_SPBL", "buy", "normal", "0.95", "1")), d.place(d.limit("ETHUSDT_SPBL", "sell", "normal", "1.05", "1"))
	done := d.place(d.order("SOLUSDT_SPBL", "sell", "market", "", "", "1"))
	for _, test := range []struct {
		body, id string
		client   any
		result   bool
	}{
		{`{"symbol":"ETHUSDT_SPBL","orderId":"` + one + `"}`, one, "t1", true},
		{`{"symbol":"ETHUSDT_SPBL","orderId":"` + one + `"}`, one, nil, false},
		{`{"symbol":"BTCUSDT_SPBL","clientOid":"t2"}`, "", "t2", false},
		{`{"symbol":"ETHUSDT_SPBL","clientOid":"t2"}`, two, "t2", true},
		{`{"symbol":"SOLUSDT_SPBL","orderId":` + done + `}`, done, nil, false},
		{`{"symbol":"ETHUSDT_SPBL","orderId":"none"}`, "none", nil, false},
	} {
		got := d.post(cancelPath, test.body)
		if got["order_id"] != test.id || got["client_oid"] != test.client || got["result"] != test.result {
			t.Errorf("%s: %v", test.body, got)
		}
		if failed := got["err_code"] != nil && got["err_msg"] != nil; failed == test.result || failed && got["err_code"] != "50005" {
			t.Errorf("%s: %v", test.body, got)
		}
	}
	for body, want := range map[string]string{
		`{"symbol":"ETHUSDT_SPBL"}`: "400 40913", `{"orderId":"1"}`: "400 40019",
	} {
		if got := d.code(cancelPath, body); got != want {
			t.Errorf("%s: %s", body, got)
		}
	}
	after := d.s.Balances()
	if after["USDT"].Locked != "0" || after["ETH"] != before["ETH"] {
		t.Errorf("balances before %v, after %v", before, after)
	}
}

func TestCancelBatch(t *testing.T) {
	d := newHarness(t, Options{Seed: 1})
	var ids []string
	for range 5 {
		ids = append(ids, d.place(d.limit("ETHUSDT_SPBL", "sell", "normal", "1.05", "0.1")))
	}
	got := d.post(cancelBatchPath, fmt.Sprintf(`{"symbol":"ETHUSDT_SPBL","orderIds":[%q,%s,%q,"1"],"clientOids":["t3","t9"]}`, ids[0], ids[1], ids[0]))
	if fmt.Sprint(got["successList"]) != fmt.Sprint(ids[:3]) {
		t.Errorf("success %v, want %v", got["successList"], ids[:3])
	}
	want := []string{ids[0] + "//FAILED_ORDER_NOT_FOUND", "1//FAILED_ORDER_NOT_FOUND", "/t9/FAILED_ORDER_NOT_FOUND"}
	var failed []string
	for _, f := range rows(got["failureList"]) {
		failed = append(failed, fmt.Sprintf("%v/%v/%v", f["orderId"], f["clientOid"], f["errMsg"]))
	}
	if fmt.Sprint(failed) != fmt.Sprint(want) {
		t.Errorf("failures %v, want %v", failed, want)
	}
	many := strings.TrimSuffix(strings.Repeat(`"1",`, 51), ",")
	for body, want := range map[string]string{
		`{"symbol":"ETHUSDT_SPBL"}`:                           "400 40913",
		`{"symbol":"ETHUSDT_SPBL","orderIds":[]}`:             "400 40913",
		`{"symbol":"ETHUSDT_SPBL","orderIds":[` + many + `]}`: "400 40912",
		`{"symbol":"ETHUSDT_SPBL","orderIds":[""]}`:           "400 40020",
		`{"symbol":"ETHUSDT_SPBL","orderIds":"1"}`:            "400 40020",
		`{"orderIds":["1"]}`:                                  "400 40019",
	} {
		if got := d.code(cancelBatchPath, body); got != want {
			t.Errorf("%.60s: %s, want %s", body, got, want)
		}
	}
	if open := d.post(openPath, `{"symbol":"ETHUSDT_SPBL"}`)["orderInfoResultList"].([]any); len(open) != 2 {
		t.Errorf("%d open orders", len(open))
	}
}

// A limit order that is partly filled at better prices locks no more than the rest needs.
func TestBetterPriceIsGivenBack(t *testing.T) {
	d := newHarness(t, Options{Seed: 4, Balances: map[affiliate.Coin]affiliate.Number{"USDT": "9000000"}})
	price := d.price("BTCUSDT_SPBL").Add(decimal.New(2, -2))
	o := d.placed(d.place(d.order("BTCUSDT_SPBL", "buy", "limit", "normal", price.String(), "60")))
	rest := o.Quantity.Decimal().Sub(o.Filled.Decimal())
	if fills := d.post(fillPath, `{"symbol":"BTCUSDT_SPBL"}`)["fillsOrderResultList"].([]any); len(fills) != 3 || !rest.IsPositive() {
		t.Fatalf("%d fills, %v left", len(fills), rest)
	}
	if locked := d.s.Balances()["USDT"].Locked.Decimal(); !locked.Equal(price.Mul(rest)) {
		t.Errorf("locked %v for %v at %v", locked, rest, price)
	}
	sound(t, d.s)
}
