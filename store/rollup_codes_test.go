package store_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/sums"
)

// However records come and go and invite codes change, in any order, the roll-ups by code,
// by pair of an invitee and by day of an invitee answer like the rows, and are those that
// the rows give.
func TestRollupsFollowCodesAndRecords(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "statements of roll-ups", testRollupsFollowCodesAndRecords)
}

func testRollupsFollowCodesAndRecords(t *testing.T) {
	path := storetest.Empty(t)
	writers := []*store.Store{storetest.OpenAt(t, path, store.Options{}), storetest.OpenAt(t, path, store.Options{})} // each keeps the codes it read
	accounts := 0
	rapid.Check(t, func(t *rapid.T) {
		accounts++
		account := affiliate.Account(fmt.Sprint("account ", accounts))
		for range rapid.IntRange(2, 6).Draw(t, "writes") {
			s := rapid.SampledFrom(writers).Draw(t, "writer")
			if rapid.IntRange(0, 2).Draw(t, "what") == 0 {
				writeCodes(t, s, account)
			} else {
				writeTrades(t, s, account)
			}
		}
		answersAreThoseOfTheRows(t, rapid.SampledFrom(writers).Draw(t, "reader"), account)
	})
	rollupsAreThoseOfTheRows(t, writers[0])
	if faults := unsound(verify(t, writers[1])); len(faults) > 0 {
		t.Errorf("%q", faults)
	}
}

// someUID is the UID of one of a few invitees, who are in different shards.
func someUID(t *rapid.T) affiliate.UID {
	return affiliate.UID(fmt.Sprint(rapid.IntRange(0, 5).Draw(t, "uid")))
}

func writeCodes(t *rapid.T, s *store.Store, account affiliate.Account) {
	var invitees []affiliate.Invitee
	for range rapid.IntRange(1, 4).Draw(t, "invitees") {
		invitees = append(invitees, affiliate.Invitee{UID: someUID(t), RegisterTime: storetest.Record(1, "1").DealTime,
			InviteCode: rapid.SampledFrom([]string{"", "vip", "VIP", "b\t\\"}).Draw(t, "code")})
	}
	slice := storetest.DaySlice(storetest.OneDay)
	slice.Account, slice.Stream = account, affiliate.Stream{Kind: affiliate.Invitees}
	if _, err := records.ReplaceInvitees(context.Background(), s, slice, invitees); err != nil {
		t.Fatal(err)
	}
}

// writeTrades replaces the records of some days around the end of a month.
func writeTrades(t *rapid.T, s *store.Store, account affiliate.Account) {
	first := storetest.Day + affiliate.Day(rapid.IntRange(-70, 35).Draw(t, "first"))
	days := affiliate.Days{First: first, Last: first + affiliate.Day(rapid.IntRange(0, 40).Draw(t, "length"))}
	var trades []affiliate.Commission
	for range rapid.IntRange(0, 12).Draw(t, "records") {
		c := storetest.Record(0, affiliate.Number(fmt.Sprint(rapid.IntRange(-9, 9).Draw(t, "commission"))))
		day := affiliate.Day(rapid.IntRange(int(days.First), int(days.Last)).Draw(t, "day"))
		c.DealTime = affiliate.MillisOf(day.Start(time.UTC)) + 1
		c.UID, c.Symbol = someUID(t), rapid.SampledFrom([]string{"BTC", "btc", "ETH", ""}).Draw(t, "symbol")
		c.Coin = affiliate.Coin(rapid.SampledFrom([]string{"USDT", "BTC"}).Draw(t, "coin"))
		trades = append(trades, c)
	}
	slice := storetest.DaySlice(days)
	slice.Account = account
	if _, err := records.ReplaceCommissions(context.Background(), s, slice, trades); err != nil {
		t.Fatal(err)
	}
}

