package simulator

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rebatedesk/exchange/weex"
)

// documented lists the nineteen endpoints with the weights of section 8.
var documented = map[string]struct {
	endpoint string
	ip, uid  int
	ask      string
}{
	"4.1":  {"GET " + pairsPath, 10, 0, ""},
	"4.2":  {"GET " + currenciesPath, 1, 0, ""},
	"4.3":  {"GET " + tickersPath, 20, 0, ""},
	"4.4":  {"GET " + tradesPath, 5, 0, "symbol=BTCUSDT_SPBL"},
	"4.5":  {"GET " + contractTickerPath, 1, 0, "symbol=cmt_btcusdt"},
	"4.6":  {"GET " + contractTickersPath, 40, 0, ""},
	"4.7":  {"POST " + placePath, 2, 5, `{"symbol":"BTCUSDT_SPBL","side":"sell","orderType":"market","quantity":"0.01","clientOrderId":"k"}`},
	"4.8":  {"POST " + batchPath, 5, 10, `{"symbol":"BTCUSDT_SPBL","orderList":[{"side":"sell","orderType":"market","quantity":"0.01","clientOrderId":"j"}]}`},
	"4.9":  {"POST " + cancelPath, 2, 3, `{"symbol":"BTCUSDT_SPBL","orderId":"1"}`},
	"4.10": {"POST " + cancelBatchPath, 5, 10, `{"symbol":"BTCUSDT_SPBL","orderIds":["1"]}`},
	"4.11": {"POST " + openPath, 3, 3, `{"symbol":"BTCUSDT_SPBL"}`},
	"4.12": {"POST " + fillPath, 5, 5, `{"symbol":"BTCUSDT_SPBL"}`},
	"4.13": {"POST " + triggerPath, 2, 5, triggerBody("k", "", "")},
	"4.14": {"POST " + billPath, 5, 5, `{}`},
	"4.15": {"POST " + fundingPath, 5, 5, `{}`},
	"4.16": {"GET " + transferPath, 3, 3, ""},
	"4.17": {"GET " + commissionPath, 20, 20, ""},
	"4.18": {"GET " + inviteePath, 20, 20, ""},
	"4.19": {"POST " + subPath, 10, 10, `{"productType":"SPOT"}`},
}

// All nineteen endpoints answer and cost the documented weight of both budgets. Public
// endpoints need no key, and the others need one.
func TestEndpointsAndWeights(t *testing.T) {
	if len(documented) != 19 {
		t.Fatalf("%d endpoints", len(documented))
	}
	for section, want := range documented {
		d := newHarness(t, Options{Seed: 1, RateLimit: 100, Days: 2, Records: 10})
		method, path, _ := strings.Cut(want.endpoint, " ")
		w := d.send(method, path, want.ask)
		if w.Code != 200 || w.Header().Get("X-USED-WEIGHT-10S") != fmt.Sprint(want.ip) {
			t.Errorf("%s: %d, weight %s, %.200s", section, w.Code, w.Header().Get("X-USED-WEIGHT-10S"), w.Body)
		}
		if used := d.s.limiter.of("uid main").sum; used != want.uid {
			t.Errorf("%s: UID weight %d, want %d", section, used, want.uid)
		}
		r := d.sign("", method, path, want.ask)
		for _, name := range []string{"ACCESS-KEY", "ACCESS-SIGN", "ACCESS-PASSPHRASE", "ACCESS-TIMESTAMP"} {
			r.Header.Del(name)
		}
		bare := httptest.NewRecorder()
		d.s.ServeHTTP(bare, r)
		if public := want.uid == 0; public != (bare.Code == 200) || !public && codeOf(t, bare) != "400 40001" {
			t.Errorf("%s without a key: %d %.100s", section, bare.Code, bare.Body)
		}
	}
	for _, e := range weex.Endpoints() {
		if e.Section == "" {
			continue
		}
		want := documented[e.Section]
		if got := e.Method + " " + e.Path; got != want.endpoint {
			t.Errorf("%s is %s, want %s", e.Section, got, want.endpoint)
		}
	}
}

