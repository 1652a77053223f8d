package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"rebatedesk/internal/benchdata"
	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/export"
	"rebatedesk/reports/query"
	"rebatedesk/store"
)

// The aims of these benchmarks:
//
//	CSV rows per second   ≥ 1.2 × sqlite3 -csv with the same query
//	                      ≤ 100 MiB at its peak, the first byte after ≤ 100 ms
//	XLSX rows per second  ≥ 0.8 × the library's own stream writer, filled from memory
//	a workbook            of 200,000 rows ≤ 64 MiB above an idle process

// likeOurs is the query that makes the sqlite3 program write the rows and columns of
// `export commissions` in the same order.
const likeOurs = `
	SELECT strftime('%Y-%m-%dT%H:%M:%fZ', c.deal_time_ms / 1000.0, 'unixepoch') AS deal_time_utc, c.deal_time_ms, a.name AS account, c.uid,
		nullif(i.invite_code, '') AS invite_code, c.product AS product_type, c.symbol, c.source AS source_type, c.coin,
		c.taker_amount, c.maker_amount, c.fee, c.rate, c.commission,
		strftime('%Y-%m-%dT%H:%M:%fZ', c.opened_ms / 1000.0, 'unixepoch') AS first_seen_utc
	FROM commissions c JOIN accounts a ON a.id = c.account_id
	LEFT JOIN invitees i ON i.account_id = c.account_id AND i.uid = c.uid
	WHERE c.closed_ms IS NULL ORDER BY c.deal_time_ms, c.id`

// BenchmarkExportCSV writes a million rows to a file, and alternates with sqlite3.
func BenchmarkExportCSV(b *testing.B) {
	if _, err := exec.LookPath("sqlite3"); err != nil {
		b.Skip("sqlite3 is not installed")
	}
	const records = 1_000_000
	db := benchdata.Path(b, records)
	dir := b.TempDir()
	var ours, theirs, first time.Duration
	var most int64
	for b.Loop() {
		peak, took := exportPeak(b, db, filepath.Join(dir, "ours.csv"), export.CSV)
		most, ours = max(most, peak), ours+took
		script := filepath.Join(dir, "theirs.csv")
		theirs += timed(b, exec.Command("sqlite3", "-readonly", db, "-cmd", ".mode csv", "-cmd", ".headers on", "-cmd", ".output "+script, likeOurs))
		first += firstByte(b, db)
	}
	sameSize(b, dir, records)
	b.ReportMetric(float64(records*b.N)/ours.Seconds(), "rows/s")
	b.ReportMetric(theirs.Seconds()/ours.Seconds(), "of-sqlite3-csv")
	b.ReportMetric(float64(most)/(1<<20), "MiB-peak")
	b.ReportMetric(float64(first.Milliseconds())/float64(b.N), "ms-to-first-byte")
}

