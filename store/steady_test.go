package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// A reading that finds exactly the known rows touches none of them, not even by writing
// the same values again.
func TestUnchangedSlicesTouchNoRows(t *testing.T) {
	storetest.Engines(t, "which rows a statement with a conflict clause writes", testUnchangedSlicesTouchNoRows)
}

func testUnchangedSlicesTouchNoRows(t *testing.T) {
	now := time.Date(2026, 9, 20, 0, 0, 0, 0, time.UTC)
	s := storetest.Open(t, store.Options{Now: func() time.Time { return now }})
	write := func() {
		t.Helper()
		now = now.Add(time.Hour)
		for _, written := range []func() (records.Written, error){
			func() (records.Written, error) {
				return records.ReplaceCommissions(context.Background(), s, storetest.DaySlice(affiliate.Days{First: storetest.Day, Last: storetest.Day + 9}), steadyCommissions())
			},
			func() (records.Written, error) {
				return records.ReplaceInvitees(context.Background(), s, storetest.InviteeSlice(), []affiliate.Invitee{
					{UID: "1", InviteCode: "welcome", RegisterTime: storetest.At(storetest.Day), KYC: "false", FirstDeposit: storetest.At(storetest.Day) + 5},
					{UID: "2", RegisterTime: storetest.At(storetest.Day + 1)},
				})
			},
			func() (records.Written, error) {
				slice := storetest.DaySlice(affiliate.Days{First: storetest.Day, Last: storetest.Day + 9})
				slice.Stream = affiliate.Stream{Kind: affiliate.SubAffiliates, Product: affiliate.Spot}
				return records.ReplaceSubAffiliateDays(context.Background(), s, slice, []affiliate.SubAffiliateDay{
					{UID: "7", Product: affiliate.Spot, Date: storetest.Day, TradingVolume: "1", NetTradingFee: "2", PaidCommission: "3"},
				})
			},
		} {
			if w, err := written(); err != nil || w.Records == 0 {
				t.Fatal(w, err)
			}
		}
	}
	write()
	if got := touched(t, s, write); !slices.Equal(got, []string{"coverage update", "meta update"}) {
		t.Errorf("the same reading again writes into %s", strings.Join(got, ", "))
	}
}

func steadyCommissions() []affiliate.Commission {
	var list []affiliate.Commission
	for i := range 5 {
		list = append(list, affiliate.Commission{
			Product: affiliate.Spot, DealTime: storetest.At(storetest.Day + affiliate.Day(i)), UID: "1", Symbol: "BTCUSDT", Source: affiliate.Direct,
			Coin: "USDT", TakerAmount: "10", MakerAmount: "0", Fee: "1", Rate: "0.1", Commission: "0.1",
		})
	}
	return list
}

// touched lists the tables in which an action inserts, updates or deletes rows.
func touched(t *testing.T, s *store.Store, action func()) []string {
	t.Helper()
	r := storetest.Reader(t, s)
	tables, err := r.Tables(t.Context())
	if err := errors.Join(err, r.Close()); err != nil || len(tables) < 8 {
		t.Fatal(tables, err)
	}
	notes := `CREATE TEMP TABLE touched (what TEXT)`
	if storetest.Postgres(t) {
		notes += `; CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO touched VALUES (TG_TABLE_NAME || '' '' || lower(TG_OP)); RETURN NULL; END'`
	}
	for _, table := range tables {
		for _, verb := range []string{"insert", "update", "delete"} {
			note := `; CREATE TEMP TRIGGER touched_%[1]s_%[2]s AFTER %[2]s ON main.%[1]s BEGIN INSERT INTO touched VALUES ('%[1]s %[2]s'); END`
			if storetest.Postgres(t) {
				note = `; CREATE TRIGGER touched_%[1]s_%[2]s AFTER %[2]s ON %[1]s FOR EACH ROW EXECUTE FUNCTION touch()`
			}
			notes += fmt.Sprintf(note, table, verb)
		}
	}
	if err := storetest.Corrupt(s, notes); err != nil {
		t.Fatal(err)
	}
	action()
	lines, err := storetest.Lines(s, `SELECT DISTINCT what FROM touched ORDER BY what`)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}
