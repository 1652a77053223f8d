package store_test

import (
	"fmt"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/internal/race"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/sums"
)

// Invitees who share a block are distinguished by code, by UID and by both. The test has
// more invitees than a block has parts.
func TestInviteesOfABlockAreDistinguished(t *testing.T) {
	race.Skip(t, "random records, by one goroutine")
	s := storetest.Open(t, store.Options{})
	var people []affiliate.Invitee
	var rows []affiliate.Commission
	for n := range 40 {
		c := storetest.Record(n, "1")
		c.UID = affiliate.UID(fmt.Sprint(n + 1)) // some UIDs are prefixes of others
		rows = append(rows, c)
		people = append(people, affiliate.Invitee{UID: c.UID, InviteCode: fmt.Sprint("code", n%2), RegisterTime: storetest.At(storetest.Day)})
	}
	if _, err := records.ReplaceInvitees(t.Context(), s, storetest.InviteeSlice(), people); err != nil {
		t.Fatal(err)
	}
	storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), rows...)
	r := storetest.Reader(t, s)
	for n, p := range people {
		for code, want := range map[string]int64{"": 1, p.InviteCode: 1, fmt.Sprint("code", (n+1)%2): 0} {
			expectRecords(t, r, records.CommissionFilter{Days: storetest.AnyDays, UID: p.UID, Code: code}, want)
		}
	}
	expectRecords(t, r, records.CommissionFilter{Days: storetest.AnyDays, Code: "code0"}, 20)
	expectRecords(t, r, records.CommissionFilter{Days: storetest.AnyDays, Code: "CODE0"}, 0)
	expectRecords(t, r, records.CommissionFilter{Days: storetest.AnyDays}, 40)
}

// expectRecords counts the records of a filter in two ways.
func expectRecords(t *testing.T, r *store.Tx, f records.CommissionFilter, want int64) {
	t.Helper()
	days, err := sums.ByDay(t.Context(), r, f)
	if err != nil {
		t.Fatal(err)
	}
	invitees, err := sums.ByInvitee(t.Context(), r, f)
	if err != nil {
		t.Fatal(err)
	}
	var byDay, byInvitee int64
	for _, day := range days {
		byDay += day.Records
	}
	for _, invitee := range invitees {
		byInvitee += invitee.Records
	}
	if byDay != want || byInvitee != want {
		t.Errorf("%+v: %d records by day and %d by invitee, want %d", f, byDay, byInvitee, want)
	}
}
