package market_test

import (
	"fmt"
	"slices"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/market"
	"rebatedesk/store/storetest"
)

// A pair that was asked for is kept with its last instant, by account, until it is deleted; of
// too many the oldest goes.
func TestAskedPairs(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "statements about pairs", testAskedPairs)
}

func testAskedPairs(t *testing.T) {
	s := storetest.OpenAt(t, storetest.Empty(t), store.Options{})
	keep := func(account affiliate.Account, pair string, at affiliate.Millis) {
		t.Helper()
		storetest.Done(t, market.KeepAsked(t.Context(), s, account, pair, at))
	}
	list := func(account affiliate.Account, since affiliate.Millis) []string {
		t.Helper()
		r, err := s.Read(t.Context())
		storetest.Done(t, err)
		defer r.Close()
		pairs, err := market.AskedPairs(t.Context(), r, account, since)
		storetest.Done(t, err)
		return pairs
	}
	keep("main", "A_SPBL", 10)
	keep("main", "B_SPBL", 20)
	keep("asia", "C_SPBL", 30)
	keep("main", "A_SPBL", 25)
	keep("main", "B_SPBL", 5) // of a node whose clock is behind
	if got := list("main", 0); !slices.Equal(got, []string{"A_SPBL", "B_SPBL"}) {
		t.Errorf("%q", got)
	}
	if got := list("main", 21); !slices.Equal(got, []string{"A_SPBL"}) {
		t.Errorf("since 21: %q", got)
	}
	storetest.Done(t, market.PruneAsked(t.Context(), s, 25))
	if got := append(list("main", 0), list("asia", 0)...); !slices.Equal(got, []string{"A_SPBL", "C_SPBL"}) {
		t.Errorf("after the deletion: %q", got)
	}
	for i := range market.MaxAsked + 1 {
		keep("main", fmt.Sprintf("X%d_SPBL", i), affiliate.Millis(100+i))
	}
	if got := list("main", 0); len(got) != market.MaxAsked || slices.Contains(got, "A_SPBL") || slices.Contains(got, "X0_SPBL") || got[0] != fmt.Sprintf("X%d_SPBL", market.MaxAsked) {
		t.Errorf("%d pairs, the newest %s", len(got), got[0])
	}
}