// answersAreThoseOfTheRows asks for the present, which roll-ups answer, and for the same
// state as of its last write, which rows answer.
func answersAreThoseOfTheRows(t *rapid.T, s *store.Store, account affiliate.Account) {
	ctx := context.Background()
	r, err := s.Read(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	now, err := r.LastWrite(ctx)
	if err != nil {
		t.Fatal(err)
	}
	first := storetest.Day + affiliate.Day(rapid.IntRange(-80, 80).Draw(t, "from"))
	f := records.CommissionFilter{Account: account, Coin: "USDT", Days: affiliate.Days{First: first, Last: first + affiliate.Day(rapid.IntRange(0, 200).Draw(t, "to"))}}
	same := func(what string, f records.CommissionFilter, ask func(records.CommissionFilter) (any, error)) {
		rolled, err := ask(f)
		if err != nil {
			t.Fatal(what, err)
		}
		f.AsOf = now
		rows, err := ask(f)
		if err != nil || !reflect.DeepEqual(rolled, rows) {
			t.Fatalf("%s of %+v: the roll-ups answer\n%+v, and the rows\n%+v (%v)", what, f, rolled, rows, err)
		}
	}
	days := func(f records.CommissionFilter) (any, error) { return sums.ByDay(ctx, r, f) }
	same("days of codes", f, func(f records.CommissionFilter) (any, error) { return sums.ByCodeDay(ctx, r, f) })
	same("activity of invitees", f, func(f records.CommissionFilter) (any, error) {
		all, err := sums.ActivityOfInvitees.Read(ctx, r, f)
		return sums.JoinActivity(all), err
	})
	same("days of two invitees", f, func(f records.CommissionFilter) (any, error) {
		return sums.ByInviteeDay(ctx, r, f, []sums.InviteeKey{{Account: account, UID: "1"}, {Account: account, UID: "4"}, {Account: "main", UID: "1"}})
	})
	f.Code = rapid.SampledFrom([]string{"vip", "b\t\\", "vip,b\t\\", "none"}).Draw(t, "asked code")
	same("days of a code", f, days)
	f.Code, f.UID = "", someUID(t)
	pairs := func(f records.CommissionFilter) (any, error) {
		list, err := sums.BySymbol(ctx, r, f)
		return slices.SortedFunc(slices.Values(list), func(a, b sums.SymbolSums) int { return cmp.Compare(a.Symbol, b.Symbol) }), err
	}
	same("pairs of an invitee", f, pairs)
	f.Symbol = "Btc"
	same("a pair of an invitee", f, pairs)
}

// A new invitee is added to the roll-ups of its code with all that it brought before it was
// listed, and a reader sees both at once.
func TestCommissionFollowsALateCode(t *testing.T) {
	storetest.Engines(t, "statements of roll-ups", testCommissionFollowsALateCode)
}

func testCommissionFollowsALateCode(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	first, second := storetest.Record(1, "1.5"), storetest.Record(24*60, "0.25")
	second.UID = first.UID
	storetest.Replace(t, s, storetest.DaySlice(affiliate.Days{First: storetest.Day, Last: storetest.Day + 1}), first, second)
	before := storetest.Reader(t, s)
	slice := storetest.DaySlice(storetest.OneDay)
	slice.Stream = affiliate.Stream{Kind: affiliate.Invitees}
	if _, err := records.ReplaceInvitees(t.Context(), s, slice, []affiliate.Invitee{
		{UID: first.UID, InviteCode: "late", RegisterTime: first.DealTime}}); err != nil {
		t.Fatal(err)
	}
	for code, r := range map[string]*store.Tx{"": before, "late": storetest.Reader(t, s)} {
		list, err := sums.ByCodeDay(t.Context(), r, records.CommissionFilter{Days: storetest.AnyDays, Coin: "USDT"})
		got := map[affiliate.Day]affiliate.Number{}
		for _, d := range list {
			if d.Code == code {
				got[d.Day] = d.Commission
			}
		}
		if want := map[affiliate.Day]affiliate.Number{storetest.Day: "1.5", storetest.Day + 1: "0.25"}; err != nil || len(list) != 2 || !maps.Equal(got, want) {
			t.Errorf("the code %q brought %+v (%v)", code, list, err)
		}
	}
}
