package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"rebatedesk/affiliate"
)

// SymbolSums are what was brought with one trading pair in one coin.
type SymbolSums struct {
	Symbol string
	Coin   affiliate.Coin
	Sums
}

type symbolCoin struct {
	symbol string
	coin   affiliate.Coin
}

// SymbolSums adds up the records of the filter by trading pair and coin, in no
// order. Pairs of one invitee, or of one invite code, are read from the rows.
// The list may be another caller's too: nobody changes it.
func (r *Reader) SymbolSums(ctx context.Context, f CommissionFilter) ([]SymbolSums, error) {
	return recall(ctx, r, recalled{what: "pairs", filter: f, kind: bySymbol, longest: ofYear}, sizeOfSums, func() ([]SymbolSums, error) { return r.symbolSums(ctx, f) })
}

func (r *Reader) symbolSums(ctx context.Context, f CommissionFilter) ([]SymbolSums, error) {
	groups, err := r.symbolGroups(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("adding up commissions by pair: %w", err)
	}
	list := make([]SymbolSums, 0, len(groups))
	for k, s := range groups {
		list = append(list, SymbolSums{k.symbol, k.coin, s.result()})
	}
	return list, nil
}

func (r *Reader) symbolGroups(ctx context.Context, f CommissionFilter) (map[symbolCoin]*sums, error) {
	if f.UID != "" && r.inBlocks(f, byUID) {
		return r.symbolGroupsOfInvitee(ctx, f)
	}
	groups := map[symbolCoin]*sums{}
	err := r.eachEntry(ctx, f, bySymbol, ofYear, func(e *entry) error {
		return e.addTo(at(groups, symbolCoin{e.name, e.coin}))
	})
	return groups, err
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
