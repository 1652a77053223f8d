package main

import (
	"context"
	"errors"
	"io"
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
	t.Parallel()
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
	t.Parallel()
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
	if left := listed(t, dir); !slices.Equal(left, []string{"x.db.lock"}) {
		t.Errorf("the directory contains %v", left)
	}
}

// restoring holds a database with records and an audit log, its key and a backup.
type restoring struct {
	*harness
	dir, file string
}

func newRestoring(t *testing.T) restoring {
	t.Helper()
	d := readOnly(t)
	p := &program{environ: d.env, stdin: strings.NewReader("seven lanterns uphill"), stdout: io.Discard, stderr: io.Discard}
	if status := p.runs(t.Context(), []string{"user", "add", "--name", "mia", "--role", "admin", "--password-stdin"}); status != statusDone {
		t.Fatalf("user add: status %d", status)
	}
	r := restoring{d, t.TempDir(), filepath.Join(t.TempDir(), "copy.db")}
	if status, _, stderr := d.run(t.Context(), nil, "backup", r.file); status != statusDone {
		t.Fatalf("backup: status %d, stderr %q", status, stderr)
	}
	return r
}

// restore restores into an empty folder with a key file.
func (r restoring) restore(key string, args ...string) (status int, stdout, stderr string) {
	r.Helper()
	return r.run(r.Context(), []string{"REBATEDESK_MASTER_KEY_FILE=" + key}, append([]string{"restore", r.file, "--db=" + filepath.Join(r.dir, "again.db")}, args...)...)
}

// nothing fails unless the folder is still empty.
func (r restoring) nothing(what string) {
	r.Helper()
	if left, err := filepath.Glob(filepath.Join(r.dir, "again.db*")); err != nil || len(left) > 1 || len(left) == 1 && left[0] != filepath.Join(r.dir, "again.db.lock") {
		r.Errorf("%s: restore left %v, %v", what, left, err)
	}
}

// restore refuses every database that verify refuses, so its status does not depend on a
// later verify. The checksum already shows damage of the file.
func TestRestoreOfADamagedBackup(t *testing.T) {
	t.Parallel()
	r := newRestoring(t)
	whole := contents(t, r.file)
	rolled := onlyInRollups(t, r.harness)
	key := r.db + ".key"
	for _, c := range []struct{ name, content, want string }{
		{"roll-ups", strings.ReplaceAll(whole, rolled, rolled[:len(rolled)-1]+string('0'+(rolled[len(rolled)-1]-'0'+1)%10)), "roll-ups"},
		{"audit", strings.ReplaceAll(whole, "user added", "user adder"), "audit log"},
		{"cut", whole[:len(whole)-1], "is not whole"},
	} {
		if c.content == whole {
			t.Fatalf("%s: nothing is damaged", c.name)
		}
		if err := os.WriteFile(r.file, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		if status, stdout, stderr := r.restore(key); status != statusFailed || stdout != "" || !strings.Contains(stderr, "was changed or damaged") {
			t.Errorf("%s: status %d, stdout %q, stderr %q", c.name, status, stdout, stderr)
		}
		r.nothing(c.name)
		if err := os.Rename(r.file+".sha256", r.file+".away"); err != nil {
			t.Fatal(err)
		}
		if status, stdout, stderr := r.restore(key); status != statusFailed || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%s without a checksum: status %d, stdout %q, stderr %q", c.name, status, stdout, stderr)
		}
		r.nothing(c.name)
		status, stdout, stderr := r.restore(key, "--rebuild")
		if c.name == "roll-ups" {
			if status != statusDone || !strings.Contains(stdout, "ok: roll-ups") || !strings.Contains(stdout, "checksum: none") {
				t.Errorf("rebuilt: status %d, stdout %q, stderr %q", status, stdout, stderr)
			}
			for _, name := range []string{"again.db", "again.db.audit"} {
				if err := os.Remove(filepath.Join(r.dir, name)); err != nil {
					t.Fatal(err)
				}
			}
		} else if status != statusFailed || stdout != "" {
			t.Errorf("%s rebuilt: status %d, stdout %q", c.name, status, stdout)
		}
		r.nothing(c.name)
		if err := os.Rename(r.file+".away", r.file+".sha256"); err != nil {
			t.Fatal(err)
		}
	}
}

// onlyInRollups is the sum of a day without records.
func onlyInRollups(t *testing.T, d *harness) string {
	t.Helper()
	records := d.done(nil, "export", "commissions")
	for _, line := range strings.Split(d.done(nil, "export", "daily"), "\r\n")[1:] {
		if sum := strings.Split(line, ",")[7]; len(sum) > 9 && !strings.Contains(records, sum) {
			return sum
		}
	}
	t.Fatal("each day has one record")
	return ""
}

// restore requires the key of the backup and refuses another one. Without a key it reports
// which data cannot be read.
func TestRestoreWithTheKeyAtHand(t *testing.T) {
	t.Parallel()
	r := newRestoring(t)
	other := filepath.Join(t.TempDir(), "other.key")
	if err := os.WriteFile(other, []byte("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := r.restore(other)
	if status != statusUsage || stdout != "" || !strings.Contains(stderr, "is not the key that the backup "+r.file+" was written with") {
		t.Errorf("another key: status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
	r.nothing("another key")
	again := filepath.Join(r.dir, "again.db")
	status, stdout, stderr = r.run(t.Context(), nil, "restore", r.file, "--db="+again)
	if status != statusDone || !strings.Contains(stdout, "not proved: audit log") || !strings.Contains(stderr, "there is no master key here") || !strings.Contains(stderr, again+".key") {
		t.Errorf("no key: status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
	if err := os.Remove(again); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr = r.restore(r.db + ".key")
	if status != statusDone || !strings.Contains(stdout, "ok: audit log") || !strings.Contains(stdout, "checksum: the backup is the file") || strings.Contains(stderr, "no master key") {
		t.Errorf("its key: status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}

// The output names the location of the key and never contains the key.
func TestBackupTellsWhereTheKeyIs(t *testing.T) {
	t.Parallel()
	d := readOnly(t)
	dir := t.TempDir()
	if _, _, stderr := d.run(t.Context(), []string{"REBATEDESK_MASTER_KEY=canary"}, "backup", filepath.Join(dir, "a.db")); !strings.Contains(stderr, "REBATEDESK_MASTER_KEY gives") || strings.Contains(stderr, "canary") {
		t.Errorf("a key of the environment: %q", stderr)
	}
	if err := os.WriteFile(d.db+".key", []byte("canary"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, stderr := d.run(t.Context(), nil, "backup", filepath.Join(dir, "b.db")); !strings.Contains(stderr, "it is in "+d.db+".key") || strings.Contains(stderr, "canary") {
		t.Errorf("a key next to the database: %q", stderr)
	}
}

// A backup that is killed leaves no file under its name, and the next backup removes its
// temporary files.
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
		if _, err := os.Stat(file + ".sha256"); err != nil {
			t.Errorf("a backup without its checksum: %v", err)
		}
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
	if left := listed(t, dir); !slices.Equal(left, []string{"copy.db", "copy.db.sha256"}) {
		t.Errorf("the directory contains %v", left)
	}
	if killed < 3 {
		t.Errorf("%d of %d backups were killed at work", killed, runs)
	}
}

// atWork waits until a backup into the folder has begun.
func atWork(t *testing.T, dir string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for len(listed(t, dir)) == 0 {
		if ctx.Err() != nil {
			t.Fatal("the backup does not begin")
		}
		time.Sleep(time.Millisecond)
	}
}

func listed(t *testing.T, dir string) []string {
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
