package store_test

import (
	"fmt"
	"slices"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/sums"
)

// With five times as many records a page reads no more rows of PostgreSQL. The store makes the
// statistics that its planner needs; only the lists in needing depend on them.
func TestPostgresReadsFewRows(t *testing.T) {
	storetest.PostgresOnly(t)
	t.Parallel()
	days := affiliate.Days{First: storetest.Day, Last: storetest.Day + 29}
	month := records.CommissionFilter{Days: days}
	list := func(order string, f records.CommissionFilter) func(*store.Tx) error {
		return func(r *store.Tx) error {
			return drain(records.Commissions(t.Context(), r, f, records.CommissionOrder{Column: order, Descending: true}, 50, 0))
		}
	}
	asked := map[string]func(*store.Tx) error{
		"newest":            list("time", month),
		"largest":           list("commission", month),
		"largest of a code": list("commission", records.CommissionFilter{Days: days, Code: "code3"}),
		"by day":            func(r *store.Tx) error { _, err := sums.ByDay(t.Context(), r, month); return err },
		"by invitee":        func(r *store.Tx) error { _, err := sums.ByInvitee(t.Context(), r, month); return err },
		"by symbol":         func(r *store.Tx) error { _, err := sums.BySymbol(t.Context(), r, month); return err },
		"traders by day":    func(r *store.Tx) error { _, err := sums.TradersByDay(t.Context(), r, month); return err },
	}
	needing := []string{"newest", "largest of a code"}
	// read returns the number of rows that the server reads for a question.
	read := func(s *store.Store, ask func(*store.Tx) error) (n int) {
		t.Helper()
		const counted = `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FROM pg_stat_xact_user_tables`
		for range 7 { // from the sixth time on, the server may plan for any arguments
			r := storetest.Reader(t, s)
			var before, after int
			storetest.Done(t, r.QueryRowContext(t.Context(), counted).Scan(&before))
			storetest.Done(t, ask(r))
			storetest.Done(t, r.QueryRowContext(t.Context(), counted).Scan(&after))
			storetest.Done(t, r.Close())
			n = after - before
		}
		return n
	}
	few, many := storetest.Empty(t), storetest.Empty(t)
	fillEvenly(t, few, days, 6000)
	fillEvenly(t, many, days, 30_000)
	for _, statistics := range []bool{true, false} {
		for _, place := range []string{few, many} {
			if !statistics {
				storetest.Run(t, place, `DELETE FROM pg_statistic WHERE starelid IN (SELECT oid FROM pg_class WHERE relname LIKE 'commission%')`)
			}
		}
		small, large := storetest.OpenAt(t, few, store.Options{}), storetest.OpenAt(t, many, store.Options{})
		for name, ask := range asked {
			less, more := read(small, ask), read(large, ask)
			if more > less+less/2+100 && (statistics || !slices.Contains(needing, name)) {
				t.Errorf("statistics %t: %s reads %d rows of 6,000 records, and %d of 30,000", statistics, name, less, more)
			}
			t.Logf("statistics %t: %s reads %d rows of 6,000 records, and %d of 30,000", statistics, name, less, more)
		}
	}
}

// fillEvenly stores records of 200 invitees, each larger than the one before it.
func fillEvenly(t *testing.T, place string, days affiliate.Days, size int) {
	t.Helper()
	s := storetest.OpenAt(t, place, store.Options{})
	var invitees []affiliate.Invitee
	for n := range 200 {
		invitees = append(invitees, affiliate.Invitee{UID: affiliate.UID(fmt.Sprint(n)), InviteCode: fmt.Sprint("code", n%20)})
	}
	_, err := records.ReplaceInvitees(t.Context(), s, storetest.InviteeSlice(), invitees)
	storetest.Done(t, err)
	const part = 5 // days of a slice
	step := affiliate.Millis(days.Len()) * 86_400_000 / affiliate.Millis(size)
	n := 0
	for first := days.First; first <= days.Last; first += part {
		var rows []affiliate.Commission
		for range size * part / days.Len() {
			c := storetest.Record(0, affiliate.Number(fmt.Sprint(n)))
			c.DealTime = storetest.At(days.First) + affiliate.Millis(n)*step
			c.UID, c.Symbol = affiliate.UID(fmt.Sprint(n*31%200)), fmt.Sprint("S", n%12)
			rows = append(rows, c)
			n++
		}
		storetest.Replace(t, s, storetest.DaySlice(affiliate.Days{First: first, Last: first + part - 1}), rows...)
	}
}
