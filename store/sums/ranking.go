package sums

import (
	"cmp"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/store/rollup"
)

// Ranked lists the invitees or pairs with the most commission in one coin, and the sum of
// all others. Coins are ranked separately, because their amounts cannot be compared.
type Ranked[T any] struct {
	Coin    affiliate.Coin
	Top     []T   // most commission first; equal ones by name
	Others  Sums  // of those not in Top
	OthersN int64 // number of the others
	Total   Sums  // of all
}

// Top ranks trading pairs by commission, up to n in each coin; the coin with the most records comes
// first.
func (g SymbolFigures) Top(n int) []Ranked[SymbolSums] {
	list := make([]candidate[SymbolSums], 0, len(g))
	for k, s := range g {
		list = append(list, candidate[SymbolSums]{k.coin, k.symbol, "", s,
			func() SymbolSums { return SymbolSums{k.symbol, k.coin, sumsOf(s)} }})
	}
	return rank(list, n)
}

// candidate is a possible line of a ranking. Only those in the ranking are formatted.
type candidate[T any] struct {
	coin    affiliate.Coin
	name    string
	account string // distinguishes invitees with the same UID
	sums    *rollup.LineFigures
	line    func() T
}

// rank sorts candidates within each coin.
func rank[T any](list []candidate[T], n int) []Ranked[T] {
	coins := map[affiliate.Coin][]candidate[T]{}
	for _, c := range list {
		coins[c.coin] = append(coins[c.coin], c)
	}
	rankings := make([]Ranked[T], 0, len(coins))
	for _, coin := range sortedKeys(coins) {
		rankings = append(rankings, rankCoin(coin, coins[coin], n))
	}
	slices.SortStableFunc(rankings, func(a, b Ranked[T]) int { return cmp.Compare(b.Total.Records, a.Total.Records) })
	return rankings
}

func rankCoin[T any](coin affiliate.Coin, list []candidate[T], n int) Ranked[T] {
	slices.SortFunc(list, func(a, b candidate[T]) int {
		return cmp.Or(b.sums.Commission.Cmp(&a.sums.Commission), cmp.Compare(a.name, b.name), cmp.Compare(a.account, b.account))
	})
	n = min(max(n, 0), len(list))
	ranking := Ranked[T]{Coin: coin, Top: make([]T, n), OthersN: int64(len(list) - n)}
	var total, others rollup.LineFigures
	for i, c := range list {
		total.AddSums(c.sums)
		if i < n {
			ranking.Top[i] = c.line()
		} else {
			others.AddSums(c.sums)
		}
	}
	ranking.Total, ranking.Others = sumsOf(&total), sumsOf(&others)
	return ranking
}
