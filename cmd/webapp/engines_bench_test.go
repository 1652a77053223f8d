package main

import (
	"fmt"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"rebatedesk/internal/benchdata"
	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/export"
	"rebatedesk/reports/query"
	"rebatedesk/store"
	"rebatedesk/store/storetest"
	"rebatedesk/web"
)

// BenchmarkEngines fills a database of each engine with the same records, opens pages as the
// first reader does, and exports all records. PostgreSQL needs REBATEDESK_TEST_POSTGRES, and
// Citus REBATEDESK_TEST_CITUS; an engine without its server is left out. The ratios compare
// an engine with SQLite in the same run.
func BenchmarkEngines(b *testing.B) {
	places := []struct {
		name  string
		place func(testing.TB) string
	}{
		{"sqlite", func(t testing.TB) string { return filepath.Join(t.TempDir(), "engine.db") }},
		{"postgres", func(t testing.TB) string {
			storetest.PostgresOnly(t)
			place, _ := storetest.NewDatabase(t, "TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'")
			return place
		}},
		{"citus", storetest.Citus},
	}
	for _, size := range benchdata.Sizes(b) {
		first := map[string]time.Duration{}
		for _, engine := range places {
			b.Run(fmt.Sprintf("%s/rows=%d", engine.name, size), func(b *testing.B) {
				for b.Loop() {
					measureEngine(b, engine.place(b), size, first)
				}
			})
		}
	}
}

// measureEngine reports the figures of a new database at place. first has those of SQLite.
func measureEngine(b *testing.B, place string, size int, first map[string]time.Duration) {
	b.Helper()
	report := func(what string, took time.Duration) {
		if first[what] == 0 {
			first[what] = took
		}
		b.ReportMetric(milliseconds(took), what+"-ms")
		b.ReportMetric(float64(took)/float64(first[what]), what+"-of-sqlite")
	}
	start := time.Now()
	if err := benchdata.Fill(b.Context(), place, size); err != nil {
		b.Fatal(err)
	}
	report("load", time.Since(start))
	clock := func() time.Time { return benchdata.Last.Start(time.UTC).Add(12 * time.Hour) }
	st, err := store.Open(b.Context(), place, store.Options{Now: clock})
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	people, cookie := signedIn(b)
	service := reports.New(st, clock)
	base, stop := listenBench(b, web.New(web.Options{Reports: service, Access: people, Desk: service}))
	defer stop()
	loadPage(b, base+"/healthz", cookie)
	for _, page := range [][2]string{{"overview", "/"}, {"invitees", "/invitees"}, {"records", "/commissions"}} {
		start := time.Now()
		loadPage(b, base+page[1], cookie)
		report(page[0], time.Since(start))
	}
	start = time.Now()
	exportAll(b, service)
	report("csv", time.Since(start))
	bytes, _, err := st.Size(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(bytes)/(1<<20), "MiB")
}

// exportAll exports the records of all time as CSV.
func exportAll(b *testing.B, service *reports.Service) {
	b.Helper()
	basis, err := service.Basis(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	basis.Sorts, basis.Order = commissions.Sorts, query.Sort{Field: "time"}
	asked, err := query.Parse(url.Values{"range": {string(query.AllTime)}}, basis)
	if err != nil {
		b.Fatal(err)
	}
	file, err := service.OpenExport(b.Context(), commissions.File, asked)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Write(b.Context(), writer(func(p []byte) (int, error) { return len(p), nil }), export.CSV); err != nil {
		b.Fatal(err)
	}
}
