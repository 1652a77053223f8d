package store_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/outbox"
	"rebatedesk/store/storetest"
)

// beforeSubscriptions is a database in which schedules and alerts had separate tables.
// Number 2 of both was removed, and 0 or an empty text meant an absent value.
const beforeSubscriptions = `
	INSERT INTO summary_schedules (id, name, account, every, weekday, month_day, hour, minute, zone, product, coin, code, sections, attach_csv, attach_xlsx,
		skip_empty, skip_below, skip_coin, deadline_hours, correct_above, correct_coin, through_day, paused_ms, removed_ms, created_ms, updated_ms) VALUES
		(1, 'Morning', '', 'daily', 1, 1, 7, 30, 'UTC', '', '', '', '', 1, 0, 0, '', '', 12, '', '', 20698, 0, 0, 5, 6),
		(2, 'Gone', 'main', 'weekly', 0, 31, 0, 0, 'Europe/Berlin', 'SPOT', 'USDT', 'vip', 'chart', 0, 0, 0, '', '', 12, '', '', 20691, 0, 9, 5, 9),
		(3, 'Gone', 'main', 'weekly', 0, 31, 0, 0, 'Europe/Berlin', 'SPOT,FUTURES', 'USDT, BTC', 'vip', 'chart,movers', 0, 1, 1, '10.5', 'USDT', 20, '0.00000001', 'BTC', 20691, 7, 0, 5, 8);
	INSERT INTO summary_recipients VALUES (1, 'boss@example.com', 0), (1, 'cfo@example.com', 44), (3, 'boss@example.com', 0);
	INSERT INTO alerts (id, name, account, watches, hours, percent, amount, coin, quiet_from, quiet_until, zone, apart_hours, since_ms, told_ms, paused_ms, removed_ms, created_ms, updated_ms) VALUES
		(1, 'Morning', 'main', 'silence', 0, 0, '250', 'USDT', 0, 420, 'Europe/Berlin', 24, 11, 12, 0, 0, 11, 13),
		(2, 'Removed', '', 'gap', 24, 0, '', '', 0, 0, 'UTC', 0, 11, 0, 0, 14, 11, 14),
		(3, 'Down', '', 'collection', 3, 0, '', '', 5, 5, 'UTC', 0, 11, 0, 15, 0, 11, 15);
	INSERT INTO alert_recipients VALUES (1, 'boss@example.com', 45), (3, 'ops@example.com', 0);
	INSERT INTO summary_messages (id, schedule_id, alert_id, scope, every, first_day, last_day, kind, number, made_ms, sender, subject, text, html, picture) VALUES
		(1, 1, 0, 'q', 'daily', 20698, 20698, 'summary', 0, 100, 'a@b.c', 'Daily', 'text', '<p>', x'01'),
		(2, 0, 0, 'q', 'monthly', 20665, 20695, 'manual', 1, 200, 'a@b.c', 'By hand', 'text', '', x''),
		(3, 0, 1, 'alert 1 x', '', 20699, 20699, 'alert', 0, 300, 'a@b.c', 'Alert', 'text', '<p>', x''),
		(4, 1, 0, 'q', 'daily', 20698, 20698, 'corrected', 0, 400, 'a@b.c', 'Changed', '', '', x'');
	INSERT INTO summary_attachments VALUES (1, 0, 'a.csv', 'text/csv', x'2c');
	INSERT INTO summary_totals VALUES (1, 'USDT', '98765432109876.00000003'), (4, 'USDT', '2');
	INSERT INTO deliveries (id, message_id, recipient, header_id, state, queued_ms, next_ms, lease, tries, ended_ms, answer) VALUES
		(1, 1, 'boss@example.com', '1@x', 'sent', 100, 0, 1, 1, 101, '250 ok'),
		(2, 2, 'boss@example.com', '2@x', 'dead', 200, 0, 2, 2, 201, '550 no'),
		(3, 3, 'boss@example.com', '3@x', 'waiting', 300, 0, 0, 0, 0, ''),
		(4, 1, 'cfo@example.com', '4@x', 'waiting', 100, 999, 3, 3, 0, '451 later');
	INSERT INTO alert_facts VALUES (1, 'told', 'Told.', '/invitees/7', 10, 11, 3), (1, 'held', 'Held back.', '/', 10, 12, 0), (3, 'seen', 'Seen.', '/', 10, 0, 0)`

