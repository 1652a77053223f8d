package site

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/store"
	"rebatedesk/store/records"
)

// OpenStored returns reports over a database.
func OpenStored(t testing.TB, path string) *reports.Service {
	t.Helper()
	st, err := store.Open(t.Context(), path, store.Options{Now: ClockAtNow})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return reports.New(st, ClockAtNow)
}

// FillRecords returns a function that writes the given number of records of one day, in
// two coins.
func FillRecords(rows int) func(t testing.TB, path string) {
	return func(t testing.TB, path string) {
		t.Helper()
		st, err := store.Open(t.Context(), path, store.Options{Now: ClockAtNow})
		if err != nil {
			t.Fatal(err)
		}
		list := make([]affiliate.Commission, rows)
		for i := range list {
			coin := affiliate.Coin([]string{"USDT", "日本"}[i%2])
			list[i] = affiliate.Commission{DealTime: affiliate.MillisOf(Now.Add(-time.Duration(i+1) * time.Second)), UID: "9223372036854775807",
				Product: affiliate.Spot, Symbol: "=1+1", Source: affiliate.Direct, Coin: coin, Fee: "1", Rate: "0.1",
				Commission: affiliate.Number(fmt.Sprintf("%d.000000000000000001", i))}
		}
		days := affiliate.Days{First: affiliate.DayOf(Now, time.UTC) - 1, Last: affiliate.DayOf(Now, time.UTC)}
		_, err = records.ReplaceCommissions(t.Context(), st, records.Slice{Account: "main", Days: days, Started: Now, Through: affiliate.MillisOf(Now),
			Stream: affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Spot}}, list)
		if err := errors.Join(err, st.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// Long is a number of records whose file exceeds the buffers of a connection to a client
// that does not read.
const Long = 30_000

// Torn returns long reports whose database has a destroyed page halfway through the
// records.
func Torn(t testing.TB) *reports.Service {
	t.Helper()
	const page = 4096
	path := Copied(t, fmt.Sprint(Long, " records"), FillRecords(Long))
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(content, fmt.Appendf(nil, "%d.000000000000000001", Long/2))
	if at < 0 {
		t.Fatal("the database does not contain the record as text")
	}
	copy(content[at/page*page:], make([]byte, page))
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return OpenStored(t, path)
}
