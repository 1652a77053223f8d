package attention

import (
	"cmp"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// stake is the money a finding concerns.
type stake struct {
	group  int
	amount affiliate.Amount
	worth  decimal.Decimal // in ValuedIn
}

// Groups of findings of one severity, in order.
const (
	stakeNone      = iota // a problem of the figures themselves, such as missing days
	stakeKnown            // money of known worth
	stakeUnknown          // money in a coin of unknown worth
	stakeLingering        // a condition that lasts for months and would hide new findings
)

// order sorts findings by severity, then by worth over all coins. The first of several
// findings of silence gets the amount at risk in all coins.
func (w *watch) order(findings []Finding) {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		one, other := w.stakeOf(a), w.stakeOf(b)
		return cmp.Or(cmp.Compare(b.Severity(), a.Severity()), cmp.Compare(one.group, other.group), other.worth.Cmp(one.worth))
	})
	var first, count int
	var atRisk []affiliate.Amount
	for i, f := range findings {
		if f, ok := f.(SilentFinding); ok {
			if count++; count == 1 {
				first = i
			}
			atRisk = append(atRisk, affiliate.Amount{Value: f.AtRisk, Coin: f.Coin})
		}
	}
	if count > 1 {
		f := findings[first].(SilentFinding)
		f.Together = w.prices.Worth(atRisk...)
		findings[first] = f
	}
}

func (w *watch) stakeOf(f Finding) stake {
	var s stake
	switch f := f.(type) {
	case DropFinding:
		s.amount = affiliate.Amount{Value: f.Usual.Sub(f.Now), Coin: f.Coin}
	case SilentFinding:
		s.amount = affiliate.Amount{Value: f.AtRisk, Coin: f.Coin}
	case AgreedFinding:
		s.group, s.worth = stakeKnown, f.Worth.Total
		if len(f.Worth.Coins) == 0 {
			s.group = stakeUnknown
		}
		return s
	case RateFinding:
		s.amount = affiliate.Amount{Value: f.Lost.Add(f.Won), Coin: f.Coin}
	case RestatedFinding:
		s.amount = affiliate.Amount{Value: f.Gross(), Coin: f.Coin}
	case PaymentFinding:
		s.amount = affiliate.Amount{Value: f.Sum, Coin: f.Coin}
	case ConcentrationFinding:
		s.group = stakeLingering
		return s
	default:
		return s
	}
	price, known := w.prices[s.amount.Coin]
	s.group, s.worth = stakeKnown, s.amount.Value.Mul(price.Decimal)
	if !known {
		s.group = stakeUnknown
	}
	return s
}
