package crashtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"testing"

	"rebatedesk/internal/memdir"
)

// taskOf makes a test binary a child: the process that gets killed. Its value is the task.
const taskOf = "REBATEDESK_TEST_TASK"

// Main runs the tests of a package, and in a child of [Child] its task.
func Main[T any](m *testing.M, be func(T) error) {
	debug.SetGCPercent(400) // memory is there, and collecting it took a tenth of the time
	err := memdir.Use()
	text := os.Getenv(taskOf)
	if err == nil && text == "" {
		os.Exit(m.Run())
	}
	if err == nil {
		var task T
		if err = json.Unmarshal([]byte(text), &task); err == nil {
			err = be(task)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Child returns the test binary as a process that does a task.
func Child(tb testing.TB, task any) *exec.Cmd {
	tb.Helper()
	text, err := json.Marshal(task)
	if err != nil {
		tb.Fatal(err)
	}
	child := exec.CommandContext(tb.Context(), os.Args[0])
	child.Env = append(child.Environ(), taskOf+"="+string(text))
	return child
}

// Run does a task in a child and reports whether the child was killed. One that fails otherwise, or
// says anything, fails the test.
func Run(tb testing.TB, task any) (killed bool) {
	tb.Helper()
	child := Child(tb, task)
	var said bytes.Buffer
	child.Stderr = &said
	err := child.Run()
	if killed = child.ProcessState != nil && child.ProcessState.ExitCode() == -1; err != nil && !killed || said.Len() > 0 { // -1: by a signal
		tb.Fatalf("the child: %v: %s", err, said.String())
	}
	return killed
}

// Each kills children at each of some points, and then before every stride-th step in their databases
// until one finishes. A point at which none is killed, and children of fewer steps than least, fail
// the test: it would kill at the wrong places.
func Each(tb testing.TB, points []Aim, stride, least int64, try func(Aim) (killed bool)) {
	tb.Helper()
	for _, at := range points {
		if !try(at) {
			tb.Errorf("%s: not killed", at)
		}
	}
	n := int64(1)
	for ; try(Aim{N: n}); n += stride {
	}
	tb.Logf("%d kills in the database, at every %dth step", n/stride, stride)
	if n < least {
		tb.Errorf("a child without a kill takes less than %d steps", n)
	}
}
