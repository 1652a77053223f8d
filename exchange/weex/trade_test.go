package weex

import (
	"rebatedesk/exchange"

	"net/http"
	"strings"
	"testing"
)

const (
	pair = "BTCUSDT_SPBL"
	// above is an id that float64 cannot represent.
	above = "9007199254740993"
)

func TestOpenOrders(t *testing.T) {
	ask := func(c *Client) (exchange.Page[OpenOrder], error) {
		return c.OpenOrders(background, OpenOrderQuery{Symbol: pair, Limit: 20, PageNo: 3})
	}
	endpointTest[exchange.Page[OpenOrder]]{
		section: "4.11", ask: ask, sent: `{"symbol":"BTCUSDT_SPBL","limit":20,"pageNo":3}`,
		answers: map[string]string{
			"documented": wrap(`{"orderInfoResultList":[{"accountId":"77","symbol":"BTCUSDT_SPBL","orderId":"9007199254740993","clientOrderId":"mine-1","price":"64000","quantity":"0.5","orderType":"limit","side":"buy","status":"new",
				"latestFillPrice":"0","maxFillPrice":"0","minFillPrice":"0","fillQuantity":"0.1","fillTotalAmount":"6400","cTime":"1756103438804","uTime":"1756103438805"}],"nextPage":null,"totals":null}`),
			"oddities": wrap(`{"orderInfoResultList":[{"accountId":77,"symbol":"BTCUSDT_SPBL","orderId":9007199254740993,"clientOrderId":"mine-1","price":64000,"quantity":0.5,"orderType":"LIMIT","side":"BUY","status":"new","later":{},
				"latestFillPrice":0,"maxFillPrice":"0","minFillPrice":0,"fillQuantity":0.1,"fillTotalAmount":6400,"cTime":1756103438804,"uTime":1756103438805}]}`),
		},
		want: exchange.Page[OpenOrder]{Pages: -1, PageSize: -1, Total: -1, Records: []OpenOrder{{
			AccountID: "77", Symbol: pair, OrderID: above, ClientOrderID: "mine-1", Price: "64000", Quantity: "0.5", Type: Limit, Side: Buy, Status: "new",
			LatestFillPrice: "0", MaxFillPrice: "0", MinFillPrice: "0", FillQuantity: "0.1", FillTotalAmount: "6400", Created: 1756103438804, Updated: 1756103438805,
		}}},
	}.check(t)
	// Unrecognized values are kept, and omitted values are unknown.
	endpointTest[exchange.Page[OpenOrder]]{
		section: "4.11", sent: `{"symbol":"BTCUSDT_SPBL","limit":100,"pageNo":0}`,
		ask: func(c *Client) (exchange.Page[OpenOrder], error) {
			return c.OpenOrders(background, OpenOrderQuery{Symbol: pair})
		},
		answers: map[string]string{"short": wrap(`{"orderInfoResultList":[{"symbol":"S","orderId":"1","price":"","quantity":"1","orderType":"","side":"SHORT","status":"Half_Filled","clientOrderId":null,"uTime":null}],"nextPage":5,"totals":"3"}`)},
		want: exchange.Page[OpenOrder]{
			Pages: -1, PageSize: -1, Total: 3,
			Records: []OpenOrder{{Symbol: "S", OrderID: "1", Quantity: "1", Side: "SHORT", Status: "Half_Filled"}},
		},
	}.check(t)
	malformed(t, ask, map[string]string{
		wrap(`{}`): "orderInfoResultList", wrap(`null`): "orderInfoResultList", wrap(`[]`): "orderInfoResultList",
		wrap(`{"orderInfoResultList":[{"symbol":"S","quantity":"1","side":"buy"}]}`):                "orderId",
		wrap(`{"orderInfoResultList":[{"orderId":0,"symbol":"S","quantity":"1","side":"buy"}]}`):    "orderId",
		wrap(`{"orderInfoResultList":[{"orderId":1e18,"symbol":"S","quantity":"1","side":"b"}]}`):   "orderId",
		wrap(`{"orderInfoResultList":[{"orderId":"1","quantity":"1","side":"buy"}]}`):               "symbol",
		wrap(`{"orderInfoResultList":[{"orderId":"1","symbol":"S","quantity":"","side":"buy"}]}`):   "quantity",
		wrap(`{"orderInfoResultList":[{"orderId":"1","symbol":"S","quantity":"1","side":null}]}`):   "side",
		wrap(`{"orderInfoResultList":[{"orderId":"1","symbol":"S","quantity":"1","uTime":"now"}]}`): "uTime",
	})
	open := func(q OpenOrderQuery) func(*Client) error {
		return func(c *Client) error { _, err := c.OpenOrders(background, q); return err }
	}
	refuses(t, map[string]func(*Client) error{
		`symbol = ""`: open(OpenOrderQuery{}), `limit = "101"`: open(OpenOrderQuery{Symbol: pair, Limit: 101}), `limit = "-5"`: open(OpenOrderQuery{Symbol: pair, Limit: -5}),
		`pageNo = "-1"`: open(OpenOrderQuery{Symbol: pair, PageNo: -1}),
	})
}

