package invitecodes

import (
	"cmp"
	"maps"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
)

// topCodes ranks the lines by commission in one coin; the rest is one line.
func topCodes(lines []CodeLine, coin affiliate.Coin) (top []CodeLine, others CodeLine) {
	ranked := slices.Clone(lines)
	sortCodes(ranked, query.Sort{Field: "commission", Descending: true}, coin)
	top = ranked[:min(figures.RankLength, len(ranked))]
	others = sumOfCodes(ranked[len(top):])
	others.Share = wholeOf(lines, coin).ShareOfRest(wholeOf(ranked[len(top):], coin))
	return top, others
}

func wholeOf(lines []CodeLine, coin affiliate.Coin) (w figures.Portions) {
	for i := range lines {
		w.Add(lines[i].In(coin).Commission)
	}
	return w
}

// shareOut sets the shares of all lines and of their total.
func shareOut(lines []CodeLine, total *CodeLine, coin affiliate.Coin) {
	whole := wholeOf(lines, coin)
	for i := range lines {
		lines[i].Share = whole.Share(lines[i].In(coin).Commission)
	}
	total.Share = whole.ShareOfRest(whole)
}

// codeOrders are the columns by which lines can be sorted.
var codeOrders = map[string]func(a, b *CodeLine, coin affiliate.Coin) int{
	"code":           func(a, b *CodeLine, _ affiliate.Coin) int { return cmp.Compare(a.Code, b.Code) },
	"account":        func(a, b *CodeLine, _ affiliate.Coin) int { return cmp.Compare(a.Account, b.Account) },
	"registered":     func(a, b *CodeLine, _ affiliate.Coin) int { return cmp.Compare(a.Registered, b.Registered) },
	"kyc":            func(a, b *CodeLine, _ affiliate.Coin) int { return cmp.Compare(a.KYC, b.KYC) },
	"deposited":      func(a, b *CodeLine, _ affiliate.Coin) int { return cmp.Compare(a.Deposited, b.Deposited) },
	"traded":         func(a, b *CodeLine, _ affiliate.Coin) int { return cmp.Compare(a.Traded, b.Traded) },
	"kyc-rate":       func(a, b *CodeLine, _ affiliate.Coin) int { return a.KYCRate().Compare(b.KYCRate()) },
	"deposit-rate":   func(a, b *CodeLine, _ affiliate.Coin) int { return a.DepositRate().Compare(b.DepositRate()) },
	"trade-rate":     func(a, b *CodeLine, _ affiliate.Coin) int { return a.TradeRate().Compare(b.TradeRate()) },
	"first-deposits": func(a, b *CodeLine, _ affiliate.Coin) int { return cmp.Compare(a.FirstDepositors, b.FirstDepositors) },
	"first-trades":   func(a, b *CodeLine, _ affiliate.Coin) int { return cmp.Compare(a.FirstTraders, b.FirstTraders) },
	"active":         func(a, b *CodeLine, _ affiliate.Coin) int { return cmp.Compare(a.Active, b.Active) },
	"commission":     func(a, b *CodeLine, coin affiliate.Coin) int { return a.In(coin).Commission.Cmp(b.In(coin).Commission) },
	"share":          func(a, b *CodeLine, coin affiliate.Coin) int { return a.In(coin).Commission.Cmp(b.In(coin).Commission) },
	"fee":            func(a, b *CodeLine, coin affiliate.Coin) int { return a.In(coin).Fee.Cmp(b.In(coin).Fee) },
	"volume":         func(a, b *CodeLine, _ affiliate.Coin) int { return a.Volume().Cmp(b.Volume()) },
	"change": func(a, b *CodeLine, coin affiliate.Coin) int {
		return a.In(coin).Commission.Sub(a.Was(coin).Commission).Cmp(b.In(coin).Commission.Sub(b.Was(coin).Commission))
	},
	"value": func(a, b *CodeLine, coin affiliate.Coin) int {
		x, xKnown := a.Value(coin)
		y, yKnown := b.Value(coin)
		return cmp.Or(cmp.Compare(bit(xKnown), bit(yKnown)), x.Cmp(y))
	},
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Sorts lists the columns by which codes can be sorted. A change is ordered by its amount.
var Sorts = slices.Sorted(maps.Keys(codeOrders))

// sortCodes orders lines by a column. Equal lines are ordered by code and account.
func sortCodes(lines []CodeLine, by query.Sort, coin affiliate.Coin) {
	compare := codeOrders[by.Field]
	slices.SortFunc(lines, func(a, b CodeLine) int {
		order := 0
		if compare != nil {
			order = compare(&a, &b, coin)
		}
		if by.Descending {
			order = -order
		}
		return cmp.Or(order, cmp.Compare(a.Code, b.Code), cmp.Compare(a.Account, b.Account))
	})
}
