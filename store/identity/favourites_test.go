package identity

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"rebatedesk/store"
)

func TestFavourites(t *testing.T) {
	ctx := context.Background()
	s, err := store.Open(ctx, filepath.Join(t.TempDir(), "f.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	marked := func(owner string) []string {
		r, err := s.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		pairs, err := Favourites(ctx, r, owner)
		if err != nil {
			t.Fatal(err)
		}
		return pairs
	}
	for _, step := range []struct {
		owner, pair string
		on          bool
		want        []string // expected for ann
	}{
		{"ann", "ETHUSDT_SPBL", true, []string{"ETHUSDT_SPBL"}},
		{"ann", "BTCUSDT_SPBL", true, []string{"BTCUSDT_SPBL", "ETHUSDT_SPBL"}},
		{"ann", "BTCUSDT_SPBL", true, []string{"BTCUSDT_SPBL", "ETHUSDT_SPBL"}},
		{"bob", "ETHUSDT_SPBL", false, []string{"BTCUSDT_SPBL", "ETHUSDT_SPBL"}},
		{"ann", "ETHUSDT_SPBL", false, []string{"BTCUSDT_SPBL"}},
		{"ann", "ETHUSDT_SPBL", false, []string{"BTCUSDT_SPBL"}},
	} {
		if err := SetFavourite(ctx, s, step.owner, step.pair, step.on); err != nil {
			t.Fatal(err)
		}
		if got := marked("ann"); !slices.Equal(got, step.want) {
			t.Errorf("after %+v: %v", step, got)
		}
	}
	for i := range MaxFavourites {
		if err := SetFavourite(ctx, s, "cat", fmt.Sprintf("A%dUSDT_SPBL", i), true); err != nil {
			t.Fatal(err)
		}
	}
	if err := SetFavourite(ctx, s, "cat", "A0USDT_SPBL", true); err != nil {
		t.Errorf("a pair that is already marked: %v", err)
	}
	var rule *store.RuleError
	if err := SetFavourite(ctx, s, "cat", "BUSDT_SPBL", true); !errors.As(err, &rule) || len(marked("cat")) != MaxFavourites {
		t.Errorf("one pair beyond the limit: %v", err)
	}
}
