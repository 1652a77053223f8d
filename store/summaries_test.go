package store_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/outbox"
	"rebatedesk/store/storetest"
)

// someone is the author of the changes.
var someone = audit.Line{Actor: "anna", Via: "session"}

func weekly(name string, to ...string) outbox.Subscription {
	sc := outbox.Subscription{Ref: outbox.Ref{Kind: outbox.KindSchedule},
		Name: name, Account: "main", Every: "weekly", Weekday: time.Monday, MonthDay: 31, Hour: 7, Minute: 30, Zone: "Europe/Berlin",
		Product: affiliate.Spot, Coin: "USDT", Code: "vip", Sections: []string{"chart", "movers"}, AttachCSV: true, SkipEmpty: true,
		SkipBelow: "10.5", SkipCoin: "USDT", Deadline: 12, CorrectAbove: "0.00000001", CorrectCoin: "BTC", Through: 100,
	}
	for _, address := range to {
		sc.Recipients = append(sc.Recipients, outbox.Recipient{Address: address})
	}
	return sc
}

func save(t testing.TB, s *store.Store, sc outbox.Subscription) outbox.Ref {
	t.Helper()
	ref, err := outbox.Save(t.Context(), s, sc, someone)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func schedulesOf(t testing.TB, s *store.Store) []outbox.Subscription {
	t.Helper()
	r, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	list, err := outbox.Subscriptions(t.Context(), r, outbox.KindSchedule)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func deliveriesOf(t testing.TB, s *store.Store) []outbox.Attempt {
	t.Helper()
	r, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	list, err := outbox.Attempts(t.Context(), r, outbox.AttemptQuery{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestSchedulesAreKeptAsTheyAre(t *testing.T) {
	storetest.Engines(t, "texts and missing values", testSchedulesAreKeptAsTheyAre)
}

func testSchedulesAreKeptAsTheyAre(t *testing.T) {
	s := storetest.Audited(t)
	want := weekly("Weekly", "a@example.com", "b@example.com")
	want.Ref = save(t, s, want)
	times := cmpopts.IgnoreFields(outbox.Subscription{}, "Created", "Updated")
	if diff := cmp.Diff([]outbox.Subscription{want}, schedulesOf(t, s), times); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if err := outbox.StopRecipient(t.Context(), s, want.Ref, "B@example.com", someone); err != nil {
		t.Fatal(err)
	}
	changed := weekly("weekly", "b@example.com", "c@example.com")
	changed.Ref, changed.Through, changed.Every = want.Ref, 7, "monthly"
	save(t, s, changed)
	got := schedulesOf(t, s)[0]
	if got.Through != 100 || got.Every != "monthly" || len(got.Recipients) != 2 || !got.Recipients[0].Stopped.Known() || got.Recipients[1].Stopped.Known() {
		t.Errorf("after the change: %+v", got)
	}
	for _, step := range []struct {
		every string
		at    affiliate.Day // end of the newest period
		want  affiliate.Day
	}{{"daily", 120, 120}, {"daily", 130, 120}, {"weekly", 118, 120}} {
		changed.Every, changed.Through = step.every, step.at
		if save(t, s, changed); schedulesOf(t, s)[0].Through != step.want {
			t.Errorf("made at %s, it continues after day %d, want %d", step.every, schedulesOf(t, s)[0].Through, step.want)
		}
	}
	if _, err := outbox.Save(t.Context(), s, weekly("WEEKLY"), someone); !isRule(err) {
		t.Errorf("the same name twice: %v", err)
	}
	if err := outbox.Remove(t.Context(), s, want, someone); err != nil {
		t.Fatal(err)
	}
	if err := outbox.Remove(t.Context(), s, want, someone); !isRule(err) {
		t.Errorf("removed twice: %v", err)
	}
	if id := save(t, s, weekly("Weekly", "a@example.com")); id == want.Ref {
		t.Error("a new schedule got the number of a removed one")
	}
}

func isRule(err error) bool {
	_, ok := errors.AsType[*store.RuleError](err)
	return ok
}

// summaryOf returns a message about the period that ends on a day.
func summaryOf(of outbox.Ref, last affiliate.Day, kind outbox.SummaryKind) outbox.Summary {
	return outbox.Summary{
		Of: of, Every: "weekly", Days: affiliate.Days{First: last - 6, Last: last}, Kind: kind, Made: 5,
		From: "Desk <desk@example.com>", Subject: "Report – ü", Text: "text", HTML: "<p>", Picture: []byte{1, 0, 2},
		Attachments: []outbox.Attachment{{Name: "a.csv", Type: "text/csv", Content: []byte("a,b\r\n")}, {Name: "b.xlsx", Type: "application/x", Content: []byte{0}}},
		Totals:      []outbox.SummaryTotal{{Coin: "BTC", Commission: "0.00000001"}, {Coin: "USDT", Commission: "98765432109876.00000003"}},
	}
}

func to(names ...string) (list []outbox.Addressee) {
	for _, name := range names {
		list = append(list, outbox.Addressee{Address: name + "@example.com", HeaderID: name + "@desk"})
	}
	return list
}

func queue(t testing.TB, s *store.Store, m outbox.Summary, list []outbox.Addressee) bool {
	t.Helper()
	queued, err := outbox.QueueSummary(t.Context(), s, m, list)
	if err != nil {
		t.Fatal(err)
	}
	return queued
}

// Summaries that were sent are listed as states, newest first, by the instant of their figures or,
// of an older version, by the time when they were made.
func TestLastReported(t *testing.T) {
	storetest.Engines(t, "largest values among none", testLastReported)
}

func testLastReported(t *testing.T) {
	s := storetest.Open(t, store.Options{AuditKey: storetest.AuditKey})
	id := save(t, s, weekly("Weekly", "a@example.com"))
	for i, kind := range []outbox.SummaryKind{outbox.SummaryWhole, outbox.SummarySkipped, outbox.SummaryManual, outbox.SummaryTest, outbox.SummaryManual} {
		m := summaryOf(id, affiliate.Day(107+7*i), kind)
		m.Number, m.AsOf = i, affiliate.Millis(4+i)
		if i == 0 {
			m.AsOf = 0 // of an older version
		}
		list := to(fmt.Sprint("a", i))
		if kind == outbox.SummarySkipped {
			list = nil
		}
		if !queue(t, s, m, list) {
			t.Fatalf("%s was not queued", kind)
		}
		if i == 4 {
			break // waits
		}
		if kind == outbox.SummarySkipped {
			continue
		}
		d, found, err := outbox.Take(t.Context(), s, outbox.MailServer, time.UnixMilli(1), time.Minute)
		if err != nil || !found {
			t.Fatal(found, err)
		}
		if err := outbox.End(t.Context(), s, d, outbox.Result{State: outbox.Sent, Answer: "250"}); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got, err := outbox.LastReported(t.Context(), r, 10)
	want := []outbox.Reported{
		{Schedule: "Weekly", Kind: outbox.SummaryManual, Days: affiliate.Days{First: 115, Last: 121}, Made: 5, AsOf: 6, Exact: true},
		{Schedule: "Weekly", Kind: outbox.SummaryWhole, Days: affiliate.Days{First: 101, Last: 107}, Made: 5, AsOf: 5},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if newest, err := outbox.LastReported(t.Context(), r, 1); err != nil || len(newest) != 1 {
		t.Errorf("%d of 1, %v", len(newest), err)
	}
}

// A period is queued once, however often and by however many processes it is tried. The
// queued message is the one of the first success.
func TestAPeriodIsQueuedOnce(t *testing.T) {
	storetest.Engines(t, "what is unique", testAPeriodIsQueuedOnce)
}

func testAPeriodIsQueuedOnce(t *testing.T) {
	s := storetest.Open(t, store.Options{AuditKey: storetest.AuditKey})
	id := save(t, s, weekly("w", "a@example.com"))
	var work sync.WaitGroup
	queued := make([]bool, 8)
	for i := range queued {
		work.Go(func() {
			kind := []outbox.SummaryKind{outbox.SummaryWhole, outbox.SummaryPartial, outbox.SummarySkipped}[i%3]
			queued[i], _ = outbox.QueueSummary(t.Context(), s, summaryOf(id, 107, kind), to(fmt.Sprint("a", i)))
		})
	}
	work.Wait()
	if n := len(slices.DeleteFunc(queued, func(yes bool) bool { return !yes })); n != 1 || len(deliveriesOf(t, s)) != 1 {
		t.Errorf("queued %d times, %d deliveries", n, len(deliveriesOf(t, s)))
	}
	if queue(t, s, summaryOf(id, 100, outbox.SummaryWhole), to("b")) {
		t.Error("an older period was queued")
	}
	d := deliveriesOf(t, s)[0]
	r, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got, err := outbox.ReadSummary(t.Context(), r, d.Message)
	want := summaryOf(id, 107, d.Kind)
	want.ID = d.Message
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	told, err := outbox.Told(t.Context(), r, id.ID, 0)
	if d.Kind != outbox.SummarySkipped && (err != nil || len(told) != 1 || !slices.Equal(told[0].Totals, want.Totals)) {
		t.Errorf("told %v, %v", told, err)
	}
}

// If a part of a message cannot be written, nothing of it is stored.
func TestQueueIsAllOrNothing(t *testing.T) {
	storetest.Engines(t, "the write as a whole is undone", testQueueIsAllOrNothing)
}

func testQueueIsAllOrNothing(t *testing.T) {
	s := storetest.Audited(t)
	id := save(t, s, weekly("w", "a@example.com"))
	if _, err := outbox.QueueSummary(t.Context(), s, summaryOf(id, 107, outbox.SummaryWhole), to("a", "a")); err == nil {
		t.Fatal("a Message-ID was accepted twice")
	}
	if sc := schedulesOf(t, s)[0]; sc.Through != 100 || len(deliveriesOf(t, s)) != 0 {
		t.Errorf("the schedule is through %d with %d deliveries", sc.Through, len(deliveriesOf(t, s)))
	}
	if !queue(t, s, summaryOf(id, 107, outbox.SummaryWhole), to("a")) {
		t.Error("the period is lost")
	}
}

func TestPausedAndRemovedSchedulesQueueNothing(t *testing.T) {
	storetest.Engines(t, "statements about schedules", testPausedAndRemovedSchedulesQueueNothing)
}

func testPausedAndRemovedSchedulesQueueNothing(t *testing.T) {
	s := storetest.Audited(t)
	id := save(t, s, weekly("w", "a@example.com"))
	if err := outbox.Pause(t.Context(), s, schedulesOf(t, s)[0], true, someone); err != nil {
		t.Fatal(err)
	}
	if queue(t, s, summaryOf(id, 107, outbox.SummaryWhole), to("a")) || queue(t, s, summaryOf(id, 107, outbox.SummaryCorrected), to("c")) {
		t.Error("queued while paused")
	}
	sc := schedulesOf(t, s)[0]
	sc.Through = 121
	if err := outbox.Pause(t.Context(), s, sc, false, someone); err != nil {
		t.Fatal(err)
	}
	if queue(t, s, summaryOf(id, 121, outbox.SummaryWhole), to("a")) || !queue(t, s, summaryOf(id, 128, outbox.SummaryWhole), to("b")) {
		t.Error("after the pause it continues at the wrong period")
	}
	if !queue(t, s, summaryOf(id, 128, outbox.SummaryCorrected), to("c")) || queue(t, s, summaryOf(id, 128, outbox.SummaryCorrected), to("d")) {
		t.Error("a correction is not queued exactly once")
	}
	if err := outbox.Remove(t.Context(), s, schedulesOf(t, s)[0], someone); err != nil {
		t.Fatal(err)
	}
	for _, d := range deliveriesOf(t, s) {
		if d.State != outbox.Dead {
			t.Errorf("%s is %s after its schedule was removed", d.HeaderID, d.State)
		}
	}
}

// A delivery belongs to one worker at a time. The lease of a dead worker ends; afterwards
// this worker can only record that it sent the message.
func TestLeases(t *testing.T) { storetest.Engines(t, "leases of several writers", testLeases) }

func testLeases(t *testing.T) {
	s := storetest.Audited(t)
	queue(t, s, summaryOf(outbox.Ref{}, 7, outbox.SummaryManual), to("a", "b"))
	now := time.UnixMilli(1_000_000)
	take := func(at time.Time) (outbox.Attempt, bool) {
		d, found, err := outbox.Take(t.Context(), s, outbox.MailServer, at, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		return d, found
	}
	a, _ := take(now)
	b, _ := take(now)
	if _, found := take(now.Add(time.Minute - 1)); found || a.HeaderID != "a@desk" || b.HeaderID != "b@desk" {
		t.Fatalf("taken: %v and %v, and a third: %t", a, b, found)
	}
	again, found := take(now.Add(time.Minute))
	if !found || again.ID != a.ID || again.Tries != 2 {
		t.Fatalf("after the lease: %+v", again)
	}
	if err := outbox.End(t.Context(), s, a, outbox.Result{State: outbox.Dead, Next: now, Answer: "550"}); !errors.Is(err, outbox.ErrLeaseLost) {
		t.Errorf("the first worker's result: %v", err)
	}
	if err := outbox.End(t.Context(), s, a, outbox.Result{State: outbox.Sent, Next: now, Answer: "250"}); err != nil {
		t.Error(err)
	}
	if err := outbox.End(t.Context(), s, again, outbox.Result{State: outbox.Waiting, Next: now, Answer: "451"}); !errors.Is(err, outbox.ErrLeaseLost) {
		t.Errorf("a sent message can be sent again: %v", err)
	}
	if err := outbox.End(t.Context(), s, b, outbox.Result{State: outbox.Waiting, Next: now.Add(time.Hour), Answer: "451 greylisted"}); err != nil {
		t.Fatal(err)
	}
	if _, found := take(now.Add(time.Hour - time.Millisecond)); found {
		t.Error("tried too early")
	}
	if d, found := take(now.Add(-24 * time.Hour)); !found || d.ID != b.ID {
		t.Errorf("after the clock was set back by a day the delivery is not taken: %+v", d)
	} else if err := outbox.End(t.Context(), s, d, outbox.Result{State: outbox.Waiting, Next: now.Add(time.Hour), Answer: "451 greylisted"}); err != nil {
		t.Fatal(err)
	}
	r, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o, err := outbox.ReadMailHealth(t.Context(), r, 0)
	if r.Close(); err != nil || o.Waiting != 1 || o.Failing != 1 || o.Dead != 0 || o.Answer != "451 greylisted" {
		t.Errorf("the outbox: %+v, %v", o, err)
	}
	if err := outbox.Resend(t.Context(), s, a.ID, someone); err != nil {
		t.Fatal(err)
	}
	if d, found := take(now); !found || d.HeaderID != "a@desk" {
		t.Errorf("sent again: %+v", d)
	}
	if err := outbox.ForgetSummaries(t.Context(), s, 6); err != nil {
		t.Fatal(err)
	}
	if err := outbox.Resend(t.Context(), s, b.ID, someone); !isRule(err) {
		t.Errorf("a waiting delivery: %v", err)
	}
}

// Old messages keep their text and their log; waiting messages keep everything.
func TestOldMessagesAreForgotten(t *testing.T) {
	storetest.Engines(t, "statements about old messages", testOldMessagesAreForgotten)
}

func testOldMessagesAreForgotten(t *testing.T) {
	s := storetest.Audited(t)
	old, young := summaryOf(outbox.Ref{}, 7, outbox.SummaryManual), summaryOf(outbox.Ref{}, 14, outbox.SummaryManual)
	young.Made = 6
	queue(t, s, old, to("a"))
	queue(t, s, young, to("b"))
	message := func(i int) outbox.Summary {
		r, err := s.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		m, err := outbox.ReadSummary(t.Context(), r, deliveriesOf(t, s)[i].Message)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	forget := func() {
		if err := outbox.ForgetSummaries(t.Context(), s, 6); err != nil {
			t.Fatal(err)
		}
	}
	if forget(); message(1).HTML == "" || len(message(1).Attachments) != 2 {
		t.Error("a waiting message was forgotten")
	}
	d, _, err := outbox.Take(t.Context(), s, outbox.MailServer, time.UnixMilli(1), time.Minute)
	if err == nil {
		err = outbox.End(t.Context(), s, d, outbox.Result{State: outbox.Sent, Next: time.Time{}, Answer: "250"})
	}
	if err != nil {
		t.Fatal(err)
	}
	if forget(); message(1).HTML != "" || len(message(1).Picture) != 0 || len(message(1).Attachments) != 0 || message(1).Text != "text" || len(message(1).Totals) != 2 {
		t.Errorf("the old message still has %+v", message(1))
	}
	if message(0).HTML == "" || len(message(0).Attachments) != 2 {
		t.Error("the recent message was forgotten")
	}
	if err := outbox.Resend(t.Context(), s, d.ID, someone); !isRule(err) {
		t.Errorf("sent again without its content: %v", err)
	}
}
