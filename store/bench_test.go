package store_test

import (
	"fmt"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

func BenchmarkReplaceCommissions(b *testing.B) {
	const perDay = 250
	days := affiliate.Days{First: day1, Last: day1 + 15}
	var records []affiliate.Commission
	for d := days.First; d <= days.Last; d++ {
		for i := range perDay {
			c := record(0, affiliate.Number(fmt.Sprintf("0.%07d", i*31+1)))
			c.DealTime = affiliate.MillisOf(d.Start(time.UTC)) + affiliate.Millis(i*345_600)
			c.UID = affiliate.UID(fmt.Sprint(4667776800 + i%100))
			records = append(records, c)
		}
	}
	s := openStore(b, store.Options{})
	n := 0
	for b.Loop() {
		slice := daySlice(days)
		slice.Account = affiliate.Account(fmt.Sprint("account ", n)) // a fresh place each time
		replace(b, s, slice, records...)
		n++
	}
	b.ReportMetric(float64(n*len(records))/b.Elapsed().Seconds(), "rows/s")
}
