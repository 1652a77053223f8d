package main

import (
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"

	"rebatedesk/internal/benchdata"
	"rebatedesk/reports"
	"rebatedesk/store"
	"rebatedesk/web"
)

// The aims of this benchmark, at the largest size:
//
//	first opening after a start   ≤ 150 ms
//	first opening after a write   ≤  60 ms
//	growth                        ≤ 1.2 × the smallest size of the same run

// BenchmarkOpenings opens each report page as the first reader after a start does: nothing
// is prepared, and no report is in the cache. The files of the database are in the page
// cache, as after any start that follows use. cpu-ms is the processor time of an opening,
// which hardly depends on other load.
func BenchmarkOpenings(b *testing.B) {
	eachBenchPage(b, benchOpening)
}

func benchOpening(b *testing.B, name, address string) {
	var smallest time.Duration
	for _, size := range benchdata.Sizes(b) {
		b.Run(fmt.Sprintf("%s/rows=%d", name, size), func(b *testing.B) {
			clock := func() time.Time { return benchdata.Last.Start(time.UTC).Add(12 * time.Hour) }
			st, err := store.Open(b.Context(), benchdata.Path(b, size), store.Options{Now: clock})
			if err != nil {
				b.Fatal(err)
			}
			defer st.Close()
			people, cookie := signedIn(b)
			var worked time.Duration
			for b.Loop() {
				b.StopTimer()
				service := reports.New(st, clock)
				base, stop := listenBench(b, web.New(web.Options{Reports: service, Access: people, Desk: service}))
				loadPage(b, base+"/healthz", cookie) // the connection is open
				before := processorTime(b)
				b.StartTimer()
				loadPage(b, base+address, cookie)
				b.StopTimer()
				worked += processorTime(b) - before
				stop()
				b.StartTimer()
			}
			each := worked / time.Duration(b.N)
			if smallest == 0 {
				smallest = each
			}
			b.ReportMetric(milliseconds(each), "cpu-ms")
			b.ReportMetric(float64(each)/float64(smallest), "growth")
		})
	}
}

// BenchmarkWritten opens each report page as the first reader after the collector has written
// a record of the last day. cpu-ms is the processor time of an opening.
func BenchmarkWritten(b *testing.B) {
	eachBenchPage(b, benchWritten)
}

func benchWritten(b *testing.B, name, address string) {
	for _, size := range benchdata.Sizes(b) {
		b.Run(fmt.Sprintf("%s/rows=%d", name, size), func(b *testing.B) {
			base, cookie, st := serveMarket(b, size)
			loadPage(b, base+address, cookie)
			var worked time.Duration
			for b.Loop() {
				b.StopTimer()
				benchdata.Touch(b, st)
				runtime.GC() // of the write
				before := processorTime(b)
				b.StartTimer()
				loadPage(b, base+address, cookie)
				b.StopTimer()
				worked += processorTime(b) - before
				b.StartTimer()
			}
			b.ReportMetric(milliseconds(worked)/float64(b.N), "cpu-ms")
		})
	}
}

// processorTime returns how long the process has kept processors busy.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
