package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/internal/race"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// tied stores three readings of a week of two accounts, so that rows are open, closed and
// opened again. Many amounts are equal, written differently, or differ in their last digit.
func tied(t testing.TB) (s *store.Store, days affiliate.Days, earlier affiliate.Millis) {
	t.Helper()
	now := storetest.Day.Start(time.UTC).Add(240 * time.Hour)
	s = storetest.Open(t, store.Options{Now: func() time.Time { now = now.Add(time.Second); return now }})
	days = affiliate.Days{First: storetest.Day, Last: storetest.Day + 6}
	random := rand.New(rand.NewPCG(9, 10))
	amounts := []affiliate.Number{"", "0", "-0.0", "1", "1.0", "-1", "10", "9", "-10.5", "98765432109876543210.000000000000000001", "98765432109876543210.000000000000000002",
		"-98765432109876543210.000000000000000001", "0.000000000000000001", "0.10", "0.1"}
	amount := func() affiliate.Number {
		if random.IntN(3) == 0 {
			return affiliate.Number(fmt.Sprintf("%d.%04d", random.IntN(3), random.IntN(10_000)))
		}
		return amounts[random.IntN(len(amounts))]
	}
	kept := map[string][]affiliate.Commission{}
	for range 3 {
		earlier = affiliate.MillisOf(now)
		for _, account := range []affiliate.Account{"main", "other"} {
			for _, product := range affiliate.Products() {
				slice := storetest.DaySlice(days)
				slice.Account, slice.Stream.Product = account, product
				key := string(account) + string(product)
				rows := slices.DeleteFunc(kept[key], func(affiliate.Commission) bool { return random.IntN(4) == 0 })
				for range 700 {
					c := storetest.Record(random.IntN(7*24*60), amount())
					c.Product, c.Symbol = product, fmt.Sprint("S", random.IntN(9))
					c.Fee, c.TakerAmount, c.MakerAmount = amount(), amount(), amount()
					rows = append(rows, c)
				}
				kept[key] = rows
				storetest.Replace(t, s, slice, rows...)
			}
		}
	}
	return s, days, earlier
}

// A page of a list sorted by an amount is a piece of the whole list, which the engine
// sorts, however it is narrowed and however deep the page.
func TestPagesByAmountArePiecesOfTheWhole(t *testing.T) {
	t.Parallel()
	race.Skip(t, "pages of random records, one after the other")
	storetest.Engines(t, "the order of amounts as numbers", testPagesByAmountArePiecesOfTheWhole)
}

