package store_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/internal/race"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/sums"
)

// Whatever two processes write, in any order, sums of settled days that are kept for as long
// as their stamp stays the same, joined with those of the open days, are those of the rows.
// The same holds for kept invitees.
func TestKeptSumsAreThoseOfTheRows(t *testing.T) {
	t.Parallel()
	race.Skip(t, "sums of random records, by one goroutine")
	path := storetest.Empty(t)
	writers := []*store.Store{storetest.OpenAt(t, path, store.Options{}), storetest.OpenAt(t, path, store.Options{})}
	// Changes of days are known once there are roll-ups.
	storetest.Done(t, records.RebuildRollups(t.Context(), writers[0]))
	k := &keptAnswers{of: map[string]keptAnswer{}}
	rapid.Check(t, func(t *rapid.T) {
		for range rapid.IntRange(1, 3).Draw(t, "writes") {
			s := rapid.SampledFrom(writers).Draw(t, "writer")
			account := rapid.SampledFrom([]affiliate.Account{"main", "other"}).Draw(t, "account")
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0, 1:
				writeCodes(t, s, account)
			case 2:
				if err := records.RebuildRollups(context.Background(), s); err != nil {
					t.Fatal(err)
				}
			default:
				writeTrades(t, s, account)
			}
			keptAnswersAreThoseOfTheRows(t, rapid.SampledFrom(writers).Draw(t, "reader"), k)
		}
	})
	if k.used == 0 || k.made == 0 {
		t.Errorf("%d kept answers were used and %d made: nothing was tested", k.used, k.made)
	}
}

// keptAnswers has answers by name and filter, each with the stamp of its last change.
type keptAnswers struct {
	of         map[string]keptAnswer
	used, made int
}

type keptAnswer struct {
	stamp  affiliate.Millis
	answer any
}

// get returns the kept answer if the stamp is its own, and otherwise makes it.
func (k *keptAnswers) get(key string, stamp affiliate.Millis, make func() (any, error)) (any, error) {
	if kept, ok := k.of[key]; ok && kept.stamp == stamp {
		k.used++
		return kept.answer, nil
	}
	k.made++
	answer, err := make()
	k.of[key] = keptAnswer{stamp, answer}
	return answer, err
}

