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
	"rebatedesk/store/sums"
)

func inviteeSlice() records.Slice {
	slice := daySlice(affiliate.Days{First: day1, Last: day1 + 9})
	slice.Stream = affiliate.Stream{Kind: affiliate.Invitees}
	return slice
}

func invitees(t testing.TB, s *store.Store, f records.InviteeFilter) []records.InviteeRow {
	t.Helper()
	r := reader(t, s)
	defer r.Close()
	var list []records.InviteeRow
	for row, err := range records.Invitees(context.Background(), r, f) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, row)
	}
	return list
}

func at(d affiliate.Day) affiliate.Millis { return affiliate.MillisOf(d.Start(time.UTC)) }

// What changes of an invitee is noted with what it was; what the exchange does
// not give is no change.
func TestInviteesKeepTheirHistory(t *testing.T) {
	now := time.Date(2026, 9, 20, 0, 0, 0, 0, time.UTC)
	s := openStore(t, store.Options{Now: func() time.Time { return now }})
	write := func(list ...affiliate.Invitee) records.Written {
		t.Helper()
		now = now.Add(time.Hour)
		w, err := records.ReplaceInvitees(context.Background(), s, inviteeSlice(), list)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	first := affiliate.Invitee{UID: "1", InviteCode: "welcome", RegisterTime: at(day1), KYC: "false", FirstDeposit: at(day1) + 5}
	other := affiliate.Invitee{UID: "2", RegisterTime: at(day1 + 1)}
	if w := write(first, other); w.Opened != 2 || w.Changed != 0 {
		t.Fatalf("wrote %+v", w)
	}
	if w := write(first, other); !unchanged(w) {
		t.Fatalf("the same again: %+v", w)
	}
	silent := affiliate.Invitee{UID: "1"}
	if w := write(silent, other); !unchanged(w) {
		t.Fatalf("silence: %+v", w)
	}
	later := first
	later.KYC, later.LastTrade, later.InviteCode = "true", at(day1+3), ""
	if w := write(later, other); w.Changed != 1 || w.Opened != 0 {
		t.Fatalf("a change: %+v", w)
	}
	later.InviteCode = "welcome"
	got := invitees(t, s, records.InviteeFilter{})
	if len(got) != 2 || got[0].Invitee != later || got[1].Invitee != other {
		t.Fatalf("invitees are %+v", got)
	}
	if got[0].LastSeen <= got[0].FirstSeen || got[0].Account != "main" {
		t.Errorf("seen from %s to %s in %q", got[0].FirstSeen, got[0].LastSeen, got[0].Account)
	}
	changes, err := store.Lines(s, `SELECT uid, field, was, became FROM invitee_changes ORDER BY field`)
	if want := []string{"1 kyc false true", fmt.Sprint("1 last_trade_ms 0 ", int64(at(day1+3)))}; err != nil || !slices.Equal(changes, want) {
		t.Errorf("the changes are %q, want %q (%v)", changes, want, err)
	}
}

// Filters and counts of invitees.
func TestInviteeQuestions(t *testing.T) {
	s := openStore(t, store.Options{})
	list := []affiliate.Invitee{
		{UID: "11", InviteCode: "a_1", RegisterTime: at(day1), FirstDeposit: at(day1 + 2)},
		{UID: "12", InviteCode: "ax1", RegisterTime: at(day1 + 1), FirstDeposit: at(day1 + 20)},
		{UID: "13", RegisterTime: at(day1 + 2)},
		{UID: "14", InviteCode: "ax1"}, // registered nobody knows when
	}
	if _, err := records.ReplaceInvitees(context.Background(), s, inviteeSlice(), list); err != nil {
		t.Fatal(err)
	}
	span := affiliate.Days{First: day1, Last: day1 + 1}.Range(time.UTC)
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
		for _, row := range invitees(t, s, c.filter) {
			got = append(got, row.UID)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.filter, got, c.want)
		}
	}
	r := reader(t, s)
	defer r.Close()
	n, err := records.CountInvitees(context.Background(), r, records.InviteeFilter{}, affiliate.Days{First: day1, Last: day1 + 4}.Range(time.UTC))
	if want := (records.InviteeCounts{Registered: 3, FirstDepositors: 1, DepositsKnown: true}); err != nil || n != want {
		t.Errorf("counts are %+v, want %+v (%v)", n, want, err)
	}
	codes, err := records.Codes(context.Background(), r)
	if err != nil || !slices.Equal(codes, []string{"a_1", "ax1"}) {
		t.Errorf("codes are %q (%v)", codes, err)
	}
	for uid, want := range map[affiliate.UID]string{"11": "a_1", "13": "", "99": ""} {
		if code, err := records.InviteCode(context.Background(), r, "main", uid, 0); err != nil || code != want {
			t.Errorf("the code of %s is %q (%v)", uid, code, err)
		}
	}
}

