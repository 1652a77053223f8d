package store_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/sums"
)

// A change of an invitee is recorded with its old value. A value that the exchange omits
// is no change.
func TestInviteesKeepTheirHistory(t *testing.T) {
	storetest.Engines(t, "statements about invitees, missing values", testInviteesKeepTheirHistory)
}

func testInviteesKeepTheirHistory(t *testing.T) {
	now := time.Date(2026, 9, 20, 0, 0, 0, 0, time.UTC)
	s := storetest.Open(t, store.Options{Now: func() time.Time { return now }})
	write := func(list ...affiliate.Invitee) records.Written {
		t.Helper()
		now = now.Add(time.Hour)
		w, err := records.ReplaceInvitees(context.Background(), s, storetest.InviteeSlice(), list)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	first := affiliate.Invitee{UID: "1", InviteCode: "welcome", RegisterTime: storetest.At(storetest.Day), KYC: "false", FirstDeposit: storetest.At(storetest.Day) + 5}
	other := affiliate.Invitee{UID: "2", RegisterTime: storetest.At(storetest.Day + 1)}
	if w := write(first, other); w.Opened != 2 || w.Changed != 0 {
		t.Fatalf("wrote %+v", w)
	}
	if w := write(first, other); !unchanged(w) {
		t.Fatalf("the same reading again: %+v", w)
	}
	silent := affiliate.Invitee{UID: "1"}
	if w := write(silent, other); !unchanged(w) {
		t.Fatalf("silence: %+v", w)
	}
	later := first
	later.KYC, later.LastTrade, later.InviteCode = "true", storetest.At(storetest.Day+3), ""
	if w := write(later, other); w.Changed != 1 || w.Opened != 0 {
		t.Fatalf("a change: %+v", w)
	}
	later.InviteCode = "welcome"
	got := storetest.Invitees(t, s, records.InviteeFilter{})
	if len(got) != 2 || got[0].Invitee != later || got[1].Invitee != other {
		t.Fatalf("the invitees are %+v", got)
	}
	if got[0].LastSeen <= got[0].FirstSeen || got[0].Account != "main" {
		t.Errorf("seen from %s to %s in %q", got[0].FirstSeen, got[0].LastSeen, got[0].Account)
	}
	changes, err := storetest.Lines(s, `SELECT uid, field, was, became FROM invitee_changes ORDER BY field`)
	if want := []string{"1 kyc false true", fmt.Sprint("1 last_trade_ms 0 ", int64(storetest.At(storetest.Day+3)))}; err != nil || !slices.Equal(changes, want) {
		t.Errorf("the changes are %q, want %q (%v)", changes, want, err)
	}
}

// This test covers the filters and counts of invitees.
func TestInviteeQuestions(t *testing.T) {
	storetest.Engines(t, "statements about invitees", testInviteeQuestions)
}

func testInviteeQuestions(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	list := []affiliate.Invitee{
		{UID: "11", InviteCode: "a_1", RegisterTime: storetest.At(storetest.Day), FirstDeposit: storetest.At(storetest.Day + 2)},
		{UID: "12", InviteCode: "ax1", RegisterTime: storetest.At(storetest.Day + 1), FirstDeposit: storetest.At(storetest.Day + 20)},
		{UID: "13", RegisterTime: storetest.At(storetest.Day + 2)},
		{UID: "14", InviteCode: "ax1"}, // unknown registration
	}
	if _, err := records.ReplaceInvitees(context.Background(), s, storetest.InviteeSlice(), list); err != nil {
		t.Fatal(err)
	}
	span := affiliate.Days{First: storetest.Day, Last: storetest.Day + 1}.Range(time.UTC)
	for _, c := range []struct {
		filter records.InviteeFilter
		want   []affiliate.UID
	}{
		{records.InviteeFilter{}, []affiliate.UID{"14", "11", "12", "13"}},
		{records.InviteeFilter{Registered: span}, []affiliate.UID{"11", "12"}},
		{records.InviteeFilter{UID: "13"}, []affiliate.UID{"13"}},
		{records.InviteeFilter{Code: "ax1"}, []affiliate.UID{"14", "12"}},
		{records.InviteeFilter{Text: "_"}, []affiliate.UID{"11"}},
		{records.InviteeFilter{Text: "1"}, []affiliate.UID{"14", "11", "12", "13"}},
		{records.InviteeFilter{Account: "another"}, nil},
		{records.InviteeFilter{Account: "main", Registered: span, Code: "ax1"}, []affiliate.UID{"12"}},
	} {
		var got []affiliate.UID
		for _, row := range storetest.Invitees(t, s, c.filter) {
			got = append(got, row.UID)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.filter, got, c.want)
		}
	}
	r := storetest.Reader(t, s)
	defer r.Close()
	n, err := records.CountInvitees(context.Background(), r, records.InviteeFilter{}, affiliate.Days{First: storetest.Day, Last: storetest.Day + 4}.Range(time.UTC))
	if want := (records.InviteeCounts{Registered: 3, FirstDepositors: 1, DepositsKnown: true}); err != nil || n != want {
		t.Errorf("the counts are %+v, want %+v (%v)", n, want, err)
	}
	codes, err := records.Codes(context.Background(), r, affiliate.Members{}, 0)
	if err != nil || !slices.Equal(codes, []string{"a_1", "ax1"}) {
		t.Errorf("the codes are %q (%v)", codes, err)
	}
}

