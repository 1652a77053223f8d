package weex

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"testing"

	"rebatedesk/exchange"
)

const vectorSecret = exchange.Secret("5f2b7c9d1e3a4b6c8d0e2f4a6b8c0d1e2f3a4b5c6d7e8f901a2b3c4d5e6f7081")

func TestSignVectors(t *testing.T) {
	for _, v := range []struct{ timestamp, method, path, query, body, want string }{
		{
			"1756103438804", "GET", "/api/v2/rebate/affiliate/getAffiliateCommission",
			"productType=FUTURES&startTime=1755648000000&endTime=1756103438000&page=1&pageSize=100", "",
			"Jp1NHArcZKvm/rj24/8ld+SEsoPr3rqOyz85RAU2aUM=",
		},
		{
			"1756103438804", "GET", "/api/v2/account/transferRecords", "", "",
			"42jdJtVjCEvz9mPvgfTUmLrEXOTwTbjMZQnH3T8Ihq8=",
		},
		{
			"1756084752479", "POST", "/api/v2/rebate/affiliate/querySubChannelTransactions", "",
			`{"subUid":6424873609,"startTime":1755648000000,"endTime":1756103438000,"productType":"FUTURES","pageNum":1,"pageSize":100}`,
			"QCQqnyJCTI3b+nsB2ewUyq2tXQjx+39S1AEEWiYZ2gE=",
		},
		{
			"1756084752479", "POST", "/api/v2/account/bills", "", "{}",
			"EblJelU1kzhegysRtwhnW1LAjDdA6tBgXWbb23lgEEI=",
		},
		{
			"1756084752479", "POST", "/capi/v2/order/plan_order", "",
			`{"symbol":"cmt_bchusdt","client_oid":"11111111111111","size":"1","type":"1","match_type":"1","execute_price":"100","trigger_price":"100"}`,
			"sr0zwdcGUIAyNBpA4W7tAdPUZUa/jgj4kmt7xfcny28=",
		},
	} {
		if got := Sign(vectorSecret, v.timestamp, v.method, v.path, v.query, v.body); got != v.want {
			t.Errorf("%s %s: signature %s, want %s", v.method, v.path, got, v.want)
		}
	}
}

// The signature covers the exact bytes, concatenated without separators, in standard
// Base64.
func FuzzSign(f *testing.F) {
	f.Add("secret", "1756103438804", "GET", "/api/v2/x", "a=1&b=%2F", "")
	f.Add("", "1756084752479", "POST", "/api/v2/account/bills", "", "{}")
	f.Fuzz(func(t *testing.T, secret, timestamp, method, path, query, body string) {
		got := Sign(exchange.Secret(secret), timestamp, method, path, query, body)
		text := timestamp + method + path + "?" + query + body
		if query == "" {
			text = timestamp + method + path + body
		}
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(text))
		raw, err := base64.StdEncoding.Strict().DecodeString(got)
		if err != nil || !hmac.Equal(raw, mac.Sum(nil)) {
			t.Errorf("%q signs as %s: %v", text, got, err)
		}
	})
}

func BenchmarkSign(b *testing.B) {
	for b.Loop() {
		Sign(vectorSecret, "1756103438804", "GET", "/api/v2/rebate/affiliate/getAffiliateCommission", "productType=FUTURES&page=1&pageSize=100", "")
	}
}
