package payments_test

import (
	"errors"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/payments"
	"rebatedesk/store/storetest"
)

// opened opens a new database with the accounts main and other and a key for the audit log.
func opened(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), storetest.Empty(t), store.Options{AuditKey: storetest.AuditKey})
	storetest.Done(t, err)
	t.Cleanup(func() { storetest.Done(t, s.Close()) })
	for _, name := range []affiliate.Account{"main", "other"} {
		storetest.Done(t, s.WantFrom(t.Context(), name, affiliate.NewDay(2026, 1, 1)))
	}
	return s
}

func read[T any](t *testing.T, s *store.Store, read func(*store.Tx) (T, error)) T {
	t.Helper()
	r, err := s.Read(t.Context())
	storetest.Done(t, err)
	defer r.Close()
	v, err := read(r)
	storetest.Done(t, err)
	return v
}

// actions lists what the audit log says, oldest first: who, what, about what, detail.
func actions(t *testing.T, s *store.Store) (list []string) {
	t.Helper()
	for _, l := range read(t, s, func(r *store.Tx) ([]audit.Line, error) {
		return all(t, audit.Lines(t.Context(), r, audit.LogQuery{})), nil
	}) {
		list = append(list, strings.Join([]string{l.Actor, l.Action, l.Object, l.Detail}, " | "))
	}
	return list
}

func TestPaymentNotes(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "statements about notes", testPaymentNotes)
}

func testPaymentNotes(t *testing.T) {
	s, ctx := opened(t), t.Context()
	by := audit.Line{Actor: "ann", Via: "session"}
	line := payments.LineKey{Account: "main", Coin: "USDT", Kind: "direct", From: 1_790_000_000_000, To: 1_790_086_400_000}
	add := func(key payments.LineKey, verdict payments.Verdict, text string) error {
		return payments.AddNote(ctx, s, payments.Note{Line: key, Verdict: verdict, Text: text}, by)
	}
	storetest.Done(t, add(line, payments.Disputed, "asked support,\r\nticket 4711 "))
	storetest.Done(t, add(line, payments.Disputed, "asked support,\nticket 4711")) // sent twice
	between := read(t, s, func(r *store.Tx) (affiliate.Millis, error) { return r.LastWrite(ctx) })
	storetest.Done(t, add(line, payments.Accepted, ""))
	for name, refused := range map[string]error{
		"empty":       add(line, payments.NoVerdict, " \n"),
		"verdict":     add(line, "lost", "x"),
		"long":        add(line, payments.NoVerdict, strings.Repeat("x", payments.MostNote+1)),
		"control":     add(line, payments.NoVerdict, "a\x00b"),
		"account":     add(payments.LineKey{Account: "third", Coin: "USDT", Kind: "all"}, payments.NoVerdict, "x"),
		"no account":  add(payments.LineKey{Coin: "USDT", Kind: "all"}, payments.NoVerdict, "x"),
		"invisible":   add(line, payments.NoVerdict, "a\u200bb"),
		"not Unicode": add(line, payments.NoVerdict, "a\xffb"),
	} {
		if _, ok := errors.AsType[*store.RuleError](refused); !ok {
			t.Errorf("%s: %v", name, refused)
		}
	}
	notes := read(t, s, func(r *store.Tx) ([]payments.Note, error) { return payments.Notes(ctx, r, 0) })
	if len(notes) != 2 || notes[0].Verdict != payments.Accepted || notes[1].Text != "asked support,\nticket 4711" || notes[1].Line != line || notes[1].Author != "ann" || !notes[0].Created.Known() {
		t.Errorf("the notes are %+v", notes)
	}
	if before := read(t, s, func(r *store.Tx) ([]payments.Note, error) { return payments.Notes(ctx, r, between) }); len(before) != 1 || before[0] != notes[1] {
		t.Errorf("as of the first note: %+v", before)
	}
	want := []string{
		"ann | payment note | main USDT direct 2026-09-21T14:13:20.000Z to 2026-09-22T14:13:20.000Z | disputed: asked support, ticket 4711",
		"ann | payment note | main USDT direct 2026-09-21T14:13:20.000Z to 2026-09-22T14:13:20.000Z | accepted:",
	}
	if got := actions(t, s); len(got) != 2 || got[1] != want[1] || !strings.HasPrefix(got[0], want[0][:95]) {
		t.Errorf("the audit log says %q", got)
	}
}

func TestFixedRules(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "statements about rules", testFixedRules)
}

func testFixedRules(t *testing.T) {
	s, ctx := opened(t), t.Context()
	by := audit.Line{Actor: "ann", Via: "command"}
	fix := func(account affiliate.Account, from affiliate.Day, rule string) int64 {
		id, err := payments.FixRule(ctx, s, payments.FixedRule{Account: account, From: from, Rule: rule}, by)
		storetest.Done(t, err)
		return id
	}
	january, march := affiliate.NewDay(2026, 1, 1), affiliate.NewDay(2026, 3, 1)
	fix("", march, "day+8h apart")
	fix("main", january, "week+1d together")
	between := read(t, s, func(r *store.Tx) (affiliate.Millis, error) { return r.LastWrite(ctx) })
	newest := fix("main", january, payments.AutoRule)
	rules := func(at affiliate.Millis) (list []string) {
		for _, rule := range read(t, s, func(r *store.Tx) ([]payments.FixedRule, error) { return payments.FixedRules(ctx, r, at) }) {
			list = append(list, strings.Join([]string{string(rule.Account), rule.From.String(), rule.Rule, rule.Actor}, " "))
		}
		return list
	}
	same := func(what string, got []string, want ...string) {
		t.Helper()
		if strings.Join(got, "; ") != strings.Join(want, "; ") {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	same("now", rules(0), " 2026-03-01 day+8h apart ann", "main 2026-01-01 auto ann")
	same("before the last", rules(between), " 2026-03-01 day+8h apart ann", "main 2026-01-01 week+1d together ann")
	storetest.Done(t, payments.RemoveRule(ctx, s, newest, by))
	same("after the removal", rules(0), " 2026-03-01 day+8h apart ann")
	same("before all that", rules(between), " 2026-03-01 day+8h apart ann", "main 2026-01-01 week+1d together ann")
	for name, refused := range map[string]error{"removed": payments.RemoveRule(ctx, s, newest, by), "unknown": payments.RemoveRule(ctx, s, 99, by)} {
		if rule, ok := errors.AsType[*store.RuleError](refused); !ok || !rule.Missing {
			t.Errorf("%s: %v", name, refused)
		}
	}
	for name, bad := range map[string]payments.FixedRule{"account": {Account: "third", From: january, Rule: "auto"}, "NUL": {Account: "ma\x00in", From: january, Rule: "auto"}, "empty": {From: january}} {
		if _, err := payments.FixRule(ctx, s, bad, by); !isRule(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	same("the audit log", actions(t, s),
		"ann | payout rule fixed | every account | day+8h apart from 2026-03-01",
		"ann | payout rule fixed | main | week+1d together from 2026-01-01",
		"ann | payout rule fixed | main | auto from 2026-01-01",
		"ann | payout rule removed | main | auto from 2026-01-01")
}

func isRule(err error) bool {
	_, ok := errors.AsType[*store.RuleError](err)
	return ok
}
