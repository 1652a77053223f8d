package site

import (
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/coverage"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/web"
)

// emptyPage is the address of a server and a query for which its pages are empty.
type emptyPage struct{ Address, Query string }

// NothingShown maps each reason for an empty page to an address and a query that cause
// it.
func NothingShown(t testing.TB) map[coverage.EmptyKind]emptyPage {
	t.Helper()
	nothingStored, failed, read := emptyStore(t, nil), emptyStore(t, failing), emptyStore(t, reading)
	full := OpenSharedSite(t).Address
	return map[coverage.EmptyKind]emptyPage{
		coverage.EmptyNotCollected: {nothingStored, ""},
		coverage.EmptyFailed:       {failed, ""},
		coverage.EmptyTruly:        {read, ""},
		coverage.EmptyFiltered:     {full, "?q=nobody"},
		coverage.EmptyFuture:       {full, "?from=2030-01-01&to=2030-01-31"},
		coverage.EmptyBefore:       {full, "?from=2020-01-01&to=2020-01-31"},
		coverage.EmptyThen:         {full, "?as_of=2026-11-01T00:00:00Z"},
	}
}

// emptyStore serves an account with a year to collect and no records; collect writes the
// readings, and nil writes none.
func emptyStore(t testing.TB, collect func(testing.TB, *store.Store, records.Slice)) string {
	t.Helper()
	st, err := store.Open(t.Context(), storetest.Empty(t), store.Options{Now: ClockAtNow})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	if collect != nil {
		today := affiliate.DayOf(Now, time.UTC)
		year := affiliate.Days{First: today - 364, Last: today}
		if err := st.WantFrom(t.Context(), "main", year.First); err != nil {
			t.Fatal(err)
		}
		for _, stream := range affiliate.Streams() {
			collect(t, st, records.Slice{Account: "main", Stream: stream, Days: year, Started: Now, Through: affiliate.MillisOf(Now)})
		}
	}
	address, _ := Serve(t, web.Options{Reports: reports.New(st, ClockAtNow), Collect: Nothing})
	return address
}

func failing(t testing.TB, st *store.Store, slice records.Slice) {
	t.Helper()
	if err := records.FailSlice(t.Context(), st, slice, "the exchange refused the signature (40009): check API_SECRET"); err != nil {
		t.Fatal(err)
	}
}

func reading(t testing.TB, st *store.Store, slice records.Slice) {
	t.Helper()
	var err error
	switch slice.Stream.Kind {
	case affiliate.Commissions:
		_, err = records.ReplaceCommissions(t.Context(), st, slice, nil)
	case affiliate.Invitees:
		_, err = records.ReplaceInvitees(t.Context(), st, slice, nil)
	case affiliate.SpotBills, affiliate.FundingBills, affiliate.Transfers:
		storetest.ReadWallet(t, st, slice)
	default:
		_, err = records.ReplaceSubAffiliateDays(t.Context(), st, slice, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}
