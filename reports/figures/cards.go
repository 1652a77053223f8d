package figures

import "rebatedesk/affiliate"

// CoinCard holds the figures of one coin.
type CoinCard struct {
	Coin    affiliate.Coin
	Records int64
	affiliate.Summed[Figure]
	Rate       Ratio // commission as a share of the net fees; not known without fees
	RateChange PointChange
}

// Of is the figure of one of [affiliate.BesideCommission].
func (c *CoinCard) Of(m affiliate.Metric) Figure { return *c.All()[m.Places()[0]] }

// CoinCards compares the totals of each coin with its reference.
func CoinCards(totals []Totals, ref Reference) []CoinCard {
	cards := make([]CoinCard, 0, len(totals))
	for _, t := range totals {
		card := CoinCard{Coin: t.Coin, Records: t.Records, Rate: QuotientOf(t.Commission, t.Fee), RateChange: ref.sharePoints(t)}
		before := ref.Totals[t.Coin]
		now, was := t.All(), before.All()
		for i, figure := range card.All() {
			*figure = ref.beside(t.Coin, *now[i], *was[i])
		}
		cards = append(cards, card)
	}
	return cards
}
