package mail

import (
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/mail/mailer"
	"rebatedesk/store"
	"rebatedesk/store/outbox"
	"rebatedesk/store/storetest"
)

// Summaries and alerts about a segment are about its members, name it and follow a new name.
// When it is removed they stop and say why, and are not about everybody.
func TestMailsAboutSegments(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "statements about segments, a segment that gets another name", testMailsAboutSegments)
}

func testMailsAboutSegments(t *testing.T) {
	d := collected(t, mailer.Server{})
	desk := d.reports
	id, err := desk.AddSegment(t.Context(), "Vips", "code=vip", someone)
	storetest.Done(t, err)
	d.schedule(func(s *outbox.Subscription) { s.Segment = "Vips" })
	d.watching("restatement", func(a *outbox.Subscription) { a.Segment = "Vips" })
	storetest.Done(t, desk.ChangeSegment(t.Context(), id, store.AnyVersion, "Élite", "code=vip", someone))
	sc := d.named("Morning")
	sum, err := d.Service.summary(t.Context(), sc, dispatch.Daily.Of(first))
	storetest.Done(t, err)
	if sc.Segment != "Élite" || len(sum.Totals) != 2 || sum.Totals[0].Coin != "USDT" || sum.Totals[0].Commission != "164.846913578024691356" {
		t.Errorf("the summary of %q has %+v", sc.Segment, sum.Totals)
	}
	if notes := strings.Join(sum.Notes, " "); !strings.Contains(notes, "Only invitees of the segment “Élite”.") {
		t.Errorf("it says %s", notes)
	}
	for _, table := range sum.Tables {
		for _, row := range table.Rows {
			if strings.Contains(row[0], string(uid(1))) || strings.Contains(row[0], "<b>") || strings.HasPrefix(table.Title, "Sub-affiliates") {
				t.Errorf("%s has %q", table.Title, row)
			}
		}
	}
	if !strings.Contains(sum.Link, "segment=%C3%89lite") {
		t.Errorf("it leads to %s", sum.Link)
	}

	told(t, "at first", d.after(0))
	brings := func(changed affiliate.UID, amount affiliate.Number) {
		t.Helper()
		d.now = d.now.Add(time.Hour)
		var rows []affiliate.Commission
		for _, row := range programme(affiliate.Days{First: first - 40, Last: first}) {
			if affiliate.DayOf(row.DealTime.Time(), time.UTC) == first {
				if row.UID == changed && row.Product == affiliate.Spot {
					row.Commission = amount
				}
				rows = append(rows, row)
			}
		}
		d.collect(daysOf(first, first), rows...)
	}
	brings(uid(1), "5000")
	told(t, "when another's figures changed", d.after(0))
	brings(uid(0), "5000")
	const changed = "Alert: figures of past days changed – all accounts (UTC)"
	told(t, "when a member's figures changed", d.after(0), changed)
	if text := d.newest().Text; !strings.Contains(text, "in the segment “Élite”") || !strings.Contains(text, "segment=%C3%89lite") {
		t.Errorf("the alert says\n%s", text)
	}

	if uses, err := desk.SegmentUses(t.Context(), "Élite"); err != nil || len(uses.Schedules) != 1 || len(uses.Alerts) != 1 {
		t.Errorf("it is used by %+v, %v", uses, err)
	}
	storetest.Done(t, desk.RemoveSegment(t.Context(), id, store.AnyVersion, someone))
	if at := d.standing(); !strings.Contains(at.Problem, `segment="Élite": the segment was removed on 2 September 2026 by anna`) {
		t.Errorf("the schedule says %q", at.Problem)
	}
	states, err := d.AlertStates(t.Context())
	if err != nil || !strings.Contains(states[0].Problem, "the segment was removed") {
		t.Errorf("the alert says %+v, %v", states, err)
	}
	if _, err := d.Service.summary(t.Context(), d.named("Morning"), dispatch.Daily.Of(first)); err == nil || !strings.Contains(err.Error(), "the segment was removed") {
		t.Errorf("a summary without its segment: %v", err)
	}
	brings(uid(0), "9000")
	told(t, "without the segment", d.after(0), changed)
	for _, raw := range []outbox.Subscription{
		{Ref: outbox.Ref{Kind: outbox.KindAlert}, Name: "x", Watches: "collection", Hours: 3, Zone: "UTC", Segment: "Élite"},
		{Ref: outbox.Ref{Kind: outbox.KindAlert}, Name: "x", Watches: "drop", Percent: 50, Zone: "UTC", Segment: "Élite"},
	} {
		raw.Recipients = outbox.Recipients([]string{"boss@example.com"})
		if field := storetest.Broken(t, d.Save(t.Context(), raw, someone)).Field; field != "segment" {
			t.Errorf("an alert of %s is refused at %q", raw.Watches, field)
		}
	}
}
