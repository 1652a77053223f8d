package main

import (
	"bufio"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// server is a server that runs as a separate process.
type server struct {
	testing.TB
	*exec.Cmd
	url    string // as the server printed it
	stderr *transcript
}

// transcript keeps what a process says, and may be read meanwhile.
type transcript struct {
	mu   sync.Mutex
	text strings.Builder
}

func (x *transcript) Write(p []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.text.Write(p)
}

func (x *transcript) String() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.text.String()
}

// serving starts the server and waits for its address. The exchange is down unless env names
// one. The server ends with the test at the latest.
func serving(t testing.TB, env []string, args ...string) *server {
	t.Helper()
	down := []string{
		"REBATEDESK_BASE_URL=http://127.0.0.1:9", "REBATEDESK_API_KEY=key", "REBATEDESK_API_SECRET=secret",
		"REBATEDESK_API_PASSPHRASE=phrase", "REBATEDESK_LOG_LEVEL=error", "REBATEDESK_DB=" + t.TempDir() + "/desk.db",
	}
	s := &server{TB: t, Cmd: process(t, append(down, env...), append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...), stderr: &transcript{}}
	s.Stderr = s.stderr
	stdout, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if url, found := strings.CutPrefix(lines.Text(), "url: "); found {
			s.url = strings.TrimSuffix(url, "/")
			return s
		}
	}
	_ = s.Wait() // its output follows
	t.Fatalf("serve ended without an address: %s", s.stderr)
	return nil
}

// terminated tells the server to stop, and returns how long that took and its result.
func (s *server) terminated() (time.Duration, error) {
	s.Helper()
	began := time.Now()
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		s.Fatal(err)
	}
	err := s.Wait()
	return time.Since(began), err
}