// firstByte returns the time from a request for all records to the first byte of their file.
func firstByte(b *testing.B, db string) time.Duration {
	b.Helper()
	st, err := store.OpenReadOnly(b.Context(), db, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	service := reports.New(st, nil)
	basis, err := service.Basis(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	basis.Sorts, basis.Order = commissions.Sorts, query.Sort{Field: "time"}
	asked, err := query.Parse(url.Values{"range": {string(query.AllTime)}}, basis)
	if err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	file, err := service.OpenExport(b.Context(), commissions.File, asked)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	var came time.Time
	_, err = file.Write(b.Context(), writer(func(p []byte) (int, error) {
		came = time.Now()
		return 0, errEnough
	}), export.CSV)
	if !errors.Is(err, errEnough) {
		b.Fatal(err)
	}
	return came.Sub(start)
}

var errEnough = errors.New("enough is written")

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

func timed(b *testing.B, command *exec.Cmd) time.Duration {
	b.Helper()
	start := time.Now()
	if err := command.Run(); err != nil {
		b.Fatalf("%v: %v", command.Args, err)
	}
	return time.Since(start)
}

// sameSize checks that the comparison is fair: both files have the same rows.
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

// BenchmarkExportXLSX writes a workbook of a million rows, and alternates with the library's
// stream writer, which gets the same columns from memory.
func BenchmarkExportXLSX(b *testing.B) {
	const records = 1_000_000
	db := benchdata.Path(b, records)
	dir := b.TempDir()
	var ours, theirs time.Duration
	for b.Loop() {
		_, took := exportPeak(b, db, filepath.Join(dir, "ours.xlsx"), export.XLSX)
		ours += took
		start := time.Now()
		if err := writePlainWorkbook(filepath.Join(dir, "theirs.xlsx"), records); err != nil {
			b.Fatal(err)
		}
		theirs += time.Since(start)
	}
	b.ReportMetric(float64(records*b.N)/ours.Seconds(), "rows/s")
	b.ReportMetric(theirs.Seconds()/ours.Seconds(), "of-excelize")
}

// A Parquet file is compared with a CSV file of the same records.
func BenchmarkExportParquet(b *testing.B) {
	const records = 1_000_000
	db := benchdata.Path(b, records)
	dir := b.TempDir()
	var parquet, csv time.Duration
	var most, lines int64
	for b.Loop() {
		peak, took := exportPeak(b, db, filepath.Join(dir, "ours.parquet"), export.Parquet)
		most, parquet = max(most, peak), parquet+took
		peak, took = exportPeak(b, db, filepath.Join(dir, "ours.csv"), export.CSV)
		lines, csv = max(lines, peak), csv+took
	}
	b.ReportMetric(float64(records*b.N)/parquet.Seconds(), "rows/s")
	b.ReportMetric(csv.Seconds()/parquet.Seconds(), "of-csv")
	b.ReportMetric(float64(most)/(1<<20), "MiB-peak")
	b.ReportMetric(float64(lines)/(1<<20), "MiB-peak-csv")
}

// writePlainWorkbook writes the fifteen columns of commissions as the documentation of the
// library shows: numbers, texts, and times with a style.
func writePlainWorkbook(path string, rows int) (err error) {
	file := excelize.NewFile()
	defer func() { err = errors.Join(err, file.Close()) }()
	format := "yyyy-mm-dd hh:mm:ss.000"
	style, err := file.NewStyle(&excelize.Style{CustomNumFmt: &format})
	if err != nil {
		return err
	}
	sheet, err := file.NewStreamWriter("Sheet1")
	if err != nil {
		return err
	}
	for i := range rows {
		at := excelize.Cell{StyleID: style, Value: 45_947 + float64(i)/2500}
		row := []any{at, int64(i), "main", "4600000000", "code7", "SPOT", "PAIR07USDT_SPBL", "direct", "USDT",
			1000 + float64(i%9973)/1000, 500 + float64(i%7919)/1000, 1.5 + float64(i%99991)/1e6, 0.1, 0.25 + float64(i%99989)/1e8, at}
		if err := sheet.SetRow("A"+strconv.Itoa(i+1), row); err != nil {
			return err
		}
	}
	if err := sheet.Flush(); err != nil {
		return err
	}
	return file.SaveAs(path)
}

// BenchmarkExportXLSXMemory writes a workbook of 200,000 rows in a separate process.
func BenchmarkExportXLSXMemory(b *testing.B) {
	const records = 200_000
	db := filled(b, records)
	out := filepath.Join(b.TempDir(), "out.xlsx")
	for b.Loop() {
		idle, _ := exportPeak(b, db, out, export.XLSX, "--from", "2000-01-01", "--to", "2000-01-01")
		full, took := exportPeak(b, db, out, export.XLSX)
		b.ReportMetric(float64(full-idle)/(1<<20), "MiB-above-idle")
		b.ReportMetric(records/took.Seconds(), "rows/s")
	}
}

func exportPeak(b *testing.B, db, out string, format export.Format, args ...string) (bytes int64, took time.Duration) {
	b.Helper()
	command := process(b, nil, append([]string{"export", "commissions", "--format", string(format), "--db", db, "-o", out}, args...)...)
	start := time.Now()
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	peak := peakMemory(command.Process.Pid)
	if err := command.Wait(); err != nil {
		b.Fatal(fmt.Errorf("export: %w", err))
	}
	took = time.Since(start)
	return <-peak, took
}