func keptAnswersAreThoseOfTheRows(t *rapid.T, s *store.Store, k *keptAnswers) {
	ctx := context.Background()
	r, err := s.Read(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, f := range []records.CommissionFilter{
		{Days: affiliate.Days{First: storetest.Day - 80, Last: storetest.Day + 80}, Coin: "USDT"},
		{Days: affiliate.Days{First: storetest.Day - 40, Last: storetest.Day + 10}, Coin: "USDT", Account: "main"},
		{Days: affiliate.Days{First: storetest.Day - 3, Last: storetest.Day + 3}, Coin: "USDT", UID: "1"},
		{Days: affiliate.Days{First: storetest.Day - 20, Last: storetest.Day + 20}, Coin: "USDT", Code: "vip"},
	} {
		sameKept(t, r, k, "invitees", f, sums.FiguresOfInvitees, inviteeFiguresText)
		sameKept(t, r, k, "activity", f, sums.ActivityOfInvitees, activityText)
		sameKept(t, r, k, "products", f, sums.ProductsOfInvitees, productsText)
		sameKept(t, r, k, "pairs", f, sums.FiguresOfSymbols, func(parts ...sums.SymbolFigures) string { return sortedText(sums.JoinSymbols(parts...).Sums()) })
		sameKept(t, r, k, "days of codes", f, sums.DaysOfCodes, func(parts ...[]sums.CodeDay) string { return fmt.Sprint(slices.Concat(parts...)) })
		sameKept(t, r, k, "unpaid", f, sums.UnpaidOfDays, func(parts ...[]sums.UnpaidSums) string { return fmt.Sprint(sums.JoinUnpaid(parts...)) })
		f.Account, f.UID = "", "" // those of the invitees
		asked := []sums.InviteeKey{{Account: "main", UID: "1"}, {Account: "other", UID: "4"}}
		sameKept(t, r, k, "days of invitees", f, sums.DaysOfInvitees(asked), func(parts ...map[sums.InviteeKey][]sums.DaySums) string { return fmt.Sprint(sums.JoinDays(parts...)) })
		for _, period := range []sums.CohortPeriod{sums.CohortWeek, sums.CohortMonth} {
			by, err := sums.CohortsOf(f.Days, period)
			if err != nil {
				t.Fatal(err)
			}
			all := f
			all.Days = sums.EveryDay
			sameKept(t, r, k, fmt.Sprint("cohorts by ", period, f.Days), all, by, func(parts ...*sums.CohortTable) string { return fmt.Sprint(sums.JoinCohorts(parts...)) })
		}
	}
	sameKeptInvitees(t, r, k)
}

// lastWrite returns an instant as of which the rows are those of the present.
func lastWrite(t *rapid.T, r *store.Tx) affiliate.Millis {
	now, err := r.LastWrite(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return now
}

func sameKept[P any](t *rapid.T, r *store.Tx, k *keptAnswers, name string, f records.CommissionFilter, reading sums.Reading[P], text func(parts ...P) string) {
	ctx := context.Background()
	settled, open := f, f
	var err error
	if settled.Days, open.Days, err = reading.Split(ctx, r, f.Days); err != nil {
		t.Fatal(name, err)
	}
	if settled.Days.Len()+open.Days.Len() != f.Days.Len() {
		t.Fatalf("%s: %v is divided into %v and %v", name, f.Days, settled.Days, open.Days)
	}
	changed, ok, err := reading.LastChange(ctx, r, settled)
	if err != nil || !ok {
		t.Fatal(name, ok, err)
	}
	before, err := k.get(fmt.Sprintf("%s %+v", name, settled), changed, func() (any, error) { return reading.Read(ctx, r, settled) })
	if err != nil {
		t.Fatal(name, err)
	}
	now, err := reading.Read(ctx, r, open)
	if err != nil {
		t.Fatal(name, err)
	}
	f.AsOf = lastWrite(t, r)
	rows, err := reading.Read(ctx, r, f)
	if err != nil {
		t.Fatal(name, err)
	}
	if got, want := text(before.(P), now), text(rows); got != want {
		t.Fatalf("%s of %+v: the kept answer is\n%s, and the rows give\n%s", name, f, got, want)
	}
}

func sameKeptInvitees(t *rapid.T, r *store.Tx, k *keptAnswers) {
	ctx := context.Background()
	changed, err := sums.LastInviteeChange(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	all, err := k.get("invitees", changed, func() (any, error) { return records.ReadAllInvitees(ctx, r, affiliate.Members{}) })
	if err != nil {
		t.Fatal(err)
	}
	var got, want []records.InviteeRow
	for row, err := range all.(records.AllInvitees).At(ctx, r) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, row)
	}
	for row, err := range records.Invitees(ctx, r, records.InviteeFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, row)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("the kept invitees are\n%+v, and those stored\n%+v", got, want)
	}
}

// sortedText returns the lines of values that are in no order.
func sortedText[T any](list []T) string {
	var lines []string
	for _, v := range list {
		lines = append(lines, fmt.Sprintf("%+v", v))
	}
	return strings.Join(slices.Sorted(slices.Values(lines)), "\n")
}

func inviteeFiguresText(parts ...sums.InviteeFigures) string {
	var lines []string
	sums.EachInvitee(parts, func(key sums.InviteeKey, coins []sums.CoinFigures) {
		for _, c := range coins {
			lines = append(lines, fmt.Sprint(key, c.Coin, c.Records, c.Fee.String(), c.Commission.String(), c.TakerAmount.String(), c.MakerAmount.String()))
		}
	})
	return sortedText(lines)
}

func activityText(parts ...sums.InviteeActivity) string {
	var lines []string
	for key, own := range sums.JoinActivity(parts...) {
		coins := slices.SortedFunc(slices.Values(own.Coins), func(a, b sums.CoinFigures) int { return cmp.Compare(a.Coin, b.Coin) })
		line := fmt.Sprint(key, own.Days)
		for _, c := range coins {
			line += fmt.Sprint(" ", c.Coin, c.Records, c.Commission.String())
		}
		lines = append(lines, line)
	}
	return sortedText(lines)
}

func productsText(parts ...[]sums.ProductSums) string {
	list := map[string]bool{}
	for _, s := range sums.JoinProducts(parts...) {
		list[fmt.Sprint(s.InviteeKey, s.Product, s.Coin, s.Records, s.Fee.String(), s.Commission.String())] = true
	}
	return sortedText(slices.Collect(maps.Keys(list)))
}
