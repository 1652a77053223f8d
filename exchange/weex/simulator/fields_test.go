package simulator

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
)

// The tables hold the records of the interface document: each field with its JSON type. S
// is a string, N a number, B a boolean, A an array, and 0 stands for null.
const (
	orderFields = `accountId S, symbol S, orderId S, clientOrderId S, price S, quantity S, orderType S, side S, status S,
		latestFillPrice S, maxFillPrice S, minFillPrice S, fillQuantity S, fillTotalAmount S, cTime S, uTime S`
	fillFields = `accountId S, symbol S, baseCoin S, quoteCoin S, orderId S, fillId S, orderType S, side S, fillPrice S,
		fillQuantity S, fillTotalAmount S, fees S, cTime S`
	billFields        = `billId S, coinId N, coinName S, bizType S, fillSize S, fillValue S, deltaAmount S, afterAmount S, fees S, cTime S`
	fundingBillFields = `billId S, coinId N, coinName S, bizType S, deltaAmount S, afterAmount S, fees S, cTime S`
	transferFields    = `coinName S, status S, toType S, toSymbol S, fromType S, fromSymbol S, amount S, tradeTime S`
	pairFields        = `symbol S, baseCoin S, quoteCoin S, tickSize S, stepSize S, minTradeAmount S, maxTradeAmount S, takerFeeRate S,
		makerFeeRate S, buyLimitPriceRatio S, sellLimitPriceRatio S, marketBuyLimitSize S, marketSellLimitSize S,
		marketFallbackPriceRatio S, enableTrade B, enableDisplay B, displayDigitMerge S, displayNew B, displayHot B,
		supportTracing B, supportPlanMarket B`
	currencyFields = `coinId S, coinName S, transfer S, chains A`
	chainFields    = `chain S0, needTag S, withdrawAble S, rechargeAble S, withdrawFee S, depositConfirm S, withdrawConfirm S,
		minDepositAmount S, minWithdrawAmount S, browserUrl S, contractAddress S`
	tickerFields = `symbol S, priceChange S, priceChangePercent S, trades N, size S, value S, high S, low S, open S, close S,
		highTime N, lowTime N, startTime N, endTime N, lastPrice S, openInterest S, ts N`
	contractFields = `symbol S, last S, best_ask S, best_bid S, high_24h S, low_24h S, volume_24h S, timestamp S,
		priceChangePercent S, base_volume S, markPrice S, indexPrice S`
	tradeFields   = `symbol S, tradeId S, fillTime N, fillPrice S, fillQuantity S, tradeValue S, bestMatch B, buyerMaker B`
	cancelFields  = `order_id S, client_oid S0, symbol S, result B, err_code S0, err_msg S0`
	failureFields = `orderId S, clientOid S, errMsg S`

	// The exchange names the time dealTime and omits productType, unlike its document.
	commissionFields = `uid S, dealTime S, coin S, fee S, commission S, rate S, symbol S, sourceType N, takerAmount S, makerAmount S`
	inviteeFields    = `uid S, registerTime S, kycResult B, inviteCode S, firstDeposit S, firstTrade S, lastDeposit S, lastTrade S`
	subFields        = `subAffiliateUid S, productType S, date S, tradingVolume S, netTradingFee S, paidCommission S`
)

// kindOf returns the letter of a JSON value.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "0"
	case string:
		return "S"
	case json.Number:
		return "N"
	case bool:
		return "B"
	case []any:
		return "A"
	}
	return "O"
}

// fits fails unless a record has exactly the fields of a table.
func fits(t testing.TB, what string, record any, table string) {
	t.Helper()
	fields, ok := record.(object)
	if !ok {
		t.Fatalf("%s is no object: %v", what, record)
	}
	left := maps.Clone(fields)
	for entry := range strings.SplitSeq(table, ",") {
		name, kinds, _ := strings.Cut(strings.TrimSpace(entry), " ")
		v, there := fields[name]
		switch {
		case !there:
			t.Errorf("%s has no %s", what, name)
		case !strings.Contains(kinds, kindOf(v)):
			t.Errorf("%s: %s is %v, want %s", what, name, v, kinds)
		}
		delete(left, name)
	}
	if len(left) > 0 {
		t.Errorf("%s has %v besides", what, slices.Sorted(maps.Keys(left)))
	}
}

func everyFits(t testing.TB, what string, list any, table string, least int) {
	t.Helper()
	all := list.([]any)
	if len(all) < least {
		t.Errorf("%s: %d records, want %d at least", what, len(all), least)
	}
	for _, record := range all {
		fits(t, what, record, table)
	}
}