func TestSubAffiliateDays(t *testing.T) {
	s := openStore(t, store.Options{})
	slice := daySlice(affiliate.Days{First: day1, Last: day1 + 2})
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
	if w := write(sub("1", day1, "0.1"), sub("2", day1, "0.2"), sub("1", day1+2, "0.3"), sub("1", day1+2, "0.3")); w.Opened != 4 {
		t.Fatalf("wrote %+v", w)
	}
	if w := write(sub("1", day1+2, "0.30"), sub("2", day1, "0.2"), sub("1", day1, "0.1"), sub("1", day1+2, "0.3")); !unchanged(w) {
		t.Fatalf("the same again: %+v", w)
	}
	if w := write(sub("1", day1, "0.1"), sub("2", day1, "0.25"), sub("1", day1+2, "0.3")); w.Opened != 1 || w.Closed != 2 {
		t.Fatalf("a change: %+v", w)
	}
	read := func(f records.SubAffiliateFilter) (list []affiliate.SubAffiliateDay) {
		t.Helper()
		r := reader(t, s)
		defer r.Close()
		f.Days = anyDays
		for row, err := range records.SubAffiliateDays(context.Background(), r, f) {
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, row.SubAffiliateDay)
		}
		return list
	}
	if got := read(records.SubAffiliateFilter{}); !slices.Equal(got, []affiliate.SubAffiliateDay{sub("1", day1, "0.1"), sub("2", day1, "0.25"), sub("1", day1+2, "0.3")}) {
		t.Errorf("stored are %+v", got)
	}
	if got := read(records.SubAffiliateFilter{UID: "2", Account: "main", Product: affiliate.Spot}); len(got) != 1 {
		t.Errorf("of one there are %+v", got)
	}
	if got := read(records.SubAffiliateFilter{Product: affiliate.Futures}); len(got) != 0 {
		t.Errorf("of futures there are %+v", got)
	}
	foreign := []affiliate.SubAffiliateDay{sub("1", day1+3, "1"), {UID: "1", Product: affiliate.Futures, Date: day1}}
	for _, d := range foreign {
		if _, err := records.ReplaceSubAffiliateDays(context.Background(), s, slice, []affiliate.SubAffiliateDay{d}); err == nil {
			t.Errorf("%+v was written", d)
		}
	}
}

// The log of a run counts its slices; a run that never ended died with its
// process, which the next one notes.
func TestRuns(t *testing.T) {
	s := openStore(t, store.Options{})
	ctx := context.Background()
	died, err := records.StartRun(ctx, s, "main", "schedule")
	if err != nil {
		t.Fatal(err)
	}
	id, err := records.StartRun(ctx, s, "main", "button")
	if err != nil {
		t.Fatal(err)
	}
	slice := daySlice(oneDay)
	slice.Run = id
	replace(t, s, slice, record(1, "1"), record(2, "2"))
	replace(t, s, slice, record(1, "1"))
	if err := records.FailSlice(ctx, s, slice, "no answer"); err != nil {
		t.Fatal(err)
	}
	if err := records.FinishRun(ctx, s, id, 7, 140, ""); err != nil {
		t.Fatal(err)
	}
	r := reader(t, s)
	defer r.Close()
	run, err := records.LastRun(ctx, r, "main")
	if err != nil || run.Finished <= run.Started {
		t.Fatalf("%+v (%v)", run, err)
	}
	run.Started, run.Finished = 0, 0
	if want := (records.Run{ID: id, Account: "main", Cause: "button", Requests: 7, Weight: 140, Records: 3, Opened: 2, Closed: 1, Slices: 2, Failed: 1}); run != want {
		t.Errorf("the run is %+v, want %+v", run, want)
	}
	lines, err := store.Lines(s, `SELECT finished_ms > 0, error FROM runs WHERE id = ?`, died)
	if err != nil || !slices.Equal(lines, []string{"1 ended abruptly"}) {
		t.Errorf("the run that died: %q (%v)", lines, err)
	}
	if _, err := records.StartRun(ctx, s, "", "button"); err == nil {
		t.Error("an account without a name has a run")
	}
}

