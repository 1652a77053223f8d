package main

import (
	"strings"
	"testing"
)

func TestSummaryAlerts(t *testing.T) {
	t.Parallel()
	d, _ := mailing(t)
	alert := func(args ...string) (int, string, string) {
		return d.run(t.Context(), nil, append([]string{"summary", "alert"}, args...)...)
	}
	add := []string{"add", "--alert", "Silent ones", "--watch", "silence", "--above", "100.5 usdt", "--to", "boss@example.com", "--to", "cfo@example.com",
		"--quiet", "22:00-07:30", "--zone", "Europe/Berlin", "--apart", "24", "--account", "main"}
	if status, stdout, stderr := alert(add...); status != statusDone || stdout != "" {
		t.Fatalf("status %d, %q, %s", status, stdout, stderr)
	}
	if status, _, stderr := alert(add...); status != statusFailed || !strings.Contains(stderr, "already") {
		t.Errorf("twice: status %d, %s", status, stderr)
	}
	if status, _, stderr := alert("add", "--alert", "Collection", "--watch", "collection", "--to", "a@example.com"); status != statusDone {
		t.Errorf("with what is usual: status %d, %s", status, stderr)
	}
	status, stdout, stderr := alert("list")
	for _, want := range []string{"Collection   Collection fails for 3 hours", "An invitee who brought more than 100.5 USDT in 30 days falls silent", "boss@example.com,cfo@example.com", "22:00-07:30 Europe/Berlin", "never"} {
		if status != statusDone || !strings.Contains(stdout, want) {
			t.Errorf("status %d, %s, list without %q\n%s", status, stderr, want, stdout)
		}
	}
	for _, step := range []struct{ does, list string }{{"pause", "paused"}, {"resume", "active"}, {"remove", "Collection"}} {
		if status, _, stderr := alert(step.does, "--alert", "SILENT ones"); status != statusDone {
			t.Errorf("%s: status %d, %s", step.does, status, stderr)
		}
		if _, stdout, _ := alert("list"); !strings.Contains(stdout, step.list) || (step.does == "remove") == strings.Contains(stdout, "Silent") {
			t.Errorf("after %s\n%s", step.does, stdout)
		}
	}
	if status, _, stderr := alert("pause", "--alert", "silent ones"); status != statusFailed || !strings.Contains(stderr, "no such alert") {
		t.Errorf("of none: status %d, %s", status, stderr)
	}
}

func TestSummaryAlertUsage(t *testing.T) {
	t.Parallel()
	d, _ := mailing(t)
	base := []string{"summary", "alert", "add", "--alert", "x", "--to", "a@example.com"}
	for _, args := range [][]string{
		{}, {"--watch", "weather"}, {"--watch", "silence"}, {"--watch", "silence", "--above", "100"}, {"--watch", "restatement", "--above", "-1 USDT"},
		{"--watch", "collection", "--hours", "721"}, {"--watch", "drop", "--hours", "3"}, {"--watch", "gap", "--above", "1 USDT"}, {"--watch", "drop", "--below", "100"},
		{"--watch", "gap", "--coin", "BTC"}, {"--watch", "gap", "--quiet", "22:00"}, {"--watch", "gap", "--quiet", "22:00-25:00"},
		{"--watch", "gap", "--zone", "Nowhere/At"}, {"--watch", "gap", "--apart", "169"}, {"--watch", "gap", "--to", "a@example.com\r\nBcc: b@example.com"},
	} {
		status, stdout, stderr := d.run(t.Context(), nil, append(base, args...)...)
		if status != statusUsage || stdout != "" || !strings.HasPrefix(stderr, "webapp: ") {
			t.Errorf("%q: status %d, stdout %.80q, stderr %q", args, status, stdout, stderr)
		}
	}
}
