package store_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rebatedesk/store"
	"rebatedesk/store/outbox"
	"rebatedesk/store/storetest"
)

// beforeWatches is a database that knew itself which conditions an alert may watch.
const beforeWatches = `
	INSERT INTO subscriptions (id, kind, number, name, zone, created_ms, updated_ms, every, weekday, month_day, hour, minute, attach_csv, attach_xlsx, skip_empty, deadline_hours, through_day, segment)
		VALUES (1, 'schedule', 1, 'Morning', 'UTC', 5, 6, 'daily', 1, 1, 7, 30, 1, 0, 0, 12, '2026-09-01', 'Whales');
	INSERT INTO subscriptions (id, kind, number, name, zone, created_ms, updated_ms, watches, percent, since_ms, told_ms, as_user, segment) VALUES (2, 'alert', 1, 'Low', 'UTC', 5, 6, 'drop', 40, 5, 7, 'mara', 'Mine');
	INSERT INTO recipients VALUES (1, 'boss@example.com', NULL), (2, 'ops@example.com', 44);
	INSERT INTO facts (subscription_id, key, words, page, seen_ms, lasting_ms) VALUES (2, 'drop|main|USDT|2026-09-01', 'Low.', '/', 10, 11)`

// A database from before keeps its schedules and alerts with whom they are about, and takes alerts of
// any condition that the program knows.
func TestDatabaseThatKnewConditions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.db")
	if err := store.MakeOld(t.Context(), path, 51, beforeWatches); err != nil {
		t.Fatal(err)
	}
	s := storetest.OpenAt(t, path, store.Options{AuditKey: storetest.AuditKey})
	schedules, alerts := schedulesOf(t, s), alertsOf(t, s)
	if len(schedules) != 1 || schedules[0].Segment != "Whales" || schedules[0].Hour != 7 || len(alerts) != 1 {
		t.Fatalf("%+v, %+v", schedules, alerts)
	}
	want := outbox.Subscription{Ref: outbox.Ref{ID: 2, Kind: outbox.KindAlert, Number: 1}, Name: "Low", Zone: "UTC", Watches: "drop", Percent: 40, Created: 5, Since: 5, Told: 7, AsUser: "mara", Segment: "Mine",
		Updated: alerts[0].Updated, Recipients: []outbox.Recipient{{Address: "ops@example.com", Stopped: 44}}}
	if diff := cmp.Diff(want, alerts[0]); diff != "" {
		t.Errorf("the alert (-before +after)\n%s", diff)
	}
	if facts := factsOf(t, s, 2); len(facts) != 1 || facts[0].Lasting != 11 {
		t.Errorf("the facts are %+v", facts)
	}
	saveAlert(t, s, alertOn("weather", "boss@example.com"))
	if alerts = alertsOf(t, s); len(alerts) != 2 || alerts[1].Watches != "weather" {
		t.Errorf("the alerts are %+v", alerts)
	}
}
