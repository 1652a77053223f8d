package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A command on a database that every user can reach warns and gives a hint; group access is
// intentional.
func TestDatabaseOfEverybody(t *testing.T) {
	t.Parallel()
	for mode, told := range map[fs.FileMode]bool{0o600: false, 0o660: false, 0o640: false, 0o604: true, 0o644: true, 0o666: true} {
		d := readOnly(t)
		if err := os.Chmod(d.db, mode); err != nil {
			t.Fatal(err)
		}
		status, _, stderr := d.run(t.Context(), []string{"REBATEDESK_LOG_LEVEL=warn"}, "export", "daily")
		if warned := strings.Contains(stderr, "chmod o= "+d.db); status != statusDone || warned != told {
			t.Errorf("mode %#o: status %d, stderr %s", mode, status, stderr)
		}
		if info, err := os.Stat(d.db); err != nil || info.Mode().Perm() != mode {
			t.Errorf("mode %#o became %v, %v", mode, info.Mode(), err)
		}
	}
}

// The program does not trust a file in a folder that every user can write to.
func TestDemoKeepsItsDataToItself(t *testing.T) {
	t.Parallel()
	open := filepath.Join(t.TempDir(), "open")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []fs.FileMode{0o777, 0o777 | fs.ModeSticky} {
		if err := os.Chmod(open, mode); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		status, out, stderr := webapp(ctx, "demo", "--listen", "127.0.0.1:0", "--data", open)
		cancel()
		if status != statusFailed || out != "" || !strings.Contains(stderr, "chmod o-w") {
			t.Errorf("%v: status %d, stderr %s", mode, status, stderr)
		}
	}
	if n := len(entries(t, open)); n != 0 {
		t.Errorf("%d files were left there", n)
	}
}
