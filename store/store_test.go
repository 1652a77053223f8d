package store_test

import (
	"context"
	"errors"
	"math/big"
	"path/filepath"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/sums"
)

// stored reads all rows of the filter as a multiset of keys.
func stored(t testing.TB, s *store.Store, f records.CommissionFilter) map[affiliate.Commission]int {
	t.Helper()
	r := storetest.Reader(t, s)
	defer r.Close()
	rows := map[affiliate.Commission]int{}
	for row, err := range records.Commissions(context.Background(), r, f, records.CommissionOrder{Column: "time"}, 0, 0) {
		if err != nil {
			t.Fatal(err)
		}
		rows[row.Commission.Key()]++
	}
	return rows
}

func TestTwinsAreTwoRows(t *testing.T) { storetest.Engines(t, "what is unique", testTwinsAreTwoRows) }

func testTwinsAreTwoRows(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	twin := storetest.Record(1, "0.5")
	w := storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), twin, twin, storetest.Record(2, "1"))
	if w.Opened != 3 || w.Closed != 0 {
		t.Fatalf("wrote %+v, want 3 opened", w)
	}
	if n := stored(t, s, records.CommissionFilter{Days: storetest.AnyDays})[twin.Key()]; n != 2 {
		t.Fatalf("%d rows of the twin, want 2", n)
	}
	// If one of two twins disappears, one row is closed; it does not matter which.
	if w := storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), twin, storetest.Record(2, "1")); w.Opened != 0 || w.Closed != 1 {
		t.Fatalf("wrote %+v, want 1 closed", w)
	}
}

func TestSameReadingWritesNothing(t *testing.T) {
	storetest.Engines(t, "which rows a statement with a conflict clause writes", testSameReadingWritesNothing)
}

func testSameReadingWritesNothing(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), storetest.Record(1, "0.50"), storetest.Record(2, "1"))
	// The values are the same, and one of them is spelled differently.
	if w := storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), storetest.Record(2, "1.000"), storetest.Record(1, "0.5")); !unchanged(w) {
		t.Fatalf("the same reading changed %+v", w)
	}
}

func TestAsOfShowsTheEarlierState(t *testing.T) {
	storetest.Engines(t, "statements about states of the past", testAsOfShowsTheEarlierState)
}

func testAsOfShowsTheEarlierState(t *testing.T) {
	now := time.Date(2026, 9, 2, 0, 0, 0, 0, time.UTC)
	s := storetest.Open(t, store.Options{Now: func() time.Time { return now }})
	states := []struct {
		at      affiliate.Millis
		records []affiliate.Commission
	}{}
	for _, records := range [][]affiliate.Commission{
		{storetest.Record(1, "1"), storetest.Record(2, "2")},
		{storetest.Record(1, "1"), storetest.Record(2, "2.5"), storetest.Record(3, "3")}, // one restated, one late
		{storetest.Record(3, "3")},                                                       // two vanished
		{storetest.Record(1, "1"), storetest.Record(3, "3")},
	} {
		now = now.Add(time.Hour)
		storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), records...)
		states = append(states, struct {
			at      affiliate.Millis
			records []affiliate.Commission
		}{affiliate.MillisOf(now), records})
	}
	for i, state := range states {
		got := stored(t, s, records.CommissionFilter{Days: storetest.AnyDays, AsOf: state.at})
		if !equalMultiset(got, state.records) {
			t.Errorf("state %d: got %v, want %v", i, got, state.records)
		}
		r := storetest.Reader(t, s)
		days, err := sums.ByDay(context.Background(), r, records.CommissionFilter{Days: storetest.AnyDays, AsOf: state.at})
		if err != nil || len(days) != 1 || days[0].Commission.Cmp(ratSum(state.records)) != 0 {
			t.Errorf("state %d: sums %+v (%v), want commission %s", i, days, err, ratSum(state.records))
		}
	}
}

func equalMultiset(got map[affiliate.Commission]int, want []affiliate.Commission) bool {
	left := map[affiliate.Commission]int{}
	for _, c := range want {
		left[c.Key()]++
	}
	if len(left) != len(got) {
		return false
	}
	for k, n := range left {
		if got[k] != n {
			return false
		}
	}
	return true
}