func TestFills(t *testing.T) {
	ask := func(c *Client) (exchange.Page[Fill], error) {
		return c.Fills(background, FillQuery{Symbol: pair, OrderID: above, From: 1756000000000, To: 1756103438804, PageIndex: 2, PageSize: 10})
	}
	want := []Fill{{
		AccountID: "77", Symbol: pair, BaseCoin: "BTC", QuoteCoin: "USDT", OrderID: above, FillID: "9007199254740995", Side: Sell,
		FillQuantity: "0.5", FillTotalAmount: "32000", Fees: "-0.032", Created: 1756103438804,
	}}
	endpointTest[exchange.Page[Fill]]{
		section: "4.12", ask: ask, sent: `{"symbol":"BTCUSDT_SPBL","orderId":9007199254740993,"after":1756000000000,"before":1756103438804,"pageIndex":2,"pageSize":10}`,
		answers: map[string]string{
			"documented": wrap(`{"fillsOrderResultList":[{"accountId":"77","symbol":"BTCUSDT_SPBL","baseCoin":"BTC","quoteCoin":"USDT","orderId":"9007199254740993","fillId":"9007199254740995","orderType":"","side":"sell","fillPrice":"","fillQuantity":"0.5","fillTotalAmount":"32000","fees":"-0.032","cTime":"1756103438804"}],"nextPage":false,"totals":0}`),
			"oddities":   wrap(`{"fillsOrderResultList":[{"accountId":77,"symbol":"BTCUSDT_SPBL","baseCoin":"BTC","quoteCoin":"USDT","orderId":9007199254740993,"fillId":9007199254740995,"orderType":null,"side":"SELL","fillPrice":null,"fillQuantity":0.5,"fillTotalAmount":32000,"fees":-0.032,"cTime":1756103438804,"clientOrderId":"x"}],"nextPage":"false","totals":"0"}`),
		},
		want: exchange.Page[Fill]{Records: want, Pages: -1, PageSize: -1, Total: 0, Next: no},
	}.check(t)
	malformed(t, ask, map[string]string{
		wrap(`{"fillsOrderResultList":null}`): "fillsOrderResultList",
		wrap(`{"fillsOrderResultList":[{"fillId":"1","symbol":"S","side":"buy","fillQuantity":"1","cTime":1756103438804}]}`):  "orderId",
		wrap(`{"fillsOrderResultList":[{"orderId":"1","symbol":"S","side":"buy","fillQuantity":"1","cTime":1756103438804}]}`): "fillId",
		wrap(`{"fillsOrderResultList":[{"orderId":"1","fillId":"1","symbol":"S","side":"buy","fillQuantity":"1"}]}`):          "cTime",
		wrap(`{"fillsOrderResultList":[{"orderId":"1","fillId":"1","symbol":"S","side":"b","cTime":1756103438804}]}`):         "fillQuantity",
	})
	fills := func(change func(*FillQuery)) func(*Client) error {
		return func(c *Client) error {
			q := FillQuery{Symbol: pair}
			change(&q)
			_, err := c.Fills(background, q)
			return err
		}
	}
	refuses(t, map[string]func(*Client) error{
		`symbol = "cmt_btcusdt"`: fills(func(q *FillQuery) { q.Symbol = "cmt_btcusdt" }),
		`orderId = "1.5"`:        fills(func(q *FillQuery) { q.OrderID = "1.5" }),
		`after = "1756103438"`:   fills(func(q *FillQuery) { q.From = 1756103438 }),
		`before = "-1"`:          fills(func(q *FillQuery) { q.To = -1 }),
		`begins before it ends`:  fills(func(q *FillQuery) { q.From, q.To = 1756103438805, 1756103438804 }),
		`pageIndex = "-1"`:       fills(func(q *FillQuery) { q.PageIndex = -1 }),
		`pageSize = "101"`:       fills(func(q *FillQuery) { q.PageSize = 101 }),
	})
}

