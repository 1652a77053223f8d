package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"testing"
	"time"

	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/internal/benchdata"
	"rebatedesk/reports"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/web"
)

// The aims of this benchmark, at the largest size:
//
//	thirty days   p95 ≤ 50 ms
//	all time      p95 ≤ 150 ms
//	growth        ≤ 1.5 × the smallest size of the same run
//
// They apply to pages that were opened before. first-ms is the duration of the first opening
// after the start of the server. written-ms is the duration of the next opening after the
// collector has written a record of the last day (aim: 60 ms); written-cpu-ms is its
// processor time.

// benchPages are the report pages, with their parameters in addition to days.
var benchPages = []struct{ name, path, query string }{
	{"overview", "/", "compare=previous"},
	{"attention", "/attention", ""},
	{"payments", "/payments", ""},
	{"balance", "/balance", ""},
	{"months", "/months", ""},
	{"net", "/net", ""},
	{"income", "/income", ""},
	{"tiers", "/tiers", ""},
	{"forecast", "/forecast", ""},
	{"returns", "/returns", ""},
	{"rates", "/rates", ""},
	{"commissions", "/commissions", "compare=previous"},
	{"commissions by amount", "/commissions", "sort=-commission"},
	{"invitees", "/invitees", "compare=previous"},
	{"invitee", "/invitees/" + string(benchdata.UID(0)), "compare=previous"},
	{"codes", "/codes", "compare=previous"},
	{"pivot", "/pivot", ""},
	{"pivot of pairs by day", "/pivot", "by=symbol&across=day"},
	{"pivot of invitees by month", "/pivot", "by=invitee&across=month"},
	{"pivot of invitees by pair", "/pivot", "by=invitee&across=symbol"},
	{"drivers", "/drivers", ""},
	{"drivers by pair", "/drivers", "by=symbol"},
	{"cohorts", "/cohorts", "by=month"},
	{"cohorts by week", "/cohorts", "by=week"},
	{"sub-affiliates", "/sub-affiliates", "compare=previous"},
	{"sub-affiliate", "/sub-affiliates/" + string(benchdata.SubAffiliateUID(0)), "compare=previous"},
	{"collection", "/collection", ""},
	{"restatements", "/collection/restatements", ""},
	{"views", "/views", ""},
}

// BenchmarkPages requests every report page from a real server over HTTP, with databases of
// three sizes. REBATEDESK_BENCH_ROWS leaves out the larger ones, and REBATEDESK_BENCH_DIR
// keeps them for the next run.
func BenchmarkPages(b *testing.B) {
	eachBenchPage(b, benchPage)
}

// eachBenchPage runs a benchmark for each page, over thirty days and over all time.
func eachBenchPage(b *testing.B, bench func(b *testing.B, name, address string)) {
	for _, page := range benchPages {
		for _, span := range []string{"30d", "all"} {
			if span == "all" && !ranged(page.path) {
				continue
			}
			query := page.query
			if ranged(page.path) {
				query += "&range=" + span
			}
			bench(b, page.name+"/"+span, page.path+"?"+query)
		}
	}
}

// ranged reports whether a page takes a range of days.
func ranged(path string) bool {
	return !slices.Contains([]string{"/attention", "/collection", "/views", "/months", "/net", "/tiers", "/forecast"}, path)
}

func benchPage(b *testing.B, name, address string) {
	var smallest time.Duration
	for _, size := range benchdata.Sizes(b) {
		b.Run(fmt.Sprintf("%s/rows=%d", name, size), func(b *testing.B) {
			base, cookie, st := serveMarket(b, size)
			var first, written, took benchdata.Durations
			var weight int64
			first.Measure(func() { loadPage(b, base+address, cookie) })
			benchdata.Touch(b, st)
			worked := processorTime(b)
			written.Measure(func() { loadPage(b, base+address, cookie) })
			worked = processorTime(b) - worked
			for b.Loop() {
				took.Measure(func() { weight = loadPage(b, base+address, cookie) })
			}
			p95 := took.P95()
			if smallest == 0 {
				smallest = p95
			}
			b.ReportMetric(milliseconds(p95), "p95-ms")
			b.ReportMetric(float64(p95)/float64(smallest), "growth")
			b.ReportMetric(float64(weight)/1024, "KiB")
			b.ReportMetric(milliseconds(first.P95()), "first-ms")
			b.ReportMetric(milliseconds(written.P95()), "written-ms")
			b.ReportMetric(milliseconds(worked), "written-cpu-ms")
		})
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// pageClient keeps the connection of each reader open, as browsers do.
var pageClient = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: readers}}

// loadPage reads a page to its end and returns its length.
func loadPage(b *testing.B, address, cookie string) int64 {
	request, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Cookie", cookie)
	answer, err := pageClient.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	n, err := io.Copy(io.Discard, answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		b.Fatal(address, answer.StatusCode, err)
	}
	return n
}

// serveMarket serves a market at noon of its last day. It also returns the Cookie header
// that opens the pages.
func serveMarket(b *testing.B, size int) (address, cookie string, st *store.Store) {
	b.Helper()
	return serveDatabase(b, benchdata.Path(b, size))
}

// serveDatabase is serveMarket for the database at a path.
func serveDatabase(b *testing.B, path string) (address, cookie string, st *store.Store) {
	b.Helper()
	clock := func() time.Time { return benchdata.Last.Start(time.UTC).Add(12 * time.Hour) }
	st, err := store.Open(b.Context(), path, store.Options{Now: clock, AuditKey: secret.NewKey().Derive(database.AuditLabel)})
	if err != nil {
		b.Fatal(err)
	}
	service := reports.New(st, clock)
	people, cookie := signedIn(b)
	b.Cleanup(func() {
		if err := st.Close(); err != nil {
			b.Error(err)
		}
	})
	address = serveBench(b, web.New(web.Options{Reports: service, Access: people, Desk: service}))
	return address, cookie, st
}

// serveBench serves until the benchmark ends.
func serveBench(b *testing.B, server *web.Server) (address string) {
	b.Helper()
	address, stop := listenBench(b, server)
	b.Cleanup(stop)
	return address
}

// listenBench serves until the caller calls stop.
func listenBench(b *testing.B, server *web.Server) (address string, stop func()) {
	b.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	return "http://" + listener.Addr().String(), func() {
		http.DefaultClient.CloseIdleConnections()
		if err := errors.Join(server.Shutdown(context.Background()), <-served); err != nil {
			b.Error(err)
		}
	}
}
