package store_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/sums"
)

// rowsOf reads records in an order.
func rowsOf(t testing.TB, s *store.Store, f records.CommissionFilter, o records.CommissionOrder, limit, offset int) []records.CommissionRow {
	t.Helper()
	r := storetest.Reader(t, s)
	defer r.Close()
	var list []records.CommissionRow
	for row, err := range records.Commissions(context.Background(), r, f, o, limit, offset) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, row)
	}
	return list
}

// varied stores records of three days whose amounts would have another order as text or
// as floating-point numbers.
func varied(t testing.TB) *store.Store {
	t.Helper()
	s := storetest.Open(t, store.Options{})
	random := rand.New(rand.NewPCG(3, 4))
	amounts := []affiliate.Number{"", "0", "0.0", "-1", "-10.5", "9", "10", "10.00", "100", "0.000000000000000001", "0.000000000000000002",
		"98765432109876.00000003", "98765432109876.00000004", "-98765432109876.00000003"}
	amount := func() affiliate.Number { return amounts[random.IntN(len(amounts))] }
	days := affiliate.Days{First: storetest.Day, Last: storetest.Day + 2}
	for _, product := range affiliate.Products() {
		var records []affiliate.Commission
		for range 60 {
			c := storetest.Record(random.IntN(3*24*60), amount())
			c.Product, c.UID = product, affiliate.UID(fmt.Sprint(random.IntN(20)))
			c.Symbol, c.Coin = fmt.Sprintf("S%d", random.IntN(12)), affiliate.Coin([]string{"USDT", "BTC"}[random.IntN(2)])
			c.Source = affiliate.Source([]string{"direct", "sub", "7"}[random.IntN(3)])
			c.Fee, c.Rate, c.TakerAmount, c.MakerAmount = amount(), amount(), amount(), amount()
			records = append(records, c)
		}
		slice := storetest.DaySlice(days)
		slice.Stream.Product = product
		storetest.Replace(t, s, slice, records...)
	}
	return s
}

func TestEveryOrder(t *testing.T) { storetest.Engines(t, "the order of rows", testEveryOrder) }

func testEveryOrder(t *testing.T) {
	s := varied(t)
	number := func(field func(records.CommissionRow) affiliate.Number) func(a, b records.CommissionRow) int {
		return func(a, b records.CommissionRow) int {
			x, y := field(a), field(b)
			if !x.Known() || !y.Known() {
				return cmp.Compare(len(x), len(y)) // unknown first
			}
			return rat(t, x).Cmp(rat(t, y))
		}
	}
	for column, compare := range map[string]func(a, b records.CommissionRow) int{
		"time":       func(a, b records.CommissionRow) int { return cmp.Compare(a.DealTime, b.DealTime) },
		"uid":        func(a, b records.CommissionRow) int { return cmp.Compare(a.UID, b.UID) },
		"symbol":     func(a, b records.CommissionRow) int { return cmp.Compare(a.Symbol, b.Symbol) },
		"product":    func(a, b records.CommissionRow) int { return cmp.Compare(a.Product, b.Product) },
		"source":     func(a, b records.CommissionRow) int { return cmp.Compare(a.Source, b.Source) },
		"coin":       func(a, b records.CommissionRow) int { return cmp.Compare(a.Coin, b.Coin) },
		"taker":      number(func(r records.CommissionRow) affiliate.Number { return r.TakerAmount }),
		"maker":      number(func(r records.CommissionRow) affiliate.Number { return r.MakerAmount }),
		"fee":        number(func(r records.CommissionRow) affiliate.Number { return r.Fee }),
		"rate":       number(func(r records.CommissionRow) affiliate.Number { return r.Rate }),
		"commission": number(func(r records.CommissionRow) affiliate.Number { return r.Commission.Commission }),
	} {
		f := records.CommissionFilter{Days: storetest.AnyDays}
		up := rowsOf(t, s, f, records.CommissionOrder{Column: column}, 0, 0)
		if len(up) != 120 || !slices.IsSortedFunc(up, compare) {
			t.Errorf("%s: %d rows, or not sorted", column, len(up))
		}
		down := rowsOf(t, s, f, records.CommissionOrder{Column: column, Descending: true}, 0, 0)
		slices.Reverse(down)
		if !slices.Equal(up, down) {
			t.Errorf("%s: the descending order is not the reverse of the ascending one", column)
		}
		// The pages together hold all rows.
		var pages []records.CommissionRow
		for offset := 0; offset < 130; offset += 7 {
			page := rowsOf(t, s, f, records.CommissionOrder{Column: column}, 7, offset)
			if len(page) > 7 {
				t.Errorf("%s: a page of %d rows", column, len(page))
			}
			pages = append(pages, page...)
		}
		if !slices.Equal(up, pages) {
			t.Errorf("%s: the pages together differ from the whole list", column)
		}
	}
}

