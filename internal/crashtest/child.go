package crashtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"testing"

	"rebatedesk/internal/memdir"
	"rebatedesk/internal/soak"
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
			err = errors.Join(be(task), writeSteps())
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

// kills is before how many steps in a database [Each] kills, unless the long versions were requested.
const kills = 10

// Each kills children at each of some points, and then before steps in their databases: ten that are
// spread from the first to the last, or in the long version every one. A point at which none is
// killed, and children of fewer steps than least, fail the test: it would kill at the wrong places.
func Each(tb testing.TB, points []Aim, least int64, try func(Aim) (killed bool)) {
	tb.Helper()
	for _, at := range points {
		if !try(at) {
			tb.Errorf("%s: not killed", at)
		}
	}
	steps := int64(0)
	if soak.Long() {
		for try(Aim{N: steps + 1}) {
			steps++
		}
	} else {
		steps = stepsOf(tb, try)
		for _, n := range Spread(steps) {
			// How many steps a child takes may depend on what happens at the same time.
			if !try(Aim{N: n}) && n <= steps*3/4 {
				tb.Errorf("%s: not killed", Aim{N: n})
			}
		}
	}
	tb.Logf("a child takes %d steps in its database", steps)
	if steps < least {
		tb.Errorf("a child without a kill takes only %d steps, want at least %d", steps, least)
	}
}

// stepsOf returns how many steps a child takes that is not killed.
func stepsOf(tb testing.TB, try func(Aim) (killed bool)) (steps int64) {
	tb.Helper()
	at := Aim{N: math.MaxInt64, Counted: filepath.Join(tb.TempDir(), "steps")}
	if try(at) {
		tb.Fatal("a child was killed that should come to its end")
	}
	text, err := os.ReadFile(at.Counted)
	if err == nil {
		steps, err = strconv.ParseInt(string(text), 10, 64)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return steps
}

// Spread returns the steps, of so many, before which to kill: ten that are spread from the first to the
// last, or in the long version every one.
func Spread(steps int64) (list []int64) {
	few := steps
	if !soak.Long() {
		few = min(few, kills)
	}
	for i := range few {
		list = append(list, 1+i*(steps-1)/max(1, few-1))
	}
	return list
}
