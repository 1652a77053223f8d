package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"rebatedesk/store"
	"rebatedesk/store/records"
)

// The aims that these figures are held against:
//
//	start to ready      1,000,000 rows ≤ 2 s
//	memory of a backfill ≤ 150 MiB

// BenchmarkStart starts the server as a separate process over a million rows and over an
// empty database, and waits until it reports that it is ready. Its exchange is down,
// because the cost of the first collection is not part of the start.
func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	full := filepath.Join(dir, "full.db")
	copyFile(b, filled(b, 1_000_000), full)
	empty := filepath.Join(dir, "empty.db")
	startToReady(b, empty) // makes the tables
	var withRows, without time.Duration
	for b.Loop() {
		withRows += startToReady(b, full)
		without += startToReady(b, empty)
	}
	b.ReportMetric(float64(withRows.Milliseconds())/float64(b.N), "ms-to-ready")
	b.ReportMetric(float64(without.Milliseconds())/float64(b.N), "ms-empty")
	b.ReportMetric(withRows.Seconds()/without.Seconds(), "of-empty")
}

// startToReady is the time from the start of a server to its first word that
// it is ready. The server is stopped afterwards.
func startToReady(b *testing.B, db string) time.Duration {
	b.Helper()
	command := process(b, []string{
		"REBATEDESK_BASE_URL=http://127.0.0.1:9", "REBATEDESK_API_KEY=key", "REBATEDESK_API_SECRET=secret",
		"REBATEDESK_API_PASSPHRASE=phrase", "REBATEDESK_LOG_LEVEL=error",
	}, "serve", "--db", db, "--listen", "127.0.0.1:0")
	stdout, err := command.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	url, found := strings.CutPrefix(strings.TrimSpace(line), "url: ")
	if err != nil || !found {
		b.Fatalf("serve says %q, %v", line, err)
	}
	for !ready(url + "readyz") {
		if time.Since(began) > time.Minute {
			b.Fatal("not ready within a minute")
		}
		time.Sleep(time.Millisecond)
	}
	took := time.Since(began)
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		b.Fatal(err)
	}
	if err := command.Wait(); err != nil {
		b.Fatalf("serve: %v", err)
	}
	return took
}

func ready(url string) bool {
	answer, err := http.Get(url)
	if err != nil {
		return false
	}
	_ = answer.Body.Close() // nothing of it was read
	return answer.StatusCode == http.StatusOK
}

func copyFile(b *testing.B, from, to string) {
	b.Helper()
	source, err := os.Open(from)
	if err != nil {
		b.Fatal(err)
	}
	defer source.Close()
	target, err := os.Create(to)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := io.Copy(target, source); err != nil {
		b.Fatal(err)
	}
	if err := target.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkBackfillMemory follows the memory of processes that collect a year
// of 250,000 rows as fast as they can: of the command, and of the server.
func BenchmarkBackfillMemory(b *testing.B) {
	const records = 250_000
	env, _ := simulation(b, "--days", "365", "--invitees", "5000", "--records", fmt.Sprint(records), "--rate-limit", "0")
	for name, args := range map[string][]string{
		"collect": {"collect"},
		"serve":   {"serve", "--listen", "127.0.0.1:0"},
	} {
		b.Run(name, func(b *testing.B) {
			peak := int64(0)
			for b.Loop() {
				db := filepath.Join(b.TempDir(), "backfill.db")
				command := process(b, append(env, "REBATEDESK_DB="+db, "REBATEDESK_HISTORY=365d"), args...)
				if err := command.Start(); err != nil { // its stdout is the null device
					b.Fatal(err)
				}
				memory := peakMemory(command.Process.Pid)
				for began := time.Now(); backfilled(b, db) < records; time.Sleep(50 * time.Millisecond) {
					if time.Since(began) > 10*time.Minute {
						b.Fatal("not collected within ten minutes")
					}
				}
				// collect may have ended by itself.
				if err := command.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
					b.Fatal(err)
				}
				if err := command.Wait(); err != nil {
					b.Fatalf("%s: %v", name, err)
				}
				peak = max(peak, <-memory)
			}
			b.ReportMetric(float64(peak)/(1<<20), "MiB-peak")
		})
	}
}

// backfilled is how many records the first run has written, once it is over.
func backfilled(b *testing.B, db string) int64 {
	b.Helper()
	if _, err := os.Stat(db); err != nil {
		return 0 // not made yet
	}
	st, err := store.Open(b.Context(), db, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	reader, err := st.Read(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer reader.Close()
	run, err := records.LastRun(b.Context(), reader, "")
	if err != nil {
		b.Fatal(err)
	}
	if !run.Finished.Known() {
		return 0
	}
	if run.Error != "" || run.Failed > 0 {
		b.Fatalf("the backfill came to %+v", run)
	}
	return run.Opened
}
