package main

import (
	"strings"
	"testing"
)

// The command itself refuses to be open to other machines before anything listens.
func TestServeRefusesToBeOpen(t *testing.T) {
	t.Parallel()
	d := newHarness(t, nil)
	for _, args := range [][]string{
		{"serve", "--listen", "0.0.0.0:0"},
		{"serve", "--listen", "0.0.0.0:0", "--public-url", "http://desk.example.com"},
		{"serve", "--listen", "0.0.0.0:0", "--public-url", "https://desk.example.com"}, // no user can sign in
		{"demo", "--listen", "0.0.0.0:0", "--public-url", "http://desk.example.com"},
	} {
		status, stdout, stderr := d.run(t.Context(), nil, args...)
		if status != statusUsage || stdout != "" || !strings.Contains(stderr, "open to other machines") {
			t.Errorf("%v: status %d, stdout %q, stderr %q", args, status, stdout, stderr)
		}
	}
}
