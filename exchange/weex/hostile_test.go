package weex

import (
	"rebatedesk/exchange"

	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/transport"
	"rebatedesk/exchange/wire"
)

// A hostile answer is an error: nothing of it is used, and memory stays small.
func TestHostileAnswers(t *testing.T) {
	deep := strings.Repeat(`[`, 10_000) + strings.Repeat(`]`, 10_000)
	deepObject := strings.Repeat(`{"a":`, 10_000) + `1` + strings.Repeat(`}`, 10_000)
	for name, answer := range map[string]http.HandlerFunc{
		"100 MB":                  endless(`{"code":"200","data":{"x":"`, "a", 100<<20),
		"100 MB of white space":   endless("", " ", 100<<20),
		"gzip bomb":               bomb(t),
		"deep beside the list":    says(200, `{"code":"200","x":`+deep+`,"list":[`+goodRow+`]}`),
		"deep objects":            says(200, `{"code":"200","x":`+deepObject+`,"list":[`+goodRow+`]}`),
		"deep in a record":        says(200, `{"list":[{"x":`+deep+`}]}`),
		"deep in place of a text": says(200, `{"list":[{"uid":`+deep+`}]}`),
		"deep as a whole":         says(200, deep),
		"NaN":                     says(200, strings.Replace(goodPage, `"0.682571"`, `NaN`, 1)),
		"NaN as text":             says(200, strings.Replace(goodPage, `"0.682571"`, `"NaN"`, 1)),
		"1e9999999":               says(200, strings.Replace(goodPage, `"0.682571"`, `1e9999999`, 1)),
		"a million digits":        says(200, strings.Replace(goodPage, `"0.682571"`, strings.Repeat("9", 1_000_000), 1)),
		"field twice":             says(200, strings.Replace(goodPage, `"fee":`, `"fee":"9","fee":`, 1)),
		"field twice, escaped":    says(200, strings.Replace(goodPage, `"fee":`, `"f\u0065e":"9","fee":`, 1)),
		"list twice":              says(200, `{"list":[],"list":[`+goodRow+`]}`),
		"code twice":              says(200, `{"code":"40006","code":"200","list":[]}`),
		"web page with 200":       says(200, "<html><body>maintenance</body></html>"),
		"too many empty records":  says(200, `{"list":[`+strings.Repeat(`{},`, 300_000)+`{}]}`),
		"a long word":             says(200, strings.Replace(goodPage, `cmt_btcusdt`, strings.Repeat("x", 7<<20), 1)),
		"byte order mark":         says(200, "\xef\xbb\xbf"+goodPage),
		"huge header": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Big", strings.Repeat("x", 1<<20))
			says(200, goodPage)(w, r)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			c := dial(t, serve(t, answer), func(cfg *exchange.Config) { cfg.Tries = 1 })
			runtime.ReadMemStats(&before)
			p, err := c.Commissions(t.Context(), CommissionQuery{})
			runtime.ReadMemStats(&after)
			apart := err == nil && len(p.Quarantined) == 1 && len(p.Quarantined[0].Raw) <= affiliate.MostOfRow // only the record is hostile
			if class := exchange.ClassOf(err); class != exchange.ClassMalformed && class != exchange.ClassTransport && !apart || len(p.Records) != 0 {
				t.Errorf("%d records, %v", len(p.Records), err)
			}
			// The server runs in the same process and allocates memory too.
			if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 120 {
				t.Errorf("%d MB allocated", mb)
			}
		})
	}
}

