package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An export never overwrites the database, under any name of its file.
func TestExportSparesTheDatabase(t *testing.T) {
	t.Parallel()
	d := readOnly(t)
	dir := filepath.Dir(d.db)
	link, hard := filepath.Join(dir, "link.db"), filepath.Join(dir, "hard.db")
	if err := os.Symlink(d.db, link); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(d.db, hard); err != nil {
		t.Fatal(err)
	}
	for _, db := range []string{d.db, link} {
		for _, target := range []string{d.db, link, hard, dir + "/./desk.db", db + "-wal", d.db + "-wal", d.db + "-shm", d.db + ".lock"} {
			for _, flag := range []string{"-o", "--manifest"} {
				status, out, stderr := d.run(t.Context(), []string{"REBATEDESK_DB=" + db}, "export", "daily", flag, target)
				if status != statusUsage || out != "" || !strings.Contains(stderr, "belongs to the database") {
					t.Errorf("%s %s of %s: status %d, stderr %s", flag, target, db, status, stderr)
				}
			}
		}
	}
	if !strings.HasPrefix(contents(t, d.db), "SQLite format 3") {
		t.Fatal("the database is gone")
	}
	d.done(nil, "verify")
}

func TestExportAndManifestApart(t *testing.T) {
	t.Parallel()
	d := readOnly(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "out.csv")
	if status, _, stderr := d.run(t.Context(), nil, "export", "daily", "-o", file, "--manifest", dir+"/./out.csv"); status != statusUsage || !strings.Contains(stderr, "manifest") {
		t.Errorf("status %d, stderr %s", status, stderr)
	}
	d.done(nil, "export", "daily", "-o", dir, "--manifest", dir)
	if n := len(entries(t, dir)); n != 2 {
		t.Errorf("a directory for both contains %d files, want 2", n)
	}
}

// Only its owner can read an export, and a link in its place is replaced rather than
// followed.
func TestExportFilesArePrivate(t *testing.T) {
	t.Parallel()
	d := readOnly(t)
	dir := t.TempDir()
	file, link := filepath.Join(dir, "out.csv"), filepath.Join(dir, "link.csv")
	if err := os.WriteFile(file, []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	d.done(nil, "export", "daily", "-o", link, "--manifest", filepath.Join(dir, "manifest.json"))
	if contents(t, file) != "precious" {
		t.Error("the export went through a link")
	}
	for _, name := range []string{"link.csv", "manifest.json"} {
		if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}
