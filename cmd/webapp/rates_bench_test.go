package main

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"rebatedesk/internal/benchdata"
	"rebatedesk/store"
	"rebatedesk/store/agreements"
	"rebatedesk/store/audit"
	"rebatedesk/terms"
)

// BenchmarkRates opens the pages that compare agreed with paid rates, over records whose rates are
// constant and over records that have no rate at all, without terms and with one for everybody.
// first-cpu-ms is the processor time of the first opening after a start, and cpu-ms that of a first
// opening after the collector has written a record of the last day.
func BenchmarkRates(b *testing.B) {
	for _, of := range []benchdata.Kind{benchdata.Steady, benchdata.Random} {
		for _, rate := range []string{"", "0.25"} {
			for _, page := range []string{"/attention", "/rates?range=30d", "/rates?range=all"} {
				for _, size := range benchdata.Sizes(b) {
					b.Run(fmt.Sprintf("%s/agreed=%s%s/rows=%d", of, rate, page, size), func(b *testing.B) { benchRates(b, of, rate, page, size) })
				}
			}
		}
	}
}

func benchRates(b *testing.B, of benchdata.Kind, rate, page string, size int) {
	path := filepath.Join(b.TempDir(), "rates.db") // with a term, and without the records of the benchmark before
	copyFile(b, benchdata.PathOf(b, of, size), path)
	base, cookie, st := serveDatabase(b, path)
	agreeForAll(b, st, rate)
	loadPage(b, base+"/healthz", cookie) // the connection is open
	first := processorTime(b)
	loadPage(b, base+page, cookie)
	first = processorTime(b) - first
	var worked time.Duration
	for b.Loop() {
		b.StopTimer()
		benchdata.Touch(b, st)
		runtime.GC() // of the write
		before := processorTime(b)
		b.StartTimer()
		loadPage(b, base+page, cookie)
		b.StopTimer()
		worked += processorTime(b) - before
		b.StartTimer()
	}
	b.ReportMetric(milliseconds(first), "first-cpu-ms")
	b.ReportMetric(milliseconds(worked)/float64(b.N), "cpu-ms")
}

// agreeForAll stores a term for the whole programme, unless the rate is empty.
func agreeForAll(b *testing.B, st *store.Store, rate string) {
	b.Helper()
	if rate == "" {
		return
	}
	file, err := terms.Parse(b.Context(), []byte("scope,value,product_type,rate,from,to\nall,,,"+rate+","+benchdata.First.String()+",\n"))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := agreements.ImportTerms(b.Context(), st, file, "terms.csv", store.AnyVersion, audit.Line{Actor: "ann"}); err != nil {
		b.Fatal(err)
	}
}