// Each key may call everything unless the keys are separate.
func TestSeparateKeys(t *testing.T) {
	for _, separate := range []bool{false, true} {
		d := newHarness(t, Options{Seed: 1, SeparateTrading: separate, TradingAPIKey: "trader", RateLimit: 1000})
		code := func(section string) string {
			method, path, _ := strings.Cut(documented[section].endpoint, " ")
			w := d.send(method, path, strings.Replace(documented[section].ask, `"k"`, `"`+d.keys.APIKey.Reveal()[:4]+section[2:]+`"`, 1))
			return fmt.Sprint(w.Code, strings.Contains(w.Body.String(), `"40014"`))
		}
		for user, keys := range map[string]Credentials{mainUser: d.s.Credentials(), tradingUser: d.s.TradingCredentials()} {
			d.keys = keys
			for section := range documented {
				orders := section == "4.7" || section == "4.8" || section == "4.9" || section == "4.10" || section == "4.13"
				programme := section >= "4.17" && section <= "4.19" && len(section) == 4
				want := "200 false"
				if separate && (user == mainUser && orders || user == tradingUser && programme) {
					want = "400 true"
				}
				if section == "4.8" && want == "200 false" {
					continue // the same identifier for both keys
				}
				if got := code(section); got != want {
					t.Errorf("separate %v, %s key, %s: %s, want %s", separate, user, section, got, want)
				}
			}
		}
		if main, trading := d.s.limiter.of("uid main").sum, d.s.limiter.of("uid trading").sum; main == 0 || trading == 0 {
			t.Errorf("weights %d and %d", main, trading)
		}
		if d.s.TradingCredentials().APIKey.Reveal() != "trader" || d.s.TradingCredentials().APISecret == d.s.Credentials().APISecret {
			t.Error("the trading key differs from the configured one")
		}
	}
}

// The keys share the budget of the address, and each has a separate budget as a user.
func TestBudgetOfEachKey(t *testing.T) { synctest.Test(t, budgetOfEachKey) }

func budgetOfEachKey(t *testing.T) {
	d := newHarness(t, Options{Seed: 1, RateLimit: 50})
	from := func(address string) int {
		r := d.sign("", "POST", cancelBatchPath, documented["4.10"].ask)
		r.RemoteAddr = address + ":1"
		w := httptest.NewRecorder()
		d.s.ServeHTTP(w, r)
		return w.Code
	}
	for range 5 {
		if code := from("10.0.0.1"); code != 200 {
			t.Fatal(code)
		}
	}
	if code := from("10.0.0.1"); code != 429 {
		t.Errorf("the main key beyond its budget: %d", code)
	}
	d.keys = d.s.TradingCredentials()
	if code := from("10.0.0.2"); code != 200 {
		t.Errorf("the trading key: %d", code)
	}
}

func TestListenReturnsBothKeys(t *testing.T) {
	s := listen(t, Options{Seed: 1})
	trading := s.TradingCredentials()
	if s.TradingAPIKey != trading.APIKey.Reveal() || s.TradingAPISecret != trading.APISecret.Reveal() ||
		s.TradingAPIPassphrase != trading.APIPassphrase.Reveal() || s.TradingAPIKey == s.APIKey {
		t.Error("the server does not return the trading key")
	}
}

// Published examples of signatures are accepted when they are sent unchanged.
func TestPublishedSignatures(t *testing.T) {
	const secret = "5f2b7c9d1e3a4b6c8d0e2f4a6b8c0d1e2f3a4b5c6d7e8f901a2b3c4d5e6f7081"
	for _, test := range []struct {
		timestamp                            int64
		method, path, query, body, signature string
	}{
		{1756103438804, "GET", commissionPath, "productType=FUTURES&startTime=1755648000000&endTime=1756103438000&page=1&pageSize=100", "", "Jp1NHArcZKvm/rj24/8ld+SEsoPr3rqOyz85RAU2aUM="},
		{1756103438804, "GET", transferPath, "", "", "42jdJtVjCEvz9mPvgfTUmLrEXOTwTbjMZQnH3T8Ihq8="},
		{1756084752479, "POST", subPath, "", `{"subUid":6424873609,"startTime":1755648000000,"endTime":1756103438000,"productType":"FUTURES","pageNum":1,"pageSize":100}`, "QCQqnyJCTI3b+nsB2ewUyq2tXQjx+39S1AEEWiYZ2gE="},
		{1756084752479, "POST", billPath, "", "{}", "EblJelU1kzhegysRtwhnW1LAjDdA6tBgXWbb23lgEEI="},
		{1756084752479, "POST", triggerPath, "", `{"symbol":"cmt_bchusdt","client_oid":"11111111111111","size":"1","type":"1","match_type":"1","execute_price":"100","trigger_price":"100"}`, "sr0zwdcGUIAyNBpA4W7tAdPUZUa/jgj4kmt7xfcny28="},
	} {
		for _, change := range []string{"", "A"} {
			s := New(Options{APIKey: "key", APISecret: secret, APIPassphrase: "phrase", Now: func() time.Time { return time.UnixMilli(test.timestamp) }})
			r := httptest.NewRequest(test.method, test.path, strings.NewReader(test.body))
			r.URL.RawQuery = test.query
			for name, text := range map[string]string{
				"ACCESS-KEY": "key", "ACCESS-SIGN": change + test.signature, "ACCESS-PASSPHRASE": "phrase",
				"ACCESS-TIMESTAMP": fmt.Sprint(test.timestamp), "Content-Type": "application/json",
			} {
				r.Header.Set(name, text)
			}
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if (w.Code == 200) != (change == "") {
				t.Errorf("%s with %s: %d %s", test.path, change+test.signature, w.Code, w.Body)
			}
		}
	}
}
