package dated_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/dated"
	"rebatedesk/store/storetest"
)

// A line is stored in the table of goals, whose columns are of every kind but that of a day or none.
type line struct {
	ID      int64
	Month   affiliate.Day
	Account affiliate.Account
	Code    string
	Amount  affiliate.Number
	Actor   string
	Created affiliate.Millis
}

const most = 4

var lines = &dated.Table[line]{
	Name: "goals", Noun: "line",
	Columns: []dated.Column[line]{
		dated.Day("month", func(l *line) *affiliate.Day { return &l.Month }),
		dated.Account(false, func(l *line) *affiliate.Account { return &l.Account }),
		dated.Text("code", func(l *line) *string { return &l.Code }),
		dated.Text("amount", func(l *line) *affiliate.Number { return &l.Amount }),
		dated.Derived("coin", func(l *line) any { return affiliate.Folded(l.Code) }),
		dated.Derived("tag", func(*line) any { return "" }),
	},
	Stamp: func(l *line) dated.Stamp { return dated.Stamp{ID: &l.ID, Actor: &l.Actor, Created: &l.Created} },
	Order: `t.code, t.id`,
	Check: func(l *line) error {
		if l.Amount == "" {
			return store.RefuseAt("amount", "Give an amount.")
		}
		return nil
	},
	Fits: func(ctx context.Context, tx *store.Tx, in *dated.Table[line], l, before *line) error {
		if before == nil {
			return in.Room(ctx, tx, most)
		}
		return nil
	},
	Words: func(l, before *line) (object, detail string) {
		if before != nil {
			return l.Code, string(l.Amount) + " instead of " + string(before.Amount)
		}
		return l.Code, string(l.Amount)
	},
}

// kept are the same lines in the table of all kinds.
var kept = func() *dated.Table[line] {
	t := *lines
	t.Name, t.Order = "", ""
	t.Complete = func(_ context.Context, _ *store.Tx, _ affiliate.Millis, list []line) error {
		slices.SortFunc(list, func(a, b line) int { return strings.Compare(a.Code, b.Code) })
		return nil
	}
	return &t
}()

// onEach tests lines in a table of their own and in that of all kinds.
func onEach(t *testing.T, test func(*testing.T, *dated.Table[line])) {
	t.Run("own table", func(t *testing.T) { test(t, lines) })
	t.Run("table of all kinds", func(t *testing.T) { test(t, kept) })
}

func opened(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), storetest.Empty(t), store.Options{AuditKey: storetest.AuditKey})
	storetest.Done(t, err)
	t.Cleanup(func() { storetest.Done(t, s.Close()) })
	storetest.Done(t, s.WantFrom(t.Context(), "main", affiliate.NewDay(2026, 1, 1)))
	return s
}

// held lists the rows that hold at an instant: code and amount.
func held(t *testing.T, s *store.Store, lines *dated.Table[line], at affiliate.Millis) (list []string, rows []line) {
	t.Helper()
	r, err := s.Read(t.Context())
	storetest.Done(t, err)
	defer r.Close()
	rows, err = lines.List(t.Context(), r, at, store.Where{})
	storetest.Done(t, err)
	for _, l := range rows {
		list = append(list, l.Code+" "+string(l.Amount))
	}
	return list, rows
}

// Whatever people do, each state is found again at its instant, and each act has its line of the audit
// log. What was removed can be restored once, whatever is equal to it; what was changed cannot.
func TestEveryStateIsFoundAgain(t *testing.T) {
	storetest.Engines(t, "statements about dated rows, the order of equal stamps", testEveryStateIsFoundAgain)
}

func testEveryStateIsFoundAgain(t *testing.T) { onEach(t, everyStateIsFoundAgain) }

