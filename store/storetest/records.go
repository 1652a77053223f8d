package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/payments"
	"rebatedesk/store/records"
)

// Day is the day of [Record].
var (
	Day     = affiliate.NewDay(2026, time.September, 1)
	OneDay  = affiliate.Days{First: Day, Last: Day}
	AnyDays = affiliate.Days{First: Day - 400, Last: Day + 400}

	Spot = affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Spot}
)

// Record returns a commission on Day, n minutes after midnight UTC.
func Record(n int, commission affiliate.Number) affiliate.Commission {
	return affiliate.Commission{
		DealTime: affiliate.MillisOf(Day.Start(time.UTC).Add(time.Duration(n) * time.Minute)),
		UID:      affiliate.UID(fmt.Sprint(4667776800 + n%7)), Product: affiliate.Spot, Symbol: "BTCUSDT_SPBL",
		Source: affiliate.Direct, Coin: "USDT", TakerAmount: "1137.619", MakerAmount: "0",
		Fee: "0.682571", Rate: "0.1", Commission: commission,
	}
}

// DaySlice returns a reading of whole days of spot commissions.
func DaySlice(days affiliate.Days) records.Slice {
	return records.Slice{Account: "main", Stream: Spot, Days: days,
		Through: affiliate.MillisOf((days.Last + 1).Start(time.UTC)), Started: time.Now()}
}

// Settled returns a reading of the days that began when they had settled.
func Settled(days affiliate.Days) records.Slice {
	slice := DaySlice(days)
	slice.Through += affiliate.Millis(records.Settles.Milliseconds())
	return slice
}

// Replace stores a reading.
func Replace(t testing.TB, s *store.Store, slice records.Slice, rows ...affiliate.Commission) records.Written {
	t.Helper()
	w, err := records.ReplaceCommissions(context.Background(), s, slice, rows)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// ReadWallet stores a reading of bills or transfers that found none.
func ReadWallet(t testing.TB, s *store.Store, slice records.Slice) {
	t.Helper()
	var err error
	if slice.Stream.Kind == affiliate.Transfers {
		_, err = payments.ReplaceTransfers(context.Background(), s, slice, nil)
	} else {
		_, err = payments.ReplaceBills(context.Background(), s, slice, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// InviteeSlice returns a reading of ten days of invitees.
func InviteeSlice() records.Slice {
	slice := DaySlice(affiliate.Days{First: Day, Last: Day + 9})
	slice.Stream = affiliate.Stream{Kind: affiliate.Invitees}
	return slice
}

// Invitees returns the invitees that match a filter.
func Invitees(t testing.TB, s *store.Store, f records.InviteeFilter) []records.InviteeRow {
	t.Helper()
	r := Reader(t, s)
	defer r.Close()
	var list []records.InviteeRow
	for row, err := range records.Invitees(context.Background(), r, f) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, row)
	}
	return list
}

// At returns the instant at which a day begins.
func At(d affiliate.Day) affiliate.Millis { return affiliate.MillisOf(d.Start(time.UTC)) }
