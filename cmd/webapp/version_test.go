package main

import (
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
	for _, name := range []string{"github.com/gofiber/fiber/v2 v2", "github.com/mitchellh/colorstring", "echarts 6", "Go, with its standard library", "Apache License", "SIL OPEN FONT LICENSE"} {
		if !strings.Contains(stdout, name) {
			t.Errorf("the notices do not have %q", name)
		}
	}
	if status != statusDone || stderr != "" {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
}
