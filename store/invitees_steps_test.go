package store_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/internal/race"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/sums"
)

// The list holds every invitee who took a step in the range, its first and last instant
// included. As of an earlier instant it uses what was known then.
func TestInviteeSteps(t *testing.T) {
	race.Skip(t, "random readings, one after the other")
	storetest.Engines(t, "the order of rows of equal stamps", testInviteeSteps)
}

func testInviteeSteps(t *testing.T) {
	now := time.Date(2026, 9, 20, 0, 0, 0, 0, time.UTC)
	s := storetest.Open(t, store.Options{Now: func() time.Time { return now }})
	span := affiliate.Days{First: storetest.Day + 1, Last: storetest.Day + 2}
	list := []affiliate.Invitee{
		{UID: "1", InviteCode: "a", RegisterTime: storetest.At(storetest.Day + 1), KYC: "true"},
		{UID: "2", InviteCode: "b", RegisterTime: storetest.At(storetest.Day+3) - 1},
		{UID: "3", RegisterTime: storetest.At(storetest.Day+1) - 1, FirstDeposit: storetest.At(storetest.Day + 2)},
		{UID: "4", RegisterTime: storetest.At(storetest.Day + 3), FirstTrade: storetest.At(storetest.Day + 2)},
		{UID: "5", RegisterTime: storetest.At(storetest.Day + 3), FirstDeposit: storetest.At(storetest.Day + 5), FirstTrade: storetest.At(storetest.Day + 6)},
	}
	write := func(list []affiliate.Invitee) {
		t.Helper()
		if _, err := records.ReplaceInvitees(context.Background(), s, storetest.InviteeSlice(), list); err != nil {
			t.Fatal(err)
		}
	}
	write(list)
	before := affiliate.MillisOf(now)
	now = now.Add(time.Hour)
	list[4].FirstDeposit = storetest.At(storetest.Day + 1)
	write(list)
	r := storetest.Reader(t, s)
	defer r.Close()
	for _, c := range []struct {
		filter records.InviteeFilter
		want   int
	}{{records.InviteeFilter{}, 5}, {records.InviteeFilter{AsOf: before}, 4}, {records.InviteeFilter{Code: "a"}, 1}, {records.InviteeFilter{Code: "A"}, 0}, {records.InviteeFilter{Account: "other"}, 0}} {
		got, err := sums.StepsOfInvitees(context.Background(), r, c.filter, span.Range(time.UTC))
		if err != nil || len(got) != c.want {
			t.Errorf("%+v: %d steps, want %d (%v)", c.filter, len(got), c.want, err)
		}
	}
	got, err := sums.StepsOfInvitees(context.Background(), r, records.InviteeFilter{UID: "1"}, span.Range(time.UTC))
	if want := (sums.InviteeSteps{Registered: storetest.At(storetest.Day + 1), KYC: "true"}); err != nil || !slices.Equal(got, []sums.InviteeSteps{want}) {
		t.Errorf("%+v, want %+v (%v)", got, want, err)
	}
	codes, err := sums.InviteeCodes(context.Background(), r, records.InviteeFilter{})
	if err != nil || len(codes) != 2 || codes[sums.InviteeKey{Account: "main", UID: "2"}] != "b" {
		t.Errorf("the codes are %v (%v)", codes, err)
	}
}

// checkWeekTraders compares the traders of each week with the book.
func (b *book) checkWeekTraders(t failer, s *store.Store, f records.CommissionFilter) {
	t.Helper()
	want := map[affiliate.Day]map[affiliate.UID]bool{}
	for _, c := range b.matching(f, s.Zone()) {
		week := affiliate.DayOf(c.DealTime.Time(), s.Zone())
		for week.Weekday() != time.Monday {
			week--
		}
		if want[week] == nil {
			want[week] = map[affiliate.UID]bool{}
		}
		want[week][c.UID] = true
	}
	r, err := s.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got, err := sums.TradersByWeek(context.Background(), r, f)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%+v: traders of %d weeks, want %d (%v)", f, len(got), len(want), err)
	}
	for i, w := range got {
		if w.Traders != int64(len(want[w.Day])) || i > 0 && got[i-1].Day >= w.Day {
			t.Fatalf("%+v: %d traders in the week from %s, want %d", f, w.Traders, w.Day, len(want[w.Day]))
		}
	}
}