func everyStateIsFoundAgain(t *testing.T, lines *dated.Table[line]) {
	s, ctx, by := opened(t), t.Context(), audit.Line{Actor: "ann"}
	rapid.Check(t, func(rt *rapid.T) {
		_, left := held(t, s, lines, 0)
		for _, l := range left {
			storetest.Done(t, lines.Remove(ctx, s, l.ID, by))
		}
		begun := len(storetest.AuditLines(t, s, audit.LogQuery{}))
		var present []line
		var removed, replaced []int64
		var states [][]string
		var stamps []affiliate.Millis
		var said []string
		for step := range rapid.IntRange(1, 12).Draw(rt, "steps") {
			amount := affiliate.Number(fmt.Sprint(step + 1))
			act := rapid.SampledFrom([]string{"add", "change", "same", "remove", "restore", "restore replaced"}).Draw(rt, "act")
			switch {
			case act == "add":
				code := fmt.Sprintf("c%02d", step)
				if lines.Name == "" && rapid.Bool().Draw(rt, "equal to others") { // each goal is the only one of its kind
					code, amount = "c00", "0"
				}
				_, err := lines.Add(ctx, s, line{Month: 20_000, Code: code, Amount: amount, Account: "main"}, by)
				if full := len(present) >= most; full != (err != nil) {
					rt.Fatalf("with %d rows: %v", len(present), err)
				}
				if err == nil {
					said = append(said, fmt.Sprintf("line added %s %s", code, amount))
				}
			case act == "restore" && len(removed) > 0:
				at := rapid.IntRange(0, len(removed)-1).Draw(rt, "which")
				_, err := lines.Restore(ctx, s, removed[at], by)
				if full := len(present) >= most; full != (err != nil) {
					rt.Fatalf("with %d rows: %v", len(present), err)
				}
				if err == nil {
					said = append(said, "line restored")
					if _, err := lines.Restore(ctx, s, removed[at], by); err == nil {
						rt.Fatal("restored twice")
					}
					removed = slices.Delete(removed, at, at+1)
				}
			case act == "restore replaced" && len(replaced) > 0:
				if _, err := lines.Restore(ctx, s, replaced[0], by); err == nil {
					rt.Fatal("a row that was changed is restored beside the one that took its place")
				}
			case len(present) == 0 || strings.HasPrefix(act, "restore"):
			default:
				one := rapid.SampledFrom(present).Draw(rt, "row")
				var err error
				switch act {
				case "change":
					err = lines.Change(ctx, s, one.ID, func(l *line) error { l.Amount = amount; return nil }, by)
					replaced = append(replaced, one.ID)
					said = append(said, fmt.Sprintf("line changed %s %s instead of %s", one.Code, amount, one.Amount))
				case "same":
					err = lines.Change(ctx, s, one.ID, func(*line) error { return nil }, by)
				case "remove":
					err = lines.Remove(ctx, s, one.ID, by)
					removed = append(removed, one.ID)
					said = append(said, fmt.Sprintf("line removed %s %s", one.Code, one.Amount))
				}
				storetest.Done(t, err)
			}
			state, rows := held(t, s, lines, 0)
			stamp, err := s.LastWrite(ctx)
			storetest.Done(t, err)
			present, states, stamps = rows, append(states, state), append(stamps, stamp)
		}
		for i, want := range states {
			if got, _ := held(t, s, lines, stamps[i]); !slices.Equal(got, want) {
				rt.Fatalf("state %d was %q, and is read as %q", i, want, got)
			}
		}
		for i, l := range storetest.AuditLines(t, s, audit.LogQuery{})[begun:] {
			if i >= len(said) || l.Actor != "ann" || !strings.HasPrefix(strings.Join([]string{l.Action, l.Object, l.Detail}, " "), said[i]) {
				rt.Fatalf("line %d of the audit log is %+v, want one of %q", i, l, said)
			}
		}
	})
}

// What is refused, is gone or never was is told apart, and changes nothing.
func TestRefusals(t *testing.T) { onEach(t, refusals) }

func refusals(t *testing.T, lines *dated.Table[line]) {
	s, ctx, by := opened(t), t.Context(), audit.Line{Actor: "ann"}
	id, err := lines.Add(ctx, s, line{Month: 20_000, Code: "Vip", Amount: "1", Account: "main"}, by)
	storetest.Done(t, err)
	_, err = lines.Add(ctx, s, line{Month: 20_000, Amount: "1", Account: "other"}, by)
	refused(t, err, store.RuleError{Problem: `There is no account "other".`, Field: "account", Missing: true})
	_, err = lines.Add(ctx, s, line{Month: 20_000}, by)
	refused(t, err, store.RuleError{Problem: "Give an amount.", Field: "amount"})
	refused(t, lines.Remove(ctx, s, id+1, by), store.RuleError{Problem: "There is no such line.", Missing: true})
	_, err = lines.Restore(ctx, s, id, by)
	refused(t, err, store.RuleError{Problem: "This line was not removed.", Stale: true})
	storetest.Done(t, lines.Remove(ctx, s, id, by))
	refused(t, lines.Change(ctx, s, id, func(*line) error { return nil }, by), store.RuleError{Problem: "This line was changed or removed meanwhile: nothing was saved. Open the page again.", Missing: true, Stale: true})
	restored, err := lines.Restore(ctx, s, id, by)
	storetest.Done(t, err)
	if _, rows := held(t, s, lines, 0); len(rows) != 1 || rows[0].ID != restored || restored == id || rows[0].Account != "main" || rows[0].Month != 20_000 || rows[0].Actor != "ann" {
		t.Errorf("restored: %+v", rows)
	}
	_, err = lines.Restore(ctx, s, id, by)
	refused(t, err, store.RuleError{Problem: "This line was restored already.", Stale: true})
}

// Rows of the table of all kinds are those of their kind alone, found by a value too.
func TestKindsAreApart(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "statements about dated rows", testKindsAreApart)
}

func testKindsAreApart(t *testing.T) {
	s, ctx, by := opened(t), t.Context(), audit.Line{Actor: "ann"}
	other := *kept
	other.Noun = "other"
	for range most {
		_, err := other.Add(ctx, s, line{Month: 20_000, Code: "x", Amount: "0.000000000000000001"}, by)
		storetest.Done(t, err)
	}
	id, err := kept.Add(ctx, s, line{Month: 20_001, Code: "x", Amount: "2"}, by)
	storetest.Done(t, err)
	if _, rows := held(t, s, kept, 0); len(rows) != 1 || rows[0].ID != id || rows[0].Account != "" {
		t.Errorf("lines: %+v", rows)
	}
	refused(t, other.Remove(ctx, s, id, by), store.RuleError{Problem: "There is no such other.", Missing: true})
	r, err := s.Read(ctx)
	storetest.Done(t, err)
	defer r.Close()
	found, err := other.Same(ctx, r, "month", store.DayText(20_000))
	if err != nil || len(found) != most || found[0].Amount != "0.000000000000000001" {
		t.Errorf("found by the month: %+v, %v", found, err)
	}
}

func refused(t *testing.T, err error, want store.RuleError) {
	t.Helper()
	if rule, ok := errors.AsType[*store.RuleError](err); !ok || *rule != want {
		t.Errorf("the error is %v, want %+v", err, want)
	}
}
