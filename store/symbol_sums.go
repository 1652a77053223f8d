package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

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
func (r *Tx) SymbolSums(ctx context.Context, f CommissionFilter) ([]SymbolSums, error) {
	groups, err := r.symbolGroups(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("adding up commissions by pair: %w", err)
	}
	list := make([]SymbolSums, 0, len(groups))
	for k, s := range groups {
		list = append(list, SymbolSums{k.symbol, k.coin, sumsOf(s)})
	}
	return list, nil
}

func (r *Tx) symbolGroups(ctx context.Context, f CommissionFilter) (map[symbolCoin]*sums, error) {
	groups := map[symbolCoin]*sums{}
	err := r.eachEntry(ctx, f, bySymbol, ofYear, func(e *entry) error {
		pair := symbolCoin{e.name, e.coin}
		s := groups[pair]
		if s == nil {
			pair.symbol, s = strings.Clone(e.name), new(sums) // not the text of the block
			groups[pair] = s
		}
		return e.addTo(s)
	})
	return groups, err
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
