package weex

import (
	"rebatedesk/exchange"

	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"rebatedesk/exchange/transport"
)

// TestForwardedOrdersAreClassified compares the outcome of a forwarded order with that of
// the client's own method for the same answer.
func TestForwardedOrdersAreClassified(t *testing.T) {
	order := NewOrder{Side: Buy, Type: Limit, Force: GoodTillCancelled, Price: "60000.00", Quantity: "0.0100", ClientOrderID: "a-1"}
	for name, answer := range map[string]http.HandlerFunc{
		"placed":      says(200, `{"code":"00000","msg":"success","data":{"orderId":9007199254740993,"clientOrderId":"a-1"}}`),
		"wrong echo":  says(200, `{"code":"00000","data":{"orderId":1,"clientOrderId":"other"}}`),
		"refused":     says(400, `{"code":"40017","msg":"bad","data":null}`),
		"not known":   says(400, `{"code":"43012","msg":"balance","data":null}`),
		"system":      says(500, `{"code":"40015","msg":"system error"}`),
		"web page":    says(200, `<html>`),
		"too many":    says(429, `{"code":"429"}`),
		"redirect":    says(307, ``),
		"no id":       says(200, `{"code":"00000","data":{}}`),
		"torn":        torn(200, `{"code":"00000","data":{"orderId":1,`),
		"torn 429":    torn(429, `{"code":`),
		"torn answer": torn(400, `{"code":"40017"`),
	} {
		f := serve(t, answer)
		c := dial(t, f)
		typed := c.PlaceOrder(t.Context(), "BTCUSDT_SPBL", order)
		got, err := c.Forward(t.Context(), Request{Method: "POST", Path: "/api/v2/trade/orders", Body: []byte(orderText)})
		if len(got.Outcomes) != 1 || got.Outcomes[0].State != typed.State || got.Outcomes[0].OrderID != typed.OrderID {
			t.Errorf("%s: %+v, the client's own method %+v", name, got.Outcomes, typed)
		}
		if n := len(f.seen()); n != 2 {
			t.Errorf("%s: %d requests arrived for two orders", name, n)
		}
		if wholly := !strings.HasPrefix(name, "torn"); wholly != (err == nil) || wholly == (got.Body == nil && name != "redirect") {
			t.Errorf("%s: body %q, error %v", name, got.Body, err)
		}
	}
}

// torn ends the connection in the middle of the body.
func torn(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// TestForwardedAnswersAreUntouched: every answer of the exchange is returned unchanged
// and requested once.
func TestForwardedAnswersAreUntouched(t *testing.T) {
	for _, test := range []struct {
		status int
		body   string
	}{
		{200, "[ ]\n"}, {200, "<html>\xff</html>"}, {403, `{"code":"40022"}`}, {502, "Bad Gateway"}, {404, ""}, {302, "elsewhere"},
	} {
		f := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/odd; charset=x")
			w.Header().Set("X-USED-WEIGHT-10S", "7")
			w.Header().Set("X-REMAINING-WEIGHT-10S", "493")
			w.WriteHeader(test.status)
			_, _ = w.Write([]byte(test.body))
		})
		got, err := dial(t, f).Forward(t.Context(), Request{Method: "GET", Path: "/api/v2/market/tickers"})
		if err != nil || got.Status != test.status || string(got.Body) != test.body || got.ContentType != "text/odd; charset=x" {
			t.Errorf("HTTP %d %q: got %d %q %q, %v", test.status, test.body, got.Status, got.ContentType, got.Body, err)
		}
		if got.Used != "7" || got.Remaining != "493" || got.Outcomes != nil {
			t.Errorf("HTTP %d: headers %q %q, outcomes %v", test.status, got.Used, got.Remaining, got.Outcomes)
		}
		if n := len(f.seen()); n != 1 {
			t.Errorf("HTTP %d: asked %d times", test.status, n)
		}
	}
}