var goodOrder = NewOrder{Side: Buy, Type: Limit, Force: PostOnly, Price: "64000.10", Quantity: "0.5", ClientOrderID: "mine-1"}

const orderBody = `{"symbol":"BTCUSDT_SPBL","side":"buy","orderType":"limit","force":"postOnly","price":"64000.10","quantity":"0.5","clientOrderId":"mine-1"}`

func TestPlaceOrder(t *testing.T) {
	for body, want := range map[string]Outcome{
		wrap(`{"orderId":9007199254740993,"clientOrderId":"mine-1"}`):      {State: Placed, OrderID: above},
		wrap(`{"orderId":"9007199254740993","clientOrderId":"mine-1"}`):    {State: Placed, OrderID: above},
		wrap(`{"orderId":9007199254740993,"clientOrderId":null}`):          {State: Placed, OrderID: above},
		wrap(`{"orderId":9007199254740993,"new":{"orderId":1}}`):           {State: Placed, OrderID: above},
		wrap(`{"orderId":9007199254740993,"clientOrderId":""}`):            {State: Unknown, OrderID: above},
		wrap(`{"orderId":9007199254740993,"clientOrderId":"Mine-1"}`):      {State: Unknown, OrderID: above},
		wrap(`{"orderId":null,"clientOrderId":"mine-1"}`):                  {State: Unknown},
		wrap(`{"orderId":0,"clientOrderId":"mine-1"}`):                     {State: Unknown},
		wrap(`{"orderId":1.5,"clientOrderId":"mine-1"}`):                   {State: Unknown},
		wrap(`{"clientOrderId":"mine-1"}`):                                 {State: Unknown},
		wrap(`null`):                                                       {State: Unknown},
		wrap(`[]`):                                                         {State: Unknown},
		`{"code":"50004","msg":"not enough","data":null}`:                  {State: Refused},
		`{"code":"50004","data":{"orderId":"7","clientOrderId":"mine-1"}}`: {State: Unknown, OrderID: "7"},
		`{"code":"40015","msg":"system error","data":null}`:                {State: Unknown},
		`{"code":"no such code"}`:                                          {State: Unknown},
		`{"code":"429"}`:                                                   {State: Refused},
	} {
		f := serve(t, says(http.StatusOK, body))
		got := dial(t, f).PlaceOrder(t.Context(), pair, goodOrder)
		if got.State != want.State || got.OrderID != want.OrderID || got.ClientOrderID != "mine-1" || !got.Evidence.Sent || got.Evidence.Status != 200 || !got.Evidence.At.Known() {
			t.Errorf("%s: %+v", body, got)
		}
		if (got.State == Placed) != (got.Evidence.Class == "") || got.State != Placed && got.Evidence.Message == "" {
			t.Errorf("%s: the evidence is wrong: %+v", body, got)
		}
		if n := len(f.seen()); n != 1 {
			t.Errorf("%s: sent %d times", body, n)
		}
		checkRequest(t, f.seen()[0], "4.7", orderBody)
	}
}

