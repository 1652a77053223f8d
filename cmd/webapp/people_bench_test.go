package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/internal/benchdata"
	"rebatedesk/people"
	"rebatedesk/reports"
	"rebatedesk/store/audit"
)

// peoplePages are the pages that read who people are.
var peoplePages = []struct{ name, path string }{
	{"overview", "/?range=30d&compare=previous"},
	{"invitees", "/invitees?range=30d"},
	{"invitees by name", "/invitees?range=30d&q=person%2042"},
	{"invitees by tag", "/invitees?range=30d&tag=tag%207"},
	{"codes", "/codes?range=30d"},
	{"commissions of a code of ours", "/commissions?range=30d&code=own3"},
	{"commissions by name", "/commissions?range=30d&q=person%2042"},
	{"pivot by code", "/pivot?range=30d&by=code"},
	{"cohorts of a code", "/cohorts?range=all&by=month&code=own3"},
	{"attention", "/attention"},
}

// BenchmarkPeople requests pages of a market of a million records without people, and with
// 100,000 of them, who have names, codes, tags and owners. The aims are those of the pages:
// people make none of them slower than half as much again.
//
// import-s is the duration of the import of these people from a file.
func BenchmarkPeople(b *testing.B) {
	const size, everybody = 1_000_000, 100_000
	for _, kept := range []int{0, everybody} {
		b.Run(fmt.Sprintf("people=%d", kept), func(b *testing.B) {
			address, cookie, st := serveDatabase(b, copiedMarket(b, size))
			var imported time.Duration
			if kept > 0 {
				began := time.Now()
				if _, _, err := reports.NewPeopleDesk(st).Import(b.Context(), manyPeople(kept), "people.csv", audit.Line{Actor: "ann", Via: "command"}); err != nil {
					b.Fatal(err)
				}
				imported = time.Since(began)
			}
			for _, page := range peoplePages {
				b.Run(page.name, func(b *testing.B) {
					var first, written, took benchdata.Durations
					first.Measure(func() { loadPage(b, address+page.path, cookie) })
					benchdata.Touch(b, st)
					written.Measure(func() { loadPage(b, address+page.path, cookie) })
					for b.Loop() {
						took.Measure(func() { loadPage(b, address+page.path, cookie) })
					}
					b.ReportMetric(milliseconds(first.P95()), "first-ms")
					b.ReportMetric(milliseconds(written.P95()), "written-ms")
					b.ReportMetric(milliseconds(took.P95()), "p95-ms")
					b.ReportMetric(imported.Seconds(), "import-s")
				})
			}
		})
	}
}

// copiedMarket returns a copy of a market that the benchmark may change.
func copiedMarket(b *testing.B, size int) string {
	b.Helper()
	text, err := os.ReadFile(benchdata.Path(b, size))
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "market.db")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		b.Fatal(err)
	}
	return path
}

// manyPeople returns a file of people. The first are the invitees of the market.
func manyPeople(n int) (f people.File) {
	for i := range n {
		f.Entries = append(f.Entries, people.PersonEntry{UID: benchdata.UID(i), Line: i + 2, Values: []people.GivenValue{
			{Field: people.FieldName, Text: fmt.Sprint("Person ", i)},
			{Field: people.FieldCode, Text: fmt.Sprint("own", i%7)},
			{Field: people.FieldTags, Text: fmt.Sprint("tag ", i%20)},
			{Field: people.FieldOwner, Text: fmt.Sprint("owner ", i%5)},
			{Field: people.FieldCost, Text: fmt.Sprint(i, ".5")}, {Field: people.FieldCostCoin, Text: string(affiliate.Coin("USDT"))},
		}})
	}
	return f
}
