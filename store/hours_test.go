package store_test

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/internal/race"
	"rebatedesk/store"
	"rebatedesk/store/payments"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// hourState is the content of a book at the instant of a write.
type hourState struct {
	stamp affiliate.Millis
	rows  []affiliate.Commission
}

// hoursByHand adds up the commission of records by hour, without the program. Days without an
// amount are left out.
func hoursByHand(t failer, rows []affiliate.Commission, f payments.HourFilter) map[string]*[24]big.Rat {
	lines := map[string]*[24]big.Rat{}
	for _, c := range rows {
		at := c.DealTime.Time().UTC()
		if day := affiliate.DayOf(at, time.UTC); f.Days.Contains(day) && (f.Coin == "" || c.Coin == f.Coin) {
			key := fmt.Sprint(day, " ", c.Coin, " ", c.Source)
			if lines[key] == nil {
				lines[key] = new([24]big.Rat)
			}
			sum := &lines[key][at.Hour()]
			sum.Add(sum, rat(t, c.Commission))
		}
	}
	maps.DeleteFunc(lines, func(_ string, sums *[24]big.Rat) bool {
		return !slices.ContainsFunc(sums[:], func(sum big.Rat) bool { return sum.Sign() != 0 })
	})
	return lines
}

// checkHours compares the hours of an account with those by hand.
func checkHours(t failer, s *store.Store, rows []affiliate.Commission, f payments.HourFilter) {
	t.Helper()
	r, err := s.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got, err := payments.Hours(context.Background(), r, f)
	want := hoursByHand(t, rows, f)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%+v: %d lines, want %d (%v)", f, len(got), len(want), err)
	}
	for _, line := range got {
		key := fmt.Sprint(line.Day, " ", line.Coin, " ", line.Source)
		if line.Account != f.Account || want[key] == nil {
			t.Fatalf("%+v: there is a line of %s %s", f, line.Account, key)
		}
		for hour := range line.Sums {
			if is := affiliate.Number(line.Sums[hour].String()); rat(t, is).Cmp(&want[key][hour]) != 0 {
				t.Fatalf("%+v: %s has %s in hour %d, want %s", f, key, is, hour, want[key][hour].FloatString(18))
			}
		}
	}
}

// After any writes in any order, the hours of every state since the first are the sums of the
// records that it had, in any reporting zone, also in one without roll-ups, and after these were
// made anew.
func TestHoursAreThoseOfTheRows(t *testing.T) {
	t.Parallel()
	race.Skip(t, "sums of random records, by one goroutine")
	type reader struct{ writes, reads *store.Store }
	var stores []reader
	for _, name := range zones[:3] {
		path := filepath.Join(t.TempDir(), "hours.db")
		stores = append(stores, reader{storetest.OpenAt(t, path, store.Options{Zone: zone(t, name)}), storetest.OpenAt(t, path, store.Options{Zone: zone(t, "Pacific/Kiritimati")})})
		storetest.Replace(t, stores[len(stores)-1].writes, storetest.DaySlice(storetest.OneDay), storetest.Record(1, "1")) // a few checks may not draw each zone
	}
	accounts := 0
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(stores).Draw(t, "zone")
		accounts++
		b := &book{affiliate.Account(fmt.Sprint("account ", accounts)), map[affiliate.Product][]affiliate.Commission{}}
		var states []hourState
		for range rapid.IntRange(1, 5).Draw(t, "writes") {
			b.write(t, s.writes)
			if rapid.IntRange(0, 19).Draw(t, "rebuild") == 0 {
				if err := records.RebuildRollups(context.Background(), s.writes); err != nil {
					t.Fatal(err)
				}
			}
			stamp, err := s.writes.LastWrite(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			states = append(states, hourState{stamp, slices.Concat(b.rows[affiliate.Spot], b.rows[affiliate.Futures])})
		}
		f := payments.HourFilter{Account: b.account, Days: storetest.AnyDays, Coin: rapid.SampledFrom([]affiliate.Coin{"", "", "BTC"}).Draw(t, "coin")}
		if rapid.Bool().Draw(t, "few days") {
			f.Days = affiliate.Days{First: storetest.Day + affiliate.Day(rapid.IntRange(-3, 5).Draw(t, "first")), Last: storetest.Day + 6}
		}
		for _, from := range []*store.Store{s.writes, s.reads} {
			checkHours(t, from, states[len(states)-1].rows, f)
			for _, state := range states {
				f := f
				f.AsOf = state.stamp
				checkHours(t, from, state.rows, f)
			}
		}
	})
	for _, s := range stores {
		rollupsAreThoseOfTheRows(t, s.writes)
		if faults := unsound(verify(t, s.reads)); len(faults) > 0 {
			t.Errorf("faults %q", faults)
		}
	}
}

// While a node of an older release writes, the hours come from the rows; the next write or
// start makes them anew. A line whose records add up to zero is not kept.
func TestHoursThatAnOlderNodeLeft(t *testing.T) {
	storetest.Engines(t, "statements of hours", testHoursThatAnOlderNodeLeft)
}

func testHoursThatAnOlderNodeLeft(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	rows := []affiliate.Commission{storetest.Record(1, "1.5"), storetest.Record(61, "-0.25"), storetest.Record(1500, "3")}
	slice := storetest.DaySlice(affiliate.Days{First: storetest.Day, Last: storetest.Day + 1})
	storetest.Replace(t, s, slice, rows...)
	f := payments.HourFilter{Account: "main", Days: storetest.AnyDays}
	checkHours(t, s, rows, f)
	lines := func() int {
		t.Helper()
		lines, err := storetest.Lines(s, `SELECT * FROM commission_hours`)
		storetest.Done(t, err)
		return len(lines)
	}
	for _, next := range []func(){
		func() { storetest.Done(t, records.MakeRollups(t.Context(), s)) },
		func() { storetest.Replace(t, s, slice, rows...) },
	} {
		// What the older node stores: its hours are missing.
		storetest.Done(t, storetest.Corrupt(s, `UPDATE meta SET last_write_ms = last_write_ms + 1`))
		storetest.Done(t, storetest.Corrupt(s, `UPDATE commission_changes SET changed_ms = (SELECT last_write_ms FROM meta)`))
		storetest.Done(t, storetest.Corrupt(s, `DELETE FROM commission_hours`))
		checkHours(t, s, rows, f)
		if faults := unsound(verify(t, s)); len(faults) > 0 {
			t.Errorf("faults %q", faults)
		}
		next()
		if n := lines(); n != 2 {
			t.Errorf("%d lines afterwards, want 2", n)
		}
		checkHours(t, s, rows, f)
	}

	rows = []affiliate.Commission{storetest.Record(1, "0"), storetest.Record(2, "2"), storetest.Record(3, "-2")}
	storetest.Replace(t, s, slice, rows...)
	checkHours(t, s, rows, f)
	if n := lines(); n != 0 {
		t.Errorf("kept %d lines without an amount", n)
	}
	if faults := unsound(verify(t, s)); len(faults) > 0 {
		t.Errorf("faults %q", faults)
	}
}
