package main

import (
	"os"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	status, stdout, stderr := webapp(t.Context(), "version")
	if status != statusDone || !strings.HasPrefix(stdout, "webapp ") || strings.Count(stdout, "\n") != 1 || !strings.Contains(stderr, "--notices") || !strings.Contains(stderr, "databases: SQLite 3.") || !strings.Contains(stderr, "PostgreSQL 15 or later; schema version ") {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
	status, stdout, stderr = webapp(t.Context(), "version", "--notices")
	if status != statusDone || stderr != "" || !strings.Contains(stdout, "Go, with its standard library") {
		t.Errorf("status %d, stdout %.300q, stderr %q", status, stdout, stderr)
	}
}

// The program says the version that the changelog describes first.
func TestVersionIsThatOfTheChangelog(t *testing.T) {
	t.Parallel()
	changelog, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	newest := regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+)\b`).FindStringSubmatch(string(changelog))
	_, stdout, _ := webapp(t.Context(), "version")
	if newest == nil || !strings.HasPrefix(stdout, "webapp v"+newest[1]+" ") {
		t.Errorf("the program says %q, and the changelog begins with %q", stdout, newest)
	}
}

// A binary of a release prints the licences that it holds; another one names what is linked into it
// and says how to get them.
func TestNotices(t *testing.T) {
	t.Parallel()
	info := &debug.BuildInfo{Deps: []*debug.Module{
		{Path: "example.com/a", Version: "v1.2.3"},
		{Path: "example.com/b", Version: "v2.0.0", Replace: &debug.Module{Path: "example.com/c", Version: "v3.0.0"}},
	}}
	if got := notices("the texts", info); got != "the texts" {
		t.Errorf("a release prints %q", got)
	}
	got := notices("", info)
	for _, want := range []string{"go run ./internal/notices", "make release", "\nexample.com/a v1.2.3\n", "\nexample.com/c v3.0.0\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("without the texts %q is not printed:\n%s", want, got)
		}
	}
	if got := notices("", nil); !strings.Contains(got, "was left out") {
		t.Errorf("without a list: %q", got)
	}
}
