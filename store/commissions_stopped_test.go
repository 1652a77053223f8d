package store_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/upkeep"
)

// manySlices returns adjacent days that are read for the first time.
func manySlices() (list []records.CommissionSlice) {
	for n := range 12 {
		day := storetest.Day + affiliate.Day(n)
		slice := records.CommissionSlice{Slice: storetest.DaySlice(affiliate.Days{First: day, Last: day})}
		for k := range 250 {
			slice.Records = append(slice.Records, storetest.Record(n*1440+k, "0.5"))
		}
		list = append(list, slice)
	}
	return list
}

// If the disk is full or the context ends, none of the slices that are written together
// is stored, and no goroutine remains.
func TestStoppedSliceBatch(t *testing.T) {
	storetest.Engines(t, "a write that is stopped", testStoppedSliceBatch)
}

func testStoppedSliceBatch(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), storetest.Record(1, "1"))
	var before [][]string
	for _, query := range everything {
		before = append(before, lines(t, s, query))
	}
	atWork := runtime.NumGoroutine()
	if !storetest.Postgres(t) { // its disk is that of the server
		storetest.Done(t, store.SpareRoom(s, 10))
		if _, err := records.ReplaceCommissionSlices(t.Context(), s, manySlices()...); err == nil {
			t.Fatal("everything was written on a full disk")
		}
		storetest.Done(t, store.SpareRoom(s, 100_000))
	}
	for stopped := 0; stopped < 10; {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.IntN(20_000))*time.Microsecond)
		_, err := records.ReplaceCommissionSlices(ctx, s, manySlices()...)
		cancel()
		if err == nil {
			break // the write ended before the context
		}
		stopped++
		for i, query := range everything {
			if got := lines(t, s, query); !slices.Equal(got, before[i]) {
				t.Fatalf("%s\ngave %s\nbefore %s", query, got, before[i])
			}
		}
	}
	for wait := 0; runtime.NumGoroutine() > atWork+2; wait++ { // the driver's goroutines end with a delay
		if wait == 200 {
			t.Fatalf("%d goroutines are running, %d before", runtime.NumGoroutine(), atWork)
		}
		time.Sleep(10 * time.Millisecond)
	}
	if _, err := records.ReplaceCommissionSlices(t.Context(), s, manySlices()...); err != nil {
		t.Fatal(err)
	}
	if got := lines(t, s, `SELECT count(*) FROM commissions WHERE closed_ms IS NULL`); got[0] != "3000" {
		t.Errorf("%s records are open, want 3000", got[0])
	}
	for finding, err := range upkeep.Verify(t.Context(), s) {
		if err != nil || !finding.Sound() {
			t.Errorf("%s: %v (%v)", finding.Check, finding.Faults, err)
		}
	}
}
