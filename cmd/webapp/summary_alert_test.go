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
	if status, _, stderr := alert("pause", "--alert", "silent ones"); status != statusFailed || !strings.Contains(stderr, "no alert called “silent ones”") {
		t.Errorf("of none: status %d, %s", status, stderr)
	}
}

// All broken rules are told at once, each with the flag of its field: those that need no database as wrong
// usage, the others as what they are.
func TestRefusalsNameTheirFlags(t *testing.T) {
	t.Parallel()
	d, _ := mailing(t)
	for _, one := range []struct {
		args   string
		status int
		want   []string
	}{
		{"summary alert add --alert= --watch drop --below 100 --apart 200 --as a/b", statusUsage, []string{"--below: Give a percentage", "--apart: Between two mails", "--to: Give from 1 to", "--alert: The name is empty.", "--as "}},
		{"summary schedule add --schedule= --period daily --deadline 21 --to nobody", statusUsage, []string{"--deadline: ", "--to: ", "--schedule: The name is empty."}},
		{"summary schedule add --schedule x --period daily --as nobody --to a@example.com", statusFailed, []string{"--as: "}},
		{"delivery add --name= --kind money --format pdf --every hour --to x", statusUsage, []string{"--name: The name is empty.", "--kind: ", "--format: ", "--every: ", "--to: "}},
		{"payments rule fix auto --from 2026-09-01 --account other", statusFailed, []string{`--account: There is no account "other".`}},
		{"month reopen 2026-09 --reason=", statusUsage, []string{"--reason: The reason is empty."}},
	} {
		status, stdout, stderr := d.run(t.Context(), nil, strings.Fields(one.args)...)
		for _, want := range one.want {
			if status != one.status || stdout != "" || !strings.Contains(stderr, "webapp: "+want) {
				t.Errorf("%s: status %d, %s, want %q", one.args, status, stderr, want)
			}
		}
	}
	if status, _, stderr := d.run(t.Context(), nil, "summary", "alert", "add", "--alert", "One", "--watch", "collection", "--to", "a@example.com"); status != statusDone {
		t.Fatalf("status %d, %s", status, stderr)
	}
	if status, _, stderr := d.run(t.Context(), nil, "summary", "alert", "add", "--alert", "one", "--watch", "collection", "--to", "a@example.com"); status != statusFailed || stderr != "webapp: --alert: There is an alert called “one” already: choose another name.\n" {
		t.Errorf("a name that is taken: status %d, %q", status, stderr)
	}
}

// A change that names the version seen does not overwrite another one, and the error shows
// both. A coin that no account has is accepted and reported.
func TestSummaryChangesOfTwoPeople(t *testing.T) {
	t.Parallel()
	d, _ := mailing(t)
	for _, add := range [][]string{{"alert", "add", "--alert", "x", "--watch", "collection"}, {"schedule", "add", "--schedule", "x", "--period", "daily"}} {
		if status, _, stderr := d.run(t.Context(), nil, append(append([]string{"summary"}, add...), "--to", "a@example.com")...); status != statusDone {
			t.Fatalf("%v: status %d, %s", add, status, stderr)
		}
	}
	for _, kind := range []string{"alert", "schedule"} {
		run := func(verb string, more ...string) (int, string) {
			status, stdout, stderr := d.run(t.Context(), nil, append([]string{"summary", kind, verb}, more...)...)
			return status, stdout + stderr
		}
		_, list := run("list")
		lines := strings.Split(strings.TrimSpace(list), "\n")
		words := strings.Fields(lines[len(lines)-1])
		seen := words[len(words)-1]
		name := []string{"--" + kind, "x"}
		if status, said := run("pause", name...); status != statusDone {
			t.Fatalf("%s: status %d, %s", kind, status, said)
		}
		status, said := run("remove", append(name, "--seen", seen)...)
		if status != statusFailed || !strings.Contains(said, "Somebody else changed this "+kind) || !strings.Contains(said, "Stored now: paused, changed 20") || !strings.Contains(said, "Asked for: removed") {
			t.Errorf("%s, the second: status %d, %s", kind, status, said)
		}
		if status, said := run("pause", append(name, "--seen", seen)...); status != statusDone {
			t.Errorf("%s, the same once more: status %d, %s", kind, status, said)
		}
		if status, said := run("remove", append(name, "--seen", "yesterday")...); status != statusUsage || !strings.Contains(said, "--seen") {
			t.Errorf("%s, of no time: status %d, %s", kind, status, said)
		}
		if status, said := run("remove", name...); status != statusDone {
			t.Errorf("%s, whatever it is: status %d, %s", kind, status, said)
		}
	}
	for _, args := range [][]string{{"alert", "add", "--alert", "y", "--watch", "drop", "--coin", "USDTT"}, {"schedule", "add", "--schedule", "y", "--period", "daily", "--coin", "USDTT"}} {
		status, stdout, stderr := d.run(t.Context(), nil, append(append([]string{"summary"}, args...), "--to", "a@example.com")...)
		if status != statusDone || stdout != "" || stderr != "webapp: warning: No commission in “USDTT” so far; check the spelling.\n" {
			t.Errorf("%v: status %d, %q, %q", args, status, stdout, stderr)
		}
	}
	if list := d.done(nil, "summary", "alert", "list"); !strings.Contains(list, "A day's USDTT commission is below 50 % of usual") {
		t.Errorf("the list has\n%s", list)
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
