package simulator

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/account"
)

// The paths of the interface document are repeated here as an independent check.
const (
	pairsPath           = "/api/v2/public/exchangeInfo"
	currenciesPath      = "/api/v2/public/currencies"
	tickersPath         = "/api/v2/market/tickers"
	tradesPath          = "/api/v2/market/fills"
	contractTickerPath  = "/capi/v2/market/ticker"
	contractTickersPath = "/capi/v2/market/tickers"
	placePath           = "/api/v2/trade/orders"
	batchPath           = "/api/v2/trade/batch-orders"
	cancelPath          = "/api/v2/trade/cancel-order"
	cancelBatchPath     = "/api/v2/trade/cancel-batch-orders"
	openPath            = "/api/v2/trade/open-orders"
	fillPath            = "/api/v2/trade/fills"
	triggerPath         = "/capi/v2/order/plan_order"
	billPath            = "/api/v2/account/bills"
	fundingPath         = "/api/v2/account/fundingBills"
	transferPath        = "/api/v2/account/transferRecords"
)

// harness is a simulator with a client and an adjustable clock.
type harness struct {
	testing.TB
	s    *Simulator
	keys Credentials
	at   atomic.Int64
	sent int
}

func newHarness(t testing.TB, o Options) *harness {
	t.Helper()
	d := &harness{TB: t}
	d.at.Store(instant.UnixMilli())
	o.Now = func() time.Time { return time.UnixMilli(d.at.Load()) }
	o.Start = instant
	if o.RateLimit == 0 {
		o.RateLimit = -1
	}
	d.s = New(o)
	d.keys = d.s.Credentials()
	return d
}

func (d *harness) wait(by time.Duration) { d.at.Add(by.Milliseconds()) }

// sign makes a request as the field notes of other clients describe it.
func (d *harness) sign(base, method, path, parameters string) *http.Request {
	d.Helper()
	body, target := "", path
	if method == http.MethodPost {
		body = parameters
	} else if parameters != "" {
		target += "?" + parameters
	}
	timestamp := fmt.Sprint(d.at.Load())
	mac := hmac.New(sha256.New, []byte(d.keys.APISecret.Reveal()))
	mac.Write([]byte(timestamp + method + target + body))
	r, err := http.NewRequestWithContext(d.Context(), method, base+target, strings.NewReader(body))
	if err != nil {
		d.Fatal(err)
	}
	r.RemoteAddr = "127.0.0.1:4711"
	r.Header.Set("ACCESS-KEY", d.keys.APIKey.Reveal())
	r.Header.Set("ACCESS-SIGN", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	r.Header.Set("ACCESS-PASSPHRASE", d.keys.APIPassphrase.Reveal())
	r.Header.Set("ACCESS-TIMESTAMP", timestamp)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("locale", "en-US")
	return r
}

func (d *harness) send(method, path, parameters string) *httptest.ResponseRecorder {
	d.Helper()
	w := httptest.NewRecorder()
	d.s.ServeHTTP(w, d.sign("", method, path, parameters))
	return w
}

// value decodes JSON and keeps the spelling of numbers.
func value(t testing.TB, body []byte) any {
	t.Helper()
	reader := json.NewDecoder(bytes.NewReader(body))
	reader.UseNumber()
	var v any
	if err := reader.Decode(&v); err != nil {
		t.Fatalf("%v in %.300s", err, body)
	}
	if _, err := reader.Token(); err != io.EOF {
		t.Fatalf("more than one value: %.300s", body)
	}
	return v
}

type object = map[string]any

// data returns the payload of an answer that must be a success.
func (d *harness) data(method, path, parameters string) any {
	d.Helper()
	w := d.send(method, path, parameters)
	top, ok := value(d, w.Body.Bytes()).(object)
	if w.Code != 200 || !ok || top["code"] != "00000" || top["msg"] != "success" || text(top["requestTime"]) != fmt.Sprint(d.at.Load()) {
		d.Fatalf("%s %s: %d %.400s", path, parameters, w.Code, w.Body)
	}
	return top["data"]
}

func (d *harness) get(path, query string) any { d.Helper(); return d.data("GET", path, query) }
func (d *harness) post(path, body string) object {
	d.Helper()
	return d.data("POST", path, body).(object)
}
func (d *harness) list(path, body string) []any {
	d.Helper()
	return d.data("POST", path, body).([]any)
}
func (d *harness) code(path, body string) string {
	d.Helper()
	return codeOf(d, d.send("POST", path, body))
}
func (d *harness) price(symbol string) decimal.Decimal { return d.s.Price(symbol).Decimal() }

// limit returns the body of a limit order at a multiple of the market price.
func (d *harness) limit(symbol, side, force, factor, quantity string) string {
	d.Helper()
	m := d.s.marketOf(symbol)
	price := d.price(symbol).Mul(decimal.RequireFromString(factor)).Round(m.PriceDecimals)
	return d.order(symbol, side, "limit", force, price.String(), quantity)
}

// order returns the body of an order with a separate identifier.
func (d *harness) order(symbol, side, kind, force, price, quantity string) string {
	d.sent++
	return fmt.Sprintf(`{"symbol":%q,"side":%q,"orderType":%q,"force":%q,"price":%q,"quantity":%q,"clientOrderId":"t%d"}`,
		symbol, side, kind, force, price, quantity, d.sent)
}

// place places an order and returns its number.
func (d *harness) place(body string) string {
	d.Helper()
	return text(d.post(placePath, body)["orderId"])
}

// placed returns an order from the ledger.
func (d *harness) placed(id string) account.PlacedOrder {
	d.Helper()
	for _, o := range d.s.Ledger().Orders {
		if o.ID == id {
			return o
		}
	}
	d.Fatalf("the ledger has no order %s", id)
	return account.PlacedOrder{}
}

// rows returns the records of a list as objects.
func rows(v any) []object {
	var all []object
	for _, row := range v.([]any) {
		all = append(all, row.(object))
	}
	return all
}

func dec(v any) decimal.Decimal { return affiliate.Number(text(v)).Decimal() }