// Coverage counts the readings in a row that found the same.
func TestCoverageCountsAgreement(t *testing.T) {
	s := openStore(t, store.Options{})
	ctx := context.Background()
	agreed := func() int {
		t.Helper()
		r := reader(t, s)
		defer r.Close()
		days, err := records.Coverage(ctx, r, "main", oneDay)
		if err != nil || len(days) != 1 {
			t.Fatalf("coverage %+v (%v)", days, err)
		}
		return days[0].Agreed
	}
	for i, step := range []struct {
		records []affiliate.Commission
		want    int
	}{
		{[]affiliate.Commission{record(1, "1")}, 1},
		{[]affiliate.Commission{record(1, "1.0")}, 2},
		{[]affiliate.Commission{record(1, "1")}, 3},
		{[]affiliate.Commission{record(1, "2")}, 1},
		{nil, 1},
		{nil, 2},
	} {
		replace(t, s, daySlice(oneDay), step.records...)
		if got := agreed(); got != step.want {
			t.Errorf("after write %d %d readings agree, want %d", i+1, got, step.want)
		}
	}
	// A day that has not begun is not covered, whatever was asked for.
	slice := daySlice(affiliate.Days{First: day1 + 1, Last: day1 + 3})
	slice.Through = at(day1+2) + 5
	replace(t, s, slice)
	r := reader(t, s)
	defer r.Close()
	days, err := records.Coverage(ctx, r, "main", affiliate.Days{First: day1 + 1, Last: day1 + 3})
	if err != nil || len(days) != 2 || !days[0].Whole() || days[1].Whole() || days[1].Through != slice.Through {
		t.Errorf("coverage of a half day is %+v (%v)", days, err)
	}
}

func TestFirstDayAndCoins(t *testing.T) {
	s := openStore(t, store.Options{})
	ctx := context.Background()
	ask := func() (affiliate.Day, []affiliate.Coin, []affiliate.Account) {
		t.Helper()
		r := reader(t, s)
		defer r.Close()
		day, err1 := sums.FirstDay(ctx, r, day1+100)
		coins, err2 := sums.Coins(ctx, r)
		accounts, err3 := r.Accounts(ctx)
		if err1 != nil || err2 != nil || err3 != nil {
			t.Fatal(err1, err2, err3)
		}
		return day, coins, accounts
	}
	if day, coins, accounts := ask(); day != day1+100 || len(coins)+len(accounts) != 0 {
		t.Errorf("of nothing the first day is %s, the coins %v, the accounts %v", day, coins, accounts)
	}
	btc := record(5, "1")
	btc.Coin = "BTC"
	replace(t, s, daySlice(oneDay), record(1, "1"), btc)
	day, coins, accounts := ask()
	if day != day1 || !slices.Equal(coins, []affiliate.Coin{"BTC", "USDT"}) || !slices.Equal(accounts, []affiliate.Account{"main"}) {
		t.Errorf("first day %s, coins %v, accounts %v", day, coins, accounts)
	}
	for _, step := range []struct{ from, want affiliate.Day }{{day1 + 3, day1}, {day1 - 9, day1 - 9}, {day1 - 2, day1 - 9}} {
		if err := s.WantFrom(ctx, "main", step.from); err != nil {
			t.Fatal(err)
		}
		if day, _, _ := ask(); day != step.want {
			t.Errorf("wanted from %s on, the first day is %s, want %s", step.from, day, step.want)
		}
	}
}
