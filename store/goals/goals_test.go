package goals_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/goals"
	"rebatedesk/store/storetest"
)

var october, november = affiliate.NewDay(2026, time.October, 1), affiliate.NewDay(2026, time.November, 1)

// opened opens a new database with the account main and a key for the audit log.
func opened(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), storetest.Empty(t), store.Options{AuditKey: storetest.AuditKey})
	storetest.Done(t, err)
	t.Cleanup(func() { storetest.Done(t, s.Close()) })
	storetest.Done(t, s.WantFrom(t.Context(), "main", affiliate.NewDay(2026, 1, 1)))
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

// changed changes the amount of a goal.
func changed(t *testing.T, s *store.Store, id int64, amount affiliate.Number, by audit.Line) error {
	t.Helper()
	return goals.Table.Change(t.Context(), s, id, func(g *goals.Goal) error {
		g.Amount = amount
		return nil
	}, by)
}

// goalsAt lists the goals of both months as known at an instant: key and amount.
func goalsAt(t *testing.T, s *store.Store, at affiliate.Millis) (list []string) {
	t.Helper()
	all := read(t, s, func(r *store.Tx) ([]goals.Goal, error) {
		return goals.List(t.Context(), r, affiliate.Days{First: october, Last: november}, at)
	})
	for _, g := range all {
		list = append(list, g.Key.String()+": "+string(g.Amount))
	}
	return list
}

// audited lists what the audit log says, oldest first.
func audited(t *testing.T, s *store.Store) (list []string) {
	t.Helper()
	for _, l := range storetest.AuditLines(t, s, audit.LogQuery{}) {
		list = append(list, strings.Join([]string{l.Actor, l.Action, l.Object, l.Detail}, " | "))
	}
	return list
}

// ruled returns the field of the rule that an error says was broken.
func ruled(t *testing.T, err error) string {
	t.Helper()
	rule, ok := errors.AsType[*store.RuleError](err)
	if !ok {
		t.Fatalf("the error is %v", err)
	}
	return rule.Field
}

// A goal is added, changed and removed, each with a line of the audit log; earlier states
// stay known.
func TestGoals(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "statements about goals, amounts as texts", testGoals)
}

func testGoals(t *testing.T) {
	s, ctx := opened(t), t.Context()
	by := audit.Line{Actor: "ann", Via: "session"}
	add := func(key goals.Key, amount affiliate.Number) int64 {
		t.Helper()
		id, err := goals.Table.Add(ctx, s, goals.Goal{Key: key, Amount: amount}, by)
		storetest.Done(t, err)
		return id
	}
	whole := goals.Key{Month: october, Coin: "USDT"}
	id := add(whole, " 8000.00 ")
	add(goals.Key{Month: october, Account: "main", Coin: "BTC", Code: "vip", Tag: "Öl"}, "0.000000000000000001")
	add(goals.Key{Month: october}, "9000")
	first := read(t, s, func(r *store.Tx) (affiliate.Millis, error) { return r.LastWrite(ctx) })

	if _, err := goals.Table.Add(ctx, s, goals.Goal{Key: whole, Amount: "1"}, by); ruled(t, err) != "amount" {
		t.Errorf("a second goal of the same key: %v", err)
	}
	storetest.Done(t, changed(t, s, id, "8500", by))
	if err := changed(t, s, id, "8600", by); !strings.Contains(storetest.Broken(t, err).Problem, "meanwhile") {
		t.Errorf("a change of an old version: %v", err)
	}
	all := read(t, s, func(r *store.Tx) ([]goals.Goal, error) {
		return goals.List(ctx, r, affiliate.Days{First: october, Last: october}, 0)
	})
	now := all[slices.IndexFunc(all, func(g goals.Goal) bool { return g.Key == whole })]
	if now.Amount != "8500" || now.Actor != "ann" || now.Created <= first {
		t.Errorf("the changed goal is %+v", now)
	}
	storetest.Done(t, changed(t, s, now.ID, "8500.0", by)) // the same amount
	storetest.Done(t, goals.Table.Remove(ctx, s, now.ID, by))
	if err := goals.Table.Remove(ctx, s, now.ID, by); !storetest.Broken(t, err).Missing {
		t.Errorf("removed twice: %v", err)
	}

	if got, want := goalsAt(t, s, 0), []string{"2026-10 all coins: 9000", "2026-10, BTC, code vip, tag Öl, account main: 0.000000000000000001"}; !slices.Equal(got, want) {
		t.Errorf("now: %q, want %q", got, want)
	}
	if got, want := goalsAt(t, s, first), []string{"2026-10 all coins: 9000", "2026-10, USDT: 8000", "2026-10, BTC, code vip, tag Öl, account main: 0.000000000000000001"}; !slices.Equal(got, want) {
		t.Errorf("before the change: %q, want %q", got, want)
	}
	if got, want := audited(t, s), []string{
		"ann | goal added | 2026-10, USDT | 8000",
		"ann | goal added | 2026-10, BTC, code vip, tag Öl, account main | 0.000000000000000001",
		"ann | goal added | 2026-10 all coins | 9000",
		"ann | goal changed | 2026-10, USDT | 8500 instead of 8000",
		"ann | goal removed | 2026-10, USDT | 8500",
	}; !slices.Equal(got, want) {
		t.Errorf("the audit log says %q, want %q", got, want)
	}
}