// Each answer has exactly the fields of the interface document, with their types.
func TestFieldsOfTheDocument(t *testing.T) {
	d := newHarness(t, Options{Seed: 3, Days: 20, Invitees: 30, Records: 2000})
	d.wait(20 * time.Hour)
	everyFits(t, "pair", d.get(pairsPath, ""), pairFields, 16)
	everyFits(t, "currency", d.get(currenciesPath, ""), currencyFields, 10)
	unnamed := 0
	for _, c := range rows(d.get(currenciesPath, "")) {
		everyFits(t, "chain", c["chains"], chainFields, 1)
		for _, c := range rows(c["chains"]) {
			if c["chain"] == nil {
				unnamed++
			}
		}
	}
	if unnamed == 0 {
		t.Error("no chain is null")
	}
	everyFits(t, "ticker", d.get(tickersPath, ""), tickerFields, 15)
	everyFits(t, "trade", d.get(tradesPath, "symbol=BTCUSDT_SPBL"), tradeFields, 100)
	fits(t, "contract ticker", value(t, d.send("GET", contractTickerPath, "symbol=cmt_btcusdt").Body.Bytes()), contractFields)
	everyFits(t, "contract ticker", value(t, d.send("GET", contractTickersPath, "").Body.Bytes()), contractFields, 8)

	placed := d.post(placePath, d.limit("BTCUSDT_SPBL", "buy", "normal", "0.9", "0.01"))
	fits(t, "placed order", placed, "orderId N, clientOrderId S")
	if n, err := placed["orderId"].(json.Number).Int64(); err != nil || n <= 1<<53 {
		t.Errorf("order number %v", placed["orderId"])
	}
	batch := d.post(batchPath, fmt.Sprintf(`{"symbol":"ETHUSDT_SPBL","orderList":[%s]}`, d.limit("ETHUSDT_SPBL", "sell", "normal", "1.05", "0.2")))
	fits(t, "placed batch", batch, "resultList A")
	everyFits(t, "placed order", batch["resultList"], "orderId N, clientOrderId S", 1)
	open := d.post(openPath, `{"symbol":"BTCUSDT_SPBL"}`)
	fits(t, "open orders", open, "orderInfoResultList A, nextPage 0, totals 0")
	everyFits(t, "open order", open["orderInfoResultList"], orderFields, 1)
	d.place(d.order("BTCUSDT_SPBL", "sell", "market", "", "", "0.01"))
	fills := d.post(fillPath, `{"symbol":"BTCUSDT_SPBL"}`)
	fits(t, "fills", fills, "fillsOrderResultList A, nextPage B, totals N")
	everyFits(t, "fill", fills["fillsOrderResultList"], fillFields, 1)

	fits(t, "cancelled", d.post(cancelPath, fmt.Sprintf(`{"symbol":"BTCUSDT_SPBL","orderId":"%v"}`, placed["orderId"])), cancelFields)
	fits(t, "not cancelled", d.post(cancelPath, `{"symbol":"BTCUSDT_SPBL","orderId":"12"}`), cancelFields)
	gone := d.post(cancelBatchPath, `{"symbol":"ETHUSDT_SPBL","orderIds":["1"],"clientOids":["t2"]}`)
	fits(t, "cancelled batch", gone, "successList A, failureList A")
	everyFits(t, "failure", gone["failureList"], failureFields, 1)
	if ids := gone["successList"].([]any); len(ids) != 1 || kindOf(ids[0]) != "S" {
		t.Errorf("success list %v", ids)
	}

	trigger := `{"symbol":"cmt_bchusdt","client_oid":%q,"size":"1","type":"1","match_type":"1","execute_price":"100","trigger_price":"100"}`
	fits(t, "trigger order", value(t, d.send("POST", triggerPath, fmt.Sprintf(trigger, "a1")).Body.Bytes()), "client_oid S, order_id S")
	fits(t, "trigger order", value(t, d.send("POST", triggerPath, fmt.Sprintf(trigger, "")).Body.Bytes()), "client_oid 0, order_id S")

	everyFits(t, "bill", d.list(billPath, `{"limit":100}`), billFields, 20)
	funding := d.post(fundingPath, `{}`)
	fits(t, "funding bills", funding, "total N, page N, pageSize N, hasNextPage B, items A")
	everyFits(t, "funding bill", funding["items"], fundingBillFields, 10)
	everyFits(t, "transfer", d.get(transferPath, ""), transferFields, 5)
}