// The migration keeps schedules, alerts and the outcome of their mails.
func TestOldSchedulesAndAlerts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.db")
	if err := store.MakeOld(t.Context(), path, 18, beforeSubscriptions); err != nil {
		t.Fatal(err)
	}
	s := storetest.OpenAt(t, path, store.Options{AuditKey: storetest.AuditKey})
	kept := func(address string, stopped affiliate.Millis) outbox.Recipient {
		return outbox.Recipient{Address: address, Stopped: stopped}
	}
	same := func(what string, want, got any) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-before +after)\n%s", what, diff)
		}
	}
	schedule, alert, down := outbox.Ref{ID: 1, Kind: outbox.KindSchedule, Number: 1}, outbox.Ref{ID: 4, Kind: outbox.KindAlert, Number: 1}, outbox.Ref{ID: 6, Kind: outbox.KindAlert, Number: 3}
	same("schedules", []outbox.Subscription{
		{Ref: outbox.Ref{ID: 3, Kind: outbox.KindSchedule, Number: 3}, Name: "Gone", Account: "main", Coin: "USDT, BTC", Zone: "Europe/Berlin", Paused: 7, Created: 5, Updated: 8,
			Recipients: []outbox.Recipient{kept("boss@example.com", 0)}, Every: "weekly", MonthDay: 31, Product: "SPOT,FUTURES", Code: "vip", Sections: []string{"chart", "movers"},
			AttachXLSX: true, SkipEmpty: true, SkipBelow: "10.5", SkipCoin: "USDT", Deadline: 20, CorrectAbove: "0.00000001", CorrectCoin: "BTC", Through: 20691},
		{Ref: schedule, Name: "Morning", Zone: "UTC", Created: 5, Updated: 6, Recipients: []outbox.Recipient{kept("boss@example.com", 0), kept("cfo@example.com", 44)},
			Every: "daily", Weekday: 1, MonthDay: 1, Hour: 7, Minute: 30, AttachCSV: true, Deadline: 12, Through: 20698},
	}, schedulesOf(t, s))
	same("alerts", []outbox.Subscription{
		{Ref: down, Name: "Down", Zone: "UTC", Paused: 15, Created: 11, Updated: 15, Recipients: []outbox.Recipient{kept("ops@example.com", 0)}, Watches: "collection", Hours: 3, Since: 11},
		{Ref: alert, Name: "Morning", Account: "main", Coin: "USDT", Zone: "Europe/Berlin", Created: 11, Updated: 13, Recipients: []outbox.Recipient{kept("boss@example.com", 45)},
			Watches: "silence", Amount: "250", QuietUntil: 420, Apart: 24, Since: 11, Told: 12},
	}, alertsOf(t, s))
	same("facts", []outbox.Fact{{Key: "held", Words: "Held back.", Page: "/", Seen: 10, Lasting: 12}, {Key: "told", Words: "Told.", Page: "/invitees/7", Seen: 10, Lasting: 11, Message: 3}}, factsOf(t, s, alert.ID))
	same("facts", []outbox.Fact{{Key: "seen", Words: "Seen.", Page: "/", Seen: 10}}, factsOf(t, s, down.ID))
	day := func(first, last affiliate.Day) affiliate.Days { return affiliate.Days{First: first, Last: last} }
	same("deliveries", []outbox.Attempt{
		{ID: 4, Message: 1, Of: schedule, Name: "Morning", Kind: "summary", Every: "daily", Days: day(20698, 20698), Subject: "Daily", Recipient: "cfo@example.com", HeaderID: "4@x",
			State: "waiting", Queued: 100, Next: 999, Lease: 3, Tries: 3, Answer: "451 later"},
		{ID: 3, Message: 3, Of: alert, Name: "Morning", Kind: "alert", Days: day(20699, 20699), Subject: "Alert", Recipient: "boss@example.com", HeaderID: "3@x", State: "waiting", Queued: 300},
		{ID: 2, Message: 2, Kind: "manual", Every: "monthly", Days: day(20665, 20695), Subject: "By hand", Recipient: "boss@example.com", HeaderID: "2@x",
			State: "dead", Queued: 200, Lease: 2, Tries: 2, Ended: 201, Answer: "550 no"},
		{ID: 1, Message: 1, Of: schedule, Name: "Morning", Kind: "summary", Every: "daily", Days: day(20698, 20698), Subject: "Daily", Recipient: "boss@example.com", HeaderID: "1@x",
			State: "sent", Queued: 100, Lease: 1, Tries: 1, Ended: 101, Answer: "250 ok"},
	}, deliveriesOf(t, s))
	same("a message", outbox.Summary{ID: 1, Of: schedule, Scope: "q", Every: "daily", Days: day(20698, 20698), Kind: "summary", Made: 100, From: "a@b.c", Subject: "Daily", Text: "text", HTML: "<p>", Picture: []byte{1},
		Attachments: []outbox.Attachment{{Name: "a.csv", Type: "text/csv", Content: []byte(",")}}, Totals: []outbox.SummaryTotal{{Coin: "USDT", Commission: "98765432109876.00000003"}}},
		read(t, s, func(r *store.Tx) (outbox.Summary, error) { return outbox.ReadSummary(t.Context(), r, 1) }))
	told := read(t, s, func(r *store.Tx) ([]outbox.Summary, error) { return outbox.Told(t.Context(), r, schedule.ID, 20698) })
	if len(told) != 1 || told[0].ID != 4 || told[0].Totals[0].Commission != "2" {
		t.Errorf("last reported: %+v", told)
	}

	// A reported period is not reported again, and later periods follow it.
	if queue(t, s, outbox.Summary{Of: schedule, Every: "daily", Days: day(20698, 20698), Kind: "summary"}, nil) {
		t.Error("a period is reported twice")
	}
	if queued, err := outbox.QueueAlert(t.Context(), s, []outbox.Fact{{Key: "told"}}, outbox.Summary{Of: alert}, nil); err != nil || queued {
		t.Errorf("a fact is reported twice (%v)", err)
	}
	if ref := saveAlert(t, s, alertOn("gap", "a@example.com")); ref.Number != 4 {
		t.Errorf("a new alert has number %d", ref.Number)
	}
	// A link names a subscription by its kind and number.
	if err := outbox.StopRecipient(t.Context(), s, outbox.Ref{Kind: outbox.KindAlert, Number: 3}, "ops@example.com", audit.Line{Via: "link"}); err != nil {
		t.Fatal(err)
	}
	for _, a := range alertsOf(t, s) {
		if a.Ref == down && !a.Recipients[0].Stopped.Known() {
			t.Error("the link of an alert has no effect")
		}
	}
}