// Amounts that are no goal, and an unknown account, are refused at their field.
func TestRefusedGoals(t *testing.T) {
	t.Parallel()
	s, ctx := opened(t), t.Context()
	id, err := goals.Table.Add(ctx, s, goals.Goal{Key: goals.Key{Month: october}, Amount: "5"}, audit.Line{})
	storetest.Done(t, err)
	for _, amount := range []affiliate.Number{"", "0", "0.000", "-1", "8,000", "8 000", "NaN", "Inf", "0x10", "1e400", affiliate.Number(strings.Repeat("9", 21)), "1.0000000000000000001"} {
		_, err := goals.Table.Add(ctx, s, goals.Goal{Key: goals.Key{Month: october, Coin: "USDT"}, Amount: amount}, audit.Line{})
		if ruled(t, err) != "amount" {
			t.Errorf("%q: %v", amount, err)
		}
		if err := changed(t, s, id, amount, audit.Line{}); ruled(t, err) != "amount" {
			t.Errorf("a change to %q: %v", amount, err)
		}
	}
	for _, account := range []affiliate.Account{"other", "a\x00b"} {
		if _, err := goals.Table.Add(ctx, s, goals.Goal{Key: goals.Key{Month: october, Account: account}, Amount: "1"}, audit.Line{}); ruled(t, err) != "account" {
			t.Errorf("the account %q: %v", account, err)
		}
	}
	if got := goalsAt(t, s, 0); !slices.Equal(got, []string{"2026-10 all coins: 5"}) {
		t.Errorf("stored: %q", got)
	}
}

// List of a month are copied to the next one, except those that it has already; a second
// time copies nothing.
func TestCopiedGoals(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "a statement that copies rows", testCopiedGoals)
}

func testCopiedGoals(t *testing.T) {
	s, ctx := opened(t), t.Context()
	by := audit.Line{Actor: "ann"}
	for _, g := range []goals.Goal{
		{Key: goals.Key{Month: october, Coin: "USDT"}, Amount: "8000"},
		{Key: goals.Key{Month: october, Coin: "BTC", Account: "main"}, Amount: "0.5"},
		{Key: goals.Key{Month: november, Coin: "USDT"}, Amount: "9000"},
	} {
		_, err := goals.Table.Add(ctx, s, g, by)
		storetest.Done(t, err)
	}
	for _, want := range []int{1, 0} {
		if n, err := goals.Copy(ctx, s, october, november, by); err != nil || n != want {
			t.Errorf("%d goals are copied, %v; want %d", n, err, want)
		}
	}
	if got, want := goalsAt(t, s, 0), []string{"2026-10, USDT: 8000", "2026-10, BTC, account main: 0.5", "2026-11, USDT: 9000", "2026-11, BTC, account main: 0.5"}; !slices.Equal(got, want) {
		t.Errorf("the goals are %q, want %q", got, want)
	}
	if got := audited(t, s); len(got) != 4 || got[3] != "ann | goal added | 2026-11, BTC, account main | 0.5, as in 2026-10" {
		t.Errorf("the audit log says %q", got)
	}
}

// A month has a limited number of goals, however they are added.
func TestMostGoals(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "a count within the write", testMostGoals)
}

func testMostGoals(t *testing.T) {
	s, ctx := opened(t), t.Context()
	for i := range goals.Most {
		_, err := goals.Table.Add(ctx, s, goals.Goal{Key: goals.Key{Month: october, Code: strings.Repeat("x", i+1)}, Amount: "1"}, audit.Line{})
		storetest.Done(t, err)
	}
	over := goals.Key{Month: october, Coin: "USDT"}
	if _, err := goals.Table.Add(ctx, s, goals.Goal{Key: over, Amount: "1"}, audit.Line{}); storetest.Broken(t, err) == nil {
		t.Error("one more goal is added")
	}
	over.Month = november
	_, err := goals.Table.Add(ctx, s, goals.Goal{Key: over, Amount: "1"}, audit.Line{})
	storetest.Done(t, err)
	if n, err := goals.Copy(ctx, s, october, november, audit.Line{}); storetest.Broken(t, err) == nil || n != 0 {
		t.Errorf("%d goals are copied over the limit", n)
	}
	if got := goalsAt(t, s, 0); len(got) != goals.Most+1 {
		t.Errorf("%d goals are stored", len(got))
	}
}