func testPagesByAmountArePiecesOfTheWhole(t *testing.T) {
	s, days, earlier := tied(t)
	checkPages := func(seed uint64, tries int) {
		t.Helper()
		random := rand.New(rand.NewPCG(seed, seed))
		for range tries {
			f := records.CommissionFilter{Days: days}
			f.Days.First += affiliate.Day(random.IntN(3))
			f.Days.Last -= affiliate.Day(random.IntN(3))
			f.Account = []affiliate.Account{"", "", "other"}[random.IntN(3)]
			f.Product = []affiliate.Product{"", "", affiliate.Futures}[random.IntN(3)]
			f.Symbol = []string{"", "", "s3", "none"}[random.IntN(4)]
			f.Text = []string{"", "", "66"}[random.IntN(3)]
			f.AsOf = []affiliate.Millis{0, 0, earlier}[random.IntN(3)]
			if random.IntN(6) == 0 {
				f.UID = "4667776803"
			}
			order := records.CommissionOrder{Column: []string{"commission", "fee", "taker", "maker", "rate"}[random.IntN(5)], Descending: random.IntN(2) == 0}
			whole := rowsOf(t, s, f, order, 0, 0)
			limit, offset := 1+random.IntN(60), random.IntN(len(whole)+20)
			if random.IntN(2) == 0 {
				offset = random.IntN(100)
			}
			page := rowsOf(t, s, f, order, limit, offset)
			if want := whole[min(offset, len(whole)):min(offset+limit, len(whole))]; !slices.Equal(page, want) {
				t.Fatalf("%+v %+v: %d records from %d on are\n%v\nof %d want\n%v", f, order, limit, offset, page, len(whole), want)
			}
		}
	}
	checkPages(1, 20/oneIn(t, 2))
	checkBounds(t, s)

	// An earlier program left no bounds: pages are right without them, and with those that
	// are made for it.
	if err := storetest.Corrupt(s, `DELETE FROM commission_bounds; UPDATE meta SET bounded = 0`); err != nil {
		t.Fatal(err)
	}
	checkPages(2, 10/oneIn(t, 2))
	if err := records.MakeRollups(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	checkPages(3, 60)
	checkBounds(t, s)
}

// checkBounds checks that each record lies within exactly one line of bounds.
func checkBounds(t *testing.T, s *store.Store) {
	t.Helper()
	outside := lines(t, s, `
		SELECT c.id FROM commissions c WHERE 1 <> (SELECT count(*) FROM commission_bounds b
			WHERE c.id BETWEEN b.first_id AND b.last_id AND c.deal_time_ms BETWEEN b.first_deal_ms AND b.last_deal_ms
			AND c.commission COLLATE decimal BETWEEN b.least_commission COLLATE decimal AND b.greatest_commission COLLATE decimal
			AND c.fee COLLATE decimal BETWEEN b.least_fee COLLATE decimal AND b.greatest_fee COLLATE decimal
			AND c.rate COLLATE decimal BETWEEN b.least_rate COLLATE decimal AND b.greatest_rate COLLATE decimal
			AND c.taker_amount COLLATE decimal BETWEEN b.least_taker_amount COLLATE decimal AND b.greatest_taker_amount COLLATE decimal
			AND c.maker_amount COLLATE decimal BETWEEN b.least_maker_amount COLLATE decimal AND b.greatest_maker_amount COLLATE decimal)`)
	if made := lines(t, s, `SELECT bounded FROM meta`); len(outside) > 0 || made[0] != "1" {
		t.Errorf("%d records are not within one line of bounds; bounded is %s", len(outside), made)
	}
}

// The head of a list sorted by an amount is found by bounds and ids, not by sorting.
func TestPagesByAmountSortNothing(t *testing.T) {
	s, days, _ := tied(t)
	asked, err := store.Listen(s)
	if err != nil {
		t.Fatal(err)
	}
	page := rowsOf(t, s, records.CommissionFilter{Days: days}, records.CommissionOrder{Column: "commission", Descending: true}, 50, 0)
	plans, err := asked.Plans()
	if err != nil || len(page) != 50 {
		t.Fatal(len(page), err)
	}
	plan := strings.Join(plans, "\n")
	if strings.Contains(plan, "TEMP B-TREE") || strings.Contains(plan, "SCAN r") ||
		!strings.Contains(plan, "SEARCH commission_bounds USING PRIMARY KEY (last_deal_ms>?)") ||
		!strings.Contains(plan, "SEARCH r USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)") {
		t.Errorf("the plans are\n%s", plan)
	}
}

// A line of bounds that leaves a record out is found, and mended with the roll-ups.
func TestVerifyFindsRecordsOutOfBounds(t *testing.T) {
	race.Skip(t, "damaged databases, one after the other")
	for _, damage := range []string{
		`UPDATE commission_bounds SET greatest_fee = '-11' WHERE first_id = 1`,
		`UPDATE commission_bounds SET least_commission = '9.5' WHERE first_id = 1`,
		`UPDATE commission_bounds SET first_deal_ms = last_deal_ms WHERE first_id = 1`,
		`DELETE FROM commission_bounds WHERE first_id = 1`,
	} {
		s := varied(t)
		if found := verify(t, s)["roll-ups"]; !found.Sound() {
			t.Fatal(found.Faults)
		}
		if err := storetest.Corrupt(s, damage); err != nil {
			t.Fatal(err)
		}
		if found := verify(t, s)["roll-ups"]; found.Sound() || !strings.Contains(fmt.Sprint(found.Faults), "is not within the bounds") {
			t.Errorf("after %s: %+v", damage, found)
		}
		if err := records.RebuildRollups(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		if found := verify(t, s)["roll-ups"]; !found.Sound() {
			t.Errorf("rebuilt, and there is %+v", found)
		}
	}
}
