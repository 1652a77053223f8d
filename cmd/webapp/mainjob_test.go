package main

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/internal/soak"
)

// process starts the program as a separate process, which ends with the test.
func process(t testing.TB, env []string, args ...string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0], args...)
	command.Env = append(command.Environ(), runAsProgram+"=1")
	command.Env = append(command.Env, env...)
	return command
}

// ending holds the exit status of a process and its output.
type ending struct {
	status         int
	stdout, stderr string
	err            error // the process could not be started
}

// ended runs the program to its end.
func ended(t testing.TB, env []string, args ...string) ending {
	t.Helper()
	command := process(t, env, args...)
	var out, errs strings.Builder
	command.Stdout, command.Stderr = &out, &errs
	if err := command.Run(); command.ProcessState == nil {
		return ending{err: err}
	}
	return ending{status: command.ProcessState.ExitCode(), stdout: out.String(), stderr: errs.String()}
}

// finished is like ended, for the goroutine of a test.
func finished(t testing.TB, env []string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	e := ended(t, env, args...)
	if e.err != nil {
		t.Fatal(e.err)
	}
	return e.status, e.stdout, e.stderr
}

// simulation starts an exchange as a separate process and returns the settings for it.
func simulation(t testing.TB, args ...string) (env []string, base string) {
	t.Helper()
	s, _ := simulatorProcess(t, args...)
	return []string{
		"REBATEDESK_BASE_URL=" + s.BaseURL, "REBATEDESK_API_KEY=" + s.APIKey, "REBATEDESK_API_SECRET=" + s.APISecret,
		"REBATEDESK_API_PASSPHRASE=" + s.APIPassphrase, "REBATEDESK_RATE_BUDGET=1000000", "REBATEDESK_LOG_LEVEL=error",
	}, s.BaseURL
}

// simulatorProcess starts the simulator as a separate process, which ends with the test.
func simulatorProcess(t testing.TB, args ...string) (s reachable, pid int) {
	t.Helper()
	command := process(t, nil, append([]string{"simulate", "--listen", "127.0.0.1:0"}, args...)...)
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait() // the process was killed, so the error is expected
	})
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(line, &s); err != nil {
		t.Fatal(err)
	}
	return s, command.Process.Pid
}

// table reads CSV text into the rows below its header.
func table(t testing.TB, text string) (header []string, rows [][]string) {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all[0], all[1:]
}

func fetch(t testing.TB, url string) string {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", url, answer.Status, err)
	}
	return string(body)
}

// multiset counts equal rows. It ignores the last column, the time at which we first saw a
// row.
func multiset(rows [][]string) map[string]int {
	count := map[string]int{}
	for _, row := range rows {
		count[strings.Join(row, ",")]++
	}
	return count
}

// compare reports the number of missing rows and of surplus rows.
func compare(t testing.TB, what string, got, want map[string]int) {
	t.Helper()
	lost, extra, example := 0, 0, ""
	for row, n := range want {
		if got[row] < n {
			lost += n - got[row]
			example = row
		}
	}
	for row, n := range got {
		if n > want[row] {
			extra += n - want[row]
			example = row
		}
	}
	if lost+extra > 0 {
		t.Errorf("%s: %d rows lost, %d rows extra, such as %s", what, lost, extra, example)
	}
}

// sumsByDay adds up the ledger in the columns of the daily export, and uses no arithmetic of
// ours.
func sumsByDay(t testing.TB, rows [][]string) map[string]int {
	t.Helper()
	type sums struct {
		records                  int
		fee, commission, tk, mkr big.Rat
	}
	days := map[string]*sums{}
	add := func(to *big.Rat, text string) {
		n, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatalf("the ledger has %q for a number", text)
		}
		to.Add(to, n)
	}
	for _, r := range rows {
		key := strings.Join([]string{r[0][:10], r[2], r[5], r[8], r[7]}, ",") // the first columns of daily
		s := days[key]
		if s == nil {
			s = new(sums)
			days[key] = s
		}
		s.records++
		add(&s.tk, r[9])
		add(&s.mkr, r[10])
		add(&s.fee, r[11])
		add(&s.commission, r[13])
	}
	plain := func(r *big.Rat) string { return string(affiliate.Number(r.FloatString(18)).Canonical()) }
	lines := map[string]int{}
	for key, s := range days {
		lines[fmt.Sprintf("%s,%d,%s,%s,%s,%s", key, s.records, plain(&s.fee), plain(&s.commission), plain(&s.tk), plain(&s.mkr))]++
	}
	return lines
}