func TestUnknownOrderIsAnError(t *testing.T) {
	r := storetest.Reader(t, varied(t))
	defer r.Close()
	for _, err := range records.Commissions(context.Background(), r, records.CommissionFilter{Days: storetest.AnyDays}, records.CommissionOrder{Column: "id; DROP TABLE commissions"}, 0, 0) {
		if err == nil {
			t.Fatal("the reading went on")
		}
		return
	}
	t.Fatal("neither a row nor an error")
}

// A caller can stop the reading early.
func TestReadingCanBeStopped(t *testing.T) {
	storetest.Engines(t, "a query that is stopped", testReadingCanBeStopped)
}

func testReadingCanBeStopped(t *testing.T) {
	r := storetest.Reader(t, varied(t))
	defer r.Close()
	n := 0
	for _, err := range records.Commissions(context.Background(), r, records.CommissionFilter{Days: storetest.AnyDays}, records.CommissionOrder{Column: "time"}, 0, 0) {
		if n++; err != nil || n == 3 {
			break
		}
	}
	if left := rowsOf(t, varied(t), records.CommissionFilter{Days: storetest.AnyDays}, records.CommissionOrder{Column: "time"}, 0, 118); n != 3 || len(left) != 2 {
		t.Errorf("%d rows, then %d", n, len(left))
	}
}

// A searched text is literal: a percent sign matches a percent sign.
func TestSearchIsLiteral(t *testing.T) {
	storetest.Engines(t, "the letters of a search", testSearchIsLiteral)
}

