package weex

import (
	"rebatedesk/exchange"

	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"
)

func TestServerTime(t *testing.T) {
	for body, want := range map[string]int64{
		`{"code":"00000","msg":"success","requestTime":1756103438800,"data":1756103438804}`: 1756103438804,
		`{"code":"00000","data":"1756103438804"}`:                                           1756103438804,
		`{"code":"00000","data":null}`:                                                      0,
		`{"code":"00000","data":1756103438}`:                                                0,
		`{"code":"00000","data":"0"}`:                                                       0,
		`{"code":"00000"}`:                                                                  0,
		`1756103438804`:                                                                     0,
		`{"code":"40015","data":1756103438804}`:                                             0,
	} {
		f := serve(t, says(200, body))
		got, err := dial(t, f).ServerTime(t.Context())
		if want == 0 {
			if err == nil {
				t.Errorf("%s: %v", body, got)
			}
			continue
		}
		if err != nil || got.UnixMilli() != want || got.Location() != time.UTC {
			t.Errorf("%s: %v, %v", body, got, err)
		}
		if r := f.seen()[0]; r.method != "GET" || r.path != "/api/v2/public/time" {
			t.Errorf("asked %s %s", r.method, r.path)
		}
	}
}

// A refused timestamp of a call without one is an error, and the call is not repeated.
func TestServerTimeDoesNotSetTheClock(t *testing.T) {
	f := serve(t, says(400, `{"code":"40008","msg":"expired"}`))
	if _, err := dial(t, f).ServerTime(t.Context()); exchange.ClassOf(err) != exchange.ClassClock || len(f.seen()) != 1 {
		t.Errorf("%d requests, %v", len(f.seen()), err)
	}
}

// ticking is a server clock with an offset from the local clock.
type ticking struct {
	mu     sync.Mutex
	offset time.Duration
}

func (k *ticking) set(d time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.offset = d
}

func (k *ticking) now() int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return time.Now().Add(k.offset).UnixMilli()
}

// strict answers as the exchange does: with its time, and with a page if the timestamp is
// right within 30 seconds.
func (k *ticking) strict(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/api/v2/public/time" {
		says(200, fmt.Sprintf(`{"code":"00000","data":%d}`, k.now()))(w, r)
		return
	}
	stamp, err := strconv.ParseInt(r.Header.Get("ACCESS-TIMESTAMP"), 10, 64)
	if off := k.now() - stamp; err != nil || off > 30_000 || off < -30_000 {
		says(400, `{"code":"40008","msg":"Request timestamp expired"}`)(w, r)
		return
	}
	says(200, `{"list":[]}`)(w, r)
}

// A wrong local clock, and a clock that is set while the program runs, each cost one
// refused call.
func TestClockIsLearned(t *testing.T) {
	var k ticking
	f := serve(t, k.strict)
	c := dial(t, f, func(cfg *exchange.Config) { cfg.Tries = 1 })
	for _, offset := range []time.Duration{0, time.Hour, -24 * time.Hour, 0} {
		k.set(offset)
		for range 2 {
			if _, err := c.Invitees(t.Context(), InviteeQuery{}); err != nil {
				t.Errorf("%v off: %v", offset, err)
			}
		}
		now, err := c.Now(t.Context())
		if off := now.Sub(time.Now().Add(offset)); err != nil || off.Abs() > time.Second {
			t.Errorf("%v off: the exchange's clock differs by %v (%v)", offset, off, err)
		}
	}
	// The requests are 8 calls, of which 3 are refused and repeated after reading the
	// exchange's clock, and the reading by Now at the beginning.
	if n := len(f.seen()); n != 8+2*3+1 {
		t.Errorf("%d requests", n)
	}
}

// Now requests the time once, and later uses what any answer taught.
func TestNowAsksOnce(t *testing.T) {
	f := serve(t, says(200, fmt.Sprintf(`{"code":"200","data":{"list":[]},"timestamp":"%d"}`, time.Now().Add(time.Minute).UnixMilli())))
	c := dial(t, f)
	if _, err := c.Commissions(t.Context(), CommissionQuery{}); err != nil {
		t.Fatal(err)
	}
	now, err := c.Now(t.Context())
	if off := now.Sub(time.Now().Add(time.Minute)); err != nil || off.Abs() > 5*time.Second || now.Location() != time.UTC {
		t.Errorf("%v off, %v", off, err)
	}
	if len(f.seen()) != 1 {
		t.Errorf("%d requests", len(f.seen()))
	}
	if _, err := dial(t, serve(t, says(500, ``))).Now(t.Context()); exchange.ClassOf(err) != exchange.ClassUpstream {
		t.Errorf("without an answer: %v", err)
	}
}

// If the envelope contains no time, the Date header sets the clock.
func TestClockFromDateHeader(t *testing.T) {
	for header, known := range map[string]bool{
		time.Now().Add(time.Hour).UTC().Format(http.TimeFormat): true,
		"Thu, 01 Jan 1970 00:00:00 GMT":                         false,
		"yesterday":                                             false,
	} {
		f := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", header)
			_, _ = w.Write([]byte(`{"list":[]}`))
		})
		c := dial(t, f)
		if _, err := c.Invitees(t.Context(), InviteeQuery{}); err != nil {
			t.Fatal(err)
		}
		now, got := c.t.LocalTime(), c.t.ClockTime().Known()
		if got != known || known && now.Sub(time.Now().Add(time.Hour)).Abs() > 2*time.Second {
			t.Errorf("%s: known %v, %v", header, got, now)
		}
	}
}

// An implausible time does not change the clock.
func TestClockIgnoresNonsense(t *testing.T) {
	for _, stamp := range []string{`0`, `"0"`, `1756103438`, `"2025-08-20T00:00:00Z"`, `null`, `[1]`, `99999999999999`} {
		c := dial(t, serve(t, says(200, `{"list":[],"timestamp":`+stamp+`}`)))
		if _, err := c.Invitees(t.Context(), InviteeQuery{}); err != nil {
			t.Errorf("%s: %v", stamp, err)
		}
		if c.t.ClockTime().Known() {
			t.Errorf("%s taught a time", stamp)
		}
	}
}
