package store_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/internal/race"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// crowded stores records of a week in two accounts and products. Some share their deal
// time with a few others, many more than are sorted in memory share one. Records closed and
// opened since, and invitees, make the state of an earlier instant another one.
func crowded(t testing.TB) (s *store.Store, days affiliate.Days, earlier affiliate.Millis) {
	t.Helper()
	now := storetest.Day.Start(time.UTC).Add(240 * time.Hour)
	s = storetest.Open(t, store.Options{Now: func() time.Time { now = now.Add(time.Second); return now }})
	days = affiliate.Days{First: storetest.Day, Last: storetest.Day + 6}
	random := rand.New(rand.NewPCG(5, 6))
	for reading := range 2 {
		for n, account := range []affiliate.Account{"main", "other"} {
			for _, product := range affiliate.Products() {
				slice := storetest.DaySlice(days)
				slice.Account, slice.Stream.Product = account, product
				var rows []affiliate.Commission
				for i := range 4000 {
					c := storetest.Record(random.IntN(7*24*60), affiliate.Number(fmt.Sprint(i)))
					if i%3 == 0 {
						c.DealTime = storetest.At(storetest.Day+3) + affiliate.Millis(n)
					}
					c.Product = product
					rows = append(rows, c)
				}
				storetest.Replace(t, s, slice, rows...)
			}
			slice := storetest.InviteeSlice()
			slice.Account = account
			var people []affiliate.Invitee
			for i := range 5 {
				people = append(people, affiliate.Invitee{UID: affiliate.UID(fmt.Sprint(4667776800 + i)), InviteCode: fmt.Sprint(account, i, reading),
					RegisterTime: storetest.At(slice.Days.First)})
			}
			if _, err := records.ReplaceInvitees(t.Context(), s, slice, people); err != nil {
				t.Fatal(err)
			}
		}
		if reading == 0 {
			earlier = affiliate.MillisOf(now)
		}
	}
	return s, days, earlier
}

// All records read by two readers, in parts, are those of the pages, in the same order.
func TestRecordsInPartsAreThoseOfPages(t *testing.T) {
	t.Parallel()
	race.Skip(t, "pages of random records, one after the other")
	storetest.Engines(t, "the order of rows, readers of one state beside each other", testRecordsInPartsAreThoseOfPages)
}

func testRecordsInPartsAreThoseOfPages(t *testing.T) {
	s, days, earlier := crowded(t)
	random := rand.New(rand.NewPCG(7, 8))
	for try := range 24 / oneIn(t, 2) {
		f := records.CommissionFilter{Days: days}
		if first := random.IntN(7); try%3 > 0 {
			f.Days.First = days.First + affiliate.Day(first)
			f.Days.Last = f.Days.First + affiliate.Day(random.IntN(7-first))
		}
		switch try % 6 {
		case 1:
			f.Account = "other"
		case 2:
			f.UID = "4667776803"
		case 3:
			f.Product = affiliate.Futures
		case 4:
			f.Code = "main11,other30"
		case 5:
			f.Days = affiliate.Days{First: days.Last + 1, Last: days.Last + 9}
		}
		if try%4 == 0 {
			f.AsOf = earlier
		}
		order := records.CommissionOrder{Column: "time", Descending: try%2 == 1}
		whole := rowsOf(t, s, f, order, 0, 0)
		pages := rowsOf(t, s, f, order, 1_000_000, 0)
		if !slices.Equal(whole, pages) {
			t.Fatalf("%+v %+v: %d records in parts, %d on a page, or in another order", f, order, len(whole), len(pages))
		}
		if try == 0 && len(whole) < 10_000 {
			t.Fatalf("only %d records", len(whole))
		}
	}
}

// What is written between opening two readers is seen by neither, or only one reads.
func TestReadersBesideEachOtherReadOneState(t *testing.T) {
	storetest.Engines(t, "readers of one state beside each other", testReadersBesideEachOtherReadOneState)
}

func testReadersBesideEachOtherReadOneState(t *testing.T) {
	s, days, _ := crowded(t)
	f, order := records.CommissionFilter{Days: days}, records.CommissionOrder{Column: "time"}
	before := rowsOf(t, s, f, order, 0, 0)
	r := storetest.Reader(t, s)
	defer r.Close()
	beside, err := r.Beside(t.Context())
	if err != nil || beside == nil {
		t.Fatalf("nothing was written, and no second reader: %v", err)
	}
	if err := beside.Close(); err != nil {
		t.Error(err)
	}
	storetest.Replace(t, s, storetest.DaySlice(days), storetest.Record(1, "7"))
	if beside, err := r.Beside(t.Context()); err != nil || beside != nil {
		t.Fatalf("a reader of another state, %v", err)
	}
	var list []records.CommissionRow
	for row, err := range records.Commissions(t.Context(), r, f, order, 0, 0) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, row)
	}
	if !slices.Equal(list, before) {
		t.Fatalf("%d records of the state before the write, %d then", len(list), len(before))
	}
}

// A reading that is cancelled, left or cut off ends with an error, never as if it were
// whole, and leaves nothing running.
func TestReadersBesideEachOtherEnd(t *testing.T) {
	storetest.Engines(t, "connections of readers beside each other", testReadersBesideEachOtherEnd)
}

func testReadersBesideEachOtherEnd(t *testing.T) {
	s, days, _ := crowded(t)
	f := records.CommissionFilter{Days: days}
	atWork := runtime.NumGoroutine()
	for i := range 30 / oneIn(t, 5) {
		r := storetest.Reader(t, s)
		ctx, cancel := context.WithCancel(context.Background())
		n, failed := 0, error(nil)
		for _, err := range records.Commissions(ctx, r, f, records.CommissionOrder{Column: "time", Descending: i%2 == 0}, 0, 0) {
			if failed = err; err != nil {
				break
			}
			if n++; n < 100 {
				continue
			}
			switch i % 3 {
			case 0:
				cancel()
			case 1:
				r.Close() // one of the two readers
			}
			if i%3 == 2 {
				break
			}
		}
		switch {
		case i%3 == 0 && !errors.Is(failed, context.Canceled), i%3 == 1 && failed == nil:
			t.Errorf("stopped, and the reading ended after %d records with %v", n, failed)
		case i%3 == 2 && n != 100:
			t.Errorf("left after %d records", n)
		}
		cancel()
		r.Close()
	}
	for wait := 0; runtime.NumGoroutine() > atWork+2; wait++ { // goroutines of the connections come and go
		if wait == 200 {
			t.Fatalf("%d goroutines are at work, %d before", runtime.NumGoroutine(), atWork)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
