package store_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rebatedesk/affiliate"
	"rebatedesk/internal/race"
	"rebatedesk/store"
	"rebatedesk/store/outbox"
	"rebatedesk/store/storetest"
)

// beforeChannels is a database in which recipients were mail addresses only.
const beforeChannels = `
	INSERT INTO subscriptions (id, kind, number, name, zone, created_ms, updated_ms, every, weekday, month_day, hour, minute, attach_csv, attach_xlsx, skip_empty, deadline_hours, through_day)
		VALUES (1, 'schedule', 1, 'Morning', 'UTC', 5, 6, 'daily', 1, 1, 7, 30, 1, 0, 0, 12, '2026-09-01');
	INSERT INTO subscriptions (id, kind, number, name, zone, created_ms, updated_ms, watches, hours, percent, since_ms) VALUES (2, 'alert', 1, 'Down', 'UTC', 5, 6, 'collection', 3, 0, 5);
	INSERT INTO recipients VALUES (1, 'boss@example.com', NULL), (1, 'cfo@example.com', 44), (2, 'ops@example.com', NULL);
	INSERT INTO messages (id, subscription_id, scope, every, first_day, last_day, kind, number, made_ms, sender, subject, text, html, picture, as_of_ms)
		VALUES (1, 1, 'q', 'daily', '2026-09-01', '2026-09-01', 'summary', 0, 100, 'a@b.c', 'Daily', 'text', '<p>', x'01', 99);
	INSERT INTO deliveries (id, message_id, recipient, header_id, state, queued_ms, next_ms, lease, tries, ended_ms, answer)
		VALUES (1, 1, 'cfo@example.com', '1@x', 'sent', 100, NULL, 1, 1, 101, '250 ok'), (2, 1, 'boss@example.com', '2@x', 'waiting', 100, NULL, 1, 1, NULL, '451 later');
	INSERT INTO facts (subscription_id, key, words, page, seen_ms, lasting_ms, message_id) VALUES (2, 'collection|main|1', 'It fails.', '/collection', 10, 11, NULL)`

// A database from before channels keeps its schedules, recipients and alerts. What waited is sent
// by mail, and a schedule goes on to send, to a channel as well.
func TestDatabaseFromBeforeChannels(t *testing.T) {
	race.Skip(t, "migrations, one after the other")
	path := filepath.Join(t.TempDir(), "old.db")
	if err := store.MakeOld(t.Context(), path, 45, beforeChannels); err != nil {
		t.Fatal(err)
	}
	s := storetest.OpenAt(t, path, store.Options{AuditKey: storetest.AuditKey})
	schedules, alerts := schedulesOf(t, s), alertsOf(t, s)
	if len(schedules) != 1 || len(alerts) != 1 {
		t.Fatalf("%+v, %+v", schedules, alerts)
	}
	recipients := []outbox.Recipient{{Address: "boss@example.com"}, {Address: "cfo@example.com", Stopped: 44}}
	if diff := cmp.Diff(recipients, schedules[0].Recipients); diff != "" || alerts[0].Recipients[0].Address != "ops@example.com" {
		t.Errorf("recipients (-before +after)\n%s%+v", diff, alerts[0])
	}
	if facts := factsOf(t, s, alerts[0].ID); len(facts) != 1 || facts[0].Key != "collection|main|1" || facts[0].Detail != "" {
		t.Errorf("the facts are %+v", facts)
	}
	now := time.UnixMilli(200)
	if due := read(t, s, func(r *store.Tx) ([]int64, error) { return outbox.Places(t.Context(), r, now) }); !slices.Equal(due, []int64{outbox.MailServer}) {
		t.Errorf("a mail is due at %v", due)
	}
	sent := func(to string) outbox.Attempt {
		t.Helper()
		d, found, err := outbox.Take(t.Context(), s, outbox.MailServer, now, time.Minute)
		if err != nil || !found || d.Recipient != to || d.Channel != 0 {
			t.Fatalf("%+v, %v, %v; want one to %s", d, found, err, to)
		}
		if err := outbox.End(t.Context(), s, d, outbox.Result{State: outbox.Sent, Answer: "250 ok"}); err != nil {
			t.Fatal(err)
		}
		return d
	}
	if d := sent("boss@example.com"); d.HeaderID != "2@x" || d.Tries != 2 {
		t.Errorf("what waited is %+v", d)
	}
	id, err := outbox.AddChannel(t.Context(), s, outbox.Channel{Name: "Ops", Kind: "webhook", Shown: "x"}, func(int64) (address, secret []byte) { return []byte{1}, []byte{2} }, someone)
	if err != nil {
		t.Fatal(err)
	}
	day := affiliate.NewDay(2026, time.September, 2)
	m := outbox.Summary{Of: schedules[0].Ref, Scope: "q", Every: "daily", Days: affiliate.Days{First: day, Last: day}, Kind: outbox.SummaryWhole, Made: 150, From: "a@b.c", Subject: "Daily", Text: "x", HTML: "<p>", Brief: "x", Event: "{}"}
	to := []outbox.Addressee{{Address: "boss@example.com", HeaderID: "3@x"}, {Address: outbox.ChannelAddress(id), Channel: id, Posted: true, HeaderID: "msg_1"}}
	if queued, err := outbox.QueueSummary(t.Context(), s, m, to); err != nil || !queued {
		t.Fatal(queued, err)
	}
	sent("boss@example.com")
	if d, found, err := outbox.Take(t.Context(), s, id, now, time.Minute); err != nil || !found || d.HeaderID != "msg_1" {
		t.Errorf("%+v, %v, %v", d, found, err)
	}
	if got := schedulesOf(t, s)[0].Through; got != day {
		t.Errorf("the schedule is settled through %s", got)
	}
}
