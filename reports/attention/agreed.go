package attention

import (
	"cmp"
	"context"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/rates"
	"rebatedesk/store/sums"
)

// AgreedFinding says that records of the last days were paid otherwise than agreed or, where
// nothing was agreed, that a rate which had been constant changed.
type AgreedFinding struct {
	Days   affiliate.Days
	Coins  []AgreedSum       // those whose sums matter, by coin
	Agreed bool              // some of them are against terms
	Count  int               // of deviations in these coins
	Most   []rates.Deviation // all of them if they are few, otherwise none; in the order of the report
	Worth  figures.Valuation // of all that was lost and won
}

// AgreedSum is what was lost and won in a coin against the agreed rates, or those before.
// Neither is negative.
type AgreedSum struct {
	Coin      affiliate.Coin
	Lost, Won decimal.Decimal
}

// Severity is a warning if commission was lost, otherwise an information.
func (f AgreedFinding) Severity() Severity {
	if slices.ContainsFunc(f.Coins, func(c AgreedSum) bool { return c.Lost.IsPositive() }) {
		return SeverityWarning
	}
	return SeverityInfo
}

// agreed compares agreed with paid rates, and adds up what is found by coin.
func (w *watch) agreed(ctx context.Context) ([]Finding, error) {
	list, err := rates.MakeDeviations(ctx, w.Question)
	if err != nil {
		return nil, err
	}
	w.explained = map[sums.InviteeKey]bool{}
	byCoin := map[affiliate.Coin]*AgreedSum{}
	for _, d := range list {
		for _, c := range d.Costs {
			sum := byCoin[c.Coin]
			if sum == nil {
				sum = &AgreedSum{Coin: c.Coin}
				byCoin[c.Coin] = sum
			}
			if c.Difference.IsNegative() {
				sum.Lost = sum.Lost.Sub(c.Difference)
			} else {
				sum.Won = sum.Won.Add(c.Difference)
			}
		}
	}
	f := AgreedFinding{Days: w.Days}
	var worth []affiliate.Amount
	for coin, sum := range byCoin {
		if !w.matters(sum.Lost, coin) && !w.matters(sum.Won, coin) {
			delete(byCoin, coin)
			continue
		}
		f.Coins = append(f.Coins, *sum)
		worth = append(worth, affiliate.Amount{Value: sum.Lost.Add(sum.Won), Coin: coin})
	}
	if len(f.Coins) == 0 {
		return nil, nil
	}
	slices.SortFunc(f.Coins, func(a, b AgreedSum) int { return cmp.Compare(a.Coin, b.Coin) })
	f.Worth = w.prices.Worth(worth...)
	for _, d := range list {
		if !slices.ContainsFunc(d.Costs, func(c rates.CoinCost) bool { return byCoin[c.Coin] != nil }) {
			continue
		}
		f.Count++
		f.Agreed = f.Agreed || !d.Break
		f.Most = append(f.Most, d)
		for i := range d.Lines {
			w.explained[d.Lines[i].InviteeKey] = true
		}
	}
	if f.Count > attentionNames {
		f.Most = nil
	}
	return []Finding{f}, nil
}