// A market order has a force, because the document requires it, and a price only if one
// is given.
// only when there is one.
func TestPlaceMarketOrder(t *testing.T) {
	for sent, o := range map[string]NewOrder{
		`"force":"normal","quantity":"0.5"`:                {Quantity: "0.5"},
		`"force":"normal","quantity":"0.25"`:               {Quantity: "0.25", Force: "whatever"},
		`"force":"normal","price":"1.5","quantity":"0.50"`: {Quantity: "0.50", Force: FillOrKill, Price: "1.5"},
	} {
		o.Side, o.Type, o.ClientOrderID = Sell, Market, `"ö"`
		f := serve(t, says(200, wrap(`{"orderId":"7","clientOrderId":"\"ö\""}`)))
		if got := dial(t, f).PlaceOrder(t.Context(), pair, o); got.State != Placed {
			t.Errorf("%+v", got)
		}
		checkRequest(t, f.seen()[0], "4.7", `{"symbol":"BTCUSDT_SPBL","side":"sell","orderType":"market",`+sent+`,"clientOrderId":"\"ö\""}`)
	}
}

func TestOrderRules(t *testing.T) {
	orders := func(change func(*NewOrder)) NewOrder {
		o := goodOrder
		change(&o)
		return o
	}
	for says, bad := range map[string]NewOrder{
		`side = ""`:                   orders(func(o *NewOrder) { o.Side = "" }),
		`side = "BUY"`:                orders(func(o *NewOrder) { o.Side = "BUY" }),
		`orderType = "stop"`:          orders(func(o *NewOrder) { o.Type = "stop" }),
		`force = ""`:                  orders(func(o *NewOrder) { o.Force = "" }),
		`force = "gtc"`:               orders(func(o *NewOrder) { o.Force = "gtc" }),
		`price = ""`:                  orders(func(o *NewOrder) { o.Price = "" }),
		`price = "0.00"`:              orders(func(o *NewOrder) { o.Price = "0.00" }),
		`price = "-1"`:                orders(func(o *NewOrder) { o.Price = "-1" }),
		`price = "1e5"`:               orders(func(o *NewOrder) { o.Price = "1e5" }),
		`price = "NaN"`:               orders(func(o *NewOrder) { o.Price = "NaN" }),
		`price = "1,000"`:             orders(func(o *NewOrder) { o.Price, o.Type = "1,000", Market }),
		`quantity = ""`:               orders(func(o *NewOrder) { o.Quantity = "" }),
		`quantity = "-0.5"`:           orders(func(o *NewOrder) { o.Quantity = "-0.5" }),
		`clientOrderId = ""`:          orders(func(o *NewOrder) { o.ClientOrderID = "" }),
		`clientOrderId = " x"`:        orders(func(o *NewOrder) { o.ClientOrderID = " x" }),
		"clientOrderId = \"x\ufffd\"": orders(func(o *NewOrder) { o.ClientOrderID = "x\n" }),
	} {
		refuses(t, map[string]func(*Client) error{
			says: func(c *Client) error {
				got := c.PlaceOrder(background, pair, bad)
				if got.State != NotSent || got.Evidence.Sent || got.ClientOrderID != bad.ClientOrderID {
					t.Errorf("%+v", got)
				}
				return got.Evidence.Err
			},
			"orderList[1]." + says: func(c *Client) error {
				got := c.PlaceOrders(background, pair, []NewOrder{orders(func(o *NewOrder) { o.ClientOrderID = "first" }), bad})
				if len(got) != 2 || got[0].State != NotSent || got[1].State != NotSent {
					t.Errorf("%+v", got)
				}
				return got[0].Evidence.Err
			},
		})
	}
	refuses(t, map[string]func(*Client) error{
		`symbol = "cmt_btcusdt"`: func(c *Client) error { return c.PlaceOrder(background, "cmt_btcusdt", goodOrder).Evidence.Err },
		`clientOrderId = "mine-1": it stands in the list once`: func(c *Client) error {
			return c.PlaceOrders(background, pair, []NewOrder{goodOrder, goodOrder})[1].Evidence.Err
		},
	})
	f := serve(t, says(200, wrap(`{"resultList":[]}`)))
	if got := dial(t, f).PlaceOrders(t.Context(), pair, nil); len(got) != 0 || len(f.seen()) != 0 {
		t.Errorf("an empty batch: %+v, %d requests", got, len(f.seen()))
	}
}

