package main

import (
	"bytes"
	"mime"
	"net/mail"
	"slices"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/health"
	"rebatedesk/store"
	"rebatedesk/web"
)

// mailing returns a harness that has collected, and the mail server of its settings.
func mailing(t *testing.T) (*harness, *mailServer) {
	t.Helper()
	smtpd := newMailServer(t, nil, false)
	d := readOnly(t)
	d.env = append(d.env, "REBATEDESK_SMTP_URL=smtp://"+smtpd.address+"?tls=none", "REBATEDESK_MAIL_FROM=Desk <desk@example.com>",
		"REBATEDESK_PUBLIC_URL=https://desk.example.com")
	return d, smtpd
}

// dayAgo returns a day before today in the harness.
func (d *harness) dayAgo(days int) string { return (d.today() - affiliate.Day(days)).String() }

func messageOf(t testing.TB, content []byte) (subject string, header mail.Header) {
	t.Helper()
	m, err := mail.ReadMessage(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	subject, err = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil {
		t.Fatal(err)
	}
	return subject, m.Header
}

func TestSummaryPreview(t *testing.T) {
	t.Parallel()
	d, smtpd := mailing(t)
	out := d.done(nil, "summary", "preview", "--period", "daily", "--date", d.dayAgo(3), "--to", "boss@example.com")
	subject, header := messageOf(t, []byte(out))
	day := (d.today() - 3).Format("2 Jan 2006")
	if subject != "Affiliate report – "+day+" (UTC) – main" || header.Get("To") != "<boss@example.com>" {
		t.Errorf("%q for %q", subject, header.Get("To"))
	}
	if smtpd.sent.Load() != 0 {
		t.Error("a preview was sent")
	}
	running := d.done(nil, "summary", "preview", "--period", "monthly", "--date", d.dayAgo(0))
	if subject, _ := messageOf(t, []byte(running)); !strings.HasPrefix(subject, "[PARTIAL] ") {
		t.Errorf("of a running month: %q", subject)
	}
}

func TestSummarySend(t *testing.T) {
	t.Parallel()
	d, smtpd := mailing(t)
	send := func(args ...string) (int, string) {
		status, stdout, stderr := d.run(t.Context(), nil, append([]string{"summary", "send", "--period", "daily"}, args...)...)
		if stdout != "" {
			t.Errorf("%v prints %q", args, stdout)
		}
		return status, stderr
	}
	target := []string{"--date", d.dayAgo(3), "--to", "boss@example.com", "--to", "cfo@example.com"}
	if status, stderr := send(target...); status != statusDone || len(smtpd.messages) != 2 {
		t.Fatalf("status %d, %s; %d letters", status, stderr, len(smtpd.messages))
	}
	if status, stderr := send("--date", d.dayAgo(3), "--to", "cfo@example.com"); status != statusFailed || !strings.Contains(stderr, "--again") {
		t.Errorf("again: status %d, %s", status, stderr)
	}
	if status, stderr := send("--date", d.dayAgo(3), "--to", "cfo@example.com", "--again"); status != statusDone || len(smtpd.messages) != 3 {
		t.Errorf("with --again: status %d, %s", status, stderr)
	}
	if status, stderr := send("--date", d.dayAgo(0), "--to", "cfo@example.com"); status != statusIncomplete || !strings.Contains(stderr, "--partial") || len(smtpd.messages) != 3 {
		t.Errorf("of today: status %d, %s", status, stderr)
	}
	if status, stderr := send("--date", d.dayAgo(0), "--to", "cfo@example.com", "--partial"); status != statusDone || len(smtpd.messages) != 4 {
		t.Errorf("with --partial: status %d, %s", status, stderr)
	}
	d.env = append(d.env, "REBATEDESK_SMTP_URL=smtp://127.0.0.1:1?tls=none")
	if status, stderr := send("--date", d.dayAgo(4), "--to", "cfo@example.com"); status != statusFailed || !strings.Contains(stderr, "cfo@example.com: connecting") {
		t.Errorf("without a server: status %d, %s", status, stderr)
	}
	d.env = append(d.env, "REBATEDESK_SMTP_URL=")
	if status, stderr := send("--date", d.dayAgo(4), "--to", "cfo@example.com"); status != statusFailed || !strings.Contains(stderr, "REBATEDESK_SMTP_URL") {
		t.Errorf("without a setting: status %d, %s", status, stderr)
	}
}

func TestSummarySchedules(t *testing.T) {
	t.Parallel()
	d, smtpd := mailing(t)
	schedule := func(args ...string) (int, string, string) {
		return d.run(t.Context(), nil, append([]string{"summary", "schedule"}, args...)...)
	}
	add := []string{"add", "--schedule", "Morning", "--period", "weekly", "--weekday", "fri", "--at", "07:30", "--zone", "Europe/Berlin",
		"--to", "boss@example.com", "--csv", "--skip-below", "0.5 usdt", "--correct-above", "5 USDT", "--section", "chart"}
	if status, stdout, stderr := schedule(add...); status != statusDone || stdout != "" {
		t.Fatalf("status %d, %q, %s", status, stdout, stderr)
	}
	if status, _, stderr := schedule(add...); status != statusFailed || !strings.Contains(stderr, "already") {
		t.Errorf("twice: status %d, %s", status, stderr)
	}
	status, stdout, stderr := schedule("list")
	if line := strings.Split(stdout, "\n")[1]; status != statusDone || !strings.HasPrefix(line, "Morning  weekly  07:30  Europe/Berlin  -        boss@example.com") {
		t.Errorf("status %d, %s, list\n%s", status, stderr, stdout)
	}
	send := []string{"summary", "send", "--schedule", "morning", "--date", d.dayAgo(10)}
	if status, _, stderr := d.run(t.Context(), nil, send...); status != statusDone || len(smtpd.messages) != 1 {
		t.Errorf("sent by its name: status %d, %s", status, stderr)
	} else if _, header := messageOf(t, <-smtpd.messages); !strings.HasPrefix(header.Get("List-Unsubscribe"), "<https://desk.example.com/unsubscribe/") {
		t.Errorf("the link to stop is %q", header.Get("List-Unsubscribe"))
	}
	for _, step := range []struct {
		does string
		list string
	}{{"pause", "paused"}, {"resume", "07:30"}, {"remove", "NAME"}} {
		if status, _, stderr := schedule(step.does, "--schedule", "MORNING"); status != statusDone {
			t.Errorf("%s: status %d, %s", step.does, status, stderr)
		}
		if _, stdout, _ := schedule("list"); !strings.Contains(stdout, step.list) || (step.does == "remove") == strings.Contains(stdout, "Morning") {
			t.Errorf("after %s\n%s", step.does, stdout)
		}
	}
	if status, _, stderr := schedule("pause", "--schedule", "morning"); status != statusFailed || !strings.Contains(stderr, "no schedule") {
		t.Errorf("of none: status %d, %s", status, stderr)
	}
}

func TestSummaryUsage(t *testing.T) {
	t.Parallel()
	d, _ := mailing(t)
	for _, args := range [][]string{
		{"send"}, {"send", "--period", "daily"}, {"send", "--period", "hourly", "--to", "a@example.com"}, {"preview", "--schedule", "x", "--period", "daily"},
		{"send", "--period", "daily", "--to", "a@example.com\r\nBcc: b@example.com"}, {"send", "--period", "daily", "--to", "Ann <a@example.com>"},
		{"send", "--period", "daily", "--to", "a@example.com", "--date", "yesterday"}, {"preview", "--period", "daily", "--date", "2099-01-01"},
		{"preview", "--period", "daily", "--date", d.dayAgo(3), "--account", "nobody"},
		{"schedule", "add", "--schedule", "x", "--period", "daily"}, {"schedule", "add", "--schedule", "x", "--period", "daily", "--to", "a@example.com", "--zone", "Nowhere/At"},
		{"schedule", "add", "--schedule", "x", "--period", "daily", "--to", "a@example.com", "--at", "25:00"},
		{"schedule", "add", "--schedule", "x", "--period", "monthly", "--to", "a@example.com", "--day", "32"},
		{"schedule", "add", "--schedule", "x", "--period", "daily", "--to", "a@example.com", "--skip-below", "100"},
		{"schedule", "add", "--schedule", "x", "--period", "weekly", "--to", "a@example.com", "--weekday", "someday"},
	} {
		status, stdout, stderr := d.run(t.Context(), nil, append([]string{"summary"}, args...)...)
		if status != statusUsage || stdout != "" || !strings.HasPrefix(stderr, "webapp: ") {
			t.Errorf("%q: status %d, stdout %.80q, stderr %q", args, status, stdout, stderr)
		}
	}
}

// /readyz reports undelivered mail and remains ready.
func TestHealthOfMail(t *testing.T) {
	t.Parallel()
	d, _ := mailing(t)
	d.env = append(d.env, "REBATEDESK_SMTP_URL=smtp://127.0.0.1:1?tls=none")
	st, err := store.Open(t.Context(), d.db, store.Options{Now: d.now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	cfg := config.Config{DB: config.Database(d.db), Now: d.now, Mail: config.MailSettings{Server: config.SMTP{Host: "127.0.0.1"}}}
	h := health.New(cfg, st, func() []affiliate.Account { return nil })
	mailing := func() web.HealthCheck {
		checks, _ := h.Checks(t.Context())
		return checks[slices.IndexFunc(checks, func(c web.HealthCheck) bool { return c.Name == "mail" })]
	}
	if check := mailing(); check.Fault != "" || check.Fatal {
		t.Errorf("before: %+v", check)
	}
	if status, _, _ := d.run(t.Context(), nil, "summary", "send", "--period", "daily", "--date", d.dayAgo(3), "--to", "boss@example.com"); status != statusFailed {
		t.Fatalf("status %d", status)
	}
	if check := mailing(); !strings.Contains(check.Fault, "given up") || check.Fatal {
		t.Errorf("after: %+v", check)
	}
}
