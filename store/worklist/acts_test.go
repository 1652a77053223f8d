package worklist_test

import (
	"errors"
	"slices"
	"testing"

	"rebatedesk/affiliate"
	who "rebatedesk/people"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/people"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/worklist"
)

var ann, bob = audit.Line{Actor: "ann", Via: "session"}, audit.Line{Actor: "bob", Via: "session"}

var today = storetest.Day

// listing returns a store that knows the invitees 1 and 2.
func listing(t *testing.T) *store.Store {
	t.Helper()
	s := storetest.Audited(t)
	_, err := records.ReplaceInvitees(t.Context(), s, storetest.InviteeSlice(), []affiliate.Invitee{
		{UID: "1", RegisterTime: storetest.At(today)}, {UID: "2", RegisterTime: storetest.At(today)}})
	storetest.Done(t, err)
	return s
}

func do(t *testing.T, s *store.Store, by audit.Line, seen affiliate.Millis, list ...worklist.Act) ([]int64, error) {
	t.Helper()
	return worklist.DoWork(t.Context(), s, worklist.Work{Account: storetest.InviteeSlice().Account, UID: "1", Acts: list, Seen: seen}, today, by)
}

// owners returns the owner of the first invitee now, and as it was at some instants.
func owners(t *testing.T, s *store.Store, instants ...affiliate.Millis) (list []string) {
	t.Helper()
	r := storetest.Reader(t, s)
	defer r.Close()
	for _, at := range append([]affiliate.Millis{0}, instants...) {
		all, err := people.Owners(t.Context(), r, at)
		storetest.Done(t, err)
		if len(all) > 1 {
			t.Errorf("others have owners: %v", all)
		}
		list = append(list, all["1"])
	}
	return list
}

// An assignment gives the person its owner, and taking it back restores the one before, unless it
// was changed elsewhere since.
func TestAssignmentIsThatOfThePerson(t *testing.T) {
	storetest.Engines(t, "statements about cases", testAssignmentIsThatOfThePerson)
}

func testAssignmentIsThatOfThePerson(t *testing.T) {
	s := listing(t)
	account := storetest.InviteeSlice().Account
	assigned := func(owner string) worklist.Act { return worklist.Act{Kind: worklist.ActAssigned, Owner: owner} }
	stamp := func() affiliate.Millis {
		at, err := s.LastWrite(t.Context())
		storetest.Done(t, err)
		return at
	}
	is := func(what string, got []string, want ...string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	storetest.Done(t, people.Edit(t.Context(), s, who.PersonEntry{UID: "1", Values: []who.GivenValue{{Field: who.FieldOwner, Text: "carl"}}}, store.AnyVersion, ann))
	byFile := stamp()
	first, err := do(t, s, ann, 0, assigned(" bob "))
	storetest.Done(t, err)
	assignedAt := stamp()
	is("assigned", owners(t, s, byFile, assignedAt), "bob", "carl", "bob")
	if again, err := do(t, s, ann, 0, assigned("bob")); err != nil || len(again) != 0 {
		t.Errorf("the same owner again: %v, %v", again, err)
	}
	storetest.Done(t, worklist.Retract(t.Context(), s, account, "1", first[0], bob))
	is("taken back", owners(t, s, assignedAt), "carl", "bob")
	storetest.Done(t, worklist.Retract(t.Context(), s, account, "1", first[0], bob))
	is("taken back twice", owners(t, s), "carl")

	second, err := do(t, s, ann, 0, assigned(""))
	storetest.Done(t, err)
	is("nobody", owners(t, s, assignedAt, byFile), "", "bob", "carl")
	storetest.Done(t, people.Edit(t.Context(), s, who.PersonEntry{UID: "1", Values: []who.GivenValue{{Field: who.FieldOwner, Text: "dora"}}}, store.AnyVersion, bob))
	storetest.Broken(t, worklist.Retract(t.Context(), s, account, "1", second[0], ann))
	is("changed since", owners(t, s), "dora")
	if rule := storetest.Broken(t, failure(do(t, s, ann, 0, assigned("-")))); rule.Field != "owner" {
		t.Errorf("the rule names the field %q", rule.Field)
	}
}

func failure(_ []int64, err error) error { return err }

// Who saw an earlier state than the acts of others stores nothing and learns of them. A form sent
// twice acts once.
func TestOvertaken(t *testing.T) { storetest.Engines(t, "two writers of a row", testOvertaken) }

func testOvertaken(t *testing.T) {
	s := listing(t)
	seen, err := s.LastWrite(t.Context())
	storetest.Done(t, err)
	done := worklist.Act{Kind: worklist.ActDone, Reasons: []worklist.Covered{{Reason: "silent", Began: today - 20}}}
	ids, err := do(t, s, ann, seen, done)
	storetest.Done(t, err)
	for _, again := range []worklist.Act{done, {Kind: worklist.ActDone}} { // by then no reason is open
		if twice, err := do(t, s, ann, seen, again); err != nil || !slices.Equal(twice, ids) {
			t.Errorf("a form sent twice: %v, %v", twice, err)
		}
	}
	_, err = do(t, s, bob, seen, worklist.Act{Kind: worklist.ActSnoozed, Day: today + 3})
	overtaken, ok := errors.AsType[*worklist.OvertakenError](err)
	if rule := storetest.Broken(t, err); !ok || !rule.Stale || len(overtaken.Acts) != 1 || overtaken.Acts[0].Actor != "ann" || overtaken.Acts[0].Kind != worklist.ActDone {
		t.Errorf("the second one learns %v", err)
	}
	if _, err := worklist.DoWork(t.Context(), s, worklist.Work{Account: storetest.InviteeSlice().Account, UID: "1", Note: "A note is never too late.", Seen: seen}, today, bob); err != nil {
		t.Error(err)
	}
	storetest.Done(t, worklist.Retract(t.Context(), s, storetest.InviteeSlice().Account, "1", ids[0], ann))
	if _, err = do(t, s, bob, seen, worklist.Act{Kind: worklist.ActSnoozed, Day: today + 3}); !errors.As(err, &overtaken) {
		t.Errorf("what was taken back is news as well: %v", err)
	}
	now, err := s.LastWrite(t.Context())
	storetest.Done(t, err)
	if _, err := do(t, s, bob, now, worklist.Act{Kind: worklist.ActSnoozed, Day: today + 3}); err != nil {
		t.Error(err)
	}
	r := storetest.Reader(t, s)
	defer r.Close()
	all, err := worklist.ActsOf(t.Context(), r, affiliate.Members{}, storetest.InviteeSlice().Account, "1", 0)
	storetest.Done(t, err)
	if len(all) != 2 || all[0].UndoneBy != "ann" || all[1].Day != today+3 {
		t.Errorf("stored: %+v", all)
	}
}
