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

// SymbolFigures are the exact sums of pairs by coin.
type SymbolFigures map[symbolCoin]*rollup.LineFigures

// FiguresOfSymbols is [BySymbol] with exact sums.
var FiguresOfSymbols = Reading[SymbolFigures]{Read: groupBySymbol, longest: rollup.OfMonth}

// JoinSymbols adds up all parts, which are of different days.
func JoinSymbols(parts ...SymbolFigures) SymbolFigures {
	if len(parts) == 1 {
		return parts[0]
	}
	joined := SymbolFigures{}
	for _, part := range parts {
		for k, s := range part {
			rollup.At(joined, k).AddSums(s)
		}
	}
	return joined
}

// Sums lists the sums, in no order.
func (g SymbolFigures) Sums() []SymbolSums {
	list := make([]SymbolSums, 0, len(g))
	for k, s := range g {
		list = append(list, SymbolSums{k.symbol, k.coin, sumsOf(s)})
	}
	return list
}

// BySymbol adds up the records of the filter by trading pair and coin, in no order. Pairs
// of one invitee and of members are read from rows in months that the range does not hold as a
// whole, see [eachPair], and those of an invite code from the rows of all days.
func BySymbol(ctx context.Context, r *store.Tx, f records.CommissionFilter) ([]SymbolSums, error) {
	groups, err := groupBySymbol(ctx, r, f)
	return groups.Sums(), err
}

func groupBySymbol(ctx context.Context, r *store.Tx, f records.CommissionFilter) (SymbolFigures, error) {
	k := rollup.BySymbol
	if inBlocks(r, f, rollup.ByPair) || f.Members.Single() && pairsOfPeople(r, f) {
		k = rollup.ByPair
	}
	groups := SymbolFigures{}
	see := func(e *entry) error {
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
	}
	var err error
	if k == rollup.ByPair {
		err = eachPair(ctx, r, f, see)
	} else {
		err = eachEntry(ctx, r, f, k, rollup.OfYear, see)
	}
	if err != nil {
		return nil, fmt.Errorf("adding up commissions by pair: %w", err)
	}
	maps.DeleteFunc(groups, func(_ symbolCoin, s *rollup.LineFigures) bool { return s.Records == 0 }) // all of it was taken away
	return groups, nil
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
