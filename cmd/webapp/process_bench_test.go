package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"rebatedesk/internal/benchdata"
	"rebatedesk/store"
	"rebatedesk/store/records"
)

// The aims of these benchmarks:
//
//	start to ready       10,000,000 rows ≤ 150 ms
//	memory               45 MiB idle, 96 MiB at the end of an hour of 32 readers
//	memory of a backfill ≤ 150 MiB

// BenchmarkStart starts the server as a separate process over databases of several sizes
// and over an empty one, and waits until it reports that it is ready. Its exchange is down,
// because the cost of the first collection is not part of the start.
func BenchmarkStart(b *testing.B) {
	for _, size := range benchdata.Sizes(b) {
		b.Run(fmt.Sprint("rows=", size), func(b *testing.B) {
			dir := b.TempDir()
			full := filepath.Join(dir, "full.db")
			copyFile(b, benchdata.Path(b, size), full)
			empty := filepath.Join(dir, "empty.db")
			startToReady(b, empty) // creates the tables
			startToReady(b, full)  // creates the key
			var withRows, without time.Duration
			for b.Loop() {
				withRows += startToReady(b, full)
				without += startToReady(b, empty)
			}
			b.ReportMetric(float64(withRows.Milliseconds())/float64(b.N), "ms-to-ready")
			b.ReportMetric(float64(without.Milliseconds())/float64(b.N), "ms-empty")
			b.ReportMetric(withRows.Seconds()/without.Seconds(), "of-empty")
		})
	}
}

// hourOfReaders is the number of pages that 32 readers open in an hour of work, each one
// page in a minute and a half. The benchmark opens them in three minutes. A server keeps
// only the reports of a minute, which here are those of twenty minutes of work.
const (
	hourOfReaders = readers * 40
	hourTakes     = 3 * time.Minute
)

// BenchmarkMemory follows the memory of a server over the largest database: idle after the
// start, at the end of an hour of 32 readers, and a minute and a half later, with the share
// of reports that came from its cache. It compares sizes of that cache. Private memory leaves
// out the program itself, which the system can read again from its file.
func BenchmarkMemory(b *testing.B) {
	sizes := benchdata.Sizes(b)
	db := filepath.Join(b.TempDir(), "full.db")
	copyFile(b, benchdata.Path(b, sizes[len(sizes)-1]), db)
	const password = "seven lanterns uphill"
	add := process(b, nil, "user", "add", "--db", db, "--name", "vera", "--role", "viewer", "--password-stdin")
	add.Stdin = strings.NewReader(password)
	if said, err := add.CombinedOutput(); err != nil {
		b.Fatal(err, string(said))
	}
	for _, mib := range []string{"8", "24", "64"} {
		b.Run("REPORT_CACHE="+mib, func(b *testing.B) {
			for b.Loop() {
				metrics := freeAddress(b)
				s := serving(b, []string{"REBATEDESK_DB=" + db, "REBATEDESK_REPORT_CACHE=" + mib, "REBATEDESK_METRICS_LISTEN=" + metrics})
				for !ready(s.url + "/readyz") {
					time.Sleep(time.Millisecond)
				}
				time.Sleep(3 * time.Second) // the preparation after the start has ended by then
				reportMemory(b, s.Process.Pid, "idle")
				vera := signedInAt(b, s.url, "vera", password)
				var work sync.WaitGroup
				ticks := hourTakes * readers / hourOfReaders
				for reader := range readers {
					work.Go(func() {
						time.Sleep(ticks * time.Duration(reader) / readers)
						next := time.NewTicker(ticks)
						defer next.Stop()
						for page := range hourOfReaders / readers {
							<-next.C
							if status := answered(vera, s.url+libraryPage(reader+page)); status != http.StatusOK {
								b.Errorf("%s: status %d", libraryPage(reader+page), status)
							}
						}
					})
				}
				work.Wait()
				reportMemory(b, s.Process.Pid, "readers")
				hits, misses := metricOf(b, metrics, "report_cache_hits_total"), metricOf(b, metrics, "report_cache_misses_total")
				b.ReportMetric(hits/(hits+misses), "hit-rate")
				b.ReportMetric(metricOf(b, metrics, "report_cache_bytes")/(1<<20), "MiB-cached")
				time.Sleep(90 * time.Second)
				reportMemory(b, s.Process.Pid, "later")
				if took, err := s.terminated(); err != nil {
					b.Errorf("ended with %v after %v: %s", err, took, s.stderr)
				}
			}
		})
	}
}

// reportMemory reports the resident and the private memory of a process.
func reportMemory(b *testing.B, pid int, when string) {
	b.Helper()
	b.ReportMetric(float64(residentMemory(b, pid))/(1<<20), "MiB-"+when)
	b.ReportMetric(float64(memoryOf(b, pid, "RssAnon:"))/(1<<20), "MiB-private-"+when)
}

// libraryPage returns one of the pages that readers open: each report over several ranges.
func libraryPage(i int) string {
	ranges := []string{"30d", "7d", "mtd", "90d", "30d", "12m", "all", "last-month"}
	return readerPages[i%len(readerPages)] + "?range=" + ranges[i/len(readerPages)%len(ranges)]
}

// freeAddress returns an unused loopback address.
func freeAddress(b *testing.B) string {
	b.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// metricOf returns the value of a metric without labels.
func metricOf(b *testing.B, address, name string) float64 {
	b.Helper()
	_, after, found := strings.Cut(fetch(b, "http://"+address+"/metrics"), "\nrebatedesk_"+name+" ")
	line, _, _ := strings.Cut(after, "\n")
	n, err := strconv.ParseFloat(line, 64)
	if err != nil || !found {
		b.Fatalf("metric %s: %q", name, line)
	}
	return n
}

// startToReady returns the time from the start of a server until it reports that it is
// ready. It stops the server afterwards.
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

// BenchmarkBackfillMemory follows the memory of the command and of the server while they
// collect a year of 250,000 rows as fast as they can.
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
				// collect may have ended already.
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

// backfilled returns the number of records that the first run wrote, once the run is over.
func backfilled(b *testing.B, db string) int64 {
	b.Helper()
	if _, err := os.Stat(db); err != nil {
		return 0 // the database does not exist yet
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
		b.Fatalf("the backfill gave %+v", run)
	}
	return run.Opened
}
