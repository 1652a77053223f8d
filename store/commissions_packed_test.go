package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// Records are read back as they were stored, with any text.
func TestCommissionTexts(t *testing.T) {
	storetest.Engines(t, "texts with odd bytes", testCommissionTexts)
}

func testCommissionTexts(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	texts := storable(t, "", "BTCUSDT", "\x1f", "a\x1fb\x1f\x1f", "\x1fBTC", "a\x00b", "日本", "a,b\r\nc", "'")
	var want []affiliate.Commission
	for i := range 700 { // several batches
		c := storetest.Record(i, affiliate.Number(fmt.Sprint(i)))
		c.Symbol, c.Coin, c.Rate = texts[i%len(texts)], affiliate.Coin(texts[i/2%len(texts)]), ""
		want = append(want, c)
	}
	storetest.Replace(t, s, storetest.DaySlice(affiliate.Days{First: storetest.Day, Last: storetest.Day + 2}), want...)
	f := records.CommissionFilter{Days: affiliate.Days{First: storetest.Day, Last: storetest.Day + 2}}
	rows := rowsOf(t, s, f, records.CommissionOrder{Column: "time"}, 0, 0)
	if len(rows) != len(want) {
		t.Fatalf("%d records, want %d", len(rows), len(want))
	}
	for i, row := range rows {
		if row.Commission != want[i] || row.Account != "main" || !row.FirstSeen.Known() {
			t.Fatalf("record %d is %+v, want %+v", i, row, want[i])
		}
	}
}

// storable returns the texts that the engine can store: PostgreSQL refuses U+0000, see
// TestNULIsRefused.
func storable(t *testing.T, texts ...string) []string {
	if !storetest.Postgres(t) {
		return texts
	}
	return slices.DeleteFunc(texts, func(text string) bool { return strings.Contains(text, "\x00") })
}

// A caller that reads only a few of many records leaves no goroutine, and the transaction
// can be queried again.
func TestCommissionsLeftEarly(t *testing.T) {
	storetest.Engines(t, "a transaction after rows that nobody read", testCommissionsLeftEarly)
}

func testCommissionsLeftEarly(t *testing.T) {
	s := varied(t)
	r := storetest.Reader(t, s)
	defer r.Close()
	f := records.CommissionFilter{Days: affiliate.Days{First: storetest.Day, Last: storetest.Day + 2}}
	for range 50 {
		for row, err := range records.Commissions(context.Background(), r, f, records.CommissionOrder{Column: "fee"}, 0, 0) {
			if err != nil || row.UID == "" {
				t.Fatal(row, err)
			}
			break
		}
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for row, err := range records.Commissions(cancelled, r, f, records.CommissionOrder{Column: "time"}, 0, 0) {
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled, and the reading gives %+v, %v", row, err)
		}
	}
}
