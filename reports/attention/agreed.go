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
	Coin      affiliate.Coin
	Days      affiliate.Days
	Lost, Won decimal.Decimal // against the agreed rates, or those before; neither is negative
	Agreed    bool            // some of them are against terms
	Count     int
	Most      []rates.RateDeviation // the most costly, or most rewarding, first; at most five
	Worth     figures.Valuation     // of Lost and Won together
}

// Severity is a warning if commission was lost, otherwise an information.
func (f AgreedFinding) Severity() Severity {
	if f.Lost.IsPositive() {
		return SeverityWarning
	}
	return SeverityInfo
}

// CostIn returns what a deviation cost, as a negative amount, or brought in a coin.
func CostIn(d rates.RateDeviation, coin affiliate.Coin) decimal.Decimal {
	for _, c := range d.Costs {
		if c.Coin == coin {
			return c.Difference
		}
	}
	return decimal.Zero
}

// agreed compares agreed with paid rates, and adds up what is found by coin.
func (w *watch) agreed(ctx context.Context) ([]Finding, error) {
	list, err := rates.MakeDeviations(ctx, w.Question)
	if err != nil {
		return nil, err
	}
	byCoin := map[affiliate.Coin]*AgreedFinding{}
	for _, d := range list {
		for _, c := range d.Costs {
			f := byCoin[c.Coin]
			if f == nil {
				f = &AgreedFinding{Coin: c.Coin, Days: w.Days}
				byCoin[c.Coin] = f
			}
			f.Count++
			f.Agreed = f.Agreed || !d.Break
			f.Most = append(f.Most, d)
			if c.Difference.IsNegative() {
				f.Lost = f.Lost.Sub(c.Difference)
			} else {
				f.Won = f.Won.Add(c.Difference)
			}
		}
	}
	w.explained = map[sums.InviteeKey]bool{}
	var found []Finding
	for coin, f := range byCoin {
		if !w.matters(f.Lost, coin) && !w.matters(f.Won, coin) {
			continue
		}
		for _, d := range f.Most {
			for i := range d.Lines {
				w.explained[d.Lines[i].InviteeKey] = true
			}
		}
		slices.SortStableFunc(f.Most, func(a, b rates.RateDeviation) int {
			return CostIn(b, coin).Abs().Cmp(CostIn(a, coin).Abs())
		})
		f.Most = f.Most[:min(len(f.Most), attentionNames)]
		f.Worth = w.prices.Worth(affiliate.Amount{Value: f.Lost.Add(f.Won), Coin: coin})
		found = append(found, *f)
	}
	slices.SortFunc(found, func(a, b Finding) int {
		return cmp.Compare(a.(AgreedFinding).Coin, b.(AgreedFinding).Coin)
	})
	return found, nil
}
