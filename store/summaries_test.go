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
)

// someone did it.
var someone = store.Audit{Actor: "anna", Via: "session"}

func weekly(name string, to ...string) store.Schedule {
	sc := store.Schedule{
		Name: name, Account: "main", Every: "weekly", Weekday: time.Monday, MonthDay: 31, Hour: 7, Minute: 30, Zone: "Europe/Berlin",
		Product: affiliate.Spot, Coin: "USDT", Code: "vip", Sections: []string{"chart", "movers"}, AttachCSV: true, SkipEmpty: true,
		SkipBelow: "10.5", SkipCoin: "USDT", Deadline: 12, CorrectAbove: "0.00000001", CorrectCoin: "BTC", Through: 100,
	}
	for _, address := range to {
		sc.Recipients = append(sc.Recipients, store.Recipient{Address: address})
	}
	return sc
}

func save(t testing.TB, s *store.Store, sc store.Schedule) int64 {
	t.Helper()
	id, err := s.SaveSchedule(t.Context(), sc, someone)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func schedulesOf(t testing.TB, s *store.Store) []store.Schedule {
	t.Helper()
	r, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	list, err := r.Schedules(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func deliveriesOf(t testing.TB, s *store.Store) []store.Delivery {
	t.Helper()
	r, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	list, err := r.Deliveries(t.Context(), store.DeliveryQuery{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestSchedulesAreKeptAsTheyAre(t *testing.T) {
	s := audited(t)
	want := weekly("Weekly", "a@example.com", "b@example.com")
	want.ID = save(t, s, want)
	times := cmpopts.IgnoreFields(store.Schedule{}, "Created", "Updated")
	if diff := cmp.Diff([]store.Schedule{want}, schedulesOf(t, s), times); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if err := s.StopRecipient(t.Context(), want.ID, "B@example.com", someone); err != nil {
		t.Fatal(err)
	}
	changed := weekly("weekly", "b@example.com", "c@example.com")
	changed.ID, changed.Through, changed.Every = want.ID, 7, "monthly"
	save(t, s, changed)
	got := schedulesOf(t, s)[0]
	if got.Through != 100 || got.Every != "monthly" || len(got.Recipients) != 2 || !got.Recipients[0].Stopped.Known() || got.Recipients[1].Stopped.Known() {
		t.Errorf("after the change: %+v", got)
	}
	for _, step := range []struct {
		every string
		at    affiliate.Day // when the newest period of it ended
		want  affiliate.Day
	}{{"daily", 120, 120}, {"daily", 130, 120}, {"weekly", 118, 120}} {
		changed.Every, changed.Through = step.every, step.at
		if save(t, s, changed); schedulesOf(t, s)[0].Through != step.want {
			t.Errorf("made %s it goes on after day %d, want %d", step.every, schedulesOf(t, s)[0].Through, step.want)
		}
	}
	if _, err := s.SaveSchedule(t.Context(), weekly("WEEKLY"), someone); !isRule(err) {
		t.Errorf("the name twice: %v", err)
	}
	if err := s.RemoveSchedule(t.Context(), "weekly", someone); err != nil {
		t.Fatal(err)
	}
	if err := s.RemoveSchedule(t.Context(), "weekly", someone); !isRule(err) {
		t.Errorf("removed twice: %v", err)
	}
	if id := save(t, s, weekly("Weekly", "a@example.com")); id == want.ID {
		t.Error("a new schedule got the number of one that was removed")
	}
}

func isRule(err error) bool {
	_, ok := errors.AsType[*store.RuleError](err)
	return ok
}

// summaryOf is a message about the period that ends on a day.
func summaryOf(schedule int64, last affiliate.Day, kind store.SummaryKind) store.Summary {
	return store.Summary{
		Schedule: schedule, Every: "weekly", Days: affiliate.Days{First: last - 6, Last: last}, Kind: kind, Made: 5,
		From: "Desk <desk@example.com>", Subject: "Report – ü", Text: "text", HTML: "<p>", Picture: []byte{1, 0, 2},
		Attachments: []store.Attachment{{"a.csv", "text/csv", []byte("a,b\r\n")}, {"b.xlsx", "application/x", []byte{0}}},
		Totals:      []store.SummaryTotal{{"BTC", "0.00000001"}, {"USDT", "98765432109876.00000003"}},
	}
}

func to(names ...string) (list []store.Addressee) {
	for _, name := range names {
		list = append(list, store.Addressee{Address: name + "@example.com", HeaderID: name + "@desk"})
	}
	return list
}

func queue(t testing.TB, s *store.Store, m store.Summary, list []store.Addressee) bool {
	t.Helper()
	queued, err := s.QueueSummary(t.Context(), m, list)
	if err != nil {
		t.Fatal(err)
	}
	return queued
}

// However often and by however many it is tried, a period is queued once, and
// what is queued is what was made.
func TestAPeriodIsQueuedOnce(t *testing.T) {
	s := openStore(t, store.Options{AuditKey: auditKey})
	id := save(t, s, weekly("w", "a@example.com"))
	var work sync.WaitGroup
	queued := make([]bool, 8)
	for i := range queued {
		work.Go(func() {
			kind := []store.SummaryKind{store.SummaryWhole, store.SummaryPartial, store.SummarySkipped}[i%3]
			queued[i], _ = s.QueueSummary(t.Context(), summaryOf(id, 107, kind), to(fmt.Sprint("a", i)))
		})
	}
	work.Wait()
	if n := len(slices.DeleteFunc(queued, func(yes bool) bool { return !yes })); n != 1 || len(deliveriesOf(t, s)) != 1 {
		t.Errorf("queued %d times, %d deliveries", n, len(deliveriesOf(t, s)))
	}
	if queue(t, s, summaryOf(id, 100, store.SummaryWhole), to("b")) {
		t.Error("an older period was queued")
	}
	d := deliveriesOf(t, s)[0]
	r, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got, err := r.Summary(t.Context(), d.Message)
	want := summaryOf(id, 107, d.Kind)
	want.ID = d.Message
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	told, err := r.Told(t.Context(), id, 0)
	if d.Kind != store.SummarySkipped && (err != nil || len(told) != 1 || !slices.Equal(told[0].Totals, want.Totals)) {
		t.Errorf("told %v, %v", told, err)
	}
}

// Nothing of a message is there where a part of it cannot be written.
func TestQueueIsAllOrNothing(t *testing.T) {
	s := audited(t)
	id := save(t, s, weekly("w", "a@example.com"))
	if _, err := s.QueueSummary(t.Context(), summaryOf(id, 107, store.SummaryWhole), to("a", "a")); err == nil {
		t.Fatal("a Message-ID was taken twice")
	}
	if sc := schedulesOf(t, s)[0]; sc.Through != 100 || len(deliveriesOf(t, s)) != 0 {
		t.Errorf("the schedule is through %d with %d deliveries", sc.Through, len(deliveriesOf(t, s)))
	}
	if !queue(t, s, summaryOf(id, 107, store.SummaryWhole), to("a")) {
		t.Error("the period is lost")
	}
}

func TestPausedAndRemovedSchedulesQueueNothing(t *testing.T) {
	s := audited(t)
	id := save(t, s, weekly("w", "a@example.com"))
	if err := s.PauseSchedule(t.Context(), "W", true, 0, someone); err != nil {
		t.Fatal(err)
	}
	if queue(t, s, summaryOf(id, 107, store.SummaryWhole), to("a")) || queue(t, s, summaryOf(id, 107, store.SummaryCorrected), to("c")) {
		t.Error("queued while paused")
	}
	if err := s.PauseSchedule(t.Context(), "w", false, 121, someone); err != nil {
		t.Fatal(err)
	}
	if queue(t, s, summaryOf(id, 121, store.SummaryWhole), to("a")) || !queue(t, s, summaryOf(id, 128, store.SummaryWhole), to("b")) {
		t.Error("after the pause it does not go on where it should")
	}
	if !queue(t, s, summaryOf(id, 128, store.SummaryCorrected), to("c")) || queue(t, s, summaryOf(id, 128, store.SummaryCorrected), to("d")) {
		t.Error("a correction is not queued just once")
	}
	if err := s.RemoveSchedule(t.Context(), "w", someone); err != nil {
		t.Fatal(err)
	}
	for _, d := range deliveriesOf(t, s) {
		if d.State != store.DeliveryDead {
			t.Errorf("%s is %s after its schedule was removed", d.HeaderID, d.State)
		}
	}
}

// A delivery is with one worker at a time. One that died leaves it when its lease
// ends, and has no say any more but that the message was sent.
func TestLeases(t *testing.T) {
	s := audited(t)
	queue(t, s, summaryOf(0, 7, store.SummaryManual), to("a", "b"))
	now := time.UnixMilli(1_000_000)
	take := func(at time.Time) (store.Delivery, bool) {
		d, found, err := s.TakeDelivery(t.Context(), at, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		return d, found
	}
	a, _ := take(now)
	b, _ := take(now)
	if _, found := take(now.Add(time.Minute - 1)); found || a.HeaderID != "a@desk" || b.HeaderID != "b@desk" {
		t.Fatalf("taken up %v and %v, and a third %t", a, b, found)
	}
	again, found := take(now.Add(time.Minute))
	if !found || again.ID != a.ID || again.Tries != 2 {
		t.Fatalf("after the lease: %+v", again)
	}
	if err := s.EndDelivery(t.Context(), a, store.DeliveryDead, now, "550"); !errors.Is(err, store.ErrLeaseLost) {
		t.Errorf("the first one said: %v", err)
	}
	if err := s.EndDelivery(t.Context(), a, store.DeliverySent, now, "250"); err != nil {
		t.Error(err)
	}
	if err := s.EndDelivery(t.Context(), again, store.DeliveryWaiting, now, "451"); !errors.Is(err, store.ErrLeaseLost) {
		t.Errorf("what was sent is to be sent again: %v", err)
	}
	if err := s.EndDelivery(t.Context(), b, store.DeliveryWaiting, now.Add(time.Hour), "451 greylisted"); err != nil {
		t.Fatal(err)
	}
	if _, found := take(now.Add(time.Hour - time.Millisecond)); found {
		t.Error("tried again too early")
	}
	if d, found := take(now.Add(-24 * time.Hour)); !found || d.ID != b.ID {
		t.Errorf("with the clock set back by a day it waits until then: %+v", d)
	} else if err := s.EndDelivery(t.Context(), d, store.DeliveryWaiting, now.Add(time.Hour), "451 greylisted"); err != nil {
		t.Fatal(err)
	}
	r, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o, err := r.Outbox(t.Context(), 0)
	if r.Close(); err != nil || o.Waiting != 1 || o.Failing != 1 || o.Dead != 0 || o.Answer != "451 greylisted" {
		t.Errorf("the outbox: %+v, %v", o, err)
	}
	if err := s.ResendDelivery(t.Context(), a.ID, someone); err != nil {
		t.Fatal(err)
	}
	if d, found := take(now); !found || d.HeaderID != "a@desk" {
		t.Errorf("sent again: %+v", d)
	}
	if err := s.ForgetSummaries(t.Context(), 6); err != nil {
		t.Fatal(err)
	}
	if err := s.ResendDelivery(t.Context(), b.ID, someone); !isRule(err) {
		t.Errorf("one that is waiting: %v", err)
	}
}

// Old messages keep their text and the log of them, those that wait keep all.
func TestOldMessagesAreForgotten(t *testing.T) {
	s := audited(t)
	old, young := summaryOf(0, 7, store.SummaryManual), summaryOf(0, 14, store.SummaryManual)
	young.Made = 6
	queue(t, s, old, to("a"))
	queue(t, s, young, to("b"))
	message := func(i int) store.Summary {
		r, err := s.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		m, err := r.Summary(t.Context(), deliveriesOf(t, s)[i].Message)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	forget := func() {
		if err := s.ForgetSummaries(t.Context(), 6); err != nil {
			t.Fatal(err)
		}
	}
	if forget(); message(1).HTML == "" || len(message(1).Attachments) != 2 {
		t.Error("one that waits was forgotten")
	}
	d, _, err := s.TakeDelivery(t.Context(), time.UnixMilli(1), time.Minute)
	if err == nil {
		err = s.EndDelivery(t.Context(), d, store.DeliverySent, time.Time{}, "250")
	}
	if err != nil {
		t.Fatal(err)
	}
	if forget(); message(1).HTML != "" || len(message(1).Picture) != 0 || len(message(1).Attachments) != 0 || message(1).Text != "text" || len(message(1).Totals) != 2 {
		t.Errorf("of the old one there is %+v", message(1))
	}
	if message(0).HTML == "" || len(message(0).Attachments) != 2 {
		t.Error("the young one was forgotten")
	}
	if err := s.ResendDelivery(t.Context(), d.ID, someone); !isRule(err) {
		t.Errorf("sent again without its content: %v", err)
	}
}
