package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rebatedesk/store/storetest"
)

// killedCopy copies in a process that is killed at a request to the database server, whose
// network is cut, and reports whether that happened.
func killedCopy(t *testing.T, cut *storetest.Cut, n int, from, to string) bool {
	t.Helper()
	child := process(t, []string{leasesLast + "=1500ms"}, "copy", "--from="+from, "--to="+to)
	begun := make(chan struct{})
	cut.Call(n, func() {
		<-begun
		_ = child.Process.Kill() // it has ended already, or it is killed
	})
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	close(begun)
	err := child.Wait()
	if happened := cut.Happened(); happened != (err != nil) || happened && child.ProcessState.ExitCode() != -1 { // -1: by a signal
		t.Fatalf("killed at request %d of %s to %s (%t): %v", n, from, to, happened, err)
	}
	return err != nil
}

// copiesAgain copies once more. As long as the lease of a killed copy lasts, that is refused.
func (d *harness) copiesAgain(from, to string) {
	d.Helper()
	for end := time.Now().Add(time.Minute); ; {
		status, stdout, stderr := d.run(d.Context(), nil, "copy", "--from="+from, "--to="+to)
		if status == statusDone && strings.Contains(stdout, "checked: SPOT ") {
			return
		}
		if status != statusFailed || !strings.Contains(stderr, "another process is collecting into this database; wait for it") || time.Now().After(end) {
			d.Fatalf("the second copy: status %d, %s%s", status, stdout, stderr)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// A copy that is killed anywhere leaves nothing of itself, in a server or in a file, and the
// next one works.
func TestKilledCopyOnPostgres(t *testing.T) {
	storetest.PostgresOnly(t)
	t.Parallel()
	d := readOnly(t)
	want := d.done(nil, "export", "commissions")
	requests := func(cut *storetest.Cut, from, to string) int {
		before := cut.Requests()
		if killedCopy(t, cut, 1_000_000, from, to) {
			t.Fatal("it was killed")
		}
		return cut.Requests() - before
	}
	place := storetest.Empty(t)
	through, cut := storetest.NewCut(t, place)
	n := requests(cut, d.db, through)
	for _, part := range []int{2, 5, 8} { // of ten
		place = storetest.Empty(t)
		through, cut := storetest.NewCut(t, place)
		if !killedCopy(t, cut, n*part/10, d.db, through) {
			t.Errorf("not killed at request %d", n*part/10)
		}
		d.copiesAgain(d.db, place)
	}
	if got := d.done(nil, "export", "commissions", "--db="+place); got != want {
		t.Error("the export of the copy is another")
	}

	folder := t.TempDir()
	through, cut = storetest.NewCut(t, place)
	n = requests(cut, through, filepath.Join(t.TempDir(), "desk.db"))
	for _, part := range []int{3, 9} {
		file := filepath.Join(folder, "desk.db")
		if !killedCopy(t, cut, n*part/10, through, file) {
			t.Errorf("not killed at request %d", n*part/10)
		}
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("there is a file: %v", err)
		}
		if status, _, stderr := d.run(t.Context(), nil, "verify", "--db="+file); status != statusFailed || !strings.Contains(stderr, "there is no database") {
			t.Errorf("verify: status %d, %s", status, stderr)
		}
		d.copiesAgain(place, file)
		if got := d.done(nil, "export", "commissions", "--db="+file); got != want {
			t.Error("the export of the copy is another")
		}
		if names := storetest.Names(t, folder); strings.Contains(strings.Join(names, " "), "partial") {
			t.Errorf("the folder has %q", names)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}
