package store_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// answers asks everything that may be answered from memory.
func answers(ctx context.Context, r *store.Reader, f store.CommissionFilter) (map[string][]string, error) {
	all := map[string][]string{}
	coined, named := f, f
	coined.Coin, named.UID = "USDT", "2"
	group := func(k store.InviteeKey) int { return int(k.UID[0]) % 3 }
	for what, ask := range map[string]func() ([]string, error){
		"invitees": func() ([]string, error) { return told(r.InviteeSums(ctx, f)) },
		"products": func() ([]string, error) { return told(r.ProductSums(ctx, f, nil)) },
		"some": func() ([]string, error) {
			return told(r.ProductSums(ctx, f, func(k store.InviteeKey) bool { return k.UID == "1" }))
		},
		"pairs":      func() ([]string, error) { return told(r.SymbolSums(ctx, f)) },
		"own pairs":  func() ([]string, error) { return told(r.SymbolSums(ctx, named)) },
		"own unpaid": func() ([]string, error) { return told(r.Unpaid(ctx, named)) },
		"own days":   func() ([]string, error) { return told(r.DaySums(ctx, named)) },
		"days":       func() ([]string, error) { return told(r.DaySums(ctx, f)) },
		"months":     func() ([]string, error) { return told(r.MonthSums(ctx, f)) },
		"top":        func() ([]string, error) { return told(r.TopInvitees(ctx, f, 2)) },
		"weeks":      func() ([]string, error) { return told(r.WeekTraders(ctx, f)) },
		"cohorts":    func() ([]string, error) { return told(r.Cohorts(ctx, f, store.CohortMonth)) },
		"groups":     func() ([]string, error) { return told(r.GroupDays(ctx, coined, "by first letter", group)) },
		"traded": func() ([]string, error) {
			days, err := r.InviteeDays(ctx, f)
			return []string{fmt.Sprint(days)}, err
		},
	} {
		var err error
		if all[what], err = ask(); err != nil {
			return nil, fmt.Errorf("%s: %w", what, err)
		}
	}
	return all, nil
}

func told[T any](list []T, err error) ([]string, error) {
	lines := make([]string, len(list))
	for i, line := range list {
		lines[i] = fmt.Sprintf("%+v", line)
	}
	slices.Sort(lines)
	return lines, err
}

// differs tells where the answers of a reader are others than those that are
// worked out anew of the same state.
func differs(ctx context.Context, s *store.Store, f store.CommissionFilter) (string, error) {
	r, err := s.Read(ctx)
	if err != nil {
		return "", err
	}
	defer r.Close()
	is, err := answers(ctx, r, f)
	if err != nil {
		return "", err
	}
	want, err := answers(ctx, r.WithoutMemory(), f)
	if err != nil {
		return "", err
	}
	for what := range want {
		if !slices.Equal(is[what], want[what]) {
			return fmt.Sprintf("%s of %+v: %q, worked out anew %q", what, f, is[what], want[what]), nil
		}
	}
	return "", nil
}

// remembers checks the answers to some filters, each twice: the second is from
// memory.
func remembers(t *testing.T, s *store.Store, after string) {
	t.Helper()
	for _, f := range askedOf {
		for range 2 {
			if difference, err := differs(t.Context(), s, f); err != nil || difference != "" {
				t.Errorf("after %s: %s (%v)", after, difference, err)
			}
		}
	}
}

var askedOf = []store.CommissionFilter{
	{Days: anyDays}, {Days: affiliate.Days{First: day1, Last: day1 + 2}}, {Days: anyDays, Code: "vip"},
	{Days: anyDays, Product: affiliate.Spot}, {Days: affiliate.Days{First: day1 - 20, Last: day1 + 20}, Account: "main"},
}

