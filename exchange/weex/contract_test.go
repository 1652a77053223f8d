package weex

import (
	"rebatedesk/exchange"

	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
)

const contractRow = `"symbol":"cmt_btcusdt","last":"64000.5","best_ask":"64000.6","best_bid":"64000.4","high_24h":"65000","low_24h":"63000","volume_24h":"123456789.12","timestamp":"1756103438804","priceChangePercent":"0.0123","base_volume":"1929.01","markPrice":"64000.55","indexPrice":"64000.45"`

var contractWant = ContractTicker{
	Symbol: "cmt_btcusdt", Last: "64000.5", BestAsk: "64000.6", BestBid: "64000.4", High24h: "65000", Low24h: "63000", Volume24h: "123456789.12",
	BaseVolume: "1929.01", Time: 1756103438804, PriceChangePercent: "0.0123", MarkPrice: "64000.55", IndexPrice: "64000.45",
}

// numeric writes every number and time of a row without quotes.
func numeric(row string) string {
	parts := strings.Split(row, `,`)
	for i, p := range parts {
		if name, value, _ := strings.Cut(p, `:`); name != `"symbol"` {
			parts[i] = name + `:` + strings.Trim(value, `"`)
		}
	}
	return strings.Join(parts, `,`)
}

func TestContractTicker(t *testing.T) {
	ask := func(c *Client) (ContractTicker, error) { return c.ContractTicker(background, "cmt_btcusdt") }
	endpointTest[ContractTicker]{
		section: "4.5", ask: ask, sent: "symbol=cmt_btcusdt",
		answers: map[string]string{
			"bare": `{` + contractRow + `}`, "numbers": `{` + numeric(contractRow) + `,"new":{"symbol":"x"}}`,
			"enveloped": wrap(`{` + contractRow + `}`), "code of success": `{"code":"200",` + contractRow + `}`,
		},
		want: contractWant,
	}.check(t)
	malformed(t, ask, map[string]string{
		`{}`: "symbol", `[]`: "symbol", `[{` + contractRow + `}]`: "symbol", `{"symbol":"cmt_btcusdt"}`: "last", `null`: "symbol", wrap(`null`): "symbol",
		wrap(`{"data":{` + contractRow + `}}`): "symbol", `{` + contractRow + `,"data":{` + contractRow + `}}`: "data",
		`{"symbol":"cmt_btcusdt","last":"Infinity"}`: "last",
	})
	bad := func(symbol string) func(*Client) error {
		return func(c *Client) error { _, err := c.ContractTicker(background, symbol); return err }
	}
	refuses(t, map[string]func(*Client) error{
		`symbol = ""`: bad(""), `symbol = "cmt_"`: bad("cmt_"), `symbol = "cmt_BTCUSDT"`: bad("cmt_BTCUSDT"), `symbol = "BTCUSDT_SPBL"`: bad("BTCUSDT_SPBL"),
	})
}

func TestContractTickers(t *testing.T) {
	ask := func(c *Client) ([]ContractTicker, error) { return only(c.ContractTickers(background)) }
	endpointTest[[]ContractTicker]{
		section: "4.6", ask: ask,
		answers: map[string]string{
			"bare": `[{` + contractRow + `}]`, "numbers": ` [{` + numeric(contractRow) + `,"new":[1]}] `, "enveloped": wrap(`[{` + contractRow + `}]`),
		},
		want: []ContractTicker{contractWant},
	}.check(t)
	malformed(t, ask, map[string]string{
		`{}`: "data", `null`: "data", `"x"`: "data", `{` + contractRow + `}`: "data", `[{"symbol":"cmt_btcusdt"}]`: "last", `[{"last":"1"}]`: "symbol",
	})
}

// Calls about contracts go to the contract address, where an error is an object with a
// code.
func TestContractErrorsAndAddress(t *testing.T) {
	spot := serve(t, says(200, `{"code":"40015"}`))
	contract := serve(t, says(400, `{"code":"40020","msg":"Parameter symbol is invalid","requestTime":1756103438804,"data":null}`))
	c := dial(t, spot, func(cfg *exchange.Config) { cfg.ContractBaseURL = contract.URL })
	_, one := c.ContractTicker(t.Context(), "cmt_nosuch")
	_, all := c.ContractTickers(t.Context())
	for _, err := range []error{one, all} {
		failure, ok := errors.AsType[*exchange.Error](err)
		if !ok || failure.Class != exchange.ClassValidation || failure.Code != "40020" || failure.Status != 400 {
			t.Errorf("%v", err)
		}
	}
	if o := c.PlaceTrigger(t.Context(), goodTrigger); o.State != Refused || o.Evidence.Code != "40020" {
		t.Errorf("%+v", o)
	}
	if len(spot.seen()) != 0 || len(contract.seen()) != 3 {
		t.Errorf("%d requests at the spot address, %d at the other", len(spot.seen()), len(contract.seen()))
	}
}

var goodTrigger = TriggerOrder{
	Symbol: "cmt_bchusdt", ClientOID: "11111111111111", Size: "1", Type: OpenLong, MatchType: MatchMarket, ExecutePrice: "100", TriggerPrice: "100",
}

const triggerBody = `{"symbol":"cmt_bchusdt","client_oid":"11111111111111","size":"1","type":"1","match_type":"1","execute_price":"100","trigger_price":"100"}`