// states returns the outcome of each order of a batch as one text.
func states(outcomes []Outcome) string {
	var all []string
	for _, o := range outcomes {
		all = append(all, string(o.State)+" "+o.OrderID+o.ClientOrderID)
	}
	return strings.Join(all, ", ")
}

func TestPlaceOrders(t *testing.T) {
	two := goodOrder
	two.ClientOrderID, two.Type, two.Side, two.Quantity = "mine-2", Market, Sell, "3"
	two.Price, two.Force = "", ""
	for body, want := range map[string]string{
		wrap(`{"resultList":[{"orderId":9007199254740993,"clientOrderId":"mine-1"},{"orderId":"2","clientOrderId":"mine-2"}]}`):                                         "placed 9007199254740993mine-1, placed 2mine-2",
		wrap(`{"resultList":[{"orderId":2,"clientOrderId":"mine-2","x":1},{"orderId":1,"clientOrderId":"mine-1"}]}`):                                                    "placed 1mine-1, placed 2mine-2",
		wrap(`{"resultList":[{"orderId":null,"clientOrderId":"mine-1"},{"orderId":2,"clientOrderId":"mine-2"}]}`):                                                       "unknown mine-1, placed 2mine-2",
		wrap(`{"resultList":[{"orderId":1,"clientOrderId":"mine-1"}]}`):                                                                                                 "placed 1mine-1, unknown mine-2",
		wrap(`{"resultList":[{"orderId":1,"clientOrderId":"mine-1"},{"orderId":2,"clientOrderId":"other"}]}`):                                                           "placed 1mine-1, unknown mine-2",
		wrap(`{"resultList":[{"orderId":1,"clientOrderId":"mine-1"},{"orderId":2,"clientOrderId":"mine-1"}]}`):                                                          "unknown mine-1, unknown mine-2",
		wrap(`{"resultList":[{"orderId":1,"clientOrderId":"mine-1"},{"orderId":2,"clientOrderId":"mine-2"},{"orderId":3}]}`):                                            "placed 1mine-1, placed 2mine-2",
		wrap(`{"resultList":[{"orderId":1,"clientOrderId":"mine-1"},{"orderId":null,"clientOrderId":"mine-2","errorCode":"50003","errorMsg":"Insufficient balance"}]}`): "placed 1mine-1, refused mine-2",
		wrap(`{"resultList":[{"orderId":1,"clientOrderId":"mine-1"},{"orderId":null,"clientOrderId":"mine-2","errorMsg":"Insufficient balance"}]}`):                     "placed 1mine-1, unknown mine-2",
		wrap(`{"resultList":[{"orderId":1,"clientOrderId":"mine-1","errorCode":"00000","errorMsg":null},{"orderId":2,"clientOrderId":"mine-2","errorCode":"50003"}]}`):  "placed 1mine-1, unknown 2mine-2",
		wrap(`{"resultList":[{"orderId":1},{"orderId":2}]}`):                                                                                                            "unknown mine-1, unknown mine-2",
		wrap(`{"resultList":[]}`):                 "unknown mine-1, unknown mine-2",
		wrap(`{"resultList":null}`):               "unknown mine-1, unknown mine-2",
		wrap(`{"resultList":[1,2]}`):              "unknown mine-1, unknown mine-2",
		wrap(`null`):                              "unknown mine-1, unknown mine-2",
		`{"code":"40020","msg":"no","data":null}`: "refused mine-1, refused mine-2",
		`{"code":"40020","data":{"resultList":[{"orderId":1,"clientOrderId":"mine-1"}]}}`: "unknown 1mine-1, unknown mine-2",
		`{"code":"40015","msg":"no","data":null}`:                                         "unknown mine-1, unknown mine-2",
	} {
		f := serve(t, says(200, body))
		if got := states(dial(t, f).PlaceOrders(t.Context(), pair, []NewOrder{goodOrder, two})); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", body, got, want)
		}
		if len(f.seen()) != 1 {
			t.Errorf("sent %d times", len(f.seen()))
		}
		checkRequest(t, f.seen()[0], "4.8", `{"symbol":"BTCUSDT_SPBL","orderList":[{"side":"buy","orderType":"limit","force":"postOnly","price":"64000.10","quantity":"0.5","clientOrderId":"mine-1"},`+
			`{"side":"sell","orderType":"market","force":"normal","quantity":"3","clientOrderId":"mine-2"}]}`)
	}
}

