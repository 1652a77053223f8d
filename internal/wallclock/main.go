// Command wallclock runs tests at other times of the wall clock. It compiles them once
// against a package time whose Now is shifted, and runs them at each instant that is easily
// forgotten. Elapsed time, as timers measure it, is unchanged.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("wallclock: ")
	only := flag.String("at", "", "only the instants whose name matches this expression")
	run := flag.String("run", "", "only the tests that match this expression")
	list := flag.Bool("list", false, "print the instants and end")
	now := flag.Bool("now", false, "print the time and end; the sweep asks itself, to prove the shift")
	flag.Parse()
	if *now {
		fmt.Println(time.Now().Format(time.RFC3339))
		return
	}
	if *list {
		for _, at := range instants() {
			fmt.Println(at)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := sweep(ctx, *only, *run, flag.Args()); err != nil {
		log.Fatal(err)
	}
}

// sweep runs the tests of the packages at each instant chosen.
func sweep(ctx context.Context, only, run string, packages []string) (err error) {
	name, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("-at: %w", err)
	}
	chosen := slices.DeleteFunc(instants(), func(i instant) bool { return !name.MatchString(i.String()) })
	if len(chosen) == 0 {
		return fmt.Errorf("no instant is called like %q", only)
	}
	if len(packages) == 0 {
		packages = dependent
	}
	built, err := os.MkdirTemp("", "rebatedesk-wallclock-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(built)) }()
	suite, err := compile(ctx, built, packages)
	if err != nil {
		return err
	}
	var failed []string
	for _, at := range chosen {
		if err := suite.proveShift(ctx, at); err != nil {
			return err
		}
		for _, test := range suite.tests {
			began := time.Now()
			said, err := suite.run(ctx, test, at, run)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			took := time.Since(began).Round(100 * time.Millisecond)
			if err == nil {
				fmt.Printf("ok    %-32s %-20s %s\n", at, test.pkg, took)
				continue
			}
			failed = append(failed, at.String()+" "+test.pkg)
			fmt.Printf("FAIL  %-32s %-20s %s: %v\n%s\n", at, test.pkg, took, err, said)
		}
	}
	fmt.Printf("%d instants × %d packages: %d failed\n", len(chosen), len(suite.tests), len(failed))
	if len(failed) > 0 {
		return fmt.Errorf("failed:\n  %s", strings.Join(failed, "\n  "))
	}
	return nil
}

// suite is the compiled tests and this program, compiled in the same way.
type suite struct {
	probe string
	tests []compiled
}

// compiled is the test binary of a package.
type compiled struct{ pkg, dir, file string }

// compile builds the tests against the shifted package time. That package is always in the
// same place in the user's cache, so that Go's build cache recognises it.
func compile(ctx context.Context, built string, packages []string) (*suite, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(cache, "rebatedesk-wallclock")
	tools, err := linkToolchain(ctx, dir)
	if err != nil {
		return nil, err
	}
	overlay, err := tools.shiftedTime(dir)
	if err != nil {
		return nil, err
	}
	out, err := tools.command(ctx, append([]string{"list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}"}, packages...)...)
	if err != nil {
		return nil, err
	}
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	s := &suite{probe: filepath.Join(built, "wallclock")}
	if _, err := tools.command(ctx, "build", "-overlay", overlay, "-o", s.probe, "./internal/wallclock"); err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(out)) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
		short, err := filepath.Rel(root, dir)
		if err != nil {
			return nil, err
		}
		test := compiled{pkg: filepath.ToSlash(short), dir: dir, file: filepath.Join(built, strings.ReplaceAll(filepath.ToSlash(short), "/", "-")+".test")}
		if _, err := tools.command(ctx, "test", "-c", "-vet=off", "-overlay", overlay, "-o", test.file, path); err != nil {
			return nil, err
		}
		s.tests = append(s.tests, test)
	}
	return s, nil
}

// run runs the tests of a package as if it were that instant. It excludes tests in a
// browser, which has a separate clock, and tests that measure time or repeat themselves.
func (s *suite) run(ctx context.Context, test compiled, at instant, run string) ([]byte, error) {
	command := exec.CommandContext(ctx, test.file, "-test.short", "-test.timeout=15m", "-test.run="+run, "-test.skip="+leftOut)
	command.Dir, command.Env = test.dir, at.environment()
	out, err := command.CombinedOutput()
	return out, err
}

// proveShift reads the time in a program compiled like the tests.
func (s *suite) proveShift(ctx context.Context, at instant) error {
	command := exec.CommandContext(ctx, s.probe, "-now")
	command.Env = at.environment()
	out, err := command.Output()
	if err != nil {
		return err
	}
	said, err := time.Parse(time.RFC3339, string(bytes.TrimSpace(out)))
	if err != nil {
		return err
	}
	if off := said.Sub(at.time); off.Abs() > 10*time.Second {
		return fmt.Errorf("the clock is not shifted to %s, it shows %s", at, said)
	}
	return nil
}
