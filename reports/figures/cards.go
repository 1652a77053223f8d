package figures

import (
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// CoinCard holds the figures of one coin.
type CoinCard struct {
	Coin       affiliate.Coin
	Records    int64
	Commission Figure
	Fee        Figure
	Rate       Ratio // commission as a share of the net fees; not known without fees
	RateChange PointChange
}

// CoinCards compares the totals of each coin with its reference.
func CoinCards(totals []Totals, ref Reference) []CoinCard {
	cards := make([]CoinCard, 0, len(totals))
	for _, t := range totals {
		cards = append(cards, CoinCard{
			Coin: t.Coin, Records: t.Records,
			Commission: ref.figure(t.Coin, t.Commission, func(t Totals) decimal.Decimal { return t.Commission }),
			Fee:        ref.figure(t.Coin, t.Fee, func(t Totals) decimal.Decimal { return t.Fee }),
			Rate:       QuotientOf(t.Commission, t.Fee),
			RateChange: ref.sharePoints(t),
		})
	}
	return cards
}
