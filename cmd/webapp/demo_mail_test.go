package main

import (
	"cmp"
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/demo"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/outbox"
)

// The demo sends nothing before its history is complete. Then it sends both summaries, of
// the newest periods that are due, to its own server. It sends them only once, at whatever
// time it is started.
func TestDemoSendsSummaries(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ start, zone, day, week string }{
		{"2026-11-18T12:00:00Z", "UTC", "17 Nov 2026", "9–15 Nov 2026"},
		{"2026-11-18T00:00:05Z", "UTC", "16 Nov 2026", "9–15 Nov 2026"},
		{"2026-11-18T00:55:00Z", "UTC", "16 Nov 2026", "9–15 Nov 2026"},
		{"2026-11-18T07:00:00Z", "UTC", "17 Nov 2026", "9–15 Nov 2026"},
		{"2026-11-18T21:30:00Z", "UTC", "17 Nov 2026", "9–15 Nov 2026"}, // after the deadline
		{"2026-11-16T00:10:00Z", "UTC", "14 Nov 2026", "2–8 Nov 2026"},  // a Monday
		{"2026-12-01T00:05:00Z", "UTC", "29 Nov 2026", "23–29 Nov 2026"},
		{"2026-12-31T23:58:00Z", "UTC", "30 Dec 2026", "21–27 Dec 2026"},
		{"2028-02-29T00:30:00Z", "UTC", "27 Feb 2028", "21–27 Feb 2028"},
		{"2028-03-01T00:30:00Z", "UTC", "28 Feb 2028", "21–27 Feb 2028"},
		{"2026-10-25T00:30:00Z", "Europe/Berlin", "23 Oct 2026", "12–18 Oct 2026"},  // half an hour before clocks go back
		{"2027-03-14T05:10:00Z", "America/New_York", "12 Mar 2027", "1–7 Mar 2027"}, // ten minutes into the day they go forward
		{"2026-11-18T10:05:00Z", "Pacific/Kiritimati", "17 Nov 2026", "9–15 Nov 2026"},
	} {
		t.Run(c.start, func(t *testing.T) {
			t.Parallel()
			start, err := time.Parse(time.RFC3339, c.start)
			if err != nil {
				t.Fatal(err)
			}
			d := newHarness(t, opensAt(start))
			d.env = append(d.env, "REBATEDESK_TIMEZONE="+c.zone)
			d.done(nil, "collect")
			d.sendsDemo(t, c.zone, []string{
				"Affiliate report – " + c.day + " (" + c.zone + ") – main",
				c.week + " (" + c.zone + ") – main", c.week + " (" + c.zone + ") – main",
			})
		})
	}
}

// The exchange of the demo sends a record that cannot be read. Its people are named and its summaries are
// sent all the same.
func TestDemoMailBesideAnUnreadableRecord(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 18, 7, 0, 0, 0, time.UTC)
	d := newHarness(t, opensAt(start))
	spot := slices.DeleteFunc(d.sim.Ledger().Commissions, func(c affiliate.Commission) bool { return c.Product != affiliate.Spot })
	odd := slices.MinFunc(spot, func(a, b affiliate.Commission) int { return cmp.Compare(a.DealTime, b.DealTime) })
	if !odd.DealTime.Time().Before(start.AddDate(0, 0, -17)) {
		t.Fatalf("the oldest record, of %s, is of a week that a summary is about", odd.DealTime)
	}
	odd.DealTime, odd.Fee = odd.DealTime+1, "12,50"
	d.sim.Insert(odd)
	if status, _, stderr := d.run(t.Context(), nil, "collect"); status == statusDone || !strings.Contains(stderr, "could not be read") {
		t.Fatalf("status %d: %s", status, stderr)
	}
	d.sendsDemo(t, "UTC", []string{"17 Nov 2026 (UTC) – main", "9–15 Nov 2026 (UTC) – main", "9–15 Nov 2026 (UTC) – main"})
	if people := d.done(nil, "export", "people"); !strings.Contains(people, "key account") {
		t.Errorf("nobody is named: %.400s", people)
	}
}

// sendsDemo runs the mail of a demo on the database of the harness.
func (d *harness) sendsDemo(t *testing.T, name string, subjects []string) {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	smtpd, err := demo.OpenSMTP()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := smtpd.Close(); err != nil {
			t.Error(err)
		}
	})
	options := store.Options{Zone: zone, Now: d.now, AuditKey: []byte(strings.Repeat("k", 32))}
	st := openStore(t, d.db, options)
	cfg := config.Config{Mail: smtpd.Settings(), Timezone: zone, Now: d.now}
	mails := newMail(cfg, st, secret.MasterKey{}, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() { mails.Run(ctx) })
	t.Cleanup(func() { cancel(); work.Wait() })
	sent := func() (list []string) {
		all, err := mails.Deliveries(ctx, outbox.AttemptQuery{Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range all {
			if one.State == outbox.Sent && strings.Contains(one.Answer, "which sends nothing") && one.Kind == outbox.SummaryWhole {
				list = append(list, one.Subject)
			}
		}
		slices.Sort(list)
		return list
	}

	if done, err := demo.AddSchedule(ctx, cfg, openStore(t, filepath.Join(t.TempDir(), "new.db"), options)); done || err != nil {
		t.Fatalf("before anything is collected: %t, %v", done, err)
	}
	demo.ServeMail(ctx, cfg, st, mails, slog.New(slog.DiscardHandler))
	for wait := time.Now(); len(sent()) < len(subjects) && time.Since(wait) < time.Minute; {
		time.Sleep(20 * time.Millisecond)
	}
	list := sent()
	if len(list) != len(subjects) {
		t.Fatalf("sent: %q", list)
	}
	for i, subject := range subjects {
		if !strings.HasPrefix(list[i], "Affiliate report") || !strings.HasSuffix(list[i], subject) {
			t.Errorf("sent: %q, want %q", list[i], subject)
		}
	}
	schedules, err := mails.Subscriptions(ctx, outbox.KindSchedule)
	if err != nil || len(schedules) != len(demo.AddSchedules(name)) {
		t.Fatalf("%d schedules, %v", len(schedules), err)
	}
	for _, sc := range schedules {
		if err := mails.Remove(ctx, sc, audit.Line{Actor: "anna", Via: "session"}); err != nil {
			t.Fatal(err)
		}
	}
	demo.ServeMail(ctx, cfg, st, mails, slog.New(slog.DiscardHandler))
	if list, err := mails.Subscriptions(ctx, outbox.KindSchedule); err != nil || len(list) != 0 {
		t.Errorf("what was removed is back: %+v, %v", list, err)
	}
}

// openStore opens a database and closes it at the end of the test.
func openStore(t *testing.T, path string, options store.Options) *store.Store {
	t.Helper()
	st, err := store.Open(t.Context(), path, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}
