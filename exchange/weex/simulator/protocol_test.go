package simulator

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// codeOf returns the status and the code of an answer.
func codeOf(t testing.TB, w *httptest.ResponseRecorder) string {
	t.Helper()
	var body struct {
		Code json.RawMessage `json:"code"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
		t.Fatalf("%v in %s", err, w.Body)
	}
	return fmt.Sprint(w.Code, " ", strings.Trim(string(body.Code), `"`))
}

func TestHeaders(t *testing.T) {
	s := New(Options{Days: 3, Records: 10, Now: frozen})
	for _, test := range []struct {
		name   string
		change func(*http.Request)
		want   string
	}{
		{"as it should be", func(*http.Request) {}, "200 00000"},
		{"no key", func(r *http.Request) { r.Header.Del("ACCESS-KEY") }, "400 40001"},
		{"no signature", func(r *http.Request) { r.Header.Del("ACCESS-SIGN") }, "400 40002"},
		{"no timestamp", func(r *http.Request) { r.Header.Del("ACCESS-TIMESTAMP") }, "400 40003"},
		{"no passphrase", func(r *http.Request) { r.Header.Del("ACCESS-PASSPHRASE") }, "400 40011"},
		{"seconds", func(r *http.Request) { r.Header.Set("ACCESS-TIMESTAMP", "1773241445") }, "400 40005"},
		{"words", func(r *http.Request) { r.Header.Set("ACCESS-TIMESTAMP", "2026-03-11T15") }, "400 40005"},
		{"another key", func(r *http.Request) { r.Header.Set("ACCESS-KEY", "x") }, "400 40006"},
		{"form content", func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, "400 40007"},
		{"no content type", func(r *http.Request) { r.Header.Del("Content-Type") }, "400 40007"},
		{"charset", func(r *http.Request) { r.Header.Set("Content-Type", "application/json; charset=utf-8") }, "200 00000"},
		{"hex signature", func(r *http.Request) { r.Header.Set("ACCESS-SIGN", strings.Repeat("ab", 32)) }, "400 40009"},
		{"other query", func(r *http.Request) { r.URL.RawQuery = "a=1" }, "400 40009"},
		{"another passphrase", func(r *http.Request) { r.Header.Set("ACCESS-PASSPHRASE", "x") }, "400 40012"},
	} {
		r := signed(t, s.Credentials(), "", "POST", subPath, `{"productType":"SPOT"}`, instant)
		test.change(r)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if got := codeOf(t, w); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
	if s.Stats().Refusals["40009"] != 2 {
		t.Errorf("refusals %v", s.Stats().Refusals)
	}
}

func TestTimestampTolerance(t *testing.T) {
	s := New(Options{Now: frozen})
	for off, want := range map[time.Duration]string{
		0: "200 200", 30 * time.Second: "200 200", -30 * time.Second: "200 200",
		30*time.Second + time.Millisecond: "400 40008", -31 * time.Second: "400 40008",
	} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, signed(t, s.Credentials(), "", "GET", commissionPath, "", instant.Add(off)))
		if got := codeOf(t, w); got != want {
			t.Errorf("%v off: %s, want %s", off, got, want)
		}
	}
}

// The signature covers the query as it was sent, unsorted and escaped.
func TestSignatureOverRawQuery(t *testing.T) {
	s := New(Options{Now: frozen, RateLimit: -1})
	for _, query := range []string{"", "pageSize=5&page=1", "page=1&coin=US%44T", "page=1&unknown=a+b"} {
		if got := codeOf(t, call(t, s, "GET", commissionPath, query)); got != "200 200" {
			t.Errorf("%q: %s", query, got)
		}
	}
}

