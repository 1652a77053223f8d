package main

import (
	"strings"
	"testing"

	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// A summary sent manually is recorded in the audit log, even if some of its copies were not
// delivered; a send refused beforehand is not.
func TestSummarySendIsAudited(t *testing.T) {
	t.Parallel()
	d, smtpd := mailing(t)
	send := func(status int, args ...string) {
		t.Helper()
		if got, _, stderr := d.run(t.Context(), nil, append([]string{"summary", "send", "--period", "daily"}, args...)...); got != status {
			t.Fatalf("%v: status %d, %s", args, got, stderr)
		}
	}
	send(statusDone, "--date", d.dayAgo(3), "--to", "boss@example.com")
	send(statusFailed, "--date", d.dayAgo(3), "--to", "boss@example.com")
	d.env = append(d.env, "REBATEDESK_SMTP_URL=smtp://127.0.0.1:1?tls=none")
	send(statusFailed, "--date", d.dayAgo(3), "--to", "cfo@example.com")
	key, err := secret.ReadFile(d.db + database.KeySuffix)
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(t.Context(), d.db, store.Options{AuditKey: key.Derive(database.AuditLabel)})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	r, err := st.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var lines []string
	for line, err := range audit.Lines(t.Context(), r, audit.LogQuery{Action: "summary sent"}) {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line.Detail)
	}
	if len(lines) != 2 || strings.Join(lines, ", ") != "1 recipients, 1 recipients" || len(smtpd.messages) != 1 {
		t.Errorf("the audit log has %q, %d letters", lines, len(smtpd.messages))
	}
}
