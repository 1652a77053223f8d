package store_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/outbox"
	"rebatedesk/store/storetest"
)

// A delivery queued by hand is left to the process that queued it, until that process
// counts as dead.
func TestKeptDeliveries(t *testing.T) {
	storetest.Engines(t, "statements about deliveries", testKeptDeliveries)
}

func testKeptDeliveries(t *testing.T) {
	s := storetest.Audited(t)
	now := time.UnixMilli(1_000_000)
	kept := to("a", "b")
	for i := range kept {
		kept[i].Kept = 1_060_000
	}
	queue(t, s, summaryOf(outbox.Ref{}, 7, outbox.SummaryManual), kept)
	if d, found, err := outbox.Take(t.Context(), s, outbox.MailServer, now.Add(time.Minute-1), time.Minute); found || err != nil {
		t.Errorf("taken by another process: %+v, %v", d, err)
	}
	own := func(id string) bool {
		_, found, err := outbox.TakeOne(t.Context(), s, id, now, 2*time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if !own("a@desk") || own("a@desk") {
		t.Error("the process that queued it cannot take it exactly once")
	}
	if d, found, err := outbox.Take(t.Context(), s, outbox.MailServer, now.Add(time.Minute), time.Minute); !found || err != nil || d.HeaderID != "b@desk" {
		t.Errorf("after its time: %+v, %v", d, err)
	}
	if own("b@desk") {
		t.Error("taken although another process has it")
	}
}

// A recipient who unsubscribes during an attempt receives the mail only if it was already
// sent, and it cannot be sent again.
func TestUnsubscribedDuringAnAttempt(t *testing.T) {
	storetest.Engines(t, "two writers of a row", testUnsubscribedDuringAnAttempt)
}

func testUnsubscribedDuringAnAttempt(t *testing.T) {
	for _, c := range []struct{ says, want outbox.State }{
		{outbox.Waiting, outbox.Dead}, {outbox.Dead, outbox.Dead}, {outbox.Sent, outbox.Sent},
	} {
		s := storetest.Audited(t)
		id := save(t, s, weekly("w", "a@example.com"))
		queue(t, s, summaryOf(id, 107, outbox.SummaryWhole), []outbox.Addressee{{Address: "a@example.com", HeaderID: "a@desk"}})
		now := time.UnixMilli(1_000_000)
		d, _, err := outbox.Take(t.Context(), s, outbox.MailServer, now, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if err := outbox.StopRecipient(t.Context(), s, id, "A@example.com", audit.Line{Via: "link"}); err != nil {
			t.Fatal(err)
		}
		if err := outbox.End(t.Context(), s, d, outbox.Result{State: c.says, Next: now.Add(time.Minute), Answer: "451 later"}); (c.says == outbox.Sent) != (err == nil) || err != nil && !errors.Is(err, outbox.ErrLeaseLost) {
			t.Errorf("%s: %v", c.says, err)
		}
		if got := deliveriesOf(t, s)[0]; got.State != c.want || !got.Fine() {
			t.Errorf("after %s it is %+v, want %s", c.says, got, c.want)
		}
		if err := outbox.Resend(t.Context(), s, d.ID, someone); !isRule(err) {
			t.Errorf("after %s it can be sent again: %v", c.says, err)
		}
	}
}

// The log holds a row for every copy of every message, so a query of a part of it may
// read only this part.
func TestPlansOfTheLog(t *testing.T) {
	s := storetest.Audited(t)
	asked, err := store.Listen(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		q     outbox.AttemptQuery
		reads string
	}{
		{outbox.AttemptQuery{}, "SCAN d"}, // newest first, no further than one page
		{outbox.AttemptQuery{Before: 9, State: outbox.Sent}, "SEARCH d USING INTEGER PRIMARY KEY"},
		{outbox.AttemptQuery{Message: 5}, "SEARCH d USING INDEX deliveries_by_message"},
		{outbox.AttemptQuery{State: outbox.Waiting}, "SCAN deliveries USING COVERING INDEX deliveries_waiting"},
		{outbox.AttemptQuery{State: outbox.Dead, Before: 9}, "SCAN deliveries USING COVERING INDEX deliveries_dead"},
		{outbox.AttemptQuery{Schedule: 3, State: outbox.Sent}, "SEARCH d USING INDEX deliveries_by_message"},
	} {
		c.q.Limit = 50
		r, err := s.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := outbox.Attempts(t.Context(), r, c.q); err != nil {
			t.Fatal(err)
		}
		r.Close()
		plans, err := asked.Plans()
		if err != nil {
			t.Fatal(err)
		}
		found := slices.ContainsFunc(plans, func(line string) bool { return strings.HasPrefix(line, c.reads) })
		scans := slices.ContainsFunc(plans, func(line string) bool { return strings.HasPrefix(line, "SCAN messages") })
		if !found || scans {
			t.Errorf("%+v: %q, want %s", c.q, plans, c.reads)
		}
	}
}
