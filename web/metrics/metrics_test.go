package metrics_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rebatedesk/reports/commissions"

	"rebatedesk/exchange"
	"rebatedesk/reports"
	"rebatedesk/reports/export"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/web/handler"
	"rebatedesk/web/metrics"
)

func opened(t *testing.T) *store.Store {
	t.Helper()
	st, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "desk.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}

// scraped returns the text that Prometheus reads.
func scraped(t *testing.T, m *metrics.Metrics) string {
	t.Helper()
	answer := httptest.NewRecorder()
	m.Handler(slog.New(slog.DiscardHandler)).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if answer.Code != http.StatusOK {
		t.Fatalf("%d %s", answer.Code, answer.Body)
	}
	return answer.Body.String()
}

func TestMetrics(t *testing.T) {
	st, budget := opened(t), exchange.NewBudget(400)
	run, err := records.StartRun(t.Context(), st, "main", "command")
	if err != nil {
		t.Fatal(err)
	}
	if err := records.FinishRun(t.Context(), st, run, 7, 140, ""); err != nil {
		t.Fatal(err)
	}
	broken, err := records.StartRun(t.Context(), st, "main", "schedule")
	if err != nil {
		t.Fatal(err)
	}
	if err := records.FinishRun(t.Context(), st, broken, 1, 20, "no answer"); err != nil {
		t.Fatal(err)
	}
	if _, err := records.StartRun(t.Context(), st, "asia", "command"); err != nil { // still running: not counted yet
		t.Fatal(err)
	}
	service := reports.New(st, nil)
	var hits [2]uint64
	for i := range hits { // computed once, then read from memory
		if _, err := service.Collection(t.Context()); err != nil {
			t.Fatal(err)
		}
		hits[i] = service.CacheUsage().Hits
	}
	if hits[1] != hits[0]+1 {
		t.Errorf("%d hits, then %d", hits[0], hits[1])
	}
	m := metrics.New(metrics.Options{Version: "1.2.3", Store: st, Budget: budget.State, Reports: service})
	m.CountPanics(func() int64 { return 3 })
	watch := m.Watch()
	watch.Request("/commissions", 200, 30*time.Millisecond)
	watch.Export(commissions.File.Name, export.CSV, 1234)
	watch.SignIn(handler.SignInWrong)
	page := scraped(t, m)
	for _, line := range []string{
		`rebatedesk_build_info{version="1.2.3"} 1`,
		`rebatedesk_http_requests_total{route="/commissions",status="200"} 1`,
		`rebatedesk_http_request_duration_seconds_bucket{route="/commissions",le="0.025"} 0`,
		`rebatedesk_http_request_duration_seconds_bucket{route="/commissions",le="0.05"} 1`,
		`rebatedesk_export_rows_total{format="csv",kind="commissions"} 1234`,
		`rebatedesk_sign_ins_total{outcome="wrong"} 1`,
		`rebatedesk_sign_ins_total{outcome="throttled"} 0`,
		`rebatedesk_panics_total 3`,
		`rebatedesk_collection_runs_total{account="main",outcome="complete"} 1`,
		`rebatedesk_collection_runs_total{account="main",outcome="failed"} 1`,
		`rebatedesk_collection_requests_total{account="main"} 8`,
		`rebatedesk_collection_weight_total{account="main"} 160`,
		`rebatedesk_exchange_budget_limit 400`,
		`rebatedesk_exchange_rate_limited_total 0`,
		fmt.Sprintf("rebatedesk_report_cache_hits_total %d", hits[1]), `rebatedesk_report_cache_limit_bytes 6.7108864e+07`,
		"\ngo_goroutines ", "\nrebatedesk_database_size_bytes ", "\nrebatedesk_database_writer_waits_total ",
		"\nrebatedesk_collection_last_success_timestamp_seconds{account=\"main\"} 1.",
	} {
		if !strings.Contains(page, line) {
			t.Errorf("no %q", line)
		}
	}
	if strings.Contains(page, `account="asia"`) {
		t.Error("an account without a finished run has figures of 0 instead of none")
	}
}

// The number of series stays small with any number of addresses.
func TestUnknownAddressesAreOneSeries(t *testing.T) {
	st := opened(t)
	m := metrics.New(metrics.Options{Store: st, Budget: exchange.NewBudget(1).State, Reports: reports.New(st, nil)})
	server := newServer(t, st, m.Watch())
	before := strings.Count(scraped(t, m), "\n")
	for i := range 10_000 {
		request := httptest.NewRequest(http.MethodGet, fmt.Sprintf("/nowhere-%d/x%d.csv?q=%d", i, i, i), nil)
		request.Host = "localhost"
		answer, err := server.App().Test(request, -1)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close() // the answer is in memory
	}
	page := scraped(t, m)
	if added := strings.Count(page, "\n") - before; added > 30 { // one histogram and one counter
		t.Errorf("%d lines more", added)
	}
	if !strings.Contains(page, `rebatedesk_http_requests_total{route="none",status="404"} 10000`) {
		t.Error("the addresses are not counted as unknown routes")
	}
}

// On this machine the server answers only to IP addresses and localhost, and only on the
// one path.
func TestServe(t *testing.T) {
	st := opened(t)
	m := metrics.New(metrics.Options{Store: st, Budget: exchange.NewBudget(1).State, Reports: reports.New(st, nil)})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- m.Serve(ctx, listener, slog.New(slog.DiscardHandler)) }()
	for _, c := range []struct {
		method, path, host string
		status             int
	}{
		{"GET", "/metrics", "", 200}, {"GET", "/metrics", "localhost:9", 200}, {"GET", "/metrics", "[::1]", 200},
		{"GET", "/metrics", "evil.example", 421}, {"GET", "/", "", 404}, {"POST", "/metrics", "", 405}, {"GET", "/debug/pprof/", "", 404},
	} {
		request, err := http.NewRequest(c.method, "http://"+listener.Addr().String()+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = c.host
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(io.Discard, answer.Body)
		if closed := answer.Body.Close(); err != nil || closed != nil || answer.StatusCode != c.status {
			t.Errorf("%+v: %s, %v, %v", c, answer.Status, err, closed)
		}
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