func TestParameters(t *testing.T) {
	s := New(Options{Now: frozen, RateLimit: -1})
	now := instant.UnixMilli()
	november := time.Date(2025, 11, 30, 0, 0, 0, 0, time.UTC).UnixMilli()
	february := time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC).UnixMilli()
	for _, test := range []struct{ method, path, query, want string }{
		{"GET", commissionPath, "", "200 200"},
		{"GET", commissionPath, "productType=FUTURES&uid=123&coin=BTC&page=7&pageSize=1000", "200 200"},
		{"GET", commissionPath, "productType=MARGIN", "400 40020"},
		{"GET", commissionPath, "productType=", "400 40019"},
		{"GET", commissionPath, "productType=%zz", "400 40020"},
		{"GET", commissionPath, "coin=DOGE", "400 40020"},
		{"GET", commissionPath, "uid=me", "400 40020"},
		{"GET", commissionPath, "page=0", "400 40020"},
		{"GET", commissionPath, "page=99999999999999999999", "400 40020"},
		{"GET", commissionPath, "page=9223372036854775807", "200 200"},
		{"GET", commissionPath, "pageSize=0", "400 40020"},
		{"GET", commissionPath, "startTime=yesterday", "400 40020"},
		{"GET", commissionPath, fmt.Sprintf("startTime=%d", now+1), "400 40020"},
		{"GET", commissionPath, fmt.Sprintf("startTime=%d&endTime=%d", november, february), "200 200"},
		{"GET", commissionPath, fmt.Sprintf("startTime=%d&endTime=%d", november, february+1), "400 40017"},
		{"GET", inviteePath, "", "200 200"},
		{"GET", inviteePath, fmt.Sprintf("startTime=%d&endTime=%d", now-90*day, now), "200 200"},
		{"GET", inviteePath, fmt.Sprintf("startTime=%d&endTime=%d", now-90*day-1, now), "400 40017"},
		{"GET", inviteePath, fmt.Sprintf("startTime=%d&endTime=%d", now-365*day, now-364*day), "200 200"},
		{"GET", inviteePath, fmt.Sprintf("startTime=%d&endTime=%d", now-365*day-1, now-364*day), "400 40017"},
		{"GET", inviteePath, fmt.Sprintf("startTime=%d&endTime=%d", now, now), "400 40020"},
		{"GET", inviteePath, fmt.Sprintf("endTime=%d", now-100*day), "200 200"},
		{"POST", subPath, `{"productType":"SPOT"}`, "200 00000"},
		{"POST", subPath, `{"productType":"SPOT","subUid":"12","startTime":null,"endTime":null,"pageNum":"1","pageSize":100}`, "200 00000"},
		{"POST", subPath, `{}`, "400 40019"},
		{"POST", subPath, ``, "400 40020"},
		{"POST", subPath, `[]`, "400 40020"},
		{"POST", subPath, `{"productType":"SPOT","pageNum":1.5}`, "400 40020"},
		{"POST", subPath, `{"productType":"SPOT","pageNum":-1}`, "400 40020"},
		{"POST", subPath, fmt.Sprintf(`{"productType":"SPOT","startTime":%d}`, now-100*day), "400 40017"},
		{"GET", strings.Replace(commissionPath, "v2", "v3", 1), "productType=MARGIN", "400 -1142"},
	} {
		if got := codeOf(t, call(t, s, test.method, test.path, test.query)); got != test.want {
			t.Errorf("%s %s %s: %s, want %s", test.method, test.path, test.query, got, test.want)
		}
	}
}

func TestUnknownPathsAndMethods(t *testing.T) {
	s := New(Options{Now: frozen})
	for _, test := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/", 404}, {"GET", "/api/v2/nothing", 404}, {"GET", subPath, 405}, {"POST", commissionPath, 405},
		{"POST", timePath, 405}, {"DELETE", "/ledger/commissions.csv", 405},
	} {
		w := call(t, s, test.method, test.path, "")
		if w.Code != test.status || strings.Contains(w.Body.String(), `"code"`) {
			t.Errorf("%s %s: %d %s", test.method, test.path, w.Code, w.Body)
		}
	}
}

func TestTimeIsPublic(t *testing.T) {
	s := New(Options{Now: frozen})
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("GET", timePath, nil))
	want := fmt.Sprintf(`{"code":"00000","msg":"success","requestTime":%d,"data":%[1]d}`, instant.UnixMilli())
	if w.Code != 200 || w.Body.String() != want || !json.Valid(w.Body.Bytes()) {
		t.Errorf("%d %s, want %s", w.Code, w.Body, want)
	}
}

func TestNotAnAffiliate(t *testing.T) {
	s := New(Options{Now: frozen, NotAffiliate: true})
	for _, path := range []string{commissionPath, inviteePath} {
		if got := codeOf(t, call(t, s, "GET", path, "")); got != "403 40022" {
			t.Errorf("%s: %s", path, got)
		}
	}
}

func TestCredentials(t *testing.T) {
	derived := New(Options{Seed: 1}).Credentials()
	if derived == New(Options{Seed: 2}).Credentials() || derived.APIKey == "" || derived.APISecret == "" || derived.APIPassphrase == "" {
		t.Error("the credentials do not depend on the seed")
	}
	given := New(Options{APIKey: "k", APISecret: "s", APIPassphrase: "p"}).Credentials()
	if given.APIKey.Reveal() != "k" || given.APISecret.Reveal() != "s" || given.APIPassphrase.Reveal() != "p" {
		t.Error("the configured credentials were ignored")
	}
}

func TestParseFaults(t *testing.T) {
	for _, f := range []Faults{FaultsNone, FaultsNormal, FaultsHarsh} {
		if got, err := ParseFaults(string(f)); got != f || err != nil {
			t.Errorf("%s: %s %v", f, got, err)
		}
	}
	if _, err := ParseFaults("some"); err == nil {
		t.Error("an unknown level is accepted")
	}
}

func TestRequestTooLarge(t *testing.T) {
	s := New(Options{Now: frozen})
	w := call(t, s, "POST", subPath, `{"productType":"SPOT","x":"`+strings.Repeat("y", largestBody)+`"}`)
	if w.Code != http.StatusBadRequest {
		t.Errorf("status %d", w.Code)
	}
}