// Each order of a batch is told in the exchange's words, or with what its answer lacks.
func TestPlaceOrdersTellsWhy(t *testing.T) {
	two := goodOrder
	two.ClientOrderID = "mine-2"
	for body, want := range map[string][2]string{
		wrap(`{"resultList":[{"orderId":1,"clientOrderId":"mine-1"},{"orderId":null,"clientOrderId":"mine-2","errorMsg":"Insufficient balance"}]}`): {"", "Insufficient balance"},
		wrap(`{"resultList":[{"orderId":1,"clientOrderId":"mine-1"}]}`):                                                                             {"", "the answer does not name this order"},
		`{"code":"40017","msg":"Parameter error","data":{"resultList":[{"orderId":1,"clientOrderId":"mine-1"}]}}`: {
			"the answer refuses (40017: Parameter error) and names an order all the same", "the answer refuses (40017: Parameter error) and names an order all the same"},
	} {
		f := serve(t, says(200, body))
		got := dial(t, f).PlaceOrders(t.Context(), pair, []NewOrder{goodOrder, two})
		if got[0].Evidence.Message != want[0] || got[1].Evidence.Message != want[1] {
			t.Errorf("%s: %q and %q", body, got[0].Evidence.Message, got[1].Evidence.Message)
		}
	}
}

