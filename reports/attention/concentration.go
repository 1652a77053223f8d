package attention

import (
	"cmp"
	"context"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/store/sums"
)

// ConcentrationFinding says how much of the commission comes from a few invitees.
type ConcentrationFinding struct {
	Coin           affiliate.Coin
	Days           affiliate.Days
	Invitees       int64 // invitees with commission
	First          affiliate.UID
	FirstBrought   decimal.Decimal
	One, Five, Ten figures.Ratio // share of the top one, five and ten, in percent
	Commission     decimal.Decimal
	// Positive is what was brought by those who brought something: shares are of it. It is more
	// than the commission if others brought less than nothing.
	Positive decimal.Decimal
}

// Severity is a warning if one invitee brings more than lonePercent of the commission.
func (f ConcentrationFinding) Severity() Severity {
	if f.One.Known && f.One.Percent.GreaterThan(decimal.NewFromInt(lonePercent)) {
		return SeverityWarning
	}
	return SeverityInfo
}

// concentration is known only if all days are collected: missing records may belong
// to other invitees.
func (w *watch) concentration(context.Context) ([]Finding, error) {
	if !w.collected(affiliate.Days{First: w.Days.First, Last: min(w.Days.Last, w.today-1)}) {
		return nil, nil
	}
	parts := w.contributions()
	f := ConcentrationFinding{Coin: w.coin, Days: w.Days, Invitees: int64(len(parts))}
	first := make([]decimal.Decimal, 0, len(parts)) // cumulative share of the first, the first two and so on
	for _, p := range parts {
		f.Commission = f.Commission.Add(p.commission)
		f.Positive = f.Positive.Add(decimal.Max(p.commission, decimal.Zero))
		first = append(first, f.Positive)
	}
	if !f.Commission.IsPositive() {
		return nil, nil
	}
	whole := figures.PortionsOf(f.Positive)
	share := func(n int) figures.Ratio { return whole.Share(first[min(n, len(parts))-1]) }
	f.First, f.FirstBrought = parts[0].UID, parts[0].commission
	f.One, f.Five, f.Ten = share(1), share(5), share(10)
	return []Finding{f}, nil
}

// contribution is the commission of one invitee in the main coin.
type contribution struct {
	sums.InviteeKey
	commission decimal.Decimal
}

// contributions returns those of the last days, largest first; equal ones by name.
func (w *watch) contributions() []contribution {
	totals := map[sums.InviteeKey]decimal.Decimal{}
	for _, s := range w.brought {
		if s.Coin == w.coin {
			totals[s.InviteeKey] = totals[s.InviteeKey].Add(s.Commission.Decimal())
		}
	}
	parts := make([]contribution, 0, len(totals))
	for key, commission := range totals {
		parts = append(parts, contribution{key, commission})
	}
	slices.SortFunc(parts, func(a, b contribution) int {
		return cmp.Or(b.commission.Cmp(a.commission), cmp.Compare(a.UID, b.UID), cmp.Compare(a.Account, b.Account))
	})
	return parts
}