// rememberedState is one state of some days of three invitees.
func rememberedState(k int) []affiliate.Commission {
	var list []affiliate.Commission
	for n := range 60 {
		c := record(n*12, affiliate.Number(fmt.Sprint(k+n)))
		c.UID, c.Symbol = affiliate.UID(fmt.Sprint(n%3+1)), fmt.Sprintf("PAIR%d", (n+k)%4)
		if (n+k)%11 == 0 {
			c.Commission = "0"
		}
		list = append(list, c)
	}
	return list
}

func withInvitees(t *testing.T, s *store.Store, code string) {
	t.Helper()
	var people []affiliate.Invitee
	for uid, own := range map[affiliate.UID]string{"1": "welcome", "2": code, "3": "other"} {
		people = append(people, affiliate.Invitee{UID: uid, InviteCode: own, RegisterTime: at(day1)})
	}
	if _, err := s.ReplaceInvitees(t.Context(), inviteeSlice(), people); err != nil {
		t.Fatal(err)
	}
}

var rememberedDays = affiliate.Days{First: day1 - 1, Last: day1 + 40}

// Whatever is written, here or by another process, answers are of the state
// they are asked of.
func TestAnswersFollowWhatIsWritten(t *testing.T) {
	path := t.TempDir() + "/main.db"
	s, other := openShared(t, path), openShared(t, path)
	withInvitees(t, s, "vip")
	replace(t, s, daySlice(rememberedDays), rememberedState(1)...)
	remembers(t, s, "the first read")
	replace(t, s, daySlice(rememberedDays), rememberedState(2)...)
	remembers(t, s, "a restatement")
	replace(t, other, daySlice(rememberedDays), rememberedState(3)...)
	remembers(t, s, "another process wrote")
	withInvitees(t, other, "welcome")
	remembers(t, s, "a code changed")
	swapped := rememberedState(3)
	swapped[1].Symbol, swapped[4].Symbol = swapped[4].Symbol, swapped[1].Symbol
	swapped[1].Commission, swapped[4].Commission = swapped[4].Commission, swapped[1].Commission
	replace(t, other, daySlice(rememberedDays), swapped...)
	remembers(t, s, "two records of an invitee changed places")
	if err := other.RebuildRollups(t.Context()); err != nil {
		t.Fatal(err)
	}
	remembers(t, s, "the roll-ups were made anew")
	replace(t, s, daySlice(rememberedDays))
	remembers(t, s, "all records were closed")
}

// A pair that changes leaves all sums of its invitee as they are, and the
// answer about its pairs is another.
func TestAnswersFollowWhatLeavesTheSums(t *testing.T) {
	s := openStore(t, store.Options{})
	one, two := record(1, "1"), record(1, "1")
	one.UID, two.UID, one.Symbol, two.Symbol = "2", "1", "A", "B"
	pairs := func() string {
		r, err := s.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		list, err := r.SymbolSums(t.Context(), store.CommissionFilter{Days: anyDays, UID: "2"})
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		return list[0].Symbol
	}
	for range 3 {
		replace(t, s, daySlice(oneDay), one, two)
		if got := pairs(); got != one.Symbol {
			t.Fatalf("the pair is %s, want %s", got, one.Symbol)
		}
		one.Symbol, two.Symbol = two.Symbol, one.Symbol
	}
}

// The same holds of readers of several states at once.
func TestAnswersWhileSlicesAreReplaced(t *testing.T) {
	path := t.TempDir() + "/main.db"
	s, other := openShared(t, path), openShared(t, path)
	withInvitees(t, s, "vip")
	replace(t, s, daySlice(rememberedDays), rememberedState(0)...)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for n := range 3 {
		readers.Go(func() {
			for look := 0; look < 2 || !closed(done); look++ {
				difference, err := differs(context.Background(), s, askedOf[(n+look)%len(askedOf)])
				if err != nil || difference != "" {
					t.Error(difference, err)
					return
				}
			}
		})
	}
	for k := range 12 {
		replace(t, []*store.Store{s, other}[k%2], daySlice(rememberedDays), rememberedState(k%3)...)
	}
	close(done)
	readers.Wait()
}

func openShared(t *testing.T, path string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), path, store.Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
