package figures

import (
	"cmp"

	"rebatedesk/affiliate"
)

// CompareCoins is the order of the coins of a list that is sorted by an amount: amounts of several coins
// cannot be compared, so it is sorted within each coin. The coin into which sums are converted comes
// first, then other stablecoins, then the rest by name.
func CompareCoins(a, b affiliate.Coin) int {
	return cmp.Or(cmp.Compare(coinRank(a), coinRank(b)), cmp.Compare(a, b))
}

func coinRank(coin affiliate.Coin) int {
	switch {
	case coin == ValuedIn:
		return 0
	case coin.Stable():
		return 1
	}
	return 2
}
