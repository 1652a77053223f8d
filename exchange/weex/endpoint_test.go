package weex

import (
	"rebatedesk/exchange"

	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// endpointTest is the contract of one endpoint: the request that is sent, and the value
// that an answer is decoded to.
type endpointTest[T any] struct {
	section string
	ask     func(*Client) (T, error)
	sent    string            // the query of a GET or the body of a POST
	answers map[string]string // different wordings of one answer
	want    T
}

func (s endpointTest[T]) check(t *testing.T) {
	t.Helper()
	for name, body := range s.answers {
		t.Run(s.section+" "+name, func(t *testing.T) {
			f := serve(t, says(http.StatusOK, body))
			c := dial(t, f, func(cfg *exchange.Config) { cfg.Tries = 1 })
			got, err := s.ask(c)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(s.want, got); diff != "" {
				t.Error(diff)
			}
			requests := f.seen()
			if len(requests) != 1 {
				t.Fatalf("%d requests", len(requests))
			}
			checkRequest(t, requests[0], s.section, s.sent)
		})
	}
}

// checkRequest compares a request with the interface document.
func checkRequest(t *testing.T, r request, section, sent string) {
	t.Helper()
	var e exchange.Endpoint
	for _, candidate := range Endpoints() {
		if candidate.Section == section {
			e = candidate
		}
	}
	if r.method != e.Method || r.path != e.Path || r.query+r.body != sent {
		t.Errorf("sent %s %s %s%s\nwant %s %s %s", r.method, r.path, r.query, r.body, e.Method, e.Path, sent)
	}
	h := r.header
	if h.Get("User-Agent") == "" || h.Get("Idempotency-Key") != "" || h.Get("X-Idempotency-Key") != "" {
		t.Errorf("headers %v", h)
	}
	if !e.Signed {
		for name := range h {
			if strings.HasPrefix(strings.ToUpper(name), "ACCESS-") || strings.EqualFold(name, "locale") {
				t.Errorf("a public call has the header %s", name)
			}
		}
		return
	}
	timestamp := h.Get("ACCESS-TIMESTAMP")
	want := Sign(canarySecret, timestamp, r.method, r.path, r.query, r.body)
	if h.Get("ACCESS-SIGN") != want || len(timestamp) != 13 || h.Get("ACCESS-KEY") != canaryKey.Reveal() ||
		h.Get("ACCESS-PASSPHRASE") != canaryPassphrase.Reveal() || h.Get("Content-Type") != "application/json" || h.Get("locale") != "en-US" {
		t.Errorf("headers %v", h)
	}
}

// wrap puts a payload into the standard envelope.
func wrap(data string) string {
	return `{"code":"00000","msg":"success","requestTime":1756103438804,"data":` + data + `}`
}

// malformed sends a request for each of these payloads, which must be refused with an
// error that names the field.
func malformed[T any](t *testing.T, ask func(*Client) (T, error), payloads map[string]string) {
	t.Helper()
	for body, field := range payloads {
		c := dial(t, serve(t, says(http.StatusOK, body)), func(cfg *exchange.Config) { cfg.Tries = 1 })
		got, err := ask(c)
		if quarantined := reflect.ValueOf(got); err == nil && quarantined.Kind() == reflect.Struct && quarantined.FieldByName("Quarantined").IsValid() {
			// A page keeps a record apart that could not be read.
			if list := quarantined.FieldByName("Quarantined"); list.Len() == 1 && list.Index(0).FieldByName("Field").String() == field && quarantined.FieldByName("Records").Len() == 0 {
				continue
			}
		}
		if exchange.ClassOf(err) != exchange.ClassMalformed || !strings.Contains(err.Error(), `"`+field+`"`) {
			t.Errorf("%s: got %+v, error %v, want one about %q", body, got, err, field)
		}
	}
}

// refuses makes invalid calls to a server that answers everything with success. The error
// names field, value and rule, and nothing is sent.
func refuses(t *testing.T, cases map[string]func(*Client) error) {
	t.Helper()
	for says, ask := range cases {
		f := serve(t, func(http.ResponseWriter, *http.Request) {})
		err := ask(dial(t, f))
		if exchange.ClassOf(err) != exchange.ClassRequest || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "not sent") || !strings.Contains(err.Error(), ": it ") {
			t.Errorf("%v, want one about %s", err, says)
		}
		if n := len(f.seen()); n != 0 {
			t.Errorf("%s: %d requests", says, n)
		}
	}
}
