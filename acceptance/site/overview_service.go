package site

import (
	"context"
	"fmt"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/web"
)

// StoredYear serves a database with some invitees and their records of the last year.
func StoredYear(t *testing.T, programme func(today affiliate.Day) ([]affiliate.Invitee, map[affiliate.Product][]affiliate.Commission)) string {
	t.Helper()
	clock := func() time.Time { return Now }
	st, err := store.Open(context.Background(), storetest.Empty(t), store.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	today := affiliate.DayOf(Now, time.UTC)
	span := affiliate.Days{First: today - 364, Last: today}
	if err := st.WantFrom(t.Context(), "main", span.First); err != nil {
		t.Fatal(err)
	}
	slice := func(stream affiliate.Stream) records.Slice {
		return records.Slice{Account: "main", Stream: stream, Days: span, Started: Now, Through: affiliate.MillisOf(Now)}
	}
	invitees, byProduct := programme(today)
	for product, rows := range byProduct {
		if _, err := records.ReplaceCommissions(t.Context(), st, slice(affiliate.Stream{Kind: affiliate.Commissions, Product: product}), rows); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := records.ReplaceInvitees(t.Context(), st, slice(affiliate.Stream{Kind: affiliate.Invitees}), invitees); err != nil {
		t.Fatal(err)
	}
	address, _ := Serve(t, web.Options{Reports: reports.New(st, clock)})
	return address
}

// People12 returns twelve invitees, one registered on each of the last days. Every second
// passed KYC, every third deposited and every fourth traded.
func People12(today affiliate.Day) ([]affiliate.Invitee, map[affiliate.Product][]affiliate.Commission) {
	var invitees []affiliate.Invitee
	records := map[affiliate.Product][]affiliate.Commission{}
	for n := range 12 {
		uid, start := affiliate.UID(fmt.Sprint(4667776800+n)), affiliate.MillisOf((today - affiliate.Day(n)).Start(time.UTC))
		one := affiliate.Invitee{UID: uid, InviteCode: "spring26", RegisterTime: start, KYC: affiliate.FlagOf(n%2 == 0)}
		if n%3 == 0 {
			one.FirstDeposit = start + 36*3_600_000
		}
		if n%4 == 0 {
			one.FirstTrade = start + 48*3_600_000
		}
		invitees = append(invitees, one)
		for back := range 40 {
			c := affiliate.Commission{
				DealTime: affiliate.MillisOf((today - affiliate.Day(back)).Start(time.UTC)) + affiliate.Millis(n), UID: uid, Symbol: "BTCUSDT",
				Product: affiliate.Products()[n%2], Source: affiliate.Sources()[n%5%2], Coin: "USDT", Fee: "10", Commission: "4", TakerAmount: "1000", MakerAmount: "0", Rate: "0.4",
			}
			records[c.Product] = append(records[c.Product], c)
		}
	}
	return invitees, records
}
