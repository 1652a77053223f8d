package figures

import (
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/store/sums"
)

// Ways to split commission: the values of by= on the overview and on the page of
// commissions. The first is the default.
const (
	ByProduct = "product"
	BySource  = "source"
)

// Splits lists the ways in the order they are offered.
func Splits() []string { return []string{ByProduct, BySource} }

// splitName returns the stored name of the part to which the sums belong.
func splitName(by string, d sums.DaySums) string {
	if by == BySource {
		return string(d.Source)
	}
	return string(d.Product)
}

// splitLabel returns that name for display.
func splitLabel(by, name string) string {
	if by == BySource {
		return affiliate.Source(name).Label()
	}
	return affiliate.Product(name).Label()
}

// splitOrder lists the names known in advance, in their order.
func splitOrder(by string) []string {
	var names []string
	if by == BySource {
		for _, s := range affiliate.Sources() {
			names = append(names, string(s))
		}
		return names
	}
	for _, p := range affiliate.Products() {
		names = append(names, string(p))
	}
	return names
}

// Splits returns the parts of one coin by product and by source and, if there are several
// coins, a split by coin as well.
func (ref Reference) Splits(coin affiliate.Coin, totals []sums.DaySums, cards []CoinCard, valued Valuation) []Ranking {
	splits := []Ranking{
		ref.split(RankProducts, ByProduct, coin, totals),
		ref.split(RankSources, BySource, coin, totals),
	}
	if len(cards) > 1 {
		splits = append(splits, coinSplit(cards, valued))
	}
	return splits
}

func (ref Reference) split(rank RankBy, by string, coin affiliate.Coin, list []sums.DaySums) Ranking {
	now, before := splitParts(by, coin, list), splitParts(by, coin, ref.Sums)
	return ref.Rank(rank, coin, now, before, len(now))
}

func splitParts(by string, coin affiliate.Coin, sumsList []sums.DaySums) RankSums {
	p := RankSums{}
	for _, d := range sumsList {
		if d.Coin == coin {
			p.Add(RankKey{Name: splitName(by, d)}, d.Sums)
		}
	}
	return p
}

// coinSplit ranks the coins. Their amounts have no sum. If every coin has a rate, the coins
// have shares of the converted total and are ordered by them, otherwise they keep the order
// of the cards.
func coinSplit(cards []CoinCard, valued Valuation) Ranking {
	worth := map[affiliate.Coin]decimal.Decimal{}
	if len(valued.Missing) == 0 && valued.Known() {
		for _, c := range valued.Coins {
			worth[c.Sum.Coin] = c.Value
		}
	}
	ranking := Ranking{By: RankCoins, Total: valued.Amount()}
	for _, card := range cards {
		line := RankLine{Name: string(card.Coin), Records: card.Records, Commission: card.Commission, Fee: card.Fee.Amount}
		if value, ok := worth[card.Coin]; ok {
			line.Share = valued.Whole().Share(value)
		}
		ranking.Lines = append(ranking.Lines, line)
	}
	slices.SortStableFunc(ranking.Lines, func(a, b RankLine) int { return worth[affiliate.Coin(b.Name)].Cmp(worth[affiliate.Coin(a.Name)]) })
	return ranking
}

// TrendOf returns the days of a line of a split.
func (r Ranking) TrendOf(line RankLine, days affiliate.Days, list []sums.DaySums, c *coverage.Map) Trend {
	coin, by := r.Coin, ByProduct
	switch r.By {
	case RankCoins:
		return TrendOf(days, affiliate.Coin(line.Name), list, c)
	case RankSources:
		by = BySource
	}
	trend := NewTrend(days, coin, c)
	for i := range list {
		if list[i].Coin == coin && splitName(by, list[i]) == line.Name {
			trend.Add(list[i].Day, list[i].Commission.Decimal())
		}
	}
	return trend
}
