package store_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/internal/race"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/sums"
)

// Every range counts each day once: at the edges of weeks, months, the year and the
// stored days, with any combination of blocks.
func TestEveryRangeCountsEachDayOnce(t *testing.T) {
	race.Skip(t, "every range of days, one after the other")
	storetest.Engines(t, "bytes of blocks, statements of ranges", testEveryRangeCountsEachDayOnce)
}

func testEveryRangeCountsEachDayOnce(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	first, last := affiliate.NewDay(2025, time.November, 27), affiliate.NewDay(2026, time.March, 3)
	var list []affiliate.Commission
	for day := first; day <= last; day++ {
		c := storetest.Record(0, affiliate.Number(fmt.Sprint(int(day-first)+1)))
		c.DealTime = affiliate.MillisOf(day.Start(time.UTC)) + 1
		list = append(list, c)
	}
	storetest.Replace(t, s, storetest.DaySlice(affiliate.Days{First: first, Last: last}), list...)
	r := storetest.Reader(t, s)
	for from := first - 2; from <= last+1; from += affiliate.Day(oneIn(t, 7)) {
		for to := from; to <= last+2; to++ {
			rows, commission := 0, 0
			for day := max(from, first); day <= min(to, last); day++ {
				rows++
				commission += int(day-first) + 1
			}
			for _, uid := range []affiliate.UID{"", list[0].UID} { // the lines of one are by month, without the rows of other days
				got, err := sums.BySymbol(t.Context(), r, records.CommissionFilter{Days: affiliate.Days{First: from, Last: to}, UID: uid})
				if err != nil || len(got) != min(rows, 1) {
					t.Fatalf("%s to %s of %q: %+v (%v)", from, to, uid, got, err)
				}
				if rows > 0 && (got[0].Records != int64(rows) || string(got[0].Commission) != strconv.Itoa(commission)) {
					t.Fatalf("%s to %s of %q: %+v, want %d records and %d", from, to, uid, got[0], rows, commission)
				}
			}
		}
	}
}