// ratSum adds up commissions, independently of the program.
func ratSum(records []affiliate.Commission) affiliate.Number {
	sum := new(big.Rat)
	for _, c := range records {
		n, ok := new(big.Rat).SetString(string(c.Commission))
		if !ok {
			panic("not a number: " + string(c.Commission))
		}
		sum.Add(sum, n)
	}
	return affiliate.Number(sum.FloatString(18)).Canonical()
}

func TestForeignRecordsAreRefused(t *testing.T) {
	storetest.Engines(t, "the write as a whole is undone", testForeignRecordsAreRefused)
}

func testForeignRecordsAreRefused(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	futures := storetest.Record(1, "1")
	futures.Product = affiliate.Futures
	tomorrow := storetest.Record(24*60, "1")
	for _, foreign := range []affiliate.Commission{futures, tomorrow} {
		if _, err := records.ReplaceCommissions(context.Background(), s, storetest.DaySlice(storetest.OneDay), []affiliate.Commission{foreign}); err == nil {
			t.Errorf("%v was written into the slice %v", foreign, storetest.OneDay)
		}
	}
	if got := stored(t, s, records.CommissionFilter{Days: storetest.AnyDays}); len(got) != 0 {
		t.Errorf("rows of a refused slice were stored: %v", got)
	}
}

func TestFailedSliceKeepsWhatIsKnown(t *testing.T) {
	storetest.Engines(t, "the write as a whole is undone", testFailedSliceKeepsWhatIsKnown)
}

func testFailedSliceKeepsWhatIsKnown(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	ctx := context.Background()
	storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), storetest.Record(1, "1"))
	two := affiliate.Days{First: storetest.Day, Last: storetest.Day + 1}
	if err := records.FailSlice(ctx, s, storetest.DaySlice(two), "the exchange answered 500"); err != nil {
		t.Fatal(err)
	}
	days, err := records.Coverage(ctx, storetest.Reader(t, s), "main", two)
	if err != nil || len(days) != 2 {
		t.Fatalf("coverage %v (%v), want two days", days, err)
	}
	if !days[0].Whole() || !days[0].Failed.Known() || days[0].Error == "" {
		t.Errorf("first day %+v: want complete, with the failure stored", days[0])
	}
	if days[1].Whole() || days[1].Through.Known() {
		t.Errorf("second day %+v: want never read", days[1])
	}
	// A successful reading clears the failure.
	storetest.Replace(t, s, storetest.DaySlice(two), storetest.Record(1, "1"))
	days, err = records.Coverage(ctx, storetest.Reader(t, s), "", two)
	if err != nil || days[1].Failed.Known() || !days[1].Whole() {
		t.Errorf("after a good reading: %+v (%v)", days, err)
	}
}

func TestNewerDatabaseIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "newer.db")
	s, err := store.Open(context.Background(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.SetSchemaVersion(s, 1000); err != nil {
		t.Fatal(err)
	}
	s.Close()
	_, err = store.Open(context.Background(), path, store.Options{})
	var newer *store.ErrNewer
	if !errors.As(err, &newer) || newer.Database != 1000 {
		t.Fatalf("opening returned %v, want ErrNewer", err)
	}
}

func TestOneCollectorPerDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	a, b := storetest.OpenAt(t, path, store.Options{}), storetest.OpenAt(t, path, store.Options{})
	_, release, err := a.Lock(t.Context(), store.CollectorLease)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Lock(t.Context(), store.CollectorLease); !errors.Is(err, store.ErrLocked) {
		t.Fatalf("the second lock returned %v, want ErrLocked", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	_, again, err := b.Lock(t.Context(), store.CollectorLease)
	if err != nil {
		t.Fatal(err)
	}
	if err := again(); err != nil {
		t.Fatal(err)
	}
}

func TestMissingDirectoryError(t *testing.T) {
	_, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "no", "such.db"), store.Options{})
	if err == nil {
		t.Fatal("a database in a missing directory was opened")
	}
}

// unchanged reports whether the reading found exactly the known rows.
func unchanged(w records.Written) bool { return w.Opened+w.Closed+w.Changed == 0 }
