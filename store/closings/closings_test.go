package closings_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/closings"
	"rebatedesk/store/storetest"
)

var (
	october = affiliate.NewDay(2026, time.October, 1)
	by      = audit.Line{Actor: "ann", Via: "session"}
)

func opened(t *testing.T, place string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), place, store.Options{AuditKey: storetest.AuditKey})
	storetest.Done(t, err)
	t.Cleanup(func() { storetest.Done(t, s.Close()) })
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

func listed(t *testing.T, s *store.Store, at affiliate.Millis) []closings.Closing {
	t.Helper()
	return read(t, s, func(r *store.Tx) ([]closings.Closing, error) { return closings.List(t.Context(), r, at) })
}

// A closing is found again as it was stored, whatever happens to the month later; earlier states
// stay known.
func TestClosing(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "triggers that guard closings", testClosing)
}

func testClosing(t *testing.T) {
	s, ctx := opened(t, storetest.Empty(t)), t.Context()
	sum := closings.Sum{Account: "main", Product: affiliate.Spot, Coin: "USDT", Source: affiliate.Direct, Records: 3,
		Summed: affiliate.Summed[affiliate.Number]{Fee: "10.50", Commission: "-4.2", TakerAmount: "0", MakerAmount: "7"}}
	details := closings.Details{
		Coverage: []closings.Coverage{{Account: "main", Stream: affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Spot}, Days: 31, Collected: 30, Settled: 29, Verified: 2, Failed: 1, Read: 77}},
		Payments: []closings.Payment{{Account: "main", Coin: "USDT", Kind: "direct", From: 5, To: 9, State: "short", Earned: "4", Paid: "3", Difference: "-1"}},
		Findings: []closings.Finding{{Kind: "late", Coin: "USDT", Records: 2, Amount: "0.5", Words: "Listed late."}},
	}
	closing := closings.Closing{Month: october, Zone: "UTC", Known: 1, Complete: false, Proof: []string{"A day is missing.", "So is another."}, Reason: "the exchange lost it", Sums: []closings.Sum{sum}}
	first, err := closings.CloseMonth(ctx, s, closing, details, by)
	storetest.Done(t, err)
	stored := listed(t, s, 0)
	if len(stored) != 1 || !stored[0].InForce() || stored[0].Actor != "ann" || stored[0].Closed != first.Closed || !slices.Equal(stored[0].Proof, closing.Proof) ||
		stored[0].Reason != closing.Reason || !slices.Equal(stored[0].Sums, closing.Sums) {
		t.Errorf("stored is %+v", stored)
	}
	got := read(t, s, func(r *store.Tx) (closings.Details, error) {
		return closings.ReadDetails(ctx, r, first.ID)
	})
	if !slices.Equal(got.Coverage, details.Coverage) || !slices.Equal(got.Payments, details.Payments) || !slices.Equal(got.Findings, details.Findings) {
		t.Errorf("the lists are %+v", got)
	}

	_, err = closings.CloseMonth(ctx, s, closing, details, by)
	if rule := storetest.Broken(t, err); !rule.Stale || !strings.Contains(rule.Problem, "October 2026 is closed already, by ann") {
		t.Errorf("closed twice: %v", err)
	}
	for _, reason := range []string{"", " \n", strings.Repeat("x", closings.MaxReason+1), "a\x1bb"} {
		if rule := storetest.Broken(t, closings.ReopenMonth(ctx, s, october, reason, by)); rule.Field != "reason" {
			t.Errorf("reopened because of %q: %v", reason, rule)
		}
	}
	storetest.Done(t, closings.ReopenMonth(ctx, s, october, "the day was found", by))
	if rule := storetest.Broken(t, closings.ReopenMonth(ctx, s, october, "again", by)); !strings.Contains(rule.Problem, "not closed") {
		t.Errorf("reopened twice: %v", rule)
	}
	second, err := closings.CloseMonth(ctx, s, closings.Closing{Month: october, Zone: "UTC", Known: 2, Complete: true}, closings.Details{}, by)
	storetest.Done(t, err)
	if all := listed(t, s, 0); len(all) != 2 || all[0].ID != second.ID || all[1].ReopenedBy != "ann" || all[1].ReopenedWhy != "the day was found" || all[1].InForce() {
		t.Errorf("after the second closing: %+v", all)
	}
	if then := listed(t, s, first.Closed); len(then) != 1 || !then[0].InForce() {
		t.Errorf("at the first closing: %+v", then)
	}
	var lines []string
	for _, l := range storetest.AuditLines(t, s, audit.LogQuery{}) {
		lines = append(lines, l.Actor+" | "+l.Action+" | "+l.Object)
	}
	if want := []string{"ann | month closed | 2026-10", "ann | month reopened | 2026-10", "ann | month closed | 2026-10"}; !slices.Equal(lines, want) {
		t.Errorf("the audit log says %q", lines)
	}
}

// Of two closings at once one wins, on each engine; and nobody can change what is frozen.
func TestTwoClosingsAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "two writers of a row", testTwoClosingsAtOnce)
}

func testTwoClosingsAtOnce(t *testing.T) {
	s, ctx := opened(t, storetest.Empty(t)), t.Context()
	lists := closings.Details{Coverage: []closings.Coverage{{Account: "main"}}, Payments: []closings.Payment{{Account: "main"}}, Findings: []closings.Finding{{Kind: "late"}}}
	results := make(chan error)
	for range 2 {
		go func() {
			_, err := closings.CloseMonth(ctx, s, closings.Closing{Month: october, Zone: "UTC", Complete: true, Sums: []closings.Sum{{Account: "main", Summed: affiliate.Summed[affiliate.Number]{Fee: "1", Commission: "1", TakerAmount: "0", MakerAmount: "0"}}}}, lists, by)
			results <- err
		}()
	}
	won := 0
	for range 2 {
		err := <-results
		if err == nil {
			won++
		} else if _, ok := errors.AsType[*store.RuleError](err); !ok {
			t.Errorf("the other closing: %v", err)
		}
	}
	if all := listed(t, s, 0); won != 1 || len(all) != 1 || len(all[0].Sums) != 1 {
		t.Errorf("%d closings won; stored are %+v", won, all)
	}
	for _, change := range []string{
		`UPDATE closings SET known_ms = 5, reopened_ms = 6`, `DELETE FROM closings`,
		`UPDATE closing_sums SET commission = '2'`, `DELETE FROM closing_sums`, `UPDATE closings SET payout_rule = 'day', reopened_ms = 6`,
		`UPDATE closing_coverage SET days = 2`, `DELETE FROM closing_coverage`, `UPDATE closing_payments SET paid = '2'`, `DELETE FROM closing_payments`,
		`UPDATE closing_findings SET amount = '2'`, `DELETE FROM closing_findings`,
	} {
		err := s.Update(ctx, func(tx *store.Tx, _ affiliate.Millis) error {
			_, err := tx.ExecContext(ctx, change)
			return err
		})
		if err == nil || !strings.Contains(err.Error(), "closing") {
			t.Errorf("%s: %v", change, err)
		}
	}
}
