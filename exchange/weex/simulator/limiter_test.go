package simulator

import (
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// toThisCentury advances the clock of the bubble from 2000 to a year whose timestamps
// have thirteen digits.
func toThisCentury() { time.Sleep(26 * 365 * 24 * time.Hour) }

// weigh requests the server time or commissions from an address.
func weigh(t *testing.T, s *Simulator, from string, commissions bool) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest("GET", timePath, nil)
	if commissions {
		r = signed(t, s.Credentials(), "", "GET", commissionPath, "", time.Now())
	}
	r.RemoteAddr = from + ":1"
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func TestWeightAndBan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		toThisCentury()
		s := New(Options{})
		expect := func(want int, w *httptest.ResponseRecorder) {
			t.Helper()
			if w.Code != want {
				t.Fatalf("status %d, want %d: %s", w.Code, want, w.Body)
			}
		}
		for n := range 25 {
			w := weigh(t, s, "10.0.0.1", true)
			expect(200, w)
			used, left := w.Header().Get("X-USED-WEIGHT-10S"), w.Header().Get("X-REMAINING-WEIGHT-10S")
			if n == 24 && (used != "500" || left != "0") {
				t.Errorf("used %s, remaining %s", used, left)
			}
			time.Sleep(100 * time.Millisecond)
		}
		expect(429, weigh(t, s, "10.0.0.1", true))
		expect(429, weigh(t, s, "10.0.0.1", false)) // banned, whatever the weight
		expect(200, weigh(t, s, "10.0.0.2", false)) // another address is not banned
		expect(429, weigh(t, s, "10.0.0.2", true))  // but it is the same user
		time.Sleep(banTime - time.Millisecond)
		expect(429, weigh(t, s, "10.0.0.1", false))
		time.Sleep(time.Millisecond)
		expect(200, weigh(t, s, "10.0.0.1", true))

		stats := s.Stats()
		if stats.PeakWeight != 500 || stats.Exceeded != 4 || stats.Weight != 26*20+1 || stats.Refusals["429"] != 4 || len(stats.Faults) != 0 {
			t.Errorf("%+v", stats)
		}
		if stats.Requests["GET "+commissionPath] != 28 || stats.All() != 31 {
			t.Errorf("requests %v", stats.Requests)
		}
	})
}

// The window slides: a client that stays at the limit is never refused, and no ten
// seconds exceed the limit.
func TestWeightSlides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		toThisCentury()
		s := New(Options{RateLimit: 100})
		for range 100 {
			if w := weigh(t, s, "10.0.0.1", true); w.Code != 200 {
				t.Fatalf("status %d", w.Code)
			}
			time.Sleep(2 * time.Second)
		}
		if peak := s.Stats().PeakWeight; peak != 100 {
			t.Errorf("peak %d", peak)
		}
	})
}

func TestNoLimit(t *testing.T) {
	s := New(Options{RateLimit: -1})
	for range 60 {
		w := weigh(t, s, "10.0.0.1", true)
		if w.Code != 200 || w.Header().Get("X-USED-WEIGHT-10S") != "" {
			t.Fatalf("status %d, header %v", w.Code, w.Header())
		}
	}
	if stats := s.Stats(); stats.PeakWeight != 1200 {
		t.Errorf("peak %d", stats.PeakWeight)
	}
}
