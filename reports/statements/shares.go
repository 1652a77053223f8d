package statements

import (
	"cmp"
	"context"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/snapshot"
	stored "rebatedesk/store/statements"
	"rebatedesk/terms"
)

// MonthShares is a month with what is owed to each sub-affiliate, paid and left.
type MonthShares struct {
	MonthReport
	Shares []Share // by UID
}

// Share is what is owed to a sub-affiliate for a month: by the statement in force, otherwise by the figures and
// terms of the requested state.
type Share struct {
	UID    affiliate.UID
	Name   string                  // of the payee; empty: none is kept
	Issued *stored.IssuedStatement // the statement in force; nil: none was issued
	Lines  []ShareLine             // that are owed
	Paid   []affiliate.Amount      // of the newest statement that is noted as paid, by coin
	Agreed bool                    // a share is agreed for some of the month, or was when the statement was issued
	Lacks  []string                // what the draft lacks
}

// ShareLine is what is owed for a day.
type ShareLine struct {
	Day  affiliate.Day  // UTC
	Coin affiliate.Coin // in which it is settled by the terms; empty: none is agreed
	Due  decimal.Decimal
}

// Due adds up the lines by coin; the amount without a coin, if any, comes last.
func (s *Share) Due() []affiliate.Amount { return dueOf(s.Lines) }

// Left is what is owed and not paid, by coin. It is negative where too much was paid.
func (s *Share) Left() []affiliate.Amount {
	left := slices.Clone(s.Due())
	for _, paid := range s.Paid {
		left = append(left, affiliate.Amount{Value: paid.Value.Neg(), Coin: paid.Coin})
	}
	return AddUp(left)
}

func dueOf(lines []ShareLine) []affiliate.Amount {
	list := make([]affiliate.Amount, len(lines))
	for i, line := range lines {
		list[i] = affiliate.Amount{Value: line.Due, Coin: line.Coin}
	}
	return AddUp(list)
}

// AddUp adds up amounts by coin; the one without a coin comes last.
func AddUp(list []affiliate.Amount) (sums []affiliate.Amount) {
	for _, a := range list {
		at := slices.IndexFunc(sums, func(s affiliate.Amount) bool { return s.Coin == a.Coin })
		if at < 0 {
			sums = append(sums, a)
		} else {
			sums[at].Value = sums[at].Value.Add(a.Value)
		}
	}
	slices.SortFunc(sums, func(a, b affiliate.Amount) int {
		if (a.Coin == "") != (b.Coin == "") {
			return -cmp.Compare(a.Coin, "") // the one without a coin is the last
		}
		return cmp.Or(figures.CompareCoins(a.Coin, b.Coin), cmp.Compare(a.Coin, b.Coin))
	})
	return sums
}

// Total adds up what is owed to all, what of it is paid, and what is left, by coin.
func (m MonthShares) Total() (due, paid, left []affiliate.Amount) {
	for i := range m.Shares {
		s := &m.Shares[i]
		due, paid, left = append(due, s.Due()...), append(paid, s.Paid...), append(left, s.Left()...)
	}
	return AddUp(due), AddUp(paid), AddUp(left)
}

// ShareOf returns the share of a sub-affiliate; nil if there is none.
func (m MonthShares) ShareOf(uid affiliate.UID) *Share {
	for i := range m.Shares {
		if m.Shares[i].UID == uid {
			return &m.Shares[i]
		}
	}
	return nil
}

// MakeShares makes what is owed to each sub-affiliate for the month in which the query begins.
func MakeShares(ctx context.Context, q *snapshot.Snapshot) (MonthShares, error) {
	m, err := MakeMonth(ctx, q)
	if err != nil {
		return MonthShares{}, err
	}
	issued, err := stored.InMonths(ctx, q.Tx, m.Days.First, m.Days.First, q.AsOfMillis())
	if err != nil {
		return MonthShares{}, err
	}
	return m.With(issued), nil
}

// With joins the drafts with the statements of the month among some statements, the oldest first.
func (m MonthReport) With(issued []stored.IssuedContent) MonthShares {
	of := map[affiliate.UID]*Share{}
	for _, d := range m.Drafts {
		of[d.UID] = &Share{UID: d.UID, Name: d.Payee.Name, Lines: m.linesOf(d.Content), Agreed: len(d.Terms) > 0, Lacks: d.Lacks}
	}
	for i := range issued { // oldest first, so that what is newer counts
		one := &issued[i]
		if one.Month != m.Days.First {
			continue
		}
		s := of[one.UID]
		if s == nil {
			s = &Share{UID: one.UID}
			of[one.UID] = s
		}
		lines := m.linesOf(one.Content)
		if one.CorrectedBy == "" {
			s.Issued, s.Lines, s.Agreed, s.Lacks = &one.IssuedStatement, lines, true, nil
			s.Name = cmp.Or(s.Name, one.Name)
		}
		if one.Payment.Noted.Known() {
			s.Paid = dueOf(lines)
		}
	}
	all := MonthShares{MonthReport: m}
	for _, s := range of {
		all.Shares = append(all.Shares, *s)
	}
	slices.SortFunc(all.Shares, func(a, b Share) int { return cmp.Compare(a.UID, b.UID) })
	return all
}

// linesOf returns what a content says is owed. A line whose term had no coin is settled in that of the term that
// applies to it as of now, if any.
func (m MonthReport) linesOf(c stored.Content) (lines []ShareLine) {
	measure := func(asked terms.TierMonth) affiliate.Number {
		if asked.By != terms.TierByVolume {
			return ""
		}
		var sum affiliate.Sum
		for _, l := range c.Lines {
			if (asked.Account == "" || asked.Account == l.Account) && (asked.Product == "" || asked.Product == l.Product) {
				sum.Add(l.Volume)
			}
		}
		return affiliate.Number(sum.String())
	}
	for _, l := range c.Lines {
		day, err := affiliate.ParseDay(l.Day)
		if err != nil || !l.Due.Known() {
			continue // not owed: no share is agreed, or the fee is not known
		}
		coin := c.CoinOf(l)
		if coin == "" {
			if term, ok := m.book.Share(l.Account, c.UID, l.Product, day, measure); ok {
				coin = term.Coin
			}
		}
		lines = append(lines, ShareLine{Day: day, Coin: coin, Due: l.Due.Decimal()})
	}
	return lines
}
