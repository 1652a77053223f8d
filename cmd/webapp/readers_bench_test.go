package main

import (
	"context"
	"log/slog"
	"math"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"rebatedesk/cmd/webapp/internal/accounts"
	"rebatedesk/cmd/webapp/internal/demo"
	"rebatedesk/collector"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/reports"
	"rebatedesk/store"
	"rebatedesk/web"
)

// The aims of this benchmark, with 32 signed-in readers:
//
//	nothing is collected        p99 ≤ 25 ms
//	while a backfill is written p99 ≤ 60 ms

// readers is the number of concurrent readers.
const readers = 32

// readerPause is the shortest interval between two pages of one reader.
const readerPause = time.Second

// BenchmarkReaders lets 32 signed-in readers open one page a second each, first while
// nothing is collected and then while a backfill runs at ten times the usual budget.
// most-pages/s is the rate of readers who do not pause.
func BenchmarkReaders(b *testing.B) {
	b.Run("idle", func(b *testing.B) {
		base, cookie, col := library(b, 30_000, math.MaxInt32)
		if report, err := col.Collect(b.Context(), collector.RunRequest{Cause: "benchmark"}); err != nil || !report.Complete {
			b.Fatal(report, err)
		}
		benchReaders(b, base, cookie)
	})
	b.Run("backfill", func(b *testing.B) {
		base, cookie, col := library(b, 400_000, 10*exchange.DefaultBudget)
		ctx, stop := context.WithCancel(b.Context())
		var backfill sync.WaitGroup
		backfill.Go(func() { _, _ = col.Collect(ctx, collector.RunRequest{Cause: "benchmark"}) }) // ends early, with the benchmark
		for col.Progress().Records < 20_000 {
			time.Sleep(10 * time.Millisecond)
		}
		benchReaders(b, base, cookie)
		if !col.Progress().Running {
			b.Error("the backfill was over before its time")
		}
		stop()
		backfill.Wait()
	})
}

func benchReaders(b *testing.B, base, cookie string) {
	open := func(i int) { loadPage(b, base+readerPages[i%len(readerPages)], cookie) }
	for i := range readerPages {
		open(i)
	}
	var took []time.Duration
	for b.Loop() {
		took = append(took, readAll(10, readerPause, open)...)
	}
	slices.Sort(took)
	b.ReportMetric(milliseconds(took[len(took)/2]), "p50-ms")
	b.ReportMetric(milliseconds(took[len(took)*99/100]), "p99-ms")
	b.ReportMetric(float64(len(took))/b.Elapsed().Seconds(), "pages/s")
	began := time.Now()
	most := readAll(5, 0, open)
	b.ReportMetric(float64(len(most))/time.Since(began).Seconds(), "most-pages/s")
}

// library starts a server over an empty database; col fills the database.
func library(b *testing.B, records, budget int) (base, cookie string, col *collector.Collector) {
	b.Helper()
	sim, err := simulator.Listen("127.0.0.1:0", simulator.Options{Seed: 3, Days: 400, Invitees: 1500, Records: records, RateLimit: -1})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = sim.Close() })
	client, err := accounts.NewClient(demo.AccountName(sim), exchange.NewBudget(budget), nil, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	st, err := store.Open(b.Context(), filepath.Join(b.TempDir(), "readers.db"), store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = st.Close() })
	people, cookie := signedIn(b)
	service := reports.New(st, time.Now)
	server := web.New(web.Options{Reports: service, Access: people, Desk: service})
	return serveBench(b, server), cookie, collector.New(collector.Options{Store: st, History: 365 * 24 * time.Hour,
		Accounts: []collector.Target{{Name: "main", Source: client}}})
}

// readerPages are the pages that readers open in turn.
var readerPages = []string{"/", "/commissions", "/invitees", "/codes", "/cohorts", "/sub-affiliates", "/collection", "/account"}

// readAll lets every reader open the given number of pages, and returns the duration of
// each. They do not begin in step.
func readAll(pages int, pause time.Duration, open func(i int)) []time.Duration {
	took := make([]time.Duration, readers*pages)
	var all sync.WaitGroup
	for reader := range readers {
		all.Go(func() {
			time.Sleep(pause * time.Duration(reader) / readers)
			for page := range pages {
				began := time.Now()
				open(reader + page)
				took[reader*pages+page] = time.Since(began)
				time.Sleep(pause - time.Since(began))
			}
		})
	}
	all.Wait()
	return took
}