// The main job succeeds under all faults at once: the exchange sends wrong answers and
// fails, and the collector is killed repeatedly. In the end the exports equal the exchange's
// own ledger, row by row and sum by sum, and another run finds nothing to do.
func TestSoakMainJobUnderHarshFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute or two")
	}
	records, days := soak.Times(15_000, 100_000), strconv.Itoa(soak.Times(150, 400))
	env, base := simulation(t, "--seed", "11", "--days", days, "--invitees", strconv.Itoa(records/50), "--records", strconv.Itoa(records),
		"--faults", "harsh", "--rate-limit", "0")
	db := filepath.Join(t.TempDir(), "main.db")
	env = append(env, "REBATEDESK_DB="+db, "REBATEDESK_HISTORY="+days+"d")

	// This test waits longer than it computes, so it begins before the following
	// tests and continues alongside them.
	collected := make(chan ending, 1)
	go func() { collected <- collectKilled(t, env) }()
	t.Parallel()
	first := <-collected

	var report struct {
		Complete       bool
		Opened, Closed int
		Incomplete     []any
	}
	if err := json.Unmarshal([]byte(first.stdout), &report); err != nil || first.status != statusDone || first.err != nil || !report.Complete {
		t.Fatalf("collect after the kills: %v, %+v", err, first)
	}
	compareWithLedger(t, env, base)

	status, stdout, stderr := finished(t, env, "collect", "--json")
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || status != statusDone || report.Opened+report.Closed != 0 {
		t.Errorf("collecting once more: status %d, %v, stdout %s, stderr %s; want nothing opened or closed", status, err, stdout, stderr)
	}
	compareWithLedger(t, env, base)
}

// collectKilled collects with processes that are killed, and then with one that runs to its
// end.
func collectKilled(t *testing.T, env []string) ending {
	random := rand.New(rand.NewPCG(1, 2))
	for range soak.Times(5, 12) {
		run := process(t, env, "collect")
		if err := run.Start(); err != nil {
			return ending{err: err}
		}
		time.Sleep(time.Duration(200+random.IntN(1500)) * time.Millisecond)
		if err := run.Process.Kill(); err != nil {
			t.Logf("the run ended before it could be killed: %v", err)
		}
		_ = run.Wait() // killed
	}
	return ended(t, env, "collect", "--json")
}

func compareWithLedger(t *testing.T, env []string, base string) {
	t.Helper()
	truthHeader, truth := table(t, fetch(t, base+"/ledger/commissions.csv"))
	status, stdout, stderr := finished(t, env, "export", "commissions")
	if status != statusDone || stderr != "" {
		t.Fatalf("export commissions: status %d, stderr %s", status, stderr)
	}
	header, rows := table(t, stdout)
	if strings.Join(header, ",") != strings.Join(truthHeader, ",") {
		t.Fatalf("the columns are %v, the ledger has %v", header, truthHeader)
	}
	compare(t, "export commissions", withoutCodes(rows), withoutCodes(truth))

	status, stdout, stderr = finished(t, env, "export", "daily")
	if status != statusDone || stderr != "" {
		t.Fatalf("export daily: status %d, stderr %s", status, stderr)
	}
	_, days := table(t, stdout)
	got := map[string]int{}
	for _, d := range days {
		got[strings.Join(d, ",")]++
	}
	compare(t, "export daily", got, sumsByDay(t, truth))
}

// withoutCodes removes the invite code, since the exchange no longer reports it for users
// who registered over 365 days ago, and when a record was first seen, which only a collector knows.
func withoutCodes(rows [][]string) map[string]int {
	for _, row := range rows {
		row[4], row[14] = "", ""
	}
	return multiset(rows)
}
