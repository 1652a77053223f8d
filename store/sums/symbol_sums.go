package sums

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/rollup"
)

// SymbolSums are the sums of one trading pair in one coin.
type SymbolSums struct {
	Symbol string
	Coin   affiliate.Coin
	Sums
}

type symbolCoin struct {
	symbol string
	coin   affiliate.Coin
}

// BySymbol adds up the records of the filter by trading pair and coin, in no order. Pairs
// of one invitee are read from the rows of months that the range does not hold as a whole,
// and those of an invite code from the rows of all days.
func BySymbol(ctx context.Context, r *store.Tx, f records.CommissionFilter) ([]SymbolSums, error) {
	groups, err := groupBySymbol(ctx, r, f)
	if err != nil {
		return nil, fmt.Errorf("adding up commissions by pair: %w", err)
	}
	list := make([]SymbolSums, 0, len(groups))
	for k, s := range groups {
		list = append(list, SymbolSums{k.symbol, k.coin, sumsOf(s)})
	}
	return list, nil
}

func groupBySymbol(ctx context.Context, r *store.Tx, f records.CommissionFilter) (map[symbolCoin]*rollup.LineFigures, error) {
	k, longest := rollup.BySymbol, rollup.OfYear
	if inBlocks(r, f, rollup.ByPair) {
		k, longest = rollup.ByPair, rollup.OfMonth
	}
	groups := map[symbolCoin]*rollup.LineFigures{}
	err := eachEntry(ctx, r, f, k, longest, func(e *entry) error {
		pair := symbolCoin{e.Name, e.Coin}
		if k == rollup.ByPair {
			pair.symbol = e.Symbol
		}
		s := groups[pair]
		if s == nil {
			pair.symbol, s = strings.Clone(pair.symbol), new(rollup.LineFigures) // a copy, independent of the block's text
			groups[pair] = s
		}
		return e.addTo(s)
	})
	return groups, err
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
