package main

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestBackupAndRestore(t *testing.T) {
	d := readOnly(t)
	dir := t.TempDir()
	file, again := filepath.Join(dir, "copy.db"), filepath.Join(dir, "again.db")
	status, stdout, stderr := d.run(t.Context(), nil, "backup", file)
	if status != statusDone || !strings.HasPrefix(stdout, "backup: "+file+", ") || !strings.Contains(stdout, "checked: SPOT ") {
		t.Fatalf("backup: status %d, stdout %q", status, stdout)
	}
	if stderr != "webapp: the master key is not part of the backup; this database has none so far\n" {
		t.Errorf("backup says %q", stderr)
	}
	checked := stdout[strings.Index(stdout, "checked: "):]
	stdout = d.done(nil, "restore", file, "--db="+again)
	if !strings.HasPrefix(stdout, "restored: "+again+" from "+file) || !strings.HasSuffix(stdout, checked) {
		t.Errorf("restore says %q, the backup said %q", stdout, checked)
	}
	if !strings.Contains(d.done(nil, "verify", "--db="+again), "ok: integrity") {
		t.Error("the restored database was not verified")
	}
	for _, kind := range []string{"commissions", "invitees", "sub-affiliates", "daily"} {
		if d.done(nil, "export", kind) != d.done(nil, "export", kind, "--db="+again) {
			t.Errorf("export %s of the restored database is another", kind)
		}
	}
}

func TestBackupRefusals(t *testing.T) {
	d := readOnly(t)
	dir := t.TempDir()
	none := filepath.Join(dir, "none.db")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"backup", d.db}, "is there already"},
		{[]string{"backup", filepath.Join(dir, "no", "x.db")}, "does not exist"},
		{[]string{"backup", filepath.Join(dir, "x.db"), "--db=" + none}, "there is no database at " + none},
		{[]string{"restore", none, "--db=" + filepath.Join(dir, "x.db")}, "name a file that webapp backup made"},
		{[]string{"restore", d.db}, "is there already"},
	} {
		status, stdout, stderr := d.run(t.Context(), nil, c.args...)
		if status != statusFailed || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: status %d, stdout %q, stderr %q, want %q", c.args, status, stdout, stderr, c.want)
		}
	}
	if left := files(t, dir); !slices.Equal(left, []string{"x.db.lock"}) {
		t.Errorf("the folder holds %v", left)
	}
}

// The key is named by its place, wherever that is, and not told.
func TestBackupTellsWhereTheKeyIs(t *testing.T) {
	d := readOnly(t)
	dir := t.TempDir()
	if _, _, stderr := d.run(t.Context(), []string{"REBATEDESK_MASTER_KEY=canary"}, "backup", filepath.Join(dir, "a.db")); !strings.Contains(stderr, "REBATEDESK_MASTER_KEY gives") || strings.Contains(stderr, "canary") {
		t.Errorf("a key of the environment: %q", stderr)
	}
	if err := os.WriteFile(d.db+".key", []byte("canary"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, stderr := d.run(t.Context(), nil, "backup", filepath.Join(dir, "b.db")); !strings.Contains(stderr, "it is in "+d.db+".key") || strings.Contains(stderr, "canary") {
		t.Errorf("a key beside the database: %q", stderr)
	}
}

// A backup that is killed leaves nothing under its name, and the next one
// tidies up after it.
func TestKilledBackup(t *testing.T) {
	t.Parallel()
	d := readOnly(t)
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(3, 1))
	killed, runs := 0, 0
	for ; killed < 3 && runs < 60; runs++ {
		file := filepath.Join(dir, "copy.db")
		run := process(t, d.env, "backup", file)
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		atWork(t, dir)
		time.Sleep(time.Duration(random.IntN(25)) * time.Millisecond)
		if err := run.Process.Kill(); err != nil {
			t.Logf("the backup ended before it could be killed: %v", err)
		}
		_ = run.Wait() // killed
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			killed++
			if status, _, stderr := finished(t, d.env, "backup", file); status != statusDone {
				t.Fatalf("the next backup: status %d, stderr %s", status, stderr)
			}
		}
		again := filepath.Join(t.TempDir(), "again.db")
		if status, _, stderr := finished(t, d.env, "restore", file, "--db="+again); status != statusDone {
			t.Fatalf("restore: status %d, stderr %s", status, stderr)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	if status, _, stderr := finished(t, d.env, "backup", filepath.Join(dir, "copy.db")); status != statusDone {
		t.Fatalf("the last backup: status %d, stderr %s", status, stderr)
	}
	if left := files(t, dir); !slices.Equal(left, []string{"copy.db"}) {
		t.Errorf("the folder holds %v", left)
	}
	if killed < 3 {
		t.Errorf("%d of %d backups were killed at work", killed, runs)
	}
}

// atWork waits until a backup in the folder has begun.
func atWork(t *testing.T, dir string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for len(files(t, dir)) == 0 {
		if ctx.Err() != nil {
			t.Fatal("the backup does not begin")
		}
		time.Sleep(time.Millisecond)
	}
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}
