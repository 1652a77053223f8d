package store_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/sums"
)

// nameCoin identifies a line of a ranking.
type nameCoin struct {
	name string
	coin affiliate.Coin
}

// grouped adds up the records of the filter by name and coin.
func (b *book) grouped(t failer, s *store.Store, f records.CommissionFilter, name func(affiliate.Commission) string) map[nameCoin]*figures {
	groups := map[nameCoin]*figures{}
	for _, c := range b.matching(f, s.Zone()) {
		k := nameCoin{name(c), c.Coin}
		if groups[k] == nil {
			groups[k] = new(figures)
		}
		groups[k].add(t, c)
	}
	return groups
}

// checkRankings compares sums and rankings by pair and by invitee with the book.
func (b *book) checkRankings(t failer, s *store.Store, f records.CommissionFilter) {
	t.Helper()
	ctx := context.Background()
	r, err := s.Read(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	symbols := b.grouped(t, s, f, func(c affiliate.Commission) string { return c.Symbol })

	bySymbol, err := sums.BySymbol(ctx, r, f)
	checkLines(t, f, bySymbol, err, symbols, symbolLine)
	figures, err := sums.FiguresOfSymbols.Read(ctx, r, f)
	for _, n := range []int{0, 1, 2, 100} {
		checkRanking(t, f, n, figures.Top(n), err, symbols, symbolLine)
	}
}

func symbolLine(l sums.SymbolSums) (nameCoin, sums.Sums) {
	return nameCoin{l.Symbol, l.Coin}, l.Sums
}

func checkLines[T any](t failer, f records.CommissionFilter, got []T, err error, want map[nameCoin]*figures, key func(T) (nameCoin, sums.Sums)) {
	t.Helper()
	if err != nil || len(got) != len(want) {
		t.Fatalf("%+v: %d lines, want %d (%v)", f, len(got), len(want), err)
	}
	for _, line := range got {
		k, sums := key(line)
		if !want[k].is(t, sums) {
			t.Fatalf("%+v: %+v, want %+v", f, line, want[k])
		}
	}
}

// checkRanking compares a ranking with all lines. The best lines come first, and together
// with the others they give the total.
func checkRanking[T any](t failer, f records.CommissionFilter, n int, got []sums.Ranked[T], err error, want map[nameCoin]*figures, key func(T) (nameCoin, sums.Sums)) {
	t.Helper()
	coins := map[affiliate.Coin][]nameCoin{}
	for k := range want {
		coins[k.coin] = append(coins[k.coin], k)
	}
	if err != nil || len(got) != len(coins) {
		t.Fatalf("%+v: rankings of %d coins, want %d (%v)", f, len(got), len(coins), err)
	}
	for i, ranking := range got {
		names := coins[ranking.Coin]
		slices.SortFunc(names, func(a, b nameCoin) int {
			if c := want[b].commission.Cmp(want[a].commission); c != 0 {
				return c
			}
			return slices.Compare([]byte(a.name), []byte(b.name))
		})
		if len(ranking.Top) != min(n, len(names)) || ranking.OthersN != int64(len(names)-len(ranking.Top)) {
			t.Fatalf("%+v: %d lines and %d others of %d", f, len(ranking.Top), ranking.OthersN, len(names))
		}
		total, others := zeroFigures(), zeroFigures()
		for i, k := range names {
			total.addFigures(want[k])
			if i >= len(ranking.Top) {
				others.addFigures(want[k])
				continue
			}
			if at, sums := key(ranking.Top[i]); at != k || !want[k].is(t, sums) {
				t.Fatalf("%+v: %s is no. %d, want %s with %+v", f, at, i+1, k, want[k])
			}
		}
		if !total.is(t, ranking.Total) || !others.is(t, ranking.Others) {
			t.Fatalf("%+v: total %+v and others %+v, want %+v and %+v", f, ranking.Total, ranking.Others, total, others)
		}
		if i > 0 && got[i-1].Total.Records < ranking.Total.Records {
			t.Fatalf("%+v: %s comes before %s, which has more records", f, got[i-1].Coin, ranking.Coin)
		}
	}
}

// checkDayTraders compares the traders of each day with the book.
func (b *book) checkDayTraders(t failer, s *store.Store, f records.CommissionFilter) {
	t.Helper()
	want := map[affiliate.Day]map[affiliate.UID]bool{}
	for _, c := range b.matching(f, s.Zone()) {
		day := affiliate.DayOf(c.DealTime.Time(), s.Zone())
		if want[day] == nil {
			want[day] = map[affiliate.UID]bool{}
		}
		want[day][c.UID] = true
	}
	r, err := s.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got, err := sums.TradersByDay(context.Background(), r, f)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%+v: traders of %d days, want %d (%v)", f, len(got), len(want), err)
	}
	for i, d := range got {
		if d.Traders != int64(len(want[d.Day])) || i > 0 && got[i-1].Day >= d.Day {
			t.Fatalf("%+v: %d traders on %s, want %d", f, d.Traders, d.Day, len(want[d.Day]))
		}
	}
}

// Names may contain any character, including those that separate names in a block.
func TestRollupsOfHostileNames(t *testing.T) {
	storetest.Engines(t, "texts with odd bytes", testRollupsOfHostileNames)
}

func testRollupsOfHostileNames(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	names := storable(t, "a", "a\tb", "a\nb", `a\tb`, `a\nb`, `a\`, `a\\`, "\t", "\n", `\`, " ", "", "a\x00b", "\x01", "é", "a\r\n")
	write := func(times int) {
		var records []affiliate.Commission
		for i, name := range names {
			for range times {
				c := storetest.Record(i, affiliate.Number(fmt.Sprint(i+1)))
				c.UID, c.Symbol = affiliate.UID(name), name
				c.Coin, c.Source = affiliate.Coin("C"+name), affiliate.Source(name)
				records = append(records, c)
			}
		}
		storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), records...)
	}
	for _, times := range []int{1, 3, 2} { // lines are created, increased and decreased
		write(times)
		if faults := unsound(verify(t, s)); len(faults) > 0 {
			t.Fatal(faults)
		}
		r := storetest.Reader(t, s)
		for i, name := range names {
			f := records.CommissionFilter{Days: storetest.AnyDays, UID: affiliate.UID(name)}
			if name == "" { // an empty UID is no filter
				f.Coin = "C"
			}
			list, err := sums.ByInvitee(t.Context(), r, f)
			if err != nil || len(list) != 1 || list[0].UID != affiliate.UID(name) || list[0].Coin != affiliate.Coin("C"+name) ||
				list[0].Records != int64(times) || list[0].Commission != affiliate.Number(fmt.Sprint(times*(i+1))) {
				t.Errorf("%q: %+v (%v), want %d records", name, list, err, times)
			}
		}
		symbols, err := sums.BySymbol(t.Context(), r, records.CommissionFilter{Days: storetest.AnyDays})
		if err != nil || len(symbols) != len(names) {
			t.Errorf("%d pairs, want %d (%v)", len(symbols), len(names), err)
		}
		for _, line := range symbols {
			if !slices.Contains(names, line.Symbol) || line.Coin != affiliate.Coin("C"+line.Symbol) {
				t.Errorf("no pair is named %q", line.Symbol)
			}
		}
		r.Close()
	}
}
