package main

import (
	"encoding/base64"
	"os"
	"strings"
	"testing"

	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/secret"
)

// The key is created when it is first needed, reported once, and found again. A database
// that was begun with another key is refused with a hint, and nothing is created or
// changed.
func TestMasterKey(t *testing.T) {
	t.Parallel()
	d := newStoredHarness(t)
	path := d.db + database.KeySuffix
	status, out := d.typed(d.keys(), "account", "add", "--name", "a", "--base-url", d.sim.BaseURL, "--keys-stdin")
	if status != statusDone || strings.Count(out, "\n") != 1 || !strings.Contains(out, path) || !strings.Contains(out, "apart from the backups") {
		t.Errorf("status %d, %q", status, out)
	}
	if status, out := d.typed("", "account", "test", "a"); status != statusDone || strings.Contains(out, "key was made") {
		t.Errorf("status %d, %q", status, out)
	}
	made := contents(t, path)
	other := secret.NewKey().Text()
	for _, c := range []struct {
		name, file string // in the key file; empty: the file does not exist
		env        []string
		says       string // empty: the command succeeds
	}{
		{"settings win over a broken file", "broken", []string{"REBATEDESK_MASTER_KEY=" + strings.TrimSpace(made)}, ""},
		{"settings win over another file", other, []string{"REBATEDESK_MASTER_KEY=" + strings.TrimSpace(made)}, ""},
		{"rotated file", other, nil, "is not the key that the database"},
		{"rotated setting", made, []string{"REBATEDESK_MASTER_KEY=" + other}, "is not the key that the database"},
		{"no file", "", nil, "put that file back"},
		{"broken file", "broken", nil, "is not 32 bytes in base64"},
		{"broken setting", made, []string{"REBATEDESK_MASTER_KEY=" + base64.StdEncoding.EncodeToString([]byte("short"))}, "MASTER_KEY"},
	} {
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if c.file != "" {
			if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, args := range []string{"account list", "collect", "serve --listen 127.0.0.1:0"} {
			if c.says == "" && strings.HasPrefix(args, "serve") {
				continue // serve would not end
			}
			status, stdout, stderr := d.run(t.Context(), c.env, strings.Fields(args)...)
			if c.says == "" && status != statusDone || c.says != "" && (status != statusUsage || stdout != "" || !strings.Contains(stderr, c.says)) {
				t.Errorf("%s, %s: status %d, %s%s", c.name, args, status, stdout, stderr)
			}
			if strings.Contains(stderr, other) || strings.Contains(stderr, strings.TrimSpace(made)) {
				t.Errorf("%s, %s: the key is printed", c.name, args)
			}
		}
		if _, err := os.Stat(path); (err == nil) != (c.file != "") {
			t.Errorf("%s: a key file was made or removed: %v", c.name, err)
		}
	}
}

// verify proves the audit log with the right key, reports if it cannot, and creates no
// key.
func TestVerifyProvesTheAuditLog(t *testing.T) {
	t.Parallel()
	d := newStoredHarness(t)
	d.add("a")
	path := d.db + database.KeySuffix
	if status, out := d.typed("", "verify"); status != statusDone || !strings.Contains(out, "ok: audit log: 2 lines") {
		t.Errorf("status %d, %s", status, out)
	}
	for _, file := range []string{"", secret.NewKey().Text()} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if file != "" {
			if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		status, stdout, stderr := d.run(t.Context(), nil, "verify")
		if status != statusFailed || strings.Contains(stdout, "audit log") || !strings.Contains(stderr, "cannot be proved") {
			t.Errorf("status %d, %s%s", status, stdout, stderr)
		}
		if _, err := os.Stat(path); (err == nil) != (file != "") {
			t.Errorf("a key was made: %v", err)
		}
		if file == "" {
			if err := os.WriteFile(path, nil, 0o600); err != nil { // for the next round
				t.Fatal(err)
			}
		}
	}
}
