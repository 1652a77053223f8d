package store_test

import (
	"context"
	"errors"
	"fmt"
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

var (
	spot    = affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Spot}
	day1    = affiliate.NewDay(2026, time.September, 1)
	oneDay  = affiliate.Days{First: day1, Last: day1}
	anyDays = affiliate.Days{First: day1 - 400, Last: day1 + 400}
)

func openStore(t testing.TB, o store.Options) *store.Store {
	t.Helper()
	return openAt(t, storetest.Empty(t), o)
}

func openAt(t testing.TB, path string, o store.Options) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// record is a commission on day1, n minutes after midnight UTC.
func record(n int, commission affiliate.Number) affiliate.Commission {
	return affiliate.Commission{
		DealTime: affiliate.MillisOf(day1.Start(time.UTC).Add(time.Duration(n) * time.Minute)),
		UID:      affiliate.UID(fmt.Sprint(4667776800 + n%7)), Product: affiliate.Spot, Symbol: "BTCUSDT_SPBL",
		Source: affiliate.Direct, Coin: "USDT", TakerAmount: "1137.619", MakerAmount: "0",
		Fee: "0.682571", Rate: "0.1", Commission: commission,
	}
}

func daySlice(days affiliate.Days) records.Slice {
	return records.Slice{Account: "main", Stream: spot, Days: days,
		Through: affiliate.MillisOf((days.Last + 1).Start(time.UTC)), Started: time.Now()}
}

func replace(t testing.TB, s *store.Store, slice records.Slice, rows ...affiliate.Commission) records.Written {
	t.Helper()
	w, err := records.ReplaceCommissions(context.Background(), s, slice, rows)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func reader(t testing.TB, s *store.Store) *store.Tx {
	t.Helper()
	r, err := s.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// stored reads all rows of the filter as a multiset of keys.
func stored(t testing.TB, s *store.Store, f records.CommissionFilter) map[affiliate.Commission]int {
	t.Helper()
	r := reader(t, s)
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

func TestTwinsAreTwoRows(t *testing.T) {
	s := openStore(t, store.Options{})
	twin := record(1, "0.5")
	w := replace(t, s, daySlice(oneDay), twin, twin, record(2, "1"))
	if w.Opened != 3 || w.Closed != 0 {
		t.Fatalf("wrote %+v, want 3 opened", w)
	}
	if n := stored(t, s, records.CommissionFilter{Days: anyDays})[twin.Key()]; n != 2 {
		t.Fatalf("%d rows of the twin, want 2", n)
	}
	// One of the twins goes: one row is closed, whichever.
	if w := replace(t, s, daySlice(oneDay), twin, record(2, "1")); w.Opened != 0 || w.Closed != 1 {
		t.Fatalf("wrote %+v, want 1 closed", w)
	}
}

func TestSameReadWritesNothing(t *testing.T) {
	s := openStore(t, store.Options{})
	replace(t, s, daySlice(oneDay), record(1, "0.50"), record(2, "1"))
	// The same values, one of them written differently.
	if w := replace(t, s, daySlice(oneDay), record(2, "1.000"), record(1, "0.5")); !unchanged(w) {
		t.Fatalf("the same read changed %+v", w)
	}
}

func TestAsOfShowsTheStateOfThen(t *testing.T) {
	now := time.Date(2026, 9, 2, 0, 0, 0, 0, time.UTC)
	s := openStore(t, store.Options{Now: func() time.Time { return now }})
	states := []struct {
		at      affiliate.Millis
		records []affiliate.Commission
	}{}
	for _, records := range [][]affiliate.Commission{
		{record(1, "1"), record(2, "2")},
		{record(1, "1"), record(2, "2.5"), record(3, "3")}, // one revised, one late
		{record(3, "3")}, // two vanished
		{record(1, "1"), record(3, "3")},
	} {
		now = now.Add(time.Hour)
		replace(t, s, daySlice(oneDay), records...)
		states = append(states, struct {
			at      affiliate.Millis
			records []affiliate.Commission
		}{affiliate.MillisOf(now), records})
	}
	for i, state := range states {
		got := stored(t, s, records.CommissionFilter{Days: anyDays, AsOf: state.at})
		if !equalMultiset(got, state.records) {
			t.Errorf("state %d: got %v, want %v", i, got, state.records)
		}
		r := reader(t, s)
		days, err := sums.ByDay(context.Background(), r, records.CommissionFilter{Days: anyDays, AsOf: state.at})
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

// ratSum adds commissions by arithmetic that is not ours.
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
	s := openStore(t, store.Options{})
	futures := record(1, "1")
	futures.Product = affiliate.Futures
	tomorrow := record(24*60, "1")
	for _, foreign := range []affiliate.Commission{futures, tomorrow} {
		if _, err := records.ReplaceCommissions(context.Background(), s, daySlice(oneDay), []affiliate.Commission{foreign}); err == nil {
			t.Errorf("%v was written into %v", foreign, oneDay)
		}
	}
	if got := stored(t, s, records.CommissionFilter{Days: anyDays}); len(got) != 0 {
		t.Errorf("rows of a refused slice are there: %v", got)
	}
}

func TestFailedSliceKeepsWhatIsKnown(t *testing.T) {
	s := openStore(t, store.Options{})
	ctx := context.Background()
	replace(t, s, daySlice(oneDay), record(1, "1"))
	two := affiliate.Days{First: day1, Last: day1 + 1}
	if err := records.FailSlice(ctx, s, daySlice(two), "the exchange answered 500"); err != nil {
		t.Fatal(err)
	}
	days, err := records.Coverage(ctx, reader(t, s), "main", two)
	if err != nil || len(days) != 2 {
		t.Fatalf("coverage %v (%v), want two days", days, err)
	}
	if !days[0].Whole() || !days[0].Failed.Known() || days[0].Error == "" {
		t.Errorf("first day %+v: want whole, with the failure noted", days[0])
	}
	if days[1].Whole() || days[1].Through.Known() {
		t.Errorf("second day %+v: want never read", days[1])
	}
	// A read that succeeds takes the failure away.
	replace(t, s, daySlice(two), record(1, "1"))
	days, err = records.Coverage(ctx, reader(t, s), "", two)
	if err != nil || days[1].Failed.Known() || !days[1].Whole() {
		t.Errorf("after a good read: %+v (%v)", days, err)
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
		t.Fatalf("opening gave %v, want ErrNewer", err)
	}
}

func TestOneCollectorPerDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	a, b := openAt(t, path, store.Options{}), openAt(t, path, store.Options{})
	release, err := a.LockCollector()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.LockCollector(); !errors.Is(err, store.ErrLocked) {
		t.Fatalf("second lock gave %v, want ErrLocked", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	again, err := b.LockCollector()
	if err != nil {
		t.Fatal(err)
	}
	if err := again(); err != nil {
		t.Fatal(err)
	}
}

func TestMissingFolderNamesTheMend(t *testing.T) {
	_, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "no", "such.db"), store.Options{})
	if err == nil {
		t.Fatal("opened a database in a folder that does not exist")
	}
}

// unchanged reports whether the read found just what was known.
func unchanged(w records.Written) bool { return w.Opened+w.Closed+w.Changed == 0 }
