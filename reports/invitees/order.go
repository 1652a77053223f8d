package invitees

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
)

// inviteeOrders are the orders by properties of an invitee. Unknown values come first in
// ascending order, last in descending order.
var inviteeOrders = map[string]func(a, b *ListLine) int{
	"registered":    func(a, b *ListLine) int { return cmp.Compare(a.RegisterTime, b.RegisterTime) },
	"uid":           func(a, b *ListLine) int { return cmp.Compare(a.UID, b.UID) },
	"account":       func(a, b *ListLine) int { return cmp.Compare(a.Account, b.Account) },
	"code":          func(a, b *ListLine) int { return cmp.Compare(a.InviteCode, b.InviteCode) },
	"kyc":           func(a, b *ListLine) int { return cmp.Compare(a.KYC, b.KYC) },
	"first-deposit": func(a, b *ListLine) int { return cmp.Compare(a.FirstDeposit, b.FirstDeposit) },
	"first-trade":   func(a, b *ListLine) int { return cmp.Compare(a.FirstTrade, b.FirstTrade) },
	"last-deposit":  func(a, b *ListLine) int { return cmp.Compare(a.LastDeposit, b.LastDeposit) },
	"last-trade":    func(a, b *ListLine) int { return cmp.Compare(a.LastTradeDay, b.LastTradeDay) },
	"silent":        func(a, b *ListLine) int { return cmp.Compare(a.silence(), b.silence()) },
	"gap":           func(a, b *ListLine) int { return cmp.Compare(a.UsualGap, b.UsualGap) },
	"state": func(a, b *ListLine) int {
		return cmp.Compare(slices.Index(States(), a.State), slices.Index(States(), b.State))
	},
}

// inviteeAmounts are the orders by amounts in one coin.
var inviteeAmounts = map[string]func(*ListLine, affiliate.Coin) decimal.Decimal{
	"commission": func(l *ListLine, coin affiliate.Coin) decimal.Decimal {
		return figures.TotalIn(l.InRange, coin).Commission
	},
	"fee":    func(l *ListLine, coin affiliate.Coin) decimal.Decimal { return figures.TotalIn(l.InRange, coin).Fee },
	"volume": func(l *ListLine, _ affiliate.Coin) decimal.Decimal { return l.Volume() },
	"lifetime": func(l *ListLine, coin affiliate.Coin) decimal.Decimal {
		return figures.TotalIn(l.Lifetime, coin).Commission
	},
	"at-risk": func(l *ListLine, coin affiliate.Coin) decimal.Decimal { return l.Risk(coin) },
	"change": func(l *ListLine, coin affiliate.Coin) decimal.Decimal {
		return figures.TotalIn(l.InRange, coin).Commission.Sub(figures.TotalIn(l.Before, coin).Commission)
	},
}

// Sorts lists the columns by which invitees can be sorted. A change is ordered by its
// amount.
var Sorts = slices.Sorted(func(yield func(string) bool) {
	for name := range maps.Keys(inviteeOrders) {
		if !yield(name) {
			return
		}
	}
	maps.Keys(inviteeAmounts)(yield)
})

// orderInvitees sorts lines; equal ones are ordered by registration, account and UID, as in
// an export.
func orderInvitees(lines []ListLine, order query.Sort, coin affiliate.Coin) error {
	compare, ok := inviteeOrders[order.Field]
	amount, counted := inviteeAmounts[order.Field]
	if !ok && !counted {
		return &query.ParamError{Param: "sort", Value: order.Field, Problem: fmt.Sprintf("is none of %v", Sorts)}
	}
	ranked := make([]rankedLine, len(lines))
	for i := range lines {
		ranked[i].line = &lines[i]
		if counted {
			ranked[i].amount = amount(&lines[i], coin)
		}
	}
	sameDigits(ranked)
	slices.SortFunc(ranked, func(a, b rankedLine) int {
		by := a.amount.Cmp(b.amount)
		if ok {
			by = compare(a.line, b.line)
		}
		if order.Descending {
			by = -by
		}
		return cmp.Or(by, cmp.Compare(a.line.RegisterTime, b.line.RegisterTime),
			cmp.Compare(a.line.Account, b.line.Account), cmp.Compare(a.line.UID, b.line.UID))
	})
	sorted := make([]ListLine, len(lines))
	for i, r := range ranked {
		sorted[i] = *r.line
	}
	copy(lines, sorted)
	return nil
}

// rankedLine replaces a line while sorting, because lines are large to move.
type rankedLine struct {
	line   *ListLine
	amount decimal.Decimal
}

// sameDigits gives all amounts the same exponent, without changing their values:
// comparing decimals with different exponents converts them each time.
func sameDigits(ranked []rankedLine) {
	var digits int32
	for _, r := range ranked {
		digits = max(digits, -r.amount.Exponent())
	}
	unit := decimal.New(0, -digits)
	for i := range ranked {
		ranked[i].amount = ranked[i].amount.Add(unit)
	}
}

// silence returns the number of days since the last trade, or -1 for an invitee that never
// traded.
func (l *ListLine) silence() int {
	if l.LastTradeDay == 0 {
		return -1
	}
	return l.SilentDays
}