func TestSubAffiliateDays(t *testing.T) {
	storetest.Engines(t, "statements about sub-affiliates", testSubAffiliateDays)
}

func testSubAffiliateDays(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	slice := storetest.DaySlice(affiliate.Days{First: storetest.Day, Last: storetest.Day + 2})
	slice.Stream.Kind = affiliate.SubAffiliates
	sub := func(uid affiliate.UID, d affiliate.Day, paid affiliate.Number) affiliate.SubAffiliateDay {
		return affiliate.SubAffiliateDay{UID: uid, Product: affiliate.Spot, Date: d, TradingVolume: "100.50", NetTradingFee: "1", PaidCommission: paid}
	}
	write := func(days ...affiliate.SubAffiliateDay) records.Written {
		t.Helper()
		w, err := records.ReplaceSubAffiliateDays(context.Background(), s, slice, days)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	if w := write(sub("1", storetest.Day, "0.1"), sub("2", storetest.Day, "0.2"), sub("1", storetest.Day+2, "0.3"), sub("1", storetest.Day+2, "0.3")); w.Opened != 4 {
		t.Fatalf("wrote %+v", w)
	}
	if w := write(sub("1", storetest.Day+2, "0.30"), sub("2", storetest.Day, "0.2"), sub("1", storetest.Day, "0.1"), sub("1", storetest.Day+2, "0.3")); !unchanged(w) {
		t.Fatalf("the same reading again: %+v", w)
	}
	if w := write(sub("1", storetest.Day, "0.1"), sub("2", storetest.Day, "0.25"), sub("1", storetest.Day+2, "0.3")); w.Opened != 1 || w.Closed != 2 {
		t.Fatalf("a change: %+v", w)
	}
	read := func(f records.SubAffiliateFilter) (list []affiliate.SubAffiliateDay) {
		t.Helper()
		r := storetest.Reader(t, s)
		defer r.Close()
		f.Days = storetest.AnyDays
		for row, err := range records.SubAffiliateDays(context.Background(), r, f) {
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, row.SubAffiliateDay)
		}
		return list
	}
	if got := read(records.SubAffiliateFilter{}); !slices.Equal(got, []affiliate.SubAffiliateDay{sub("1", storetest.Day, "0.1"), sub("2", storetest.Day, "0.25"), sub("1", storetest.Day+2, "0.3")}) {
		t.Errorf("the stored days are %+v", got)
	}
	if got := read(records.SubAffiliateFilter{UID: "2", Account: "main", Product: affiliate.Spot}); len(got) != 1 {
		t.Errorf("the days of one sub-affiliate are %+v", got)
	}
	if got := read(records.SubAffiliateFilter{Product: affiliate.Futures}); len(got) != 0 {
		t.Errorf("the days of futures are %+v", got)
	}
	foreign := []affiliate.SubAffiliateDay{sub("1", storetest.Day+3, "1"), {UID: "1", Product: affiliate.Futures, Date: storetest.Day}}
	for _, d := range foreign {
		if _, err := records.ReplaceSubAffiliateDays(context.Background(), s, slice, []affiliate.SubAffiliateDay{d}); err == nil {
			t.Errorf("%+v was written", d)
		}
	}
}

// The log of a run counts its slices. A run without an end died with its process, and the
// next run marks it so.
func TestRuns(t *testing.T) { storetest.Engines(t, "statements about runs", testRuns) }

