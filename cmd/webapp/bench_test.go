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
	"syscall"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/accounts"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/demo"
	"rebatedesk/collector"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/store"
	"rebatedesk/store/storetest"
)

// The aims of these benchmarks:
//
//	requests          ≤ 1.02 × rows/100 per product, rounded up
//	rows per second   ≥ 0.7 × sqlite3 .import of the same rows
//	overview page     1,000,000 rows ≤ 1.5 × 100,000 rows
//	export            1,000,000 rows ≤ 64 MiB above an idle process

// collected returns a database filled from a simulator without faults or limits.
func collected(b *testing.B, path string, records int) {
	b.Helper()
	sim, err := simulator.Listen("127.0.0.1:0", simulator.Options{
		Seed: 3, Days: 400, Invitees: 2000, Records: records, RateLimit: -1})
	if err != nil {
		b.Fatal(err)
	}
	defer sim.Close()
	s := reachable{BaseURL: sim.BaseURL, APIKey: sim.APIKey, APISecret: sim.APISecret, APIPassphrase: sim.APIPassphrase}
	collectedFrom(b, s, path, records)
}

// collectedFrom fills a database with the commissions of a simulator, as the first run over
// an account does.
func collectedFrom(b *testing.B, sim reachable, path string, records int) (report collector.RunReport, spent cost) {
	b.Helper()
	client, err := weex.New(exchange.Config{
		BaseURL: sim.BaseURL, Key: exchange.Secret(sim.APIKey), Secret: exchange.Secret(sim.APISecret),
		Passphrase: exchange.Secret(sim.APIPassphrase), Budget: exchange.NewBudget(math.MaxInt32),
	})
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	st, err := store.Open(b.Context(), path, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	col := collector.New(collector.Options{
		Store: st, Accounts: []collector.Target{{Name: "main", Source: client}}, History: 400 * 24 * time.Hour})
	start, before := time.Now(), ownCPU(b)
	report, err = col.Collect(b.Context(), collector.RunRequest{Cause: "benchmark", Kinds: []affiliate.StreamKind{affiliate.Commissions}})
	spent = cost{wall: time.Since(start), cpu: ownCPU(b) - before}
	if err != nil || !report.Complete || report.Opened != int64(records) {
		b.Fatalf("collected %+v, %v; want %d records", report, err, records)
	}
	return report, spent
}

// cost is the wall-clock time and the processor time of some work.
type cost struct{ wall, cpu time.Duration }

func (c *cost) add(o cost) { c.wall, c.cpu = c.wall+o.wall, c.cpu+o.cpu }

// ownCPU returns the processor time of this process so far.
func ownCPU(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// processCPU returns the processor time of another process so far, and 0 without /proc.
func processCPU(b *testing.B, pid int) time.Duration {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, fields, found := strings.Cut(string(stat), ") ") // the name may have spaces
	if err != nil || !found {
		return 0
	}
	const tick = 10 * time.Millisecond // USER_HZ is 100 everywhere
	var ticks int64
	for _, field := range strings.Fields(fields)[11:13] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * tick
}

// BenchmarkCollect collects 100,000 rows over HTTP into SQLite, and lets sqlite3 import the
// same rows from a file, into the same columns under the same indexes. The simulator is a
// separate process on the same cores: simulator-cpu is its share of the wall-clock time.
// cpu-of-sqlite3-import compares the processor time of the collecting process alone.
// driver-of-sqlite3-import measures the driver alone, which inserts the same rows in one
// transaction: collecting cannot be faster than that.
func BenchmarkCollect(b *testing.B) {
	const records = 100_000
	sim, pid := simulatorProcess(b, "--seed", "3", "--days", "400", "--invitees", "2000",
		"--records", strconv.Itoa(records), "--rate-limit", "0")
	_, truth := table(b, fetch(b, sim.BaseURL+"/ledger/commissions.csv"))
	var ours, theirs, drivers, simulators cost
	var requests int64
	for b.Loop() {
		dir := b.TempDir()
		before := processCPU(b, pid)
		report, spent := collectedFrom(b, sim, filepath.Join(dir, "ours.db"), records)
		simulators.add(cost{cpu: processCPU(b, pid) - before})
		requests += report.Requests - 1 // without the request for the time
		ours.add(spent)
		theirs.add(importRows(b, dir, truth))
		drivers.add(insertRows(b, filepath.Join(dir, "driver.db"), truth))
	}
	b.ReportMetric(float64(requests)/float64(b.N*leastRequests(truth)), "requests/least")
	b.ReportMetric(float64(records*b.N)/ours.wall.Seconds(), "rows/s")
	b.ReportMetric(simulators.cpu.Seconds()/ours.wall.Seconds(), "simulator-cpu")
	if theirs.wall > 0 {
		b.ReportMetric(theirs.wall.Seconds()/ours.wall.Seconds(), "of-sqlite3-import")
		b.ReportMetric(theirs.cpu.Seconds()/ours.cpu.Seconds(), "cpu-of-sqlite3-import")
		b.ReportMetric(theirs.wall.Seconds()/drivers.wall.Seconds(), "driver-of-sqlite3-import")
		b.ReportMetric(theirs.cpu.Seconds()/drivers.cpu.Seconds(), "driver-cpu-of-sqlite3-import")
	}
}

// leastRequests returns the number of full pages that the records of a ledger fill, by
// product.
func leastRequests(ledger [][]string) (pages int) {
	perProduct := map[string]int{}
	for _, row := range ledger {
		perProduct[row[5]]++
	}
	for _, n := range perProduct {
		pages += (n + 99) / 100
	}
	return pages
}

// importRows measures sqlite3 .import of the rows of a ledger, and returns 0 without sqlite3.
func importRows(b *testing.B, dir string, ledger [][]string) cost {
	b.Helper()
	if _, err := exec.LookPath("sqlite3"); err != nil {
		b.Log("sqlite3 is not installed: no comparison with .import")
		return cost{}
	}
	rows := filepath.Join(dir, "rows.csv")
	var text strings.Builder
	for i, r := range ledger {
		// product, deal_time_ms, uid, symbol, source_type, coin, and the amounts
		fmt.Fprintf(&text, "%d,1,%s,%s,%s,%s,%s,%s,%s,1\n", i+1, r[5], r[1], r[3], r[6], r[7], r[8], strings.Join(r[9:14], ","))
	}
	if err := os.WriteFile(rows, []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	command := exec.Command("sqlite3", filepath.Join(dir, "theirs.db"))
	command.Stdin = strings.NewReader(importSchema + ".import --csv " + rows + " commissions\nSELECT count(*) FROM commissions;\n")
	start := time.Now()
	out, err := command.CombinedOutput()
	took := time.Since(start)
	if err != nil || !strings.HasSuffix(strings.TrimSpace(string(out)), strconv.Itoa(len(ledger))) {
		b.Fatalf("sqlite3: %v: %s", err, out)
	}
	return cost{wall: took, cpu: command.ProcessState.UserTime() + command.ProcessState.SystemTime()}
}

// importSchema has the columns and the indexes of our records.
const importSchema = `
		PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;
		CREATE TABLE commissions (id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL, product TEXT NOT NULL, deal_time_ms INTEGER NOT NULL,
			uid TEXT NOT NULL, symbol TEXT NOT NULL, source TEXT NOT NULL, coin TEXT NOT NULL, taker_amount TEXT NOT NULL,
			maker_amount TEXT NOT NULL, fee TEXT NOT NULL, rate TEXT NOT NULL, commission TEXT NOT NULL, opened_ms INTEGER NOT NULL) STRICT;
		CREATE INDEX commissions_by_time ON commissions (deal_time_ms, account_id, product);
		CREATE INDEX commissions_by_uid ON commissions (uid, deal_time_ms);
`

// insertRows measures the driver alone: it inserts the rows of a ledger in one transaction.
func insertRows(b *testing.B, path string, ledger [][]string) cost {
	b.Helper()
	rows := make([][]any, len(ledger))
	for i, r := range ledger {
		dealTime, err := strconv.ParseInt(r[1], 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		rows[i] = []any{i + 1, r[5], dealTime, r[3], r[6], r[7], r[8], r[9], r[10], r[11], r[12], r[13]}
	}
	before, start := ownCPU(b), time.Now()
	storetest.InsertByDriver(b, path, importSchema, `INSERT INTO commissions VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)`, rows)
	return cost{wall: time.Since(start), cpu: ownCPU(b) - before}
}

// databases holds the databases that are filled once for all benchmarks that read, by size.
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

// removeDatabases removes the databases after the last benchmark.
func removeDatabases() {
	for _, path := range databases.paths {
		_ = os.RemoveAll(filepath.Dir(path)) // temporary, and the process ends
	}
}

// BenchmarkOverview renders the overview as a browser gets it. growth compares the largest
// database with the smallest one of the same run.
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
			server := newWeb(config.Config{Timezone: time.UTC}, st, people, nil, collector.New(collector.Options{Store: st}), &accounts.Registry{}, nil, nil, nil, nil, nil, demo.Logins{})
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

// BenchmarkExport streams a million rows from a separate process and compares its peak
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

// peakMemory follows the high-water mark of a process until it ends. The rusage of a child
// is useless here because it begins with the memory of the parent.
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
