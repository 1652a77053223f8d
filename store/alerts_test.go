package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/outbox"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

func alertOn(watches string, to ...string) outbox.Subscription {
	a := outbox.Subscription{Ref: outbox.Ref{Kind: outbox.KindAlert},
		Name: "On " + watches, Account: "main", Watches: watches, Hours: 3, Percent: 50, Amount: "0.00000001", Coin: "BTC",
		QuietFrom: 1320, QuietUntil: 420, Zone: "Europe/Berlin", Apart: 6,
	}
	for _, address := range to {
		a.Recipients = append(a.Recipients, outbox.Recipient{Address: address})
	}
	return a
}

func saveAlert(t testing.TB, s *store.Store, a outbox.Subscription) outbox.Ref {
	t.Helper()
	id, err := outbox.Save(t.Context(), s, a, someone)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func read[T any](t testing.TB, s *store.Store, ask func(*store.Tx) (T, error)) T {
	t.Helper()
	r, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	answer, err := ask(r)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func alertsOf(t testing.TB, s *store.Store) []outbox.Subscription {
	return read(t, s, func(r *store.Tx) ([]outbox.Subscription, error) {
		return outbox.Subscriptions(t.Context(), r, outbox.KindAlert)
	})
}

func factsOf(t testing.TB, s *store.Store, alert int64) []outbox.Fact {
	return read(t, s, func(r *store.Tx) ([]outbox.Fact, error) { return outbox.Facts(t.Context(), r, alert) })
}

func TestAlertsAreKeptAsTheyAre(t *testing.T) {
	storetest.Engines(t, "texts and missing values", testAlertsAreKeptAsTheyAre)
}

func testAlertsAreKeptAsTheyAre(t *testing.T) {
	s := storetest.Audited(t)
	want := alertOn("collection", "a@example.com", "b@example.com")
	want.Ref = saveAlert(t, s, want)
	times := cmpopts.IgnoreFields(outbox.Subscription{}, "Since", "Created", "Updated")
	if diff := cmp.Diff([]outbox.Subscription{want}, alertsOf(t, s), times); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if err := outbox.StopRecipient(t.Context(), s, want.Ref, "B@example.com", someone); err != nil {
		t.Fatal(err)
	}
	want.Hours, want.Recipients = 5, append(want.Recipients[1:], outbox.Recipient{Address: "c@example.com"})
	saveAlert(t, s, want)
	got := alertsOf(t, s)[0]
	if !got.Recipients[0].Stopped.Known() || got.Recipients[1].Stopped.Known() || got.Hours != 5 {
		t.Errorf("changed: %+v", got)
	}
	second := alertOn("gap")
	second.Name = "ON COLLECTION"
	if _, err := outbox.Save(t.Context(), s, second, someone); !breaks(err, "name") {
		t.Errorf("a name that exists: %v", err)
	}
	if err := outbox.Remove(t.Context(), s, want, someone); err != nil {
		t.Fatal(err)
	}
	if id := saveAlert(t, s, second); id == want.Ref || len(alertsOf(t, s)) != 1 {
		t.Error("a new alert got the number of a removed one")
	}
	want.Name = "On nothing"
	if _, err := outbox.Save(t.Context(), s, want, someone); !breaks(err, "") {
		t.Errorf("a removed alert was changed: %v", err)
	}
	var actions []string
	for _, line := range storetest.AuditLines(t, s, audit.LogQuery{}) {
		actions = append(actions, line.Action+" "+line.Object)
	}
	if diff := cmp.Diff([]string{"alert added On collection", "mails stopped On collection", "alert changed On collection", "alert removed On collection", "alert added ON COLLECTION"}, actions); diff != "" {
		t.Errorf("the audit log (-want +got)\n%s", diff)
	}
}

func breaks(err error, field string) bool {
	rule, ok := errors.AsType[*store.RuleError](err)
	return ok && rule.Field == field
}

// A fact is reported once, with the message about it. A write that fails stores neither.
func TestFactsAreReportedOnce(t *testing.T) {
	storetest.Engines(t, "what is unique", testFactsAreReportedOnce)
}

func testFactsAreReportedOnce(t *testing.T) {
	s := storetest.Audited(t)
	ref := saveAlert(t, s, alertOn("gap", "a@example.com"))
	id := ref.ID
	one := outbox.Fact{Key: "one", Words: "One.", Page: "/collection", Seen: 1}
	if err := outbox.NoteFacts(t.Context(), s, id, []outbox.Fact{one, {Key: "two", Seen: 1}, {Key: "three", Seen: 1}}, nil); err != nil {
		t.Fatal(err)
	}
	one.Words, one.Lasting = "One, still.", 2
	message := outbox.Summary{Of: ref, Made: 7, Subject: "Alert", HTML: "<p>"}
	tell := func(header string, facts ...outbox.Fact) bool {
		queued, err := outbox.QueueAlert(t.Context(), s, facts, message, []outbox.Addressee{{Address: "a@example.com", HeaderID: header}})
		if err != nil {
			t.Fatal(err)
		}
		return queued
	}
	if !tell("1@x", one, outbox.Fact{Key: "two"}) || tell("2@x", one) || tell("3@x", outbox.Fact{Key: "four"}, one) {
		t.Error("not reported exactly once")
	}
	if err := outbox.NoteFacts(t.Context(), s, id, []outbox.Fact{{Key: "one", Words: "Other words.", Seen: 9}}, []string{"two", "three"}); err != nil {
		t.Fatal(err)
	}
	log := deliveriesOf(t, s)
	if len(log) != 1 || log[0].Of != ref || log[0].Name != "On gap" || log[0].Kind != outbox.SummaryAlert {
		t.Fatalf("the log: %+v", log)
	}
	one.Message = log[0].Message
	if diff := cmp.Diff([]outbox.Fact{one, {Key: "two", Message: one.Message}}, factsOf(t, s, id)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if a := alertsOf(t, s)[0]; a.Told != 7 {
		t.Errorf("reported at %d", a.Told)
	}
	if _, err := outbox.QueueAlert(t.Context(), s, []outbox.Fact{{Key: "five"}}, message, []outbox.Addressee{{Address: "a@example.com", HeaderID: "1@x"}}); err == nil {
		t.Error("a Message-ID was used twice")
	}
	if err := outbox.Pause(t.Context(), s, alertsOf(t, s)[0], true, someone); err != nil {
		t.Fatal(err)
	}
	if tell("6@x", outbox.Fact{Key: "six"}) || len(factsOf(t, s, id)) != 2 {
		t.Errorf("reported while paused, or half of it written: %+v", factsOf(t, s, id))
	}
}

// Findings of one kind that an alert held back are not reported as findings of another
// kind.
func TestAlertThatWatchesAnother(t *testing.T) {
	storetest.Engines(t, "references between rows", testAlertThatWatchesAnother)
}

func testAlertThatWatchesAnother(t *testing.T) {
	s := storetest.Audited(t)
	a := alertOn("gap", "a@example.com")
	a.Ref = saveAlert(t, s, a)
	if err := outbox.NoteFacts(t.Context(), s, a.ID, []outbox.Fact{{Key: "one", Lasting: 1}}, nil); err != nil {
		t.Fatal(err)
	}
	a.Apart = 0
	if saveAlert(t, s, a); len(factsOf(t, s, a.ID)) != 1 {
		t.Error("the findings that were held back are lost")
	}
	a.Watches = "drop"
	if saveAlert(t, s, a); len(factsOf(t, s, a.ID)) != 0 {
		t.Error("findings about gaps are kept for drops")
	}
}

func TestCollecting(t *testing.T) {
	storetest.Engines(t, "statements about what is collected", testCollecting)
}

func testCollecting(t *testing.T) {
	s := storetest.Audited(t)
	state := func() records.Collecting {
		list := read(t, s, func(r *store.Tx) ([]records.Collecting, error) { return records.ReadCollecting(t.Context(), r, "main") })
		if len(list) != 1 {
			t.Fatalf("%+v", list)
		}
		return list[0]
	}
	run := func(cause string) int64 {
		id, err := records.StartRun(t.Context(), s, "main", "test")
		if err == nil && cause != "-" {
			err = records.FinishRun(t.Context(), s, id, 1, 1, cause)
		}
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	run("HTTP 502")
	if c := state(); c.Good != 0 || c.Error != "HTTP 502" || c.Read.Known() {
		t.Errorf("without a good run: %+v", c)
	}
	good := run("")
	run("HTTP 503")
	if c := state(); c.Good != good || !c.GoodAt.Known() || c.Error != "HTTP 503" {
		t.Errorf("failed after a good run: %+v", c)
	}
	slice := records.Slice{Run: run("-"), Account: "main", Stream: affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Spot},
		Days: affiliate.Days{First: 20000, Last: 20000}, Started: time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)}
	slice.Through = affiliate.MillisOf(slice.Started)
	if c := state(); c.Read.Known() {
		t.Errorf("before the first reading: %+v", c)
	}
	if _, err := records.ReplaceCommissions(t.Context(), s, slice, nil); err != nil {
		t.Fatal(err)
	}
	if c := state(); !c.Read.Known() || c.Good != good {
		t.Errorf("reading: %+v", c)
	}
	if err := records.FailSlice(t.Context(), s, slice, "HTTP 504"); err != nil {
		t.Fatal(err)
	}
	if c := state(); c.Read.Known() {
		t.Errorf("a reading with a failure: %+v", c)
	}
}
