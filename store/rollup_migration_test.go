package store_test

import (
	"path/filepath"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/sums"
)

// A database from before the roll-ups in blocks receives them when it is opened: from its
// open rows, in the zone of the program.
func TestOldDatabaseGetsRollups(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.db")
	err := store.MakeOld(t.Context(), path, 1, `
		INSERT INTO accounts (name) VALUES ('main');
		INSERT INTO commissions (account_id, product, deal_time_ms, uid, symbol, source, coin, taker_amount, maker_amount, fee, rate, commission, opened_ms, closed_ms)
		VALUES (1, 'SPOT', 1788300000000, '7', 'S', 'direct', 'USDT', '1', '', '0.5', '', '0.05', 1, NULL),
		       (1, 'SPOT', 1788300000001, '7', 'S', 'direct', 'USDT', '1', '', '0.5', '', '0.07', 1, NULL),
		       (1, 'SPOT', 1788300000002, '7', 'S', 'direct', 'USDT', '1', '', '0.5', '', '9', 1, 2);
		INSERT INTO commission_days VALUES ('2026-09-01', 1, 'SPOT', 'USDT', 'direct', 2, '1', '0.12', '2', '0');
		INSERT INTO commission_invitee_days VALUES ('2026-09-01', 1, '7', 'SPOT', 'USDT', 'direct', 2, '1', '0.12', '2', '0')`)
	if err != nil {
		t.Fatal(err)
	}
	s := storetest.OpenAt(t, path, store.Options{Zone: zone(t, "Asia/Kathmandu")})
	if err := records.MakeRollups(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if lines, err := storetest.Lines(s, `SELECT zone FROM meta`); err != nil || len(lines) != 1 || lines[0] != "Asia/Kathmandu" {
		t.Errorf("the roll-ups are in the zone %q (%v)", lines, err)
	}
	if rollups := verify(t, s)["roll-ups"]; !rollups.Sound() || rollups.Seen != "1 days in Asia/Kathmandu" {
		t.Errorf("%+v", rollups)
	}
	days, err := sums.ByDay(t.Context(), storetest.Reader(t, s), records.CommissionFilter{Days: storetest.AnyDays, UID: "7"})
	if err != nil || len(days) != 1 || days[0].Day != affiliate.NewDay(2026, 9, 2) || days[0].Records != 2 || days[0].Commission != "0.12" {
		t.Errorf("%+v (%v)", days, err)
	}
}