func TestPlaceTrigger(t *testing.T) {
	for body, want := range map[string]Outcome{
		`{"client_oid":null,"order_id":"596471064624628269"}`:                  {State: Placed, OrderID: "596471064624628269"},
		`{"client_oid":"11111111111111","order_id":596471064624628269,"x":[]}`: {State: Placed, OrderID: "596471064624628269"},
		`{"order_id":"9007199254740993"}`:                                      {State: Placed, OrderID: "9007199254740993"},
		wrap(`{"client_oid":"11111111111111","order_id":"7"}`):                 {State: Placed, OrderID: "7"},
		`{"client_oid":"another","order_id":"7"}`:                              {State: Unknown, OrderID: "7"},
		`{"client_oid":"11111111111111","order_id":null}`:                      {State: Unknown},
		`{"client_oid":"11111111111111"}`:                                      {State: Unknown},
		`{}`:                                                                   {State: Unknown},
		`[]`:                                                                   {State: Unknown},
		`{"code":"40017","msg":"no"}`:                                          {State: Refused},
		`{"code":"40017","order_id":"7"}`:                                      {State: Unknown, OrderID: "7"},
	} {
		f := serve(t, says(http.StatusOK, body))
		got := dial(t, f).PlaceTrigger(t.Context(), goodTrigger)
		if got.State != want.State || got.OrderID != want.OrderID || got.ClientOrderID != goodTrigger.ClientOID || !got.Evidence.Sent || got.Evidence.Status != 200 {
			t.Errorf("%s: %+v", body, got)
		}
		checkRequest(t, f.seen()[0], "4.13", triggerBody)
	}
	f := serve(t, says(200, `{"client_oid":"made up","order_id":"7"}`))
	o := goodTrigger
	o.ClientOID, o.MarginMode, o.MatchType, o.ExecutePrice = "", Isolated, MatchMarket, "0"
	if got := dial(t, f).PlaceTrigger(t.Context(), o); got.State != Placed {
		t.Errorf("with an id that the exchange chose: %+v", got)
	}
	checkRequest(t, f.seen()[0], "4.13", strings.NewReplacer(`"11111111111111"`, `""`, `"execute_price":"100"`, `"execute_price":"0"`, `}`, `,"marginMode":3}`).Replace(triggerBody))
}

func TestTriggerRules(t *testing.T) {
	with := func(change func(*TriggerOrder)) func(*Client) error {
		return func(c *Client) error {
			o := goodTrigger
			change(&o)
			got := c.PlaceTrigger(background, o)
			if got.State != NotSent || got.Evidence.Sent || got.Evidence.Class != exchange.ClassRequest {
				t.Errorf("%+v", got)
			}
			return got.Evidence.Err
		}
	}
	refuses(t, map[string]func(*Client) error{
		`symbol = "BTC"`:         with(func(o *TriggerOrder) { o.Symbol = "BTC" }),
		`client_oid = "a b"`:     with(func(o *TriggerOrder) { o.ClientOID = "a b" }),
		`client_oid = "a-b"`:     with(func(o *TriggerOrder) { o.ClientOID = "a-b" }),
		`client_oid = "ä"`:       with(func(o *TriggerOrder) { o.ClientOID = "ä" }),
		`client_oid = "xxxxx`:    with(func(o *TriggerOrder) { o.ClientOID = strings.Repeat("x", 41) }),
		`size = "0"`:             with(func(o *TriggerOrder) { o.Size = "0" }),
		`size = "1e3"`:           with(func(o *TriggerOrder) { o.Size = "1e3" }),
		`type = "5"`:             with(func(o *TriggerOrder) { o.Type = "5" }),
		`type = ""`:              with(func(o *TriggerOrder) { o.Type = "" }),
		`match_type = "limit"`:   with(func(o *TriggerOrder) { o.MatchType = "limit" }),
		`execute_price = ""`:     with(func(o *TriggerOrder) { o.ExecutePrice = "" }),
		`execute_price = "0"`:    with(func(o *TriggerOrder) { o.ExecutePrice, o.MatchType = "0", MatchLimit }),
		`trigger_price = "-100"`: with(func(o *TriggerOrder) { o.TriggerPrice = "-100" }),
		`marginMode = "2"`:       with(func(o *TriggerOrder) { o.MarginMode = 2 }),
	})
}

// The time in a contract ticker is that of its last change, not the present, so the clock
// does not follow it.
func TestTickersDoNotSetTheClock(t *testing.T) {
	now := time.UnixMilli(1756103438804)
	f := serve(t, says(200, `{`+strings.Replace(contractRow, "1756103438804", "1756000000000", 1)+`}`), says(200, wrap(`[]`)), says(200, `{`+contractRow+`}`))
	c := dial(t, f, func(cfg *exchange.Config) { cfg.Now = func() time.Time { return now } })
	for i := range 3 {
		var err error
		if i == 1 {
			_, err = c.Tickers(t.Context())
		} else {
			_, err = c.ContractTicker(t.Context(), "cmt_btcusdt")
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, known := c.t.LocalTime(), c.t.ClockTime().Known(); got.Sub(now).Abs() > time.Second || known != (i > 0) {
			t.Errorf("after call %d the clock says %v, known: %v", i, got, known)
		}
	}
}