// The affiliate chapter returns the same records in both versions, and an envelope only
// in version 2.
func TestFieldsOfTheAffiliateChapter(t *testing.T) {
	d := newHarness(t, Options{Seed: 3, Days: 20, Records: 500})
	d.s.InsertInvitee(affiliate.Invitee{
		UID: "7000000001", InviteCode: "code", KYC: "true", RegisterTime: affiliate.MillisOf(instant) - 9000,
		FirstDeposit: 1, FirstTrade: 2, LastDeposit: 3, LastTrade: 4,
	})
	for _, c := range []struct{ method, path, parameters, list, fields, around, outside string }{
		{"GET", commissionPath, "", "channelCommissionInfoItems", commissionFields, "pages N, pageSize N, total N, channelCommissionInfoItems A", "code S, data O, timestamp N"},
		{"GET", inviteePath, "uid=7000000001", "channelUserInfoItemList", inviteeFields, "pages N, pageSize N, total N, channelUserInfoItemList A", "code S, data O, timestamp N"},
		{"POST", subPath, `{"productType":"FUTURES"}`, "records", subFields, "records A, total N, size N, current N, pages N", "code S, msg S, requestTime N, data O"},
	} {
		top := value(t, d.send(c.method, c.path, c.parameters).Body.Bytes()).(object)
		fits(t, c.path, top, c.outside)
		fits(t, c.path, top["data"], c.around)
		everyFits(t, c.path, top["data"].(object)[c.list], c.fields, 1)
		bare := value(t, d.send(c.method, strings.Replace(c.path, "/v2/", "/v3/", 1), c.parameters).Body.Bytes())
		if fmt.Sprint(bare) != fmt.Sprint(top["data"]) {
			t.Errorf("%s: version 3 answers %.200v", c.path, bare)
		}
	}
	for _, path := range []string{placePath, billPath, tickersPath} {
		if w := d.send("GET", strings.Replace(path, "/v2/", "/v3/", 1), ""); w.Code != 404 {
			t.Errorf("%s has a version 3: %d", path, w.Code)
		}
	}
}

// With exchanged types all fields are still present, with the same values.
func TestOtherTypesEverywhere(t *testing.T) {
	usual := newHarness(t, Options{Seed: 3, Days: 20, Records: 500})
	other := newHarness(t, Options{Seed: 3, Days: 20, Records: 500, Rules: []FaultRule{
		{Fault: OtherTypes, Every: 1}, {Fault: NullFields, Every: 1}, {Fault: RequestTimeText, Every: 1},
	}})
	for _, d := range []*harness{usual, other} {
		d.place(d.limit("XRPUSDT_SPBL", "sell", "normal", "1.05", "100"))
		d.place(d.order("XRPUSDT_SPBL", "sell", "market", "", "", "50"))
	}
	for _, c := range []struct{ method, path, parameters, field string }{
		{"GET", pairsPath, "", `"enableTrade":"true"`},
		{"GET", currenciesPath, "", `"needTag":true`},
		{"GET", tickersPath, "", `"trades":"`},
		{"GET", tradesPath, "symbol=SOLUSDT_SPBL", `"fillTime":"`},
		{"GET", contractTickersPath, "", `"timestamp":1`},
		{"POST", openPath, `{"symbol":"XRPUSDT_SPBL"}`, `"cTime":1`},
		{"POST", fillPath, `{"symbol":"XRPUSDT_SPBL"}`, `"totals":"1"`},
		{"POST", billPath, `{}`, `"coinId":"`},
		{"POST", fundingPath, `{}`, `"hasNextPage":"`},
		{"GET", transferPath, "", `"toSymbol":null`},
		{"POST", cancelPath, `{"symbol":"XRPUSDT_SPBL","clientOid":"t1"}`, `"client_oid":null`},
	} {
		a, b := usual.send(c.method, c.path, c.parameters), other.send(c.method, c.path, c.parameters)
		if plain, odd := plainText(a.Body.String()), plainText(b.Body.String()); plain != odd && c.path != cancelPath {
			t.Errorf("%s:\n%.300s\n%.300s", c.path, plain, odd)
		}
		if !strings.Contains(b.Body.String(), c.field) {
			t.Errorf("%s: no %s in %.300s", c.path, c.field, b.Body)
		}
	}
}

// plainText normalizes JSON so that strings and other values are equal.
func plainText(body string) string {
	return strings.NewReplacer(`"`, "", "null", "").Replace(body)
}
