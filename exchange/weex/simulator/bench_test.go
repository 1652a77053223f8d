package simulator

import (
	"fmt"
	"net/http/httptest"
	"testing"
)

// BenchmarkGenerate generates a million records.
func BenchmarkGenerate(b *testing.B) {
	for b.Loop() {
		New(Options{Seed: 1, Days: 400, Invitees: 2000, Records: 1_000_000, Now: frozen})
	}
	b.ReportMetric(1_000_000*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

// BenchmarkPage answers one page of a window of 88 days out of a million records,
// including the check of the signature.
func BenchmarkPage(b *testing.B) {
	s := New(Options{Seed: 1, Days: 400, Invitees: 2000, Records: 1_000_000, Now: frozen, RateLimit: -1})
	from := instant.UnixMilli() - 300*day
	query := fmt.Sprintf("productType=FUTURES&startTime=%d&endTime=%d&page=300&pageSize=100", from, from+88*day)
	r := signed(b, s.Credentials(), "", "GET", commissionPath, query, instant)
	b.ReportAllocs()
	for b.Loop() {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != 200 {
			b.Fatal(w.Body)
		}
	}
}

// BenchmarkTickers answers all spot tickers.
func BenchmarkTickers(b *testing.B) {
	s := New(Options{Seed: 1, Now: frozen, RateLimit: -1})
	r := httptest.NewRequest("GET", tickersPath, nil)
	for b.Loop() {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != 200 {
			b.Fatal(w.Body)
		}
	}
}

// BenchmarkAccount opens the account of a programme with a million records, for which 400
// days are paid out.
func BenchmarkAccount(b *testing.B) {
	s := New(Options{Seed: 1, Days: 400, Invitees: 2000, Records: 1_000_000, Now: frozen})
	for b.Loop() {
		s.account = nil
		s.Balances()
	}
}
