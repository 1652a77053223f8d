package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"rebatedesk/cmd/webapp/internal/config"
)

// The simulator runs as a process: it prints one line of JSON, serves its ledger, and ends
// without output on a signal.
func TestSimulate(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			command := exec.CommandContext(t.Context(), os.Args[0],
				"simulate", "--listen=127.0.0.1:0", "--seed=7", "--days=5", "--invitees=10", "--records=40", "--rate-limit=0", "--live")
			command.Env = append(command.Environ(), runAsProgram+"=1", "REBATEDESK_API_KEY_FILE=/does/not/exist")
			var stderr strings.Builder
			command.Stderr = &stderr
			stdout, err := command.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewReader(stdout)
			first, err := lines.ReadString('\n')
			if err != nil {
				t.Fatalf("no line on stdout: %v; stderr %q", err, stderr.String())
			}
			checkSimulated(t, first)

			start := time.Now()
			if err := command.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			rest, err := io.ReadAll(lines)
			if err != nil {
				t.Fatal(err)
			}
			if err := command.Wait(); err != nil || len(rest) > 0 || stderr.Len() > 0 {
				t.Errorf("ended with %v, further stdout %q, stderr %q", err, rest, stderr.String())
			}
			if took := time.Since(start); took > time.Minute {
				t.Errorf("took %v to stop", took)
			}
		})
	}
}

// checkSimulated checks the fields of the line and requests the ledger from its address.
func checkSimulated(t *testing.T, line string) {
	t.Helper()
	var fields map[string]string
	if err := json.Unmarshal([]byte(line), &fields); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	for _, name := range []string{"base_url", "contract_base_url", "api_key", "api_secret", "api_passphrase"} {
		if fields[name] == "" {
			t.Errorf("no %s in %s", name, line)
		}
	}
	if len(fields) != 5 {
		t.Errorf("%d fields in %s, want 5", len(fields), line)
	}
	if _, p := config.ParseBaseURL(fields["base_url"]); p != nil {
		t.Errorf("our own settings refuse %s: %s", fields["base_url"], p.Wrong)
	}
	answer, err := http.Get(fields["base_url"] + "/ledger/commissions.csv")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(answer.Body)
	if err := answer.Body.Close(); err != nil {
		t.Error(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if rows := slices.Collect(strings.Lines(string(body))); answer.StatusCode != http.StatusOK || len(rows) < 41 {
		t.Errorf("ledger: status %d, %d lines, want a header and 40 or more", answer.StatusCode, len(rows))
	}
}

func TestSimulateUsage(t *testing.T) {
	t.Parallel()
	for flag, says := range map[string]string{
		"--listen=nowhere":  "host:port",
		"--days=0":          "--days 0",
		"--invitees=-1":     "--invitees -1",
		"--records=-1":      "--records -1",
		"--rate-limit=-1":   "--rate-limit -1",
		"--faults=terrible": "--faults",
	} {
		status, stdout, stderr := webapp(t.Context(), "simulate", flag)
		if status != statusUsage || stdout != "" || !strings.Contains(stderr, says) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, stdout %q, stderr %q", flag, status, stdout, stderr)
		}
	}
}

func TestSimulateOnATakenAddress(t *testing.T) {
	t.Parallel()
	server, err := (&simulateCommand{Exchange: "weex", Listen: "127.0.0.1:0", Days: 1, Faults: "none", Payouts: "day"}).listen(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	}()
	address := strings.TrimPrefix(server.BaseURL, "http://")
	status, stdout, stderr := webapp(t.Context(), "simulate", "--records=0", "--listen="+address)
	if status != statusFailed || stdout != "" || !strings.Contains(stderr, "address already in use") {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}
