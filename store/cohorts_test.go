package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/internal/race"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/sums"
)

// periodOf returns the first day of the week or month of a day, by the calendar of
// package time.
func periodOf(day affiliate.Day, by sums.CohortPeriod) affiliate.Day {
	if by == sums.CohortMonth {
		for day.Format("02") != "01" {
			day--
		}
		return day
	}
	for day.Weekday() != time.Monday {
		day--
	}
	return day
}

// ageOf counts the periods from one first day to another.
func ageOf(from, to affiliate.Day, by sums.CohortPeriod) int {
	age := 0
	for ; from < to; from = periodOf(from+31, by) {
		if by == sums.CohortWeek {
			from -= 24 // so that from+31 lies in the next week
		}
		age++
	}
	return age
}

// cohortKey identifies a cell of a cohort table; an empty coin stands for all coins.
type cohortKey struct {
	first affiliate.Day
	age   int
	coin  affiliate.Coin
}

// checkCohorts compares the cohort table with the book.
func (b *book) checkCohorts(t failer, s *store.Store, f records.CommissionFilter, by sums.CohortPeriod) {
	t.Helper()
	any := f
	any.Days = storetest.AnyDays
	active := map[cohortKey]map[affiliate.UID]bool{}
	totals := map[cohortKey]*figures{}
	firstOf := func(uid affiliate.UID) (affiliate.Day, bool) {
		day := affiliate.DayOf(registered[uid].Time(), s.Zone())
		return periodOf(day, by), registered[uid].Known() && f.Days.Contains(day)
	}
	for _, c := range b.matching(any, s.Zone()) {
		first, ok := firstOf(c.UID)
		if !ok {
			continue
		}
		age := ageOf(first, periodOf(affiliate.DayOf(c.DealTime.Time(), s.Zone()), by), by)
		for _, k := range []cohortKey{{first, age, c.Coin}, {first, age, ""}} {
			if active[k] == nil {
				active[k], totals[k] = map[affiliate.UID]bool{}, new(figures)
			}
			active[k][c.UID] = true
			totals[k].add(t, c)
		}
	}
	sizes := map[affiliate.Day]int64{}
	for uid := range registered {
		if first, ok := firstOf(uid); ok && (f.UID == "" || f.UID == uid) && (f.Code == "" || f.Code == codeOf[uid]) {
			sizes[first]++
		}
	}
	r, err := s.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got, err := cohorts(context.Background(), r, f, by)
	if err != nil || len(got) != len(sizes) {
		t.Fatalf("%+v: %d cohorts by %s, want %d (%v)", f, len(got), by, len(sizes), err)
	}
	cells := 0
	for i, cohort := range got {
		if cohort.Invitees != sizes[cohort.First] || i > 0 && got[i-1].First >= cohort.First {
			t.Fatalf("%+v: %d invitees of %s %s, want %d", f, cohort.Invitees, by, cohort.First, sizes[cohort.First])
		}
		for _, age := range cohort.Ages {
			k := cohortKey{cohort.First, age.Age, ""}
			if cells++; age.Active != int64(len(active[k])) {
				t.Fatalf("%+v: %d active at %+v by %s, want %d", f, age.Active, k, by, len(active[k]))
			}
			for _, coin := range age.Coins {
				k.coin = coin.Coin
				if cells++; coin.Active != int64(len(active[k])) || coin.Records != totals[k].records || rat(t, coin.Commission).Cmp(totals[k].commission) != 0 {
					t.Fatalf("%+v: %+v at %+v by %s, want %+v of %d", f, coin, k, by, totals[k], len(active[k]))
				}
			}
		}
	}
	if cells != len(active) {
		t.Fatalf("%+v: %d cells by %s, want %d", f, cells, by, len(active))
	}
}

// Each cell counts everyone once, even with more invitees than a word has bits.
func TestCohortsOfMany(t *testing.T) {
	race.Skip(t, "sums of many invitees, by one goroutine")
	storetest.Engines(t, "statements of cohorts, their order", testCohortsOfMany)
}

func testCohortsOfMany(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	const many = 200
	var people []affiliate.Invitee
	var rows []affiliate.Commission
	for n := range many {
		uid := affiliate.UID(fmt.Sprint("7", n))
		people = append(people, affiliate.Invitee{UID: uid, RegisterTime: affiliate.MillisOf(storetest.Day.Start(time.UTC))})
		for range 1 + n%3 { // some trade more than once, in two coins
			c := storetest.Record(n, "0.5")
			c.UID, c.Coin = uid, []affiliate.Coin{"USDT", "BTC"}[n%2]
			rows = append(rows, c)
			c.Coin = "USDT"
			rows = append(rows, c)
		}
	}
	invitees := storetest.DaySlice(storetest.OneDay)
	invitees.Stream = affiliate.Stream{Kind: affiliate.Invitees}
	if _, err := records.ReplaceInvitees(t.Context(), s, invitees, people); err != nil {
		t.Fatal(err)
	}
	storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), rows...)
	got, err := cohorts(t.Context(), storetest.Reader(t, s), records.CommissionFilter{Days: storetest.AnyDays}, sums.CohortMonth)
	if err != nil || len(got) != 1 || len(got[0].Ages) != 1 || len(got[0].Ages[0].Coins) != 2 {
		t.Fatalf("%+v (%v)", got, err)
	}
	age := got[0].Ages[0]
	if got[0].Invitees != many || age.Active != many || age.Coins[0].Active != many/2 || age.Coins[1].Active != many {
		t.Errorf("%d invitees, %d active, %d in BTC and %d in USDT", got[0].Invitees, age.Active, age.Coins[0].Active, age.Coins[1].Active)
	}
}

func TestUnknownCohortPeriodIsAnError(t *testing.T) {
	if _, err := cohorts(t.Context(), storetest.Reader(t, storetest.Open(t, store.Options{})), records.CommissionFilter{Days: storetest.AnyDays}, "year"); err == nil {
		t.Error("an unknown period is accepted")
	}
}

// cohorts reads all records of the invitees who registered on the days of the filter.
func cohorts(ctx context.Context, r *store.Tx, f records.CommissionFilter, period sums.CohortPeriod) ([]sums.CohortSums, error) {
	by, err := sums.CohortsOf(f.Days, period)
	if err != nil {
		return nil, err
	}
	f.Days = sums.EveryDay
	all, err := by.Read(ctx, r, f)
	if err != nil {
		return nil, err
	}
	return sums.JoinCohorts(all), nil
}