func testSearchIsLiteral(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	symbols := []string{"A_B", "AxB", "A%B", `A\B`, "AB", "a'b", `a"b`, "Ä B"}
	var rows []affiliate.Commission
	for i, symbol := range symbols {
		c := storetest.Record(i, "1")
		c.Symbol, c.UID = symbol, affiliate.UID(fmt.Sprintf("%d", 700+i))
		rows = append(rows, c)
	}
	storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), rows...)
	invitees := storetest.DaySlice(storetest.OneDay)
	invitees.Stream = affiliate.Stream{Kind: affiliate.Invitees}
	if _, err := records.ReplaceInvitees(context.Background(), s, invitees, []affiliate.Invitee{{UID: "704", InviteCode: "vip_50%"}, {UID: "705", InviteCode: "vipx50y"}}); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]string{
		"_": {"A_B", "AB"}, "%": {"A%B", "AB"}, `\`: {`A\B`}, "a_b": {"A_B"}, "A": symbols[:7], "'": {"a'b"}, `"`: {`a"b`},
		"70": symbols, "703": {`A\B`}, "vip_50%": {"AB"}, "vip": {"AB", "a'b"}, "Ä": {"Ä B"}, "%%": nil, "' OR 1=1 --": nil,
	} {
		var got []string
		for _, row := range rowsOf(t, s, records.CommissionFilter{Days: storetest.AnyDays, Text: text}, records.CommissionOrder{Column: "time"}, 0, 0) {
			got = append(got, row.Symbol)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
		r := storetest.Reader(t, s)
		people, err := sums.ByDay(context.Background(), r, records.CommissionFilter{Days: storetest.AnyDays, Text: text})
		r.Close()
		n := int64(0)
		for _, line := range people {
			n += line.Records
		}
		if err != nil || n != int64(len(want)) {
			t.Errorf("%q adds up %d records, want %d (%v)", text, n, len(want), err)
		}
	}
}

// SQLite answers from indexes, because the cost of a page must not grow with the rows
// that it does not show.
func TestQueriesUseIndexes(t *testing.T) {
	s := varied(t)
	asked, err := store.Listen(s)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	month := affiliate.Days{First: storetest.Day, Last: storetest.Day + 29}
	key := records.CommissionKey{DealTime: affiliate.MillisOf((storetest.Day + 9).Start(time.UTC)), ID: 7}
	byTime := records.CommissionOrder{Column: "time", Descending: true}
	ranked := sums.RankedNames{Invitees: []sums.InviteeKey{{Account: "main", UID: "7"}}, Symbols: []string{"S1"}, Codes: []string{"vip"}}
	for name, c := range map[string]struct {
		ask  func(r *store.Tx) error
		want string // part of the query plan
	}{
		"records of a month": {func(r *store.Tx) error {
			return drain(records.Commissions(ctx, r, records.CommissionFilter{Days: month}, byTime, 50, 0))
		}, "USING INDEX commissions_by_time (deal_time_ms>? AND deal_time_ms<?)"},
		"records of a product": {func(r *store.Tx) error {
			return drain(records.Commissions(ctx, r, records.CommissionFilter{Days: month, Product: "SPOT", Account: "main", Coin: "USDT"}, byTime, 50, 0))
		}, "USING INDEX commissions_by_time (deal_time_ms>? AND deal_time_ms<?)"},
		"records of an invitee": {func(r *store.Tx) error {
			return drain(records.Commissions(ctx, r, records.CommissionFilter{Days: month, UID: "7"}, byTime, 50, 0))
		}, "USING INDEX commissions_by_uid (uid=? AND deal_time_ms>? AND deal_time_ms<?)"},
		"records of then": {func(r *store.Tx) error {
			_, err := sums.ByDay(ctx, r, records.CommissionFilter{Days: month, AsOf: end})
			return err
		}, "USING INDEX commissions_by_time (deal_time_ms>? AND deal_time_ms<?)"},
		"sums by day": {func(r *store.Tx) error {
			_, err := sums.ByDay(ctx, r, records.CommissionFilter{Days: month, Coin: "USDT"})
			return err
		}, "USING PRIMARY KEY (day>? AND day<?)"},
		"sums by day of an invitee": {func(r *store.Tx) error {
			_, err := sums.ByDay(ctx, r, records.CommissionFilter{Days: month, UID: "7"})
			return err
		}, "USING INDEX sqlite_autoindex_commission_blocks_1 (kind=? AND span=? AND day>? AND day<?)"},
		"sums by invitee": {func(r *store.Tx) error {
			_, err := sums.ByInvitee(ctx, r, records.CommissionFilter{Days: month, Coin: "USDT"})
			return err
		}, "USING INDEX sqlite_autoindex_commission_blocks_1 (kind=? AND span=? AND day>? AND day<?)"},
		"active traders": {func(r *store.Tx) error {
			_, err := sums.ActiveTraders(ctx, r, records.CommissionFilter{Days: month})
			return err
		}, "USING INDEX sqlite_autoindex_commission_blocks_1 (kind=? AND span=? AND day>? AND day<?)"},
		"sums by symbol": {func(r *store.Tx) error {
			_, err := sums.BySymbol(ctx, r, records.CommissionFilter{Days: month})
			return err
		}, "USING INDEX sqlite_autoindex_commission_blocks_1 (kind=? AND span=? AND day>? AND day<?)"},
		"sums by symbol of an invitee": {func(r *store.Tx) error {
			_, err := sums.BySymbol(ctx, r, records.CommissionFilter{Days: month, UID: "7"})
			return err
		}, "USING INDEX sqlite_autoindex_commission_blocks_1 (kind=? AND span=? AND day>? AND day<?)"},
		"sums by symbol of an invitee on some days of a month": {func(r *store.Tx) error {
			_, err := sums.BySymbol(ctx, r, records.CommissionFilter{Days: affiliate.Days{First: month.First, Last: month.First}, UID: "7", AsOf: 1})
			return err
		}, "USING INDEX commissions_by_uid (uid=? AND deal_time_ms>? AND deal_time_ms<?)"},
		"sums by day of a symbol": {func(r *store.Tx) error {
			_, err := sums.ByDay(ctx, r, records.CommissionFilter{Days: month, Symbol: "S1"})
			return err
		}, "USING INDEX sqlite_autoindex_commission_blocks_1 (kind=? AND span=? AND day>? AND day<?)"},
		"days of ranked names": {func(r *store.Tx) error {
			_, err := sums.DaysOfRanked(ranked).Read(ctx, r, records.CommissionFilter{Days: month, Coin: "USDT"})
			return err
		}, "USING INDEX sqlite_autoindex_commission_blocks_1 (kind=? AND span=? AND day>? AND day<?)"},
		"days of ranked pairs of an invitee": {func(r *store.Tx) error {
			_, err := sums.DaysOfRanked(ranked).Read(ctx, r, records.CommissionFilter{Days: month, Coin: "USDT", UID: "7"})
			return err
		}, "USING INDEX commissions_by_uid (uid=? AND deal_time_ms>? AND deal_time_ms<?)"},
		"sums by day of a code": {func(r *store.Tx) error {
			_, err := sums.ByDay(ctx, r, records.CommissionFilter{Days: month, Code: "vip"})
			return err
		}, "USING INDEX sqlite_autoindex_commission_blocks_1 (kind=? AND span=? AND day>? AND day<?)"},
		"sums by day of a code by row": {func(r *store.Tx) error {
			_, err := sums.ByDay(ctx, r, records.CommissionFilter{Days: month, Code: "vip", UID: "7"})
			return err
		}, "USING COVERING INDEX invitees_by_code"},
		"traders by day": {func(r *store.Tx) error {
			_, err := sums.TradersByDay(ctx, r, records.CommissionFilter{Days: month})
			return err
		}, "USING INDEX sqlite_autoindex_commission_blocks_1 (kind=? AND span=? AND day>? AND day<?)"},
		"traders by week": {func(r *store.Tx) error {
			_, err := sums.TradersByWeek(ctx, r, records.CommissionFilter{Days: month})
			return err
		}, "USING INDEX sqlite_autoindex_commission_blocks_1 (kind=? AND span=? AND day>? AND day<?)"},
		"cohorts": {func(r *store.Tx) error {
			_, err := cohorts(ctx, r, records.CommissionFilter{Days: month}, sums.CohortWeek)
			return err
		}, "USING INDEX sqlite_autoindex_commission_blocks_1 (kind=? AND span=? AND day>? AND day<?)"},
		"invitees of a month": {func(r *store.Tx) error {
			return drain(records.Invitees(ctx, r, records.InviteeFilter{Registered: month.Range(time.UTC)}))
		}, "USING INDEX invitees_by_register (register_ms>? AND register_ms<?)"},
		"sub-affiliates of a month": {func(r *store.Tx) error {
			return drain(records.SubAffiliateDays(ctx, r, records.SubAffiliateFilter{Days: month}))
		}, "USING INDEX sub_affiliate_days_by_date (date>? AND date<?)"},
		"a sub-affiliate": {func(r *store.Tx) error {
			return drain(records.SubAffiliateDays(ctx, r, records.SubAffiliateFilter{Days: month, UID: "7"}))
		}, "USING INDEX sub_affiliate_days_by_uid (uid=? AND date>? AND date<?)"},
		"sums by sub-affiliate": {func(r *store.Tx) error {
			_, err := sums.ReadSubAffiliates(ctx, r, records.SubAffiliateFilter{Days: month, Account: "main", Text: "7"}, false)
			return err
		}, "USING INDEX sub_affiliate_days_by_date (date>? AND date<?)"},
		"sub-affiliate sums by day": {func(r *store.Tx) error {
			_, err := sums.BySubAffiliateDay(ctx, r, records.SubAffiliateFilter{Days: month, AsOf: end})
			return err
		}, "USING INDEX sub_affiliate_days_by_date (date>? AND date<?)"},
		"days of a sub-affiliate": {func(r *store.Tx) error {
			_, err := sums.SubAffiliateSpans(ctx, r, records.SubAffiliateFilter{Days: month, UID: "7"})
			return err
		}, "USING INDEX sub_affiliate_days_by_uid (uid=? AND date>? AND date<?)"},
		"reach of sub-affiliate days": {func(r *store.Tx) error {
			_, _, err := sums.SubAffiliateReach(ctx, r, end)
			return err
		}, "USING INDEX sub_affiliate_days_by_date (date>? AND date<?)"},
		"changes of a sub-affiliate": {func(r *store.Tx) error {
			_, err := records.SubAffiliateChanges(ctx, r, records.SubAffiliateFilter{Days: month, UID: "7"})
			return err
		}, "USING INDEX sub_affiliate_days_by_uid (uid=? AND date>? AND date<?)"},
		"hours of a day": {func(r *store.Tx) error {
			_, err := sums.ByHour(ctx, r, records.CommissionFilter{Days: month})
			return err
		}, "USING INDEX commissions_by_time (deal_time_ms>? AND deal_time_ms<?)"},
		"hours of a day of an invitee": {func(r *store.Tx) error {
			_, err := sums.ByHour(ctx, r, records.CommissionFilter{Days: month, UID: "7"})
			return err
		}, "USING INDEX commissions_by_uid (uid=? AND deal_time_ms>? AND deal_time_ms<?)"},
		"records after a key": {func(r *store.Tx) error {
			return drain(records.CommissionsAfter(ctx, r, records.CommissionFilter{Days: month}, false, key, 10))
		}, "USING INDEX commissions_by_time (deal_time_ms>? AND deal_time_ms<?)"},
		"records before a key": {func(r *store.Tx) error {
			return drain(records.CommissionsAfter(ctx, r, records.CommissionFilter{Days: month}, true, key, 10))
		}, "USING INDEX commissions_by_time (deal_time_ms>? AND deal_time_ms<?)"},
		"records of an invitee after a key": {func(r *store.Tx) error {
			return drain(records.CommissionsAfter(ctx, r, records.CommissionFilter{Days: month, UID: "7"}, false, key, 10))
		}, "USING INDEX commissions_by_uid (uid=? AND deal_time_ms>? AND deal_time_ms<?)"},
		"the last run": {func(r *store.Tx) error {
			_, err := records.LastRun(ctx, r, "")
			return err
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := storetest.Reader(t, s)
			defer r.Close()
			if err := c.ask(r); err != nil {
				t.Fatal(err)
			}
			plans, err := asked.Plans()
			if err != nil || len(plans) == 0 {
				t.Fatalf("no plan (%v)", err)
			}
			plan := strings.Join(plans, "\n")
			if !strings.Contains(plan, c.want) {
				t.Errorf("the plan does not contain %q:\n%s", c.want, plan)
			}
			for _, line := range plans {
				// Accounts and invitees are few, and runs are read newest first.
				if strings.HasPrefix(line, "SCAN ") && !strings.HasPrefix(line, "SCAN a") && line != "SCAN r" && line != "SCAN x USING COVERING INDEX invitees_by_code" && !strings.HasPrefix(line, "SCAN (") {
					t.Errorf("%q in the plan:\n%s", line, plan)
				}
			}
		})
	}
}

// drain reads a sequence completely.
func drain[T any](rows func(yield func(T, error) bool)) error {
	for _, err := range rows {
		if err != nil {
			return err
		}
	}
	return nil
}
