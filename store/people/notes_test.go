package people_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/people"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// noted returns a store that knows two invitees: one is listed, the other is known only
// from commission.
func noted(t *testing.T) *store.Store {
	t.Helper()
	s := storetest.Open(t, store.Options{AuditKey: storetest.AuditKey})
	_, err := records.ReplaceInvitees(context.Background(), s, storetest.InviteeSlice(), []affiliate.Invitee{{UID: "1", RegisterTime: storetest.At(storetest.Day)}, {UID: "2", RegisterTime: storetest.At(storetest.Day)}})
	storetest.Done(t, err)
	earned := storetest.Record(1, "0.5")
	earned.UID = "9"
	storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), earned)
	return s
}

func notes(t *testing.T, s *store.Store, uid affiliate.UID) []people.Note {
	t.Helper()
	r := storetest.Reader(t, s)
	defer r.Close()
	list, err := people.Notes(context.Background(), r, "main", uid)
	storetest.Done(t, err)
	return list
}

func TestNotes(t *testing.T) { storetest.Engines(t, "texts with odd characters", testNotes) }

func testNotes(t *testing.T) {
	ctx, s := context.Background(), noted(t)
	add := func(uid affiliate.UID, text string) {
		t.Helper()
		storetest.Done(t, people.AddNote(ctx, s, people.Note{Account: "main", UID: uid, Author: "ann", Text: text}))
	}
	add("1", " Called.\r\n\tWants 45 %.\r")
	add("1", "<script>alert(1)</script> می\u200cخواهم")
	add("1", "<script>alert(1)</script> می\u200cخواهم") // sent twice
	add("9", "known from commission alone")
	list := notes(t, s, "1")
	if len(list) != 2 || list[1].Text != "Called.\n\tWants 45 %." || list[0].Text != "<script>alert(1)</script> می\u200cخواهم" {
		t.Fatalf("the notes are %+v", list)
	}
	if n := list[0]; n.Account != "main" || n.UID != "1" || n.Author != "ann" || n.Created <= list[1].Created {
		t.Errorf("the newest note is %+v", n)
	}
	if list := notes(t, s, "9"); len(list) != 1 {
		t.Errorf("the notes of an invitee known from commission are %+v", list)
	}
}

// A deleted note is kept, and only a note of the given invitee can be deleted.
func TestDeletedNotesAreKept(t *testing.T) {
	storetest.Engines(t, "statements about notes", testDeletedNotesAreKept)
}

func testDeletedNotesAreKept(t *testing.T) {
	ctx, s := context.Background(), noted(t)
	for _, text := range []string{"one", "two"} {
		storetest.Done(t, people.AddNote(ctx, s, people.Note{Account: "main", UID: "1", Text: text}))
	}
	id := notes(t, s, "1")[0].ID
	for _, other := range []struct {
		account affiliate.Account
		uid     affiliate.UID
	}{{"main", "2"}, {"second", "1"}} {
		storetest.Done(t, people.DeleteNote(ctx, s, other.account, other.uid, id))
	}
	if len(notes(t, s, "1")) != 2 {
		t.Fatal("a note was deleted through another invitee")
	}
	storetest.Done(t, people.DeleteNote(ctx, s, "main", "1", id))
	kept, err := storetest.Lines(s, `SELECT text, deleted_ms IS NOT NULL FROM invitee_notes ORDER BY created_ms`)
	if want := []string{"one 0", "two 1"}; err != nil || !slices.Equal(kept, want) {
		t.Errorf("the kept notes are %q, want %q (%v)", kept, want, err)
	}
	marks := func() []string {
		lines, err := storetest.Lines(s, `SELECT deleted_ms FROM invitee_notes ORDER BY created_ms`)
		storetest.Done(t, err)
		return lines
	}
	before := marks()
	storetest.Done(t, people.DeleteNote(ctx, s, "main", "1", id)) // already deleted
	if !slices.Equal(marks(), before) || len(notes(t, s, "1")) != 1 {
		t.Error("deleting a note again changed something")
	}
	storetest.Done(t, people.AddNote(ctx, s, people.Note{Account: "main", UID: "1", Text: "two"}))
	if len(notes(t, s, "1")) != 2 {
		t.Error("a note equal to a deleted one was not added")
	}
}