func TestCancelOrder(t *testing.T) {
	answer := func(id, own, symbol, result, code, message string) string {
		return wrap(`{"order_id":` + id + `,"client_oid":` + own + `,"symbol":` + symbol + `,"result":` + result + `,"err_code":` + code + `,"err_msg":` + message + `}`)
	}
	const symbol, ours = `"BTCUSDT_SPBL"`, `"9007199254740993"`
	for body, want := range map[string]OutcomeState{
		answer(ours, `null`, symbol, `true`, `null`, `null`):                        Cancelled,
		answer(above, `"x"`, symbol, `"true"`, `""`, `""`):                          Cancelled,
		wrap(`{"result":true}`):                                                     Cancelled,
		answer(ours, `null`, symbol, `false`, `"FAILED_ORDER_NOT_FOUND"`, `"gone"`): Refused,
		answer(ours, `null`, symbol, `"false"`, `"50005"`, `null`):                  Refused,
		answer(ours, `null`, symbol, `false`, `null`, `null`):                       Unknown,
		answer(ours, `null`, symbol, `false`, `"40725"`, `"service error"`):         Unknown,
		answer(ours, `null`, symbol, `false`, `"45001"`, `"of tomorrow"`):           Unknown,
		answer(ours, `null`, symbol, `false`, `"40015"`, `"system error"`):          Unknown,
		answer(ours, `null`, symbol, `true`, `"50005"`, `null`):                     Unknown,
		answer(`"9007199254740992"`, `null`, symbol, `true`, `null`, `null`):        Unknown,
		answer(`"9007199254740992"`, `null`, symbol, `false`, `"50005"`, `null`):    Unknown,
		answer(ours, `null`, `"ETHUSDT_SPBL"`, `true`, `null`, `null`):              Unknown,
		answer(ours, `null`, symbol, `null`, `null`, `null`):                        Unknown,
		wrap(`{}`):   Unknown,
		wrap(`null`): Unknown,
		`{"code":"50005","msg":"order does not exist"}`: Refused,
		`{"code":"50005","data":{"result":true}}`:       Unknown,
	} {
		f := serve(t, says(200, body))
		got := dial(t, f).CancelOrder(t.Context(), pair, OrderRef{OrderID: above})
		if got.State != want || got.OrderID != above || got.ClientOrderID != "" || !got.Evidence.Sent {
			t.Errorf("%s: %+v", body, got)
		}
		checkRequest(t, f.seen()[0], "4.9", `{"symbol":"BTCUSDT_SPBL","orderId":"9007199254740993"}`)
	}
	for own, want := range map[string]string{`"mine-1"`: "cancelled 7mine-1", `null`: "cancelled 7mine-1", `"mine-2"`: "unknown mine-1"} {
		f := serve(t, says(200, answer(`"7"`, own, `null`, `true`, `null`, `null`)))
		if got := states([]Outcome{dial(t, f).CancelOrder(t.Context(), pair, OrderRef{ClientOrderID: "mine-1"})}); got != want {
			t.Errorf("%s: %s, want %s", own, got, want)
		}
		checkRequest(t, f.seen()[0], "4.9", `{"symbol":"BTCUSDT_SPBL","clientOid":"mine-1"}`)
	}
	cancel := func(symbol string, ref OrderRef) func(*Client) error {
		return func(c *Client) error { return c.CancelOrder(background, symbol, ref).Evidence.Err }
	}
	refuses(t, map[string]func(*Client) error{
		`symbol = "BTC"`: cancel("BTC", OrderRef{OrderID: "1"}), `orderId = ""`: cancel(pair, OrderRef{}), `orderId = "1"`: cancel(pair, OrderRef{"1", "x"}),
		`orderId = "x"`: cancel(pair, OrderRef{OrderID: "x"}), `clientOid = "x "`: cancel(pair, OrderRef{ClientOrderID: "x "}),
	})
}

