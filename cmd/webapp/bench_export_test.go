package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// The aims that these figures are held against:
//
//	CSV rows per second   ≥ 1.0 × sqlite3 -csv with the same query
//	a workbook            of 200,000 rows ≤ 64 MiB above an idle process

// likeOurs is the question of `export commissions` as one would put it to the
// sqlite3 program: the same rows and columns in the same order.
const likeOurs = `
	SELECT strftime('%Y-%m-%dT%H:%M:%fZ', c.deal_time_ms / 1000.0, 'unixepoch') AS deal_time_utc, c.deal_time_ms, a.name AS account, c.uid,
		nullif(i.invite_code, '') AS invite_code, c.product AS product_type, c.symbol, c.source AS source_type, c.coin,
		c.taker_amount, c.maker_amount, c.fee, c.rate, c.commission,
		strftime('%Y-%m-%dT%H:%M:%fZ', c.opened_ms / 1000.0, 'unixepoch') AS first_seen_utc
	FROM commissions c JOIN accounts a ON a.id = c.account_id
	LEFT JOIN invitees i ON i.account_id = c.account_id AND i.uid = c.uid
	WHERE c.closed_ms IS NULL ORDER BY c.deal_time_ms, c.id`

// BenchmarkExportCSV writes a million rows to a file, turn about with sqlite3.
func BenchmarkExportCSV(b *testing.B) {
	if _, err := exec.LookPath("sqlite3"); err != nil {
		b.Skip("sqlite3 is not installed")
	}
	const records = 1_000_000
	db := filled(b, records)
	dir := b.TempDir()
	var ours, theirs time.Duration
	for b.Loop() {
		ours += timed(b, process(b, nil, "export", "commissions", "--db", db, "-o", filepath.Join(dir, "ours.csv")))
		script := filepath.Join(dir, "theirs.csv")
		theirs += timed(b, exec.Command("sqlite3", "-readonly", db, "-cmd", ".mode csv", "-cmd", ".headers on", "-cmd", ".output "+script, likeOurs))
	}
	sameSize(b, dir, records)
	b.ReportMetric(float64(records*b.N)/ours.Seconds(), "rows/s")
	b.ReportMetric(theirs.Seconds()/ours.Seconds(), "of-sqlite3-csv")
}

func timed(b *testing.B, command *exec.Cmd) time.Duration {
	b.Helper()
	start := time.Now()
	if err := command.Run(); err != nil {
		b.Fatalf("%v: %v", command.Args, err)
	}
	return time.Since(start)
}

// sameSize holds the comparison to be fair: both files have the same rows.
func sameSize(b *testing.B, dir string, records int) {
	b.Helper()
	var sizes []int64
	for _, name := range []string{"ours.csv", "theirs.csv"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			b.Fatal(err)
		}
		sizes = append(sizes, info.Size())
	}
	if sizes[0] != sizes[1] || sizes[0] < int64(records)*100 {
		b.Fatalf("the files have %d bytes", sizes)
	}
}

// BenchmarkExportXLSX makes a workbook of 200,000 rows in a separate process.
func BenchmarkExportXLSX(b *testing.B) {
	const records = 200_000
	db := filled(b, records)
	for b.Loop() {
		idle, _ := exportPeak(b, db, "--from", "2000-01-01", "--to", "2000-01-01")
		full, took := exportPeak(b, db)
		b.ReportMetric(float64(full-idle)/(1<<20), "MiB-above-idle")
		b.ReportMetric(records/took.Seconds(), "rows/s")
	}
}

func exportPeak(b *testing.B, db string, args ...string) (bytes int64, took time.Duration) {
	b.Helper()
	out := filepath.Join(b.TempDir(), "out.xlsx")
	command := process(b, nil, append([]string{"export", "commissions", "--format", "xlsx", "--db", db, "-o", out}, args...)...)
	start := time.Now()
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	peak := peakMemory(command.Process.Pid)
	if err := command.Wait(); err != nil {
		b.Fatal(fmt.Errorf("export: %w", err))
	}
	return <-peak, time.Since(start)
}