func TestNoteRules(t *testing.T) {
	ctx, s := context.Background(), noted(t)
	for _, text := range []string{"", " \n ", "\u2060", strings.Repeat("é", people.MaxNote+1), "a\x00b", "a\x1b[31m", "a\xff"} {
		storetest.Broken(t, people.AddNote(ctx, s, people.Note{Account: "main", UID: "1", Text: text}))
	}
	storetest.Done(t, people.AddNote(ctx, s, people.Note{Account: "main", UID: "1", Text: strings.Repeat("é", people.MaxNote)}))
	for _, nobody := range []people.Note{{Account: "main", UID: "3", Text: "x"}, {Account: "second", UID: "1", Text: "x"}, {UID: "1", Text: "x"}} {
		if !storetest.Broken(t, people.AddNote(ctx, s, nobody)).Missing || !storetest.Broken(t, people.AddTag(ctx, s, nobody.Account, nobody.UID, "x", audit.Line{Actor: "ann"})).Missing {
			t.Errorf("%+v is somebody", nobody)
		}
	}
	accounts, err := storetest.Reader(t, s).Accounts(ctx)
	if err != nil || !slices.Equal(accounts, []affiliate.Account{"main"}) {
		t.Errorf("a note created an account: %v (%v)", accounts, err)
	}
}

func TestTags(t *testing.T) { storetest.Engines(t, "what is unique, the order of texts", testTags) }

func testTags(t *testing.T) {
	ctx, s := context.Background(), noted(t)
	for _, tag := range []struct {
		uid affiliate.UID
		tag string
	}{{"1", "VIP"}, {"1", " vip "}, {"1", "Größe"}, {"2", "vIp"}, {"9", "GRÖSSE"}, {"9", "größe"}} {
		storetest.Done(t, people.AddTag(ctx, s, "main", tag.uid, tag.tag, audit.Line{Actor: "ann"}))
	}
	r := storetest.Reader(t, s)
	for uid, want := range map[affiliate.UID][]string{"1": {"Größe", "VIP"}, "2": {"VIP"}, "9": {"GRÖSSE", "Größe"}, "3": nil} {
		if got, err := people.TagsOf(ctx, r, uid); err != nil || !slices.Equal(got, want) {
			t.Errorf("the tags of %s are %q, want %q (%v)", uid, got, want, err)
		}
	}
	all, err := people.Tags(ctx, r)
	if want := []people.TagCount{{Tag: "GRÖSSE", Invitees: 1}, {Tag: "Größe", Invitees: 2}, {Tag: "VIP", Invitees: 2}}; err != nil || !slices.Equal(all, want) {
		t.Errorf("all tags are %v, want %v (%v)", all, want, err)
	}
	tagged, err := people.Tagged(ctx, r, "vIP")
	if err != nil || len(tagged) != 2 || !tagged["1"] || !tagged["2"] {
		t.Errorf("the tagged invitees are %v (%v)", tagged, err)
	}
	if list := storetest.Invitees(t, s, records.InviteeFilter{Tag: "vip"}); len(list) != 2 {
		t.Errorf("%d invitees are tagged vip, want 2", len(list))
	}
	if list := storetest.Invitees(t, s, records.InviteeFilter{Tag: "größe", AsOf: affiliate.MillisOf(storetest.Day.Start(s.Zone())) * 2}); len(list) != 1 {
		t.Errorf("%d listed invitees are tagged, want 1", len(list))
	}
	storetest.Done(t, people.RemoveTag(ctx, s, "1", "Vip", audit.Line{Actor: "ann"}))
	storetest.Done(t, people.RemoveTag(ctx, s, "1", "Vip", audit.Line{Actor: "ann"})) // already removed
	if list := storetest.Invitees(t, s, records.InviteeFilter{Tag: "vip"}); len(list) != 1 || list[0].UID != "2" {
		t.Errorf("the invitees tagged vip are %+v, want 2 alone", list)
	}
}

func TestTagRules(t *testing.T) {
	ctx, s := context.Background(), noted(t)
	for _, tag := range []string{"", " ", "\u200d", strings.Repeat("é", people.MaxTag+1), "a\tb", "a\nb", "a\xff"} {
		storetest.Broken(t, people.AddTag(ctx, s, "main", "1", tag, audit.Line{Actor: "ann"}))
	}
	for i := range people.MaxTags {
		storetest.Done(t, people.AddTag(ctx, s, "main", "1", fmt.Sprint("tag ", i), audit.Line{Actor: "ann"}))
	}
	storetest.Broken(t, people.AddTag(ctx, s, "main", "1", "one more", audit.Line{Actor: "ann"}))
	storetest.Done(t, people.AddTag(ctx, s, "main", "1", "TAG 3", audit.Line{Actor: "ann"})) // already exists
	storetest.Done(t, people.AddTag(ctx, s, "main", "2", strings.Repeat("é", people.MaxTag), audit.Line{Actor: "ann"}))
}
