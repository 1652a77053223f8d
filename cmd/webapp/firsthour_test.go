package main

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rebatedesk/cmd/webapp/internal/accounts"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/demo"
	"rebatedesk/collector"
	"rebatedesk/store"
)

// In the first hour of a day nothing of that day is due. Unread days are still incomplete
// on pages, in files and in mails.
func TestFirstHourOfADay(t *testing.T) {
	t.Parallel()
	for _, start := range []time.Time{
		time.Date(2026, time.December, 1, 0, 0, 5, 0, time.UTC), // the first day of a month, and the only one of mtd
		time.Date(2027, time.January, 1, 0, 55, 0, 0, time.UTC),
	} {
		t.Run(start.Format("15:04"), func(t *testing.T) {
			d := newHarness(t, opensAt(start))
			smtpd := newMailServer(t, nil, false)
			d.env = append(d.env, "REBATEDESK_SMTP_URL=smtp://"+smtpd.address+"?tls=none", "REBATEDESK_MAIL_FROM=desk@example.com")
			openStore(t, d.db, store.Options{Now: d.now})
			d.looksUnread(smtpd)
			d.done(nil, "collect")
			d.looksRead(smtpd)
		})
	}
}

// firstHourRanges are the ranges that begin with the new day or with the history.
var firstHourRanges = []string{"today", "mtd", "all"}

func (d *harness) looksUnread(smtpd *mailServer) {
	d.Helper()
	day := d.today().String()
	for _, args := range [][]string{nil, {"--from", day}, {"--from", day, "--to", day}} {
		for _, kind := range []string{"commissions", "invitees", "sub-affiliates", "daily"} {
			dir := d.TempDir()
			status, _, stderr := d.run(d.Context(), nil, append([]string{"export", kind, "-o", dir, "--manifest", filepath.Join(dir, "facts.json")}, args...)...)
			if status != statusDone || !strings.HasPrefix(stderr, "webapp: warning: ") || strings.Contains(stderr, "0 of 0") ||
				!strings.HasPrefix(entries(d, dir)[1].Name(), "incomplete-") || !strings.Contains(contents(d, filepath.Join(dir, "facts.json")), `"complete": false`) {
				d.Errorf("export %s %q of nothing: status %d, %s, %v", kind, args, status, stderr, entries(d, dir))
			}
		}
	}
	for _, date := range []string{day, d.dayAgo(1), d.dayAgo(2)} {
		if status, _, stderr := d.run(d.Context(), nil, "summary", "send", "--period", "daily", "--date", date, "--to", "boss@example.com"); status != statusIncomplete || len(smtpd.messages) != 0 {
			d.Errorf("a summary of %s, of which nothing was read: status %d, %s", date, status, stderr)
		}
	}
	d.pages(func(span, page, file string) {
		if strings.Contains(page, "Read completely") || !strings.Contains(page, "Not collected yet") || !strings.Contains(file, `"incomplete-`) {
			d.Errorf("the overview of %s looks complete, or does not say that nothing is read; its file is %s", span, file)
		}
	})
}

func (d *harness) looksRead(smtpd *mailServer) {
	d.Helper()
	for _, args := range [][]string{nil, {"--from", d.today().String()}} {
		for _, kind := range []string{"commissions", "invitees", "sub-affiliates", "daily"} {
			if d.done(nil, append([]string{"export", kind}, args...)...) == "" {
				d.Errorf("export %s %q says nothing", kind, args)
			}
		}
	}
	// The end of yesterday may be listed up to an hour late.
	if status, _, stderr := d.run(d.Context(), nil, "summary", "send", "--period", "daily", "--date", d.dayAgo(1), "--to", "boss@example.com"); status != statusIncomplete || !strings.Contains(stderr, "its last records may still be listed, until "+d.today().Format("2 Jan 2006")+" 01:00 UTC") {
		d.Errorf("a summary of yesterday: status %d, %s", status, stderr)
	}
	d.done(nil, "summary", "send", "--period", "daily", "--date", d.dayAgo(2), "--to", "boss@example.com")
	if subject, _ := messageOf(d, <-smtpd.messages); strings.Contains(subject, "PARTIAL") {
		d.Errorf("sent: %s", subject)
	}
	d.pages(func(span, page, file string) {
		if !strings.Contains(page, "Complete up to "+d.today().Format("2 Jan 2006")+" 00:") || strings.Contains(file, "incomplete") {
			d.Errorf("the overview of %s does not say that it is complete; its file is %s", span, file)
		}
	})
}

// pages passes the overview of each range to look, with the name of its file.
func (d *harness) pages(look func(span, page, file string)) {
	d.Helper()
	st, err := store.Open(d.Context(), d.db, store.Options{Now: d.now})
	if err != nil {
		d.Fatal(err)
	}
	defer st.Close()
	people, cookie := signedIn(d)
	cfg := config.Config{Timezone: time.UTC, Now: d.now}
	log := slog.New(slog.DiscardHandler)
	server := newWeb(cfg, st, people, nil, collector.New(collector.Options{Store: st, Now: d.now}), &accounts.Registry{}, nil, nil, nil, nil, log, demo.Logins{})
	get := func(path string) (*http.Response, string) {
		request := httptest.NewRequest(http.MethodGet, path, nil)
		request.Host = "127.0.0.1"
		request.Header.Set("Cookie", cookie)
		answer, err := server.App().Test(request, -1)
		if err != nil {
			d.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK {
			d.Fatalf("%s: %s, %v", path, answer.Status, err)
		}
		return answer, string(body)
	}
	for _, span := range firstHourRanges {
		_, page := get("/?range=" + span)
		file, _ := get("/commissions.csv?range=" + span)
		look(span, page, file.Header.Get("Content-Disposition"))
	}
}
