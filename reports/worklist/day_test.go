package worklist_test

import (
	"slices"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/reports/reporttest"
	"rebatedesk/reports/worklist"
	"rebatedesk/store/storetest"
	acts "rebatedesk/store/worklist"
)

// A day has at most ten people: next dates that have come, then those with most at risk. Who was taken off
// the list is one of them until the day ends, and the others follow in the same list.
func TestPeopleOfTheDay(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	d.FillTraders(3)
	of := func(text string) (uids []affiliate.UID, view worklist.Report) {
		t.Helper()
		view = d.Worklist("account=main&per=500" + text)
		for i, l := range view.Lines {
			if l.Today != (i < view.Open.Today) {
				t.Errorf("line %d of %d people of the day has %v", i, view.Open.Today, l.Today)
			}
			if l.Today {
				uids = append(uids, l.UID)
			}
		}
		return uids, view
	}
	tally := func(what string, today, later, handled int) []affiliate.UID {
		t.Helper()
		uids, view := of("")
		if got := view.Open; got.Today != today || got.Later() != later || got.Handled != handled || len(uids) != today {
			t.Errorf("%s: %d of the day, %d later, %d handled, want %d, %d, %d", what, got.Today, got.Later(), got.Handled, today, later, handled)
		}
		return uids
	}
	_, all := of("")
	others := len(all.Lines) - worklist.PerDay
	if others < 3 {
		t.Fatalf("%d lines", len(all.Lines))
	}
	first := tally("at first", 10, others, 0)
	last := all.Lines[len(all.Lines)-1].UID
	done := d.Act(first[0], acts.Act{Kind: acts.ActDone})
	d.Act(first[1], acts.Act{Kind: acts.ActSnoozed, Day: reporttest.Today + 3})
	d.Act(first[2], acts.Act{Kind: acts.ActDismissed})
	if got := tally("three taken off", 7, others, 3); !slices.Equal(got, first[3:]) {
		t.Errorf("the others of the day are %v, want %v", got, first[3:])
	}
	storetest.Done(t, d.Service.UndoWork(t.Context(), "main", first[0], done[0], reporttest.Manager))
	tally("one undone", 8, others, 2)
	d.Act(last, acts.Act{Kind: acts.ActPlanned, Day: reporttest.Today + 1})
	d.Now = d.Now.AddDate(0, 0, 1)
	for _, stream := range []affiliate.Stream{reporttest.Spot, reporttest.Futures} {
		d.Read("main", stream, reporttest.Days(-2, 1))
	}
	if next, _ := of(""); len(next) != worklist.PerDay || !slices.Contains(next, last) || slices.Contains(next, first[1]) {
		t.Errorf("the next day has %v, want ten with %s, whose date has come, and without %s", next, last, first[1])
	}
	d.Act(last, acts.Act{Kind: acts.ActDone})
	if _, view := of(""); view.Open.Today != 9 || view.Open.Handled != 1 {
		t.Errorf("after a next date was kept: %d of the day, %d handled", view.Open.Today, view.Open.Handled)
	}
	if one := d.Worklist("uid=" + string(first[4])); one.Open.Today != 1 || one.Open.Later() != 0 {
		t.Errorf("of one invitee: %+v", one.Open)
	}
}

// The number beside an entry is that of the page, and there is none after a write that it may not know of.
func TestWaiting(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	d.FillTraders(3)
	waits := func(want int) {
		t.Helper()
		w, err := d.Service.Waiting(t.Context())
		storetest.Done(t, err)
		if known := w.Today != nil; known != (want >= 0) || known && *w.Today != want {
			t.Errorf("%v waits, want %d", w.Today, want)
		}
	}
	look := func(text string) worklist.Report {
		t.Helper()
		return must(d.Service.Worklist(t.Context(), d.QueryOf(text, worklist.Accepted)))
	}
	waits(-1)
	look("account=main")
	waits(-1)
	view := look("show=done")
	waits(view.Open.Today)
	if w := must(d.Service.For(affiliate.Bound{}).Waiting(t.Context())); w.Today == nil {
		t.Error("whoever is bound to nothing is not told")
	}
	if w := must(d.Service.For(affiliate.BoundTo([]affiliate.Binding{{By: affiliate.BoundByCode, Name: "spring"}})).Waiting(t.Context())); w.Today != nil || w.Payments != nil {
		t.Error("a bound user is told what waits for all")
	}
	d.Act(look("account=main").Lines[0].UID, acts.Act{Kind: acts.ActDone})
	waits(-1)
	look("")
	waits(view.Open.Today - 1)
}
