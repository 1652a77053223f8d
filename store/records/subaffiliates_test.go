package records_test

import (
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/sums"
)

// A row that is added while its day is still being read is no change. A row that replaces
// a closed row is its new version; all other rows are added or removed.
func TestSubAffiliateChanges(t *testing.T) {
	storetest.Engines(t, "statements about sub-affiliates", testSubAffiliateChanges)
}

func testSubAffiliateChanges(t *testing.T) {
	at := (storetest.Day + 1).Start(time.UTC).Add(time.Hour)
	s := storetest.Open(t, store.Options{Now: func() time.Time { return at }})
	product := affiliate.Spot
	write := func(hours int, rows ...affiliate.SubAffiliateDay) {
		t.Helper()
		at = (storetest.Day + 1).Start(time.UTC).Add(time.Duration(hours) * time.Hour)
		slice := records.Slice{Account: "main", Stream: affiliate.Stream{Kind: affiliate.SubAffiliates, Product: product},
			Days: affiliate.Days{First: storetest.Day, Last: storetest.Day}, Started: at, Through: affiliate.MillisOf(at)}
		if _, err := records.ReplaceSubAffiliateDays(t.Context(), s, slice, rows); err != nil {
			t.Fatal(err)
		}
	}
	of := func(uid affiliate.UID, paid affiliate.Number) affiliate.SubAffiliateDay {
		return affiliate.SubAffiliateDay{UID: uid, Product: product, Date: storetest.Day, TradingVolume: "10", NetTradingFee: "1", PaidCommission: paid}
	}
	write(1, of("7", "1"))
	write(2, of("7", "2"), of("8", "5"))
	write(6, of("7", "3"))
	write(8, of("7", "3"), of("9", "4"))
	changes := func(f records.SubAffiliateFilter) []records.SubAffiliateChange {
		t.Helper()
		r := storetest.Reader(t, s)
		defer r.Close()
		f.Days = affiliate.Days{First: storetest.Day, Last: storetest.Day}
		list, err := records.SubAffiliateChanges(t.Context(), r, f)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	all := changes(records.SubAffiliateFilter{})
	if len(all) != 3 {
		t.Fatalf("%d changes, want three: %+v", len(all), all)
	}
	if came := all[0]; came.Was != nil || came.Became.UID != "9" {
		t.Errorf("the newest change is %+v", came)
	}
	for _, c := range all[1:] {
		switch c.Day().UID {
		case "7":
			if c.Was == nil || c.Was.PaidCommission != "2" || c.Became == nil || c.Became.PaidCommission != "3" {
				t.Errorf("7 changed by %+v", c)
			}
		case "8":
			if c.Was == nil || c.Was.PaidCommission != "5" || c.Became != nil {
				t.Errorf("8 changed by %+v", c)
			}
		}
	}
	if list := changes(records.SubAffiliateFilter{UID: "7", AsOf: all[1].Noticed}); len(list) != 1 {
		t.Errorf("%d changes of 7 up to then, want one", len(list))
	}
	if list := changes(records.SubAffiliateFilter{UID: "7", AsOf: all[1].Noticed - 1}); len(list) != 0 {
		t.Errorf("%d changes of 7 before the first", len(list))
	}
}

// The reach is that of the requested state; an empty state has none.
func TestSubAffiliateReach(t *testing.T) {
	storetest.Engines(t, "statements about sub-affiliates", testSubAffiliateReach)
}

func testSubAffiliateReach(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	r := storetest.Reader(t, s)
	if reach, any, err := sums.SubAffiliateReach(t.Context(), r, 0); any || err != nil {
		t.Errorf("the reach of an empty store is %+v (%v)", reach, err)
	}
	r.Close()
	slice := storetest.DaySlice(affiliate.Days{First: storetest.Day, Last: storetest.Day + 5})
	slice.Stream = affiliate.Stream{Kind: affiliate.SubAffiliates, Product: affiliate.Spot}
	record := func(day affiliate.Day) affiliate.SubAffiliateDay {
		return affiliate.SubAffiliateDay{UID: "7", Product: affiliate.Spot, Date: day, PaidCommission: "1"}
	}
	if _, err := records.ReplaceSubAffiliateDays(t.Context(), s, slice, []affiliate.SubAffiliateDay{record(storetest.Day + 1), record(storetest.Day + 3)}); err != nil {
		t.Fatal(err)
	}
	r = storetest.Reader(t, s)
	defer r.Close()
	for asOf, want := range map[affiliate.Millis]bool{0: true, 1: false} {
		reach, any, err := sums.SubAffiliateReach(t.Context(), r, asOf)
		if err != nil || any != want || any && reach != (affiliate.Days{First: storetest.Day + 1, Last: storetest.Day + 3}) {
			t.Errorf("as of %d it reaches %+v, %v (%v)", asOf, reach, any, err)
		}
	}
	totals, err := sums.ReadSubAffiliates(t.Context(), r, records.SubAffiliateFilter{Days: affiliate.Days{First: storetest.Day, Last: storetest.Day + 5}}, false)
	sums := totals.Sums
	if err != nil || len(sums) != 1 || sums[0].TradingVolume != "" || sums[0].PaidCommission != "2" {
		t.Errorf("the sums are %+v (%v)", sums, err)
	}
}

// Sums that were computed before follow later writes, also those of another process.
func TestSubAffiliateSumsFollowWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rebatedesk.db")
	asked, other := storetest.OpenAt(t, path, store.Options{}), storetest.OpenAt(t, path, store.Options{})
	slice := storetest.DaySlice(affiliate.Days{First: storetest.Day, Last: storetest.Day + 5})
	slice.Stream = affiliate.Stream{Kind: affiliate.SubAffiliates, Product: affiliate.Spot}
	for i, paid := range []affiliate.Number{"1", "2", "2", "1"} {
		writer := []*store.Store{asked, other}[i%2]
		if _, err := records.ReplaceSubAffiliateDays(t.Context(), writer, slice, []affiliate.SubAffiliateDay{
			{UID: "7", Product: affiliate.Spot, Date: storetest.Day, PaidCommission: paid}}); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time from the cache
			r := storetest.Reader(t, asked)
			f := records.SubAffiliateFilter{Days: affiliate.Days{First: storetest.Day, Last: storetest.Day + 5}}
			totals, err := sums.ReadSubAffiliates(t.Context(), r, f, true)
			days, dayErr := sums.BySubAffiliateDay(t.Context(), r, f)
			if err := errors.Join(err, dayErr); err != nil || totals.Sums[0].PaidCommission != paid || days[0].PaidCommission != paid {
				t.Errorf("write %d: %+v, %+v (%v), want %s", i, totals, days, err, paid)
			}
			if want := map[sums.InviteeKey][]sums.PaidDay{{Account: "main", UID: "7"}: {{Day: storetest.Day, PaidCommission: paid}}}; !reflect.DeepEqual(totals.Paid, want) {
				t.Errorf("write %d: paid were %+v, want %+v", i, totals.Paid, want)
			}
			spans, spanErr := sums.SubAffiliateSpans(t.Context(), r, f)
			if spanErr != nil || !slices.Equal(totals.Spans, spans) || !slices.Equal(totals.Daily, days) {
				t.Errorf("together %+v, and apart %+v, %+v (%v)", totals, spans, days, spanErr)
			}
			f.UID = "8"
			if none, err := sums.ReadSubAffiliates(t.Context(), r, f, false); err != nil || len(none.Sums) != 0 {
				t.Errorf("of another: %+v (%v)", none, err)
			}
			r.Close()
		}
	}
}