func TestCancelOrders(t *testing.T) {
	for body, want := range map[string]string{
		wrap(`{"successList":["1","9007199254740993"],"failureList":[]}`):                                                                                "cancelled 1, cancelled 9007199254740993",
		wrap(`{"successList":[9007199254740993],"failureList":[{"orderId":"1","clientOid":"","errMsg":"FAILED_ORDER_NOT_FOUND"}]}`):                      "refused 1, cancelled 9007199254740993",
		wrap(`{"failureList":[{"orderId":"1","clientOid":null,"errMsg":"FAILED_ORDER_NOT_FOUND","x":1},{"orderId":9007199254740993,"errMsg":"40015"}]}`): "refused 1, unknown 9007199254740993",
		wrap(`{"successList":["1"],"failureList":[]}`):                                                                                                   "cancelled 1, unknown 9007199254740993",
		wrap(`{"successList":["1","2"],"failureList":[]}`):                                                                                               "cancelled 1, unknown 9007199254740993",
		wrap(`{"successList":["1","1","9007199254740993"],"failureList":[]}`):                                                                            "unknown 1, cancelled 9007199254740993",
		wrap(`{"successList":["1","9007199254740993"],"failureList":[{"orderId":"1","errMsg":"x"}]}`):                                                    "unknown 1, cancelled 9007199254740993",
		wrap(`{"successList":["1","9007199254740993"],"failureList":[{"orderId":"3","errMsg":"x"}]}`):                                                    "cancelled 1, cancelled 9007199254740993",
		wrap(`{"successList":[null,"1"],"failureList":[]}`):                                                                                              "unknown 1, unknown 9007199254740993",
		wrap(`{"successList":["1","9007199254740993"],"failureList":[7]}`):                                                                               "unknown 1, unknown 9007199254740993",
		wrap(`{}`):                                      "unknown 1, unknown 9007199254740993",
		`{"code":"40912","msg":"more than 50"}`:         "refused 1, refused 9007199254740993",
		`{"code":"40912","data":{"successList":["1"]}}`: "unknown 1, unknown 9007199254740993",
	} {
		f := serve(t, says(200, body))
		if got := states(dial(t, f).CancelOrders(t.Context(), pair, OrderRefs{OrderIDs: []string{"1", above}})); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", body, got, want)
		}
		checkRequest(t, f.seen()[0], "4.10", `{"symbol":"BTCUSDT_SPBL","orderIds":["1","9007199254740993"]}`)
	}
	for body, want := range map[string]string{
		wrap(`{"successList":["71","72"],"failureList":[]}`):                                              "cancelled a, cancelled b",
		wrap(`{"successList":["b"],"failureList":[{"clientOid":"a","errMsg":"FAILED_ORDER_NOT_FOUND"}]}`): "refused a, cancelled b",
		wrap(`{"successList":["72"],"failureList":[{"orderId":"7","clientOid":"a","errMsg":"50005"}]}`):   "refused a, cancelled b",
		wrap(`{"successList":["72"],"failureList":[{"clientOid":"a","errMsg":"SYSTEM_TIMEOUT"}]}`):        "unknown a, cancelled b",
		wrap(`{"successList":["7"],"failureList":[{"orderId":"7","clientOid":"a","errMsg":"50005"}]}`):    "unknown a, unknown b",
		wrap(`{"successList":["71"],"failureList":[]}`):                                                   "unknown a, unknown b",
		wrap(`{"successList":["71","72","73"],"failureList":[]}`):                                         "unknown a, unknown b",
		wrap(`{"successList":["71"],"failureList":[{"orderId":"7","errMsg":"x"}]}`):                       "unknown a, unknown b",
		wrap(`{"successList":["71"],"failureList":[{"clientOid":"c","errMsg":"x"}]}`):                     "unknown a, unknown b",
	} {
		f := serve(t, says(200, body))
		if got := states(dial(t, f).CancelOrders(t.Context(), pair, OrderRefs{ClientOrderIDs: []string{"a", "b"}})); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", body, got, want)
		}
		checkRequest(t, f.seen()[0], "4.10", `{"symbol":"BTCUSDT_SPBL","clientOids":["a","b"]}`)
	}
	cancel := func(symbol string, refs OrderRefs) func(*Client) error {
		return func(c *Client) error {
			for _, o := range c.CancelOrders(background, symbol, refs) {
				return o.Evidence.Err
			}
			return nil
		}
	}
	var many []string
	for i := range 51 {
		many = append(many, "1"+strings.Repeat("0", i%18)+string(rune('0'+i%10)))
	}
	refuses(t, map[string]func(*Client) error{
		`orderIds = "51 ids"`: cancel(pair, OrderRefs{OrderIDs: many}), `orderIds = "1"`: cancel(pair, OrderRefs{[]string{"1"}, []string{"a"}}),
		`symbol = ""`: cancel("", OrderRefs{OrderIDs: []string{"1"}}), `orderIds = "x"`: cancel(pair, OrderRefs{OrderIDs: []string{"1", "x"}}),
		`clientOids = ""`: cancel(pair, OrderRefs{ClientOrderIDs: []string{""}}), `clientOids = "a": it stands`: cancel(pair, OrderRefs{ClientOrderIDs: []string{"a", "a"}}),
	})
}
