package weex_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/exchange/weex/simulator"
)

// independentClient is a client written from the interface document alone, without using this
// package.
type independentClient struct {
	base, key, secret, passphrase string
	now                           func() time.Time
}

func (c independentClient) sign(text string) string {
	mac := hmac.New(sha256.New, []byte(c.secret))
	mac.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// call sends a request and decodes any JSON.
func (c independentClient) call(t *testing.T, method, path, body string) (int, map[string]any, []any) {
	t.Helper()
	req, err := http.NewRequest(method, c.base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	timestamp := strconv.FormatInt(c.now().UnixMilli(), 10)
	for name, value := range map[string]string{
		"ACCESS-KEY": c.key, "ACCESS-SIGN": c.sign(timestamp + method + path + body), "ACCESS-PASSPHRASE": c.passphrase,
		"ACCESS-TIMESTAMP": timestamp, "Content-Type": "application/json", "locale": "en-US", "User-Agent": "stranger",
	} {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	var list []any
	if json.Unmarshal(raw, &object) != nil && json.Unmarshal(raw, &list) != nil {
		t.Fatalf("%s %s: not JSON: %.200s", method, path, raw)
	}
	return resp.StatusCode, object, list
}

func dialIndependent(s *simulator.Server, now func() time.Time) independentClient {
	return independentClient{s.BaseURL, s.APIKey, s.APISecret, s.APIPassphrase, now}
}

// The independent client can use each endpoint of the simulator without special care.
func TestIndependentClientAtTheSimulator(t *testing.T) {
	now := func() time.Time { return start }
	s := simulate(t, simulator.Options{})
	c := dialIndependent(s, now)
	begin, end := strconv.FormatInt(start.AddDate(0, 0, -40).UnixMilli(), 10), strconv.FormatInt(start.UnixMilli(), 10)
	for _, test := range []struct{ method, path, body, code, want string }{
		{"GET", "/api/v2/public/exchangeInfo?symbol=BTCUSDT_SPBL", "", "00000", "data"},
		{"GET", "/api/v2/public/currencies", "", "00000", "data"},
		{"GET", "/api/v2/market/tickers", "", "00000", "data"},
		{"GET", "/api/v2/market/fills?symbol=BTCUSDT_SPBL&limit=5", "", "00000", "data"},
		{"GET", "/capi/v2/market/ticker?symbol=cmt_btcusdt", "", "", "last"},
		{"GET", "/capi/v2/market/tickers", "", "", ""},
		{"POST", "/api/v2/trade/orders", `{"symbol":"BTCUSDT_SPBL","side":"buy","orderType":"limit","force":"normal","price":"1000","quantity":"0.01","clientOrderId":"s1"}`, "00000", "data.orderId"},
		{"POST", "/api/v2/trade/batch-orders", `{"symbol":"BTCUSDT_SPBL","orderList":[{"side":"buy","orderType":"limit","force":"normal","price":"1000","quantity":"0.01","clientOrderId":"s2"}]}`, "00000", "data.resultList"},
		{"POST", "/api/v2/trade/open-orders", `{"symbol":"BTCUSDT_SPBL"}`, "00000", "data.orderInfoResultList"},
		{"POST", "/api/v2/trade/cancel-order", `{"symbol":"BTCUSDT_SPBL","clientOid":"s1"}`, "00000", "data.result"},
		{"POST", "/api/v2/trade/cancel-batch-orders", `{"symbol":"BTCUSDT_SPBL","clientOids":["s2"]}`, "00000", "data.successList"},
		{"POST", "/api/v2/trade/fills", `{"symbol":"BTCUSDT_SPBL"}`, "00000", "data.fillsOrderResultList"},
		{"POST", "/capi/v2/order/plan_order", `{"symbol":"cmt_btcusdt","client_oid":"s3","size":"1","type":"1","match_type":"1","execute_price":"100","trigger_price":"100"}`, "", "order_id"},
		{"POST", "/api/v2/account/bills", `{}`, "00000", "data"},
		{"POST", "/api/v2/account/fundingBills", `{}`, "00000", "data.items"},
		{"GET", "/api/v2/account/transferRecords", "", "00000", "data"},
		{"GET", "/api/v2/rebate/affiliate/getAffiliateCommission?startTime=" + begin + "&endTime=" + end, "", "200", "data.channelCommissionInfoItems"},
		{"GET", "/api/v2/rebate/affiliate/getAffiliateUIDs", "", "200", "data.channelUserInfoItemList"},
		{"POST", "/api/v2/rebate/affiliate/querySubChannelTransactions", `{"productType":"SPOT"}`, "00000", "data.records"},
		{"GET", "/api/v3/rebate/affiliate/getAffiliateCommission", "", "", "channelCommissionInfoItems"},
		{"GET", "/api/v3/rebate/affiliate/getAffiliateUIDs", "", "", "channelUserInfoItemList"},
		{"POST", "/api/v3/rebate/affiliate/querySubChannelTransactions", `{"productType":"SPOT"}`, "", "records"},
	} {
		status, object, list := c.call(t, test.method, test.path, test.body)
		code, _ := object["code"].(string)
		if status != 200 || code != test.code {
			t.Errorf("%s: HTTP %d, %v", test.path, status, object)
			continue
		}
		var value any = object
		for name := range strings.SplitSeq(test.want, ".") {
			inside, ok := value.(map[string]any)
			if ok && name != "" {
				value = inside[name]
			}
		}
		if test.want == "" {
			value = list
		}
		if value == nil {
			t.Errorf("%s: %s is missing in %v", test.path, test.want, object)
		}
	}
}

// The signature vectors hold in both directions: the independent client's signature
// equals the client's, and the simulator accepts only this signature.
func TestSignatureVectorsBothWays(t *testing.T) {
	const secret = "5f2b7c9d1e3a4b6c8d0e2f4a6b8c0d1e2f3a4b5c6d7e8f901a2b3c4d5e6f7081"
	for _, v := range []struct {
		timestamp                 int64
		method, path, query, body string
		want                      string
	}{
		{1756103438804, "GET", "/api/v2/rebate/affiliate/getAffiliateCommission", "productType=FUTURES&startTime=1755648000000&endTime=1756103438000&page=1&pageSize=100", "", "Jp1NHArcZKvm/rj24/8ld+SEsoPr3rqOyz85RAU2aUM="},
		{1756103438804, "GET", "/api/v2/account/transferRecords", "", "", "42jdJtVjCEvz9mPvgfTUmLrEXOTwTbjMZQnH3T8Ihq8="},
		{1756084752479, "POST", "/api/v2/rebate/affiliate/querySubChannelTransactions", "", `{"subUid":6424873609,"startTime":1755648000000,"endTime":1756103438000,"productType":"FUTURES","pageNum":1,"pageSize":100}`, "QCQqnyJCTI3b+nsB2ewUyq2tXQjx+39S1AEEWiYZ2gE="},
		{1756084752479, "POST", "/api/v2/account/bills", "", "{}", "EblJelU1kzhegysRtwhnW1LAjDdA6tBgXWbb23lgEEI="},
		{1756084752479, "POST", "/capi/v2/order/plan_order", "", `{"symbol":"cmt_bchusdt","client_oid":"11111111111111","size":"1","type":"1","match_type":"1","execute_price":"100","trigger_price":"100"}`, "sr0zwdcGUIAyNBpA4W7tAdPUZUa/jgj4kmt7xfcny28="},
	} {
		now := func() time.Time { return time.UnixMilli(v.timestamp) }
		s := simulate(t, simulator.Options{APISecret: secret, Now: now})
		c := dialIndependent(s, now)
		path := v.path
		if v.query != "" {
			path += "?" + v.query
		}
		timestamp := strconv.FormatInt(v.timestamp, 10)
		if got := c.sign(timestamp + v.method + path + v.body); got != v.want {
			t.Errorf("%s: the independent client signs %s, want %s", v.path, got, v.want)
		}
		if got := weex.Sign(secret, timestamp, v.method, v.path, v.query, v.body); got != v.want {
			t.Errorf("%s: we sign %s, want %s", v.path, got, v.want)
		}
		// The pair or the user may be unknown to the simulator; only the signature
		// matters.
		_, object, _ := c.call(t, v.method, path, v.body)
		if code, _ := object["code"].(string); strings.HasPrefix(code, "400") && code != "40020" && code != "40017" {
			t.Errorf("%s: %v", v.path, object)
		}
		c.secret += "x"
		if status, object, _ := c.call(t, v.method, path, v.body); status != 400 || object["code"] != "40009" && object["code"] != "40012" {
			t.Errorf("%s with another secret: HTTP %d, %v", v.path, status, object)
		}
	}
}

// The client sends the trigger order of the vectors, at their time, with exactly their
// bytes and signature.
func TestClientSendsTheVector(t *testing.T) {
	got := make(chan *http.Request, 1)
	body := make(chan string, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body) // an incomplete body fails the comparison below
		got <- r
		body <- string(raw)
		_, _ = io.WriteString(w, `{"client_oid":null,"order_id":"1"}`)
	}))
	defer srv.Close()
	c, err := weex.New(exchange.Config{
		BaseURL: srv.URL, Key: "k", Secret: "5f2b7c9d1e3a4b6c8d0e2f4a6b8c0d1e2f3a4b5c6d7e8f901a2b3c4d5e6f7081", Passphrase: "p",
		Now: func() time.Time { return time.UnixMilli(1756084752479) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	o := c.PlaceTrigger(background, weex.TriggerOrder{
		Symbol: "cmt_bchusdt", ClientOID: "11111111111111", Size: "1", Type: weex.OpenLong, MatchType: weex.MatchMarket, ExecutePrice: "100", TriggerPrice: "100",
	})
	if o.State != weex.Placed {
		t.Fatalf("%+v", o)
	}
	r := <-got
	if sign := r.Header.Get("ACCESS-SIGN"); sign != "sr0zwdcGUIAyNBpA4W7tAdPUZUa/jgj4kmt7xfcny28=" {
		t.Errorf("signed %s over %s", sign, <-body)
	}
}
