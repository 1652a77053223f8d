package annotations_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/annotations"
	"rebatedesk/store/audit"
	"rebatedesk/store/storetest"
)

var (
	third, fifth = affiliate.NewDay(2026, time.November, 3), affiliate.NewDay(2026, time.November, 5)
	november     = affiliate.Days{First: affiliate.NewDay(2026, time.November, 1), Last: affiliate.NewDay(2026, time.November, 30)}
)

func listed(t *testing.T, s *store.Store, days affiliate.Days, at affiliate.Millis) (list []annotations.Annotation) {
	t.Helper()
	r, err := s.Read(t.Context())
	storetest.Done(t, err)
	defer r.Close()
	list, err = annotations.List(t.Context(), r, days, at)
	storetest.Done(t, err)
	return list
}

func words(list []annotations.Annotation) (all []string) {
	for _, a := range list {
		all = append(all, a.Days.First.String()+" "+a.Days.Last.String()+" "+a.String())
	}
	return all
}

// An annotation is added, changed and removed, each with a line of the audit log; earlier states
// stay known.
func TestAnnotations(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "statements about annotations", testAnnotations)
}

func testAnnotations(t *testing.T) {
	s, err := store.Open(t.Context(), storetest.Empty(t), store.Options{AuditKey: storetest.AuditKey})
	storetest.Done(t, err)
	t.Cleanup(func() { storetest.Done(t, s.Close()) })
	ctx, by := t.Context(), audit.Line{Actor: "ann", Via: "session"}
	storetest.Done(t, s.WantFrom(ctx, "main", november.First))

	id, err := annotations.Add(ctx, s, annotations.Annotation{Days: affiliate.Days{First: third, Last: fifth}, Words: " Kampagne „Öl“ begann ", Code: "vip", Account: "main"}, by)
	storetest.Done(t, err)
	_, err = annotations.Add(ctx, s, annotations.Annotation{Days: affiliate.Days{First: fifth, Last: fifth}, Words: "rates lowered"}, by)
	storetest.Done(t, err)
	before := listed(t, s, november, 0)
	if got, want := words(before), []string{"2026-11-03 2026-11-05 Kampagne „Öl“ begann (code vip, account main)", "2026-11-05 2026-11-05 rates lowered"}; !slices.Equal(got, want) {
		t.Fatalf("%q, want %q", got, want)
	}
	if got := words(listed(t, s, affiliate.Days{First: third + 1, Last: third + 1}, 0)); len(got) != 1 {
		t.Errorf("on a day within: %q", got)
	}
	storetest.Done(t, annotations.Change(ctx, s, id, annotations.Annotation{Days: affiliate.Days{First: third, Last: third}, Words: "campaign began"}, by))
	for _, late := range []error{
		annotations.Change(ctx, s, id, annotations.Annotation{Days: affiliate.Days{First: third, Last: third}, Words: "x"}, by),
		annotations.Table.Remove(ctx, s, id, by),
	} {
		if rule, ok := errors.AsType[*store.RuleError](late); !ok || !rule.Stale {
			t.Errorf("an old version: %v", late)
		}
	}
	now := listed(t, s, november, 0)
	storetest.Done(t, annotations.Table.Remove(ctx, s, now[1].ID, by))
	if got, want := words(listed(t, s, november, 0)), []string{"2026-11-03 2026-11-03 campaign began"}; !slices.Equal(got, want) {
		t.Errorf("now: %q, want %q", got, want)
	}
	if got := listed(t, s, november, before[1].Created); !slices.Equal(got, before) {
		t.Errorf("before the change: %q, want %q", words(got), words(before))
	}
	var said []string
	for _, l := range storetest.AuditLines(t, s, audit.LogQuery{}) {
		said = append(said, strings.Join([]string{l.Actor, l.Action, l.Object, l.Detail}, " | "))
	}
	if want := []string{
		"ann | annotation added | 2026-11-03 to 2026-11-05, code vip, account main | Kampagne „Öl“ begann",
		"ann | annotation added | 2026-11-05 | rates lowered",
		"ann | annotation changed | 2026-11-03 | campaign began instead of Kampagne „Öl“ begann on 2026-11-03 to 2026-11-05, code vip, account main",
		"ann | annotation removed | 2026-11-05 | rates lowered",
	}; !slices.Equal(said, want) {
		t.Errorf("the audit log says %q, want %q", said, want)
	}
	for field, wrong := range map[string]annotations.Annotation{
		"words":   {Days: november, Words: " "},
		"to":      {Days: affiliate.Days{First: fifth, Last: third}, Words: "x"},
		"code":    {Days: november, Words: "x", Code: "a\nb"},
		"account": {Days: november, Words: "x", Account: "other"},
	} {
		_, err := annotations.Add(ctx, s, wrong, by)
		if rule, ok := errors.AsType[*store.RuleError](err); !ok || rule.Field != field {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}
