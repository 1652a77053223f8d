package main

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/accounts"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/demo"
	"rebatedesk/collector"
	"rebatedesk/exchange"
	"rebatedesk/exchange/simulator"
	"rebatedesk/store"
)

// The aims that these figures are held against:
//
//	requests          ≤ 1.05 × rows/100 per product, rounded up
//	rows per second   ≥ 0.4 × sqlite3 .import of the same rows
//	overview page     1,000,000 rows ≤ 1.5 × 100,000 rows
//	export            1,000,000 rows ≤ 64 MiB above an idle process

// collected is a database filled from a simulator without faults or limits.
func collected(b *testing.B, path string, records int) (report collector.RunReport, commissionRequests int, took time.Duration, truth simulator.Ledger) {
	b.Helper()
	sim, err := simulator.Listen("127.0.0.1:0", simulator.Options{
		Seed: 3, Days: 400, Invitees: 2000, Records: records, RateLimit: -1})
	if err != nil {
		b.Fatal(err)
	}
	defer sim.Close()
	client, err := exchange.New(exchange.Config{
		BaseURL: sim.BaseURL, Key: exchange.Secret(sim.APIKey), Secret: exchange.Secret(sim.APISecret),
		Passphrase: exchange.Secret(sim.APIPassphrase), Budget: exchange.NewBudget(math.MaxInt32),
	})
	if err != nil {
		b.Fatal(err)
	}
	st, err := store.Open(b.Context(), path, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	col := collector.New(collector.Options{
		Store: st, Accounts: []collector.Target{{Name: "main", Client: client}}, History: 400 * 24 * time.Hour})
	start := time.Now()
	report, err = col.Collect(b.Context(), collector.RunRequest{Cause: "benchmark", Kinds: []affiliate.StreamKind{affiliate.Commissions}})
	took = time.Since(start)
	if err != nil || !report.Complete || report.Opened != int64(records) {
		b.Fatalf("collected %+v, %v; want %d records", report, err, records)
	}
	return report, int(report.Requests) - 1, took, sim.Ledger() // but for the question for the time
}

// BenchmarkCollect collects 100,000 rows over HTTP into SQLite and lets
// sqlite3 import the same rows, into the same columns under the same indexes,
// from a file. The simulator's own work is part of our time.
func BenchmarkCollect(b *testing.B) {
	const records = 100_000
	var ours, theirs time.Duration
	var requests, least int
	for b.Loop() {
		dir := b.TempDir()
		_, asked, took, truth := collected(b, filepath.Join(dir, "ours.db"), records)
		perProduct := map[affiliate.Product]int{}
		for _, c := range truth.Commissions {
			perProduct[c.Product]++
		}
		for _, n := range perProduct {
			least += (n + 99) / 100
		}
		requests += asked
		ours += took
		theirs += importRows(b, dir, truth.Commissions)
	}
	b.ReportMetric(float64(requests)/float64(least), "requests/least")
	b.ReportMetric(float64(records*b.N)/ours.Seconds(), "rows/s")
	if theirs > 0 {
		b.ReportMetric(theirs.Seconds()/ours.Seconds(), "of-sqlite3-import")
	}
}

// importRows measures sqlite3 .import; 0 where there is no sqlite3.
func importRows(b *testing.B, dir string, records []affiliate.Commission) time.Duration {
	b.Helper()
	if _, err := exec.LookPath("sqlite3"); err != nil {
		b.Log("sqlite3 is not installed: no comparison with .import")
		return 0
	}
	rows := filepath.Join(dir, "rows.csv")
	var text strings.Builder
	for i, c := range records {
		fmt.Fprintf(&text, "%d,1,%s,%d,%s,%s,%s,%s,%s,%s,%s,%s,%s,1\n", i+1, c.Product, c.DealTime, c.UID, c.Symbol, c.Source, c.Coin,
			c.TakerAmount, c.MakerAmount, c.Fee, c.Rate, c.Commission)
	}
	if err := os.WriteFile(rows, []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	script := `
		PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;
		CREATE TABLE commissions (id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL, product TEXT NOT NULL, deal_time_ms INTEGER NOT NULL,
			uid TEXT NOT NULL, symbol TEXT NOT NULL, source TEXT NOT NULL, coin TEXT NOT NULL, taker_amount TEXT NOT NULL,
			maker_amount TEXT NOT NULL, fee TEXT NOT NULL, rate TEXT NOT NULL, commission TEXT NOT NULL, opened_ms INTEGER NOT NULL) STRICT;
		CREATE INDEX commissions_by_time ON commissions (deal_time_ms, account_id, product);
		CREATE INDEX commissions_by_uid ON commissions (uid, deal_time_ms);
`
	command := exec.Command("sqlite3", filepath.Join(dir, "theirs.db"))
	command.Stdin = strings.NewReader(script + ".import --csv " + rows + " commissions\nSELECT count(*) FROM commissions;\n")
	start := time.Now()
	out, err := command.CombinedOutput()
	took := time.Since(start)
	if err != nil || !strings.HasSuffix(strings.TrimSpace(string(out)), strconv.Itoa(len(records))) {
		b.Fatalf("sqlite3: %v: %s", err, out)
	}
	return took
}

// databases are filled once for all benchmarks that read: by size.
var databases = struct {
	sync.Mutex
	paths map[int]string
}{paths: map[int]string{}}

func filled(b *testing.B, records int) string {
	b.Helper()
	databases.Lock()
	defer databases.Unlock()
	if path := databases.paths[records]; path != "" {
		return path
	}
	dir, err := os.MkdirTemp("", "rebatedesk-bench-")
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(dir, "filled.db")
	collected(b, path, records)
	databases.paths[records] = path
	return path
}

// removeDatabases is called when the benchmarks are over.
func removeDatabases() {
	for _, path := range databases.paths {
		_ = os.RemoveAll(filepath.Dir(path)) // temporary, and the process ends
	}
}

// BenchmarkOverview renders the overview as a browser gets it. growth compares
// the largest database with the smallest in the same run.
func BenchmarkOverview(b *testing.B) {
	var first time.Duration
	for _, records := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprint("rows=", records), func(b *testing.B) {
			st, err := store.Open(b.Context(), filled(b, records), store.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer st.Close()
			people, cookie := signedIn(b)
			server := newWeb(config.Config{Timezone: time.UTC}, st, people, collector.New(collector.Options{Store: st}), &accounts.Registry{}, nil, nil, nil, demo.Logins{})
			for b.Loop() {
				request := httptest.NewRequest(http.MethodGet, "/", nil)
				request.Host = "127.0.0.1"
				request.Header.Set("Cookie", cookie)
				answer, err := server.App().Test(request, -1)
				if err != nil || answer.StatusCode != http.StatusOK {
					b.Fatal(answer, err)
				}
			}
			each := b.Elapsed() / time.Duration(b.N)
			if first == 0 {
				first = each
			}
			b.ReportMetric(float64(each)/float64(first), "growth")
		})
	}
}

// BenchmarkExport streams a million rows from a separate process and compares its highest
// memory with that of a process with nothing to export.
func BenchmarkExport(b *testing.B) {
	const records = 1_000_000
	db := filled(b, records)
	for b.Loop() {
		idle, _ := exportMemory(b, db, "--from", "2000-01-01", "--to", "2000-01-01")
		full, took := exportMemory(b, db)
		b.ReportMetric(float64(full-idle)/(1<<20), "MiB-above-idle")
		b.ReportMetric(records/took.Seconds(), "rows/s")
	}
}

func exportMemory(b *testing.B, db string, args ...string) (bytes int64, took time.Duration) {
	b.Helper()
	manifest := filepath.Join(b.TempDir(), "manifest.json")
	command := process(b, nil, append([]string{"export", "commissions", "--db", db, "--manifest", manifest}, args...)...)
	start := time.Now()
	if err := command.Start(); err != nil { // its stdout is the null device
		b.Fatal(err)
	}
	peak := peakMemory(command.Process.Pid)
	if err := command.Wait(); err != nil {
		b.Fatalf("export: %v", err)
	}
	took = time.Since(start)
	text, err := os.ReadFile(manifest)
	var written struct{ Rows int64 }
	if err == nil {
		err = json.Unmarshal(text, &written)
	}
	if err != nil || len(args) == 0 && written.Rows < 1_000_000 {
		b.Fatalf("export wrote %d rows, %v", written.Rows, err)
	}
	return <-peak, took
}

// peakMemory follows the high-water mark of a process until it is gone. The
// rusage of a child is of no use: it begins with what the parent had.
func peakMemory(pid int) <-chan int64 {
	peak := make(chan int64, 1)
	go func() {
		var last int64
		for {
			status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
			_, mark, found := strings.Cut(string(status), "VmHWM:")
			if err != nil || !found {
				peak <- last
				return
			}
			if kib, err := strconv.ParseInt(strings.Fields(mark)[0], 10, 64); err == nil {
				last = kib << 10
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	return peak
}