func TestForwardWithoutAnswer(t *testing.T) {
	large := func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(bytes.Repeat([]byte(" "), transport.MaxBody+1))
	}
	bare := func(c *exchange.Config) { c.Key = "" }
	for name, test := range map[string]struct {
		c       *Client
		class   exchange.Class
		nothing bool
	}{
		"torn":        {dial(t, serve(t, torn(200, `[`))), exchange.ClassTransport, false},
		"too large":   {dial(t, serve(t, large)), exchange.ClassMalformed, false},
		"nobody":      {dial(t, serve(t, says(200, `[]`)), nobody), exchange.ClassTransport, true},
		"without key": {dial(t, serve(t, says(200, `{}`)), bare), exchange.ClassAuth, true},
	} {
		got, err := test.c.Forward(t.Context(), Request{Method: "POST", Path: "/api/v2/account/bills", Body: []byte(`{}`)})
		if exchange.ClassOf(err) != test.class || exchange.LeftNothing(err) != test.nothing || got.Body != nil {
			t.Errorf("%s: %d bytes, nothing left: %v, %v", name, len(got.Body), exchange.LeftNothing(err), err)
		}
	}
}

// TestForwardSetsTheClockOnce: the client repairs its clock after a refused timestamp,
// because the forwarding program cannot.
func TestForwardSetsTheClockOnce(t *testing.T) {
	stale := says(400, `{"code":"40008","msg":"expired","requestTime":1756103438804,"data":null}`)
	clock := says(200, `{"code":"00000","requestTime":1756103438804,"data":1756103438804}`)
	then := func(c *exchange.Config) { c.Now = func() time.Time { return time.UnixMilli(1756103400000) } }
	f := serve(t, stale, clock, says(200, `{"code":"00000","data":[]}`))
	got, err := dial(t, f, then).Forward(t.Context(), Request{Method: "GET", Path: "/api/v2/account/transferRecords"})
	if err != nil || got.Status != 200 || len(f.seen()) != 3 {
		t.Errorf("answered %d after %d requests, %v", got.Status, len(f.seen()), err)
	}
	f = serve(t, stale)
	got, err = dial(t, f, then).Forward(t.Context(), Request{Method: "POST", Path: "/api/v2/trade/orders", Body: []byte(orderText)})
	if err != nil || len(f.seen()) != 1 || got.Status != 400 || got.Outcomes[0].State != Refused {
		t.Errorf("an order: answered %d after %d requests, %+v, %v", got.Status, len(f.seen()), got.Outcomes, err)
	}
}

// TestReadRefusesABodyOfAGet also refuses a parameter in two places, because the exchange
// could use either.
func TestReadRefusesABodyOfAGet(t *testing.T) {
	c := dial(t, serve(t, says(200, `{}`)))
	_, err := c.Read(Request{Method: "GET", Path: "/api/v2/market/tickers", Body: []byte("{}")})
	if invalid, ok := errors.AsType[*InvalidField](err); !ok || invalid.Field != "body" {
		t.Errorf("%v", err)
	}
	_, err = c.Read(Request{Method: "POST", Path: "/api/v2/account/bills", Query: "limit=5", Body: []byte(`{"limit":5}`)})
	if invalid, ok := errors.AsType[*InvalidField](err); !ok || invalid.Field != "limit" {
		t.Errorf("%v", err)
	}
}

// The fields of an order are accepted only in its body. A careless server could also read
// the same name in the query, in any case.
func TestOrderFieldsAreInTheBody(t *testing.T) {
	c := dial(t, serve(t, says(200, `{}`)))
	body := []byte(`{"symbol":"BTCUSDT_SPBL","side":"buy","orderType":"market","force":"normal","quantity":"0.01","clientOrderId":"mine-1"}`)
	for query, refused := range map[string]string{"quantity=9": "quantity", "Quantity=9": "Quantity", "price=1": "price", "SYMBOL=X": "SYMBOL", "other=1": "other", "": ""} {
		_, err := c.Read(Request{Method: "POST", Path: "/api/v2/trade/orders", Query: query, Body: body})
		invalid, ok := errors.AsType[*InvalidField](err)
		if ok != (refused != "") || ok && invalid.Field != refused {
			t.Errorf("%s: %v", query, err)
		}
	}
}
