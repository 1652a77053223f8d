package store_test

import (
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// Twins that changed at the same time count as separate changes. A row in another coin or
// from another source is a different row.
func TestRestatementsPairVersionsOfATrade(t *testing.T) {
	storetest.Engines(t, "statements of restatements, the order of rows", testRestatementsPairVersionsOfATrade)
}

func testRestatementsPairVersionsOfATrade(t *testing.T) {
	s := storetest.Open(t, store.Options{Now: func() time.Time { return time.Date(2026, 9, 5, 0, 0, 0, 0, time.UTC) }})
	coin, source := storetest.Record(3, "3"), storetest.Record(4, "4")
	storetest.Replace(t, s, storetest.Settled(storetest.OneDay), storetest.Record(1, "1"), storetest.Record(1, "1"), coin, source)
	coin.Coin, source.Source = "BTC", affiliate.SubAgent
	storetest.Replace(t, s, storetest.Settled(storetest.OneDay), storetest.Record(1, "2"), storetest.Record(1, "2"), coin, source)
	var changed, late, removed int
	for r, err := range records.Restatements(t.Context(), storetest.Reader(t, s), records.CommissionFilter{Days: storetest.AnyDays}) {
		switch {
		case err != nil:
			t.Fatal(err)
		case r.Was == nil:
			late++
		case r.Became == nil:
			removed++
		default:
			changed++
			if r.Was.Commission != "1" || r.Became.Commission != "2" || r.Account != "main" || !r.Noticed.Known() {
				t.Errorf("changed from %v to %v", r.Was, r.Became)
			}
		}
	}
	if changed != 2 || late != 2 || removed != 2 {
		t.Errorf("%d changed, %d late, %d removed; want 2 of each", changed, late, removed)
	}
}

// Only the rows of the requested days are read.
func TestRestatementsUseIndexes(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	storetest.Replace(t, s, storetest.Settled(storetest.OneDay), storetest.Record(1, "1"))
	storetest.Replace(t, s, storetest.Settled(storetest.OneDay), storetest.Record(1, "2"))
	asked, err := store.Listen(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		filter records.CommissionFilter
		want   string
	}{
		{records.CommissionFilter{Days: storetest.AnyDays}, "SEARCH c USING INDEX commissions_by_time (deal_time_ms>? AND deal_time_ms<?)"},
		{records.CommissionFilter{Days: storetest.AnyDays, Coin: "USDT", Account: "main"}, "SEARCH c USING INDEX commissions_by_time (deal_time_ms>? AND deal_time_ms<?)"},
		{records.CommissionFilter{Days: storetest.AnyDays, UID: "7"}, "SEARCH c USING INDEX commissions_by_uid (uid=? AND deal_time_ms>? AND deal_time_ms<?)"},
	} {
		r := storetest.Reader(t, s)
		if err := drain(records.Restatements(t.Context(), r, c.filter)); err != nil {
			t.Fatal(err)
		}
		r.Close()
		plans, err := asked.Plans()
		if err != nil || !strings.Contains(strings.Join(plans, "\n"), c.want) {
			t.Errorf("%+v: the plan does not contain %q (%v):\n%s", c.filter, c.want, err, strings.Join(plans, "\n"))
		}
	}
}

// If the clock of this machine is hours ahead, a day that was read before its end appears
// to have been read after it. Records of the rest of the day are not late.
func TestFastClockRestatesNothing(t *testing.T) {
	storetest.Engines(t, "statements of restatements", testFastClockRestatesNothing)
}

func testFastClockRestatesNothing(t *testing.T) {
	now := storetest.Day.Start(time.UTC).Add(22*time.Hour + 30*time.Minute) // exchange time
	s := storetest.Open(t, store.Options{Now: func() time.Time { return now.Add(5 * time.Hour) }})
	run, err := records.StartRun(t.Context(), s, "main", "command")
	if err != nil {
		t.Fatal(err)
	}
	read := func(records ...affiliate.Commission) {
		slice := storetest.DaySlice(storetest.OneDay)
		slice.Run, slice.Through, slice.Started = run, affiliate.MillisOf(now), now.Add(5*time.Hour)
		storetest.Replace(t, s, slice, records...)
	}
	late := func() (n int) {
		r := storetest.Reader(t, s)
		defer r.Close()
		for _, err := range records.Restatements(t.Context(), r, records.CommissionFilter{Days: storetest.AnyDays}) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		return n
	}
	morning, night := storetest.Record(60, "1"), storetest.Record(23*60, "2")
	read(morning)
	now = now.Add(6 * time.Hour) // the day has ended and settled
	read(morning, night)
	if n := late(); n != 0 {
		t.Errorf("the rest of a running day gives %d restatements", n)
	}
	now = now.Add(time.Hour)
	read(morning, night, storetest.Record(61, "3"))
	if n := late(); n != 1 {
		t.Errorf("a late record gives %d restatements, want 1", n)
	}
}
