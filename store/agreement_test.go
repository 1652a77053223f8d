package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

func coverageOf(t *testing.T, s *store.Store, days affiliate.Days) []records.CoverageDay {
	t.Helper()
	covered, err := records.Coverage(t.Context(), storetest.Reader(t, s), "main", days)
	if err != nil {
		t.Fatal(err)
	}
	return covered
}

// agreed returns how many readings in a row agreed on each day.
func agreed(t *testing.T, s *store.Store, days affiliate.Days) []int {
	t.Helper()
	var counts []int
	for _, c := range coverageOf(t, s, days) {
		counts = append(counts, c.Agreed)
	}
	return counts
}

// Each day counts its own agreeing readings: a late record of one day does not affect the
// other days of the same reading.
func TestAgreementCountsPerDay(t *testing.T) {
	storetest.Engines(t, "statements about coverage", testAgreementCountsPerDay)
}

func testAgreementCountsPerDay(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	days := affiliate.Days{First: storetest.Day, Last: storetest.Day + 2}
	const dayMinutes = 24 * 60
	first, second := storetest.Record(1, "1"), storetest.Record(dayMinutes+1, "2")
	for i, step := range []struct {
		records []affiliate.Commission
		want    []int
	}{
		{[]affiliate.Commission{first, second}, []int{1, 1, 1}},
		{[]affiliate.Commission{first, second}, []int{2, 2, 2}},
		{[]affiliate.Commission{first, second, storetest.Record(dayMinutes+2, "3")}, []int{3, 1, 3}},
		{[]affiliate.Commission{second, storetest.Record(dayMinutes+2, "3")}, []int{1, 2, 4}},
		{[]affiliate.Commission{second, storetest.Record(dayMinutes+2, "3"), storetest.Record(2*dayMinutes, "0.1")}, []int{2, 3, 1}},
	} {
		storetest.Replace(t, s, storetest.DaySlice(days), step.records...)
		if got := agreed(t, s, days); !slices.Equal(got, step.want) {
			t.Errorf("after reading %d the days agree %v times, want %v", i+1, got, step.want)
		}
	}
}

// A reading that reached further than the previous one saw the rest of the day for the
// first time. It confirms nothing, even if the rest is empty. One that reached less far, by a clock that
// was set back, takes nothing back of what was read.
func TestAgreementNeedsTwoReadsOfTheWholeDay(t *testing.T) {
	storetest.Engines(t, "statements about coverage", testAgreementNeedsTwoReadsOfTheWholeDay)
}

func testAgreementNeedsTwoReadsOfTheWholeDay(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	day := affiliate.Days{First: storetest.Day, Last: storetest.Day}
	slice := storetest.DaySlice(day)
	through := affiliate.Millis(0)
	for i, step := range []struct {
		hours time.Duration // how far the reading reached
		want  int
	}{{1, 1}, {1, 2}, {5, 1}, {24, 1}, {24, 2}, {24, 3}, {3, 4}} {
		slice.Through = affiliate.MillisOf(storetest.Day.Start(time.UTC).Add(step.hours * time.Hour))
		storetest.Replace(t, s, slice)
		through = max(through, slice.Through)
		if got := coverageOf(t, s, day)[0]; got.Through != through || got.LastRead != slice.Through {
			t.Errorf("after reading %d, up to hour %d, the day is read up to %s, last at %s", i+1, step.hours, got.Through, got.LastRead)
		}
		if got := agreed(t, s, day); !slices.Equal(got, []int{step.want}) {
			t.Errorf("after reading %d, up to hour %d, %v readings agree, want %d", i+1, step.hours, got, step.want)
		}
	}
}

// An invitee counts for the day of its registration. One with an unknown registration
// counts for every day of the slice.
func TestAgreementOfInvitees(t *testing.T) {
	storetest.Engines(t, "statements about coverage", testAgreementOfInvitees)
}

func testAgreementOfInvitees(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	days := affiliate.Days{First: storetest.Day, Last: storetest.Day + 1}
	slice := storetest.DaySlice(days)
	slice.Stream = affiliate.Stream{Kind: affiliate.Invitees}
	invitee := func(n int, registered affiliate.Millis, kyc affiliate.Flag) affiliate.Invitee {
		return affiliate.Invitee{UID: affiliate.UID(fmt.Sprint(n)), RegisterTime: registered, KYC: kyc}
	}
	at := storetest.Record(5, "1").DealTime
	for i, step := range []struct {
		records []affiliate.Invitee
		want    []int
	}{
		{[]affiliate.Invitee{invitee(1, at, "false")}, []int{1, 1}},
		{[]affiliate.Invitee{invitee(1, at, "false")}, []int{2, 2}},
		{[]affiliate.Invitee{invitee(1, at, "true")}, []int{1, 3}},
		{[]affiliate.Invitee{invitee(1, at, "true"), invitee(2, 0, "true")}, []int{1, 1}},
		{[]affiliate.Invitee{invitee(2, 0, "true")}, []int{1, 2}}, // the first invitee has vanished
	} {
		if _, err := records.ReplaceInvitees(t.Context(), s, slice, step.records); err != nil {
			t.Fatal(err)
		}
		if got := agreed(t, s, days); !slices.Equal(got, step.want) {
			t.Errorf("after reading %d the days agree %v times, want %v", i+1, got, step.want)
		}
	}
}
