package main

import (
	"context"
	"os"
	"strings"
	"testing"

	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// The switch works without accounts and keys, in any mode, and its status shows who used it
// and why.
func TestTradingCommands(t *testing.T) {
	t.Parallel()
	g := newAccessHarness(t)
	g.fails(statusFailed, "there is no database", "", "trading", "status")
	g.works(goodPassword, "user", "add", "--name", "mia", "--role", "trader", "--password-stdin")
	if out := g.works("", "trading", "status"); !strings.Contains(out, "trading: off\n") || !strings.Contains(out, "sending is allowed") || !strings.Contains(out, "kill file: not there ("+g.db+".kill)") {
		t.Errorf("%q", out)
	}
	out := g.works("", "trading", "stop", "--reason", "odd fills", "--trading", "live")
	if !strings.Contains(out, "trading: live\n") || !strings.Contains(out, "switch: stopped by ") || !strings.Contains(out, ": odd fills\n") {
		t.Errorf("%q", out)
	}
	if out := g.works("", "trading", "status"); !strings.Contains(out, "odd fills") {
		t.Errorf("%q", out)
	}
	if err := os.WriteFile(g.db+".kill", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if out := g.works("", "trading", "resume"); !strings.Contains(out, "sending is allowed") || !strings.Contains(out, "the kill file is there") {
		t.Errorf("%q", out)
	}
	actions := auditActions(t, g.db)
	if len(actions) < 2 || actions[0] != "trading resumed command" || actions[1] != "trading stopped command" {
		t.Errorf("%v", actions)
	}
}

// If the database cannot be written, the command names another way to stop orders.
func TestTradingStopWithoutKey(t *testing.T) {
	t.Parallel()
	g := newAccessHarness(t)
	g.works(goodPassword, "user", "add", "--name", "mia", "--role", "trader", "--password-stdin")
	if err := os.Rename(g.db+database.KeySuffix, g.db+".elsewhere"); err != nil {
		t.Fatal(err)
	}
	if status, _, stderr := g.run("", "trading", "stop"); status == statusDone || !strings.Contains(stderr, "make the file "+g.db+".kill") {
		t.Errorf("%d %q", status, stderr)
	}
}

// auditActions returns the lines of the audit log in short form, the newest first.
func auditActions(t *testing.T, db string) (actions []string) {
	t.Helper()
	st, err := store.Open(context.Background(), db, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	r, err := st.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	page, err := audit.ReadPage(context.Background(), r, audit.LogQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range page.Lines {
		actions = append(actions, line.Action+" "+line.Via)
	}
	return actions
}