// Tiny records, in lists and in nested lists, do not fill the memory.
func TestManyTinyRecords(t *testing.T) {
	many := strings.Repeat(`{},`, 2_000_000) + `{}`
	tickers := strings.Repeat(`{"symbol":"A"},`, 400_000) + `{"symbol":"A"}`
	for name, test := range map[string]struct {
		body string
		ask  func(*Client) (any, error)
	}{
		"chains":  {wrap(`[{"coinId":"1","coinName":"A","chains":[` + many + `]}]`), func(c *Client) (any, error) { return only(c.Currencies(background)) }},
		"tickers": {wrap(`[` + tickers + `]`), func(c *Client) (any, error) { return only(c.Tickers(background)) }},
		"orders": {wrap(`{"resultList":[` + many + `]}`), func(c *Client) (any, error) {
			o := c.PlaceOrders(background, pair, []NewOrder{goodOrder})[0]
			return o.State, o.Evidence.Err
		}},
	} {
		var before, after runtime.MemStats
		c := dial(t, serve(t, says(200, test.body)), func(cfg *exchange.Config) { cfg.Tries = 1 })
		runtime.ReadMemStats(&before)
		got, err := test.ask(c)
		runtime.ReadMemStats(&after)
		if exchange.ClassOf(err) != exchange.ClassMalformed || !strings.Contains(err.Error(), "records") {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 120 {
			t.Errorf("%s: %d MB allocated", name, mb)
		}
	}
}

// An answer just below each limit is read, one just above is not.
func TestLimits(t *testing.T) {
	nested := func(levels int) string {
		return `{"list":[` + goodRow + `],"x":` + strings.Repeat("[", levels-1) + strings.Repeat("]", levels-1) + `}`
	}
	padded := func(size int) string { return goodPage + strings.Repeat(" ", size-len(goodPage)) }
	for name, test := range map[string]struct {
		body string
		fits bool
	}{
		"nested as deep as allowed": {nested(wire.MaxDepth), true},
		"nested deeper":             {nested(wire.MaxDepth + 1), false},
		"as large as allowed":       {padded(transport.MaxBody), true},
		"larger":                    {padded(transport.MaxBody + 1), false},
	} {
		c := dial(t, serve(t, says(200, test.body)), func(cfg *exchange.Config) { cfg.Tries = 1 })
		if _, err := c.Commissions(t.Context(), CommissionQuery{}); test.fits != (err == nil) || err != nil && exchange.ClassOf(err) != exchange.ClassMalformed {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// endless sends data without announcing its length until the client stops reading.
func endless(start, more string, size int) http.HandlerFunc {
	chunk := strings.Repeat(more, 64<<10)
	return func(w http.ResponseWriter, _ *http.Request) {
		_, err := io.WriteString(w, start)
		for sent := 0; sent < size && err == nil; sent += len(chunk) {
			_, err = io.WriteString(w, chunk)
		}
	}
}

// bomb returns a small gzip that inflates to eight times the limit.
func bomb(t *testing.T) http.HandlerFunc {
	t.Helper()
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	zeros := bytes.Repeat([]byte(" "), 1<<20)
	for range 64 {
		if _, err := z.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(packed.Bytes()) // the client disconnects before the end
	}
}

// Ordinary gzip is accepted.
func TestGzip(t *testing.T) {
	_, err := ask(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			t.Error("the client does not accept gzip")
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, goodPage)
		_ = z.Close()
	})
	if err != nil {
		t.Error(err)
	}
}

// A redirect is an error, and the other host receives no request.
func TestRedirectsAreNotFollowed(t *testing.T) {
	other := serve(t, says(200, goodPage))
	for _, status := range []int{301, 302, 303, 307, 308} {
		f := serve(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+r.URL.Path, status)
		})
		c := dial(t, f)
		_, err := c.Commissions(t.Context(), CommissionQuery{})
		_, errPost := c.SubAffiliateDays(t.Context(), SubAffiliateQuery{})
		for _, err := range []error{err, errPost} {
			if exchange.ClassOf(err) != exchange.ClassMalformed || !strings.Contains(err.Error(), "REBATEDESK_BASE_URL") {
				t.Errorf("%d: %v", status, err)
			}
		}
		if len(f.seen()) != 2 {
			t.Errorf("%d: tried %d times", status, len(f.seen()))
		}
	}
	if n := len(other.seen()); n != 0 {
		t.Errorf("%d requests reached the other host, with %v", n, other.seen()[0].header)
	}
}
