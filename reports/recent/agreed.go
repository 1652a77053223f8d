package recent

import (
	"cmp"
	"context"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/rates"
	"rebatedesk/store/sums"
)

// AgreedSum is what was lost and won in a coin against the agreed rates, or those before.
// Neither is negative.
type AgreedSum struct {
	Coin      affiliate.Coin
	Lost, Won decimal.Decimal
}

// Agreed compares agreed with paid rates. It returns the deviations in coins of which the sums matter,
// and these sums, by coin. [Snapshot.RateChanges] then leaves out the invitees whose rates deviate.
func (w *Snapshot) Agreed(ctx context.Context) (deviations []rates.Deviation, coins []AgreedSum, err error) {
	list, err := rates.MakeDeviations(ctx, w.Snapshot)
	if err != nil {
		return nil, nil, err
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
	for coin, sum := range byCoin {
		if !w.Matters(sum.Lost, coin) && !w.Matters(sum.Won, coin) {
			delete(byCoin, coin)
			continue
		}
		coins = append(coins, *sum)
	}
	slices.SortFunc(coins, func(a, b AgreedSum) int { return cmp.Compare(a.Coin, b.Coin) })
	for _, d := range list {
		if !slices.ContainsFunc(d.Costs, func(c rates.CoinCost) bool { return byCoin[c.Coin] != nil }) {
			continue
		}
		deviations = append(deviations, d)
		for i := range d.Lines {
			w.explained[d.Lines[i].InviteeKey] = true
		}
	}
	return deviations, coins, nil
}
