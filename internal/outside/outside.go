// Package outside runs programs of others in tests: proxies, checkers, readers of files. A test that
// needs one which is not installed is skipped, or fails if REBATEDESK_REQUIRE_OUTSIDE is 1, as with
// make outside.
package outside

import (
	"bytes"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
)

// Program returns the path of an installed program.
func Program(t testing.TB, name string) string {
	t.Helper()
	for _, at := range []string{name, "/usr/sbin/" + name, "/usr/bin/" + name} {
		if path, err := exec.LookPath(at); err == nil {
			return path
		}
	}
	lacking(t, name+" is not installed")
	return ""
}

// File returns the path of a file that a variable of the environment names, such as the jar of a
// program.
func File(t testing.TB, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		lacking(t, variable+" names no file")
	}
	return path
}

func lacking(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("REBATEDESK_REQUIRE_OUTSIDE") == "1" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// Start starts a program with more variables of its environment. The result ends it; if the test
// failed, what the program said is logged.
func Start(t testing.TB, command *exec.Cmd, environment ...string) (stop func()) {
	t.Helper()
	var said locked
	command.Stdout, command.Stderr = &said, &said
	command.Env = append(os.Environ(), environment...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	return func() {
		if err := syscall.Kill(-command.Process.Pid, syscall.SIGTERM); err != nil {
			t.Logf("%s had ended: %v", command.Path, err)
		}
		<-ended // how it ends when it is told to is its own affair
		if t.Failed() {
			t.Logf("%s said:\n%s", command.Path, said.String())
		}
	}
}

// locked takes what a program says on both of its streams.
type locked struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
