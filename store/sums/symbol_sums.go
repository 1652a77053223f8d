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
// of one invitee, or of one invite code, are read from the rows.
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
	groups := map[symbolCoin]*rollup.LineFigures{}
	err := eachEntry(ctx, r, f, rollup.BySymbol, rollup.OfYear, func(e *entry) error {
		pair := symbolCoin{e.Name, e.Coin}
		s := groups[pair]
		if s == nil {
			pair.symbol, s = strings.Clone(e.Name), new(rollup.LineFigures) // a copy, independent of the block's text
			groups[pair] = s
		}
		return e.addTo(s)
	})
	return groups, err
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
