package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"rebatedesk/access"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/internal/benchdata"
	"rebatedesk/internal/crashtest"
	"rebatedesk/internal/memdir"
)

// runAsProgram turns the test binary into the program, so that tests can start it as a
// process and send it signals.
const runAsProgram = "WEBAPP_TEST_RUN_MAIN"

// leasesLast sets the time of leases for such a process.
const leasesLast = "WEBAPP_TEST_LEASE_TIME"

// fullPasswords gives passwords in such a process what they cost in the program.
const fullPasswords = "WEBAPP_TEST_FULL_PASSWORDS"

// killedAt has such a process kill itself before a step in its database.
const killedAt = "WEBAPP_TEST_KILLED_AT"

// lineReader is a command line with its parser, which reads one after the other.
type lineReader struct {
	line   commandLine
	parser *kong.Kong
	anew   []func() // make the parts of the parser what they were
}

// lineReaders are those that are not in use: making a parser takes longer than most commands.
var lineReaders = sync.Pool{New: func() any {
	r := new(lineReader)
	var err error
	if r.parser, err = parserInto(&r.line); err != nil {
		panic(err)
	}
	err = kong.Visit(r.parser.Model, func(part kong.Visitable, next kong.Next) error {
		switch part := part.(type) {
		case *kong.Application:
			r.anew = append(r.anew, restores(part.Node))
		case *kong.Node:
			r.anew = append(r.anew, restores(part))
		case *kong.Value:
			r.anew = append(r.anew, restores(part))
		}
		return next(nil)
	})
	if err != nil {
		panic(err)
	}
	return r
}}

// restores returns what makes a value what it is now.
func restores[T any](value *T) func() {
	was := *value
	return func() { *value = was }
}

// runs is run with a parser that may have read other command lines before, of which nothing is left.
func (p *program) runs(ctx context.Context, args []string) int {
	r := lineReaders.Get().(*lineReader)
	defer lineReaders.Put(r)
	r.line = commandLine{}
	for _, restore := range r.anew {
		restore()
	}
	return p.runParsed(ctx, r.parser, args)
}

func TestMain(m *testing.M) {
	if err := memdir.Use(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if os.Getenv(fullPasswords) == "" {
		accessTo = access.NewForTests
	}
	if os.Getenv(runAsProgram) != "" {
		if n, err := strconv.ParseInt(os.Getenv(killedAt), 10, 64); err == nil {
			crashtest.Aim{N: n}.Take()
		}
		leaseTime, err := time.ParseDuration(cmp.Or(os.Getenv(leasesLast), "0"))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		runProcess(leaseTime)
	}
	debug.SetGCPercent(400) // as in crashtest.Main
	status := m.Run()
	removeDatabases()
	benchdata.Remove()
	os.Exit(status)
}

// webapp runs a command line in this process.
func webapp(ctx context.Context, args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	p := &program{stdin: strings.NewReader(""), stdout: &out, stderr: &errs}
	status = p.runs(ctx, args)
	return status, out.String(), errs.String()
}

func TestWrongUsage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {"nothing"}, {"version", "--what"}, {"version", "more"}, {"--config"}, {"simulate", "--seed=x"}} {
		status, stdout, stderr := webapp(t.Context(), args...)
		if status != statusUsage || stdout != "" || !strings.HasPrefix(stderr, "webapp: ") || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: status %d, stdout %q, stderr %q", args, status, stdout, stderr)
		}
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--help"}, {"simulate", "--help"}, {"version", "--help"}, {"simulate", "-h", "--seed=2"}} {
		status, stdout, stderr := webapp(t.Context(), args...)
		if status != statusDone || !strings.HasPrefix(stdout, "Usage: webapp") || stderr != "" {
			t.Errorf("%q: status %d, stdout %q, stderr %q", args, status, stdout, stderr)
		}
	}
}

// The doctor checks what a server would run with, so it takes the settings of one,
// and shows them in the same order.
func TestDoctorTakesTheSettingsOfServe(t *testing.T) {
	t.Parallel()
	shown := map[string]string{}
	for _, command := range []string{"serve", "doctor"} {
		_, help, _ := webapp(t.Context(), command, "--help")
		_, shown[command], _ = strings.Cut(help, "\nSettings:\n")
	}
	if shown["serve"] == "" || shown["serve"] != shown["doctor"] {
		t.Errorf("serve takes\n%s\ndoctor takes\n%s", shown["serve"], shown["doctor"])
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err    error
		status int
		stderr string
	}{
		{nil, 0, ""},
		{errors.New("no"), 1, "webapp: no\n"},
		{context.Canceled, 1, "webapp: context canceled\n"},
		{usage("say %s", "what"), 2, "webapp: say what\n"},
		{fmt.Errorf("load: %w", config.SettingFaults{{Setting: "A", Wrong: "is x", Hint: "do y"}, {Setting: "B", Origin: "--b", Wrong: "is z", Hint: "do w"}}), 2, "webapp: load: A is x; do y\nwebapp: B (--b) is z; do w\n"},
		{fmt.Errorf("collect: %w", &incompleteError{[]string{"one"}}), 3, "webapp: collect: one\n"},
		{&incompleteError{[]string{"one", "two"}}, 3, "webapp: one\nwebapp: two\n"},
	} {
		var stderr bytes.Buffer
		p := &program{stderr: &stderr}
		if status := p.finish(c.err); status != c.status || stderr.String() != c.stderr {
			t.Errorf("%v: status %d, stderr %q; want %d, %q", c.err, status, &stderr, c.status, c.stderr)
		}
	}
}