func testRuns(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	ctx := context.Background()
	died, err := records.StartRun(ctx, s, "main", "schedule")
	if err != nil {
		t.Fatal(err)
	}
	id, err := records.StartRun(ctx, s, "main", "button")
	if err != nil {
		t.Fatal(err)
	}
	slice := storetest.DaySlice(storetest.OneDay)
	slice.Run = id
	storetest.Replace(t, s, slice, storetest.Record(1, "1"), storetest.Record(2, "2"))
	storetest.Replace(t, s, slice, storetest.Record(1, "1"))
	if err := records.FailSlice(ctx, s, slice, "no answer"); err != nil {
		t.Fatal(err)
	}
	if err := records.FinishRun(ctx, s, id, 7, 140, ""); err != nil {
		t.Fatal(err)
	}
	r := storetest.Reader(t, s)
	defer r.Close()
	run, err := records.LastRun(ctx, r, "main")
	if err != nil || run.Finished <= run.Started {
		t.Fatalf("%+v (%v)", run, err)
	}
	run.Started, run.Finished = 0, 0
	if want := (records.Run{ID: id, Account: "main", Cause: "button", Requests: 7, Weight: 140, Records: 3, Opened: 2, Closed: 1, Slices: 2, Failed: 1}); run != want {
		t.Errorf("the run is %+v, want %+v", run, want)
	}
	lines, err := storetest.Lines(s, `SELECT finished_ms > 0, error FROM runs WHERE id = ?`, died)
	if err != nil || !slices.Equal(lines, []string{"1 ended abruptly"}) {
		t.Errorf("the run that died: %q (%v)", lines, err)
	}
	if _, err := records.StartRun(ctx, s, "", "button"); err == nil {
		t.Error("a run without an account was started")
	}
}

// Coverage counts how many readings in a row found the same.
func TestCoverageCountsAgreement(t *testing.T) {
	storetest.Engines(t, "statements about coverage", testCoverageCountsAgreement)
}

func testCoverageCountsAgreement(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	ctx := context.Background()
	agreed := func() int {
		t.Helper()
		r := storetest.Reader(t, s)
		defer r.Close()
		days, err := records.Coverage(ctx, r, "main", storetest.OneDay)
		if err != nil || len(days) != 1 {
			t.Fatalf("coverage %+v (%v)", days, err)
		}
		return days[0].Agreed
	}
	for i, step := range []struct {
		records []affiliate.Commission
		want    int
	}{
		{[]affiliate.Commission{storetest.Record(1, "1")}, 1},
		{[]affiliate.Commission{storetest.Record(1, "1.0")}, 2},
		{[]affiliate.Commission{storetest.Record(1, "1")}, 3},
		{[]affiliate.Commission{storetest.Record(1, "2")}, 1},
		{nil, 1},
		{nil, 2},
	} {
		storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), step.records...)
		if got := agreed(); got != step.want {
			t.Errorf("after write %d %d readings agree, want %d", i+1, got, step.want)
		}
	}
	// A day that has not begun is never covered.
	slice := storetest.DaySlice(affiliate.Days{First: storetest.Day + 1, Last: storetest.Day + 3})
	slice.Through = storetest.At(storetest.Day+2) + 5
	storetest.Replace(t, s, slice)
	r := storetest.Reader(t, s)
	defer r.Close()
	days, err := records.Coverage(ctx, r, "main", affiliate.Days{First: storetest.Day + 1, Last: storetest.Day + 3})
	if err != nil || len(days) != 2 || !days[0].Whole() || days[1].Whole() || days[1].Through != slice.Through {
		t.Errorf("coverage of a half day is %+v (%v)", days, err)
	}
}

func TestFirstDayAndCoins(t *testing.T) {
	storetest.Engines(t, "smallest values and the order of texts", testFirstDayAndCoins)
}

func testFirstDayAndCoins(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	ctx := context.Background()
	ask := func() (affiliate.Day, []affiliate.Coin, []affiliate.Account) {
		t.Helper()
		r := storetest.Reader(t, s)
		defer r.Close()
		day, err1 := sums.FirstDay(ctx, r, storetest.Day+100)
		coins, err2 := sums.Coins(ctx, r, affiliate.Members{})
		accounts, err3 := r.Accounts(ctx)
		if err1 != nil || err2 != nil || err3 != nil {
			t.Fatal(err1, err2, err3)
		}
		return day, coins, accounts
	}
	if day, coins, accounts := ask(); day != storetest.Day+100 || len(coins)+len(accounts) != 0 {
		t.Errorf("an empty store has the first day %s, the coins %v, the accounts %v", day, coins, accounts)
	}
	btc := storetest.Record(5, "1")
	btc.Coin = "BTC"
	storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), storetest.Record(1, "1"), btc)
	day, coins, accounts := ask()
	if day != storetest.Day || !slices.Equal(coins, []affiliate.Coin{"BTC", "USDT"}) || !slices.Equal(accounts, []affiliate.Account{"main"}) {
		t.Errorf("first day %s, coins %v, accounts %v", day, coins, accounts)
	}
	for _, step := range []struct{ from, want affiliate.Day }{{storetest.Day + 3, storetest.Day}, {storetest.Day - 9, storetest.Day - 9}, {storetest.Day - 2, storetest.Day - 9}} {
		if err := s.WantFrom(ctx, "main", step.from); err != nil {
			t.Fatal(err)
		}
		if day, _, _ := ask(); day != step.want {
			t.Errorf("requested from %s on, the first day is %s, want %s", step.from, day, step.want)
		}
	}
}
