package findings

import (
	"cmp"
	"context"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/recent"
	"rebatedesk/store/sums"
)

var _ = register(Kind{
	Finding: Concentration{},
	Check:   &Check{Place: 110, Of: "concentration", Said: "one invitee with more than half of the commission", Bound: true, Segments: true, Find: findConcentration},
})

// lonePercent is the share of one invitee on which the whole programme depends.
const lonePercent = 50

// Concentration says how much of the commission comes from a few invitees.
type Concentration struct {
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
func (f Concentration) Severity() Severity {
	if f.One.Known && f.One.Percent.GreaterThan(decimal.NewFromInt(lonePercent)) {
		return SeverityWarning
	}
	return SeverityInfo
}

func (Concentration) stake(*recent.Snapshot) stake { return stake{group: stakeLingering} }

func (f Concentration) words(a About) Statement {
	w := Statement{Title: "One invitee earns you " + phrase.Percent(f.One.Percent) + " of the commission", Link: "See " + string(f.First), Href: a.invitee(f.First)}
	w.Text = phrase.Say("Invitee "+a.Names.Beside(f.First)+" brought ", money(f.FirstBrought, f.Coin), " of the ", money(f.Commission, f.Coin), " of the last 30 days.")
	if taken := f.Positive.Sub(f.Commission); taken.IsPositive() {
		w.Title = "One invitee earns you " + phrase.Percent(f.One.Percent) + " of what is earned before " + money(taken, f.Coin).String() + " that was taken back"
		w.Text = phrase.Say("Invitee "+a.Names.Beside(f.First)+" brought ", money(f.FirstBrought, f.Coin), " of the ", money(f.Positive, f.Coin),
			" that invitees with a positive sum brought in the last 30 days. The others brought ", money(taken.Neg(), f.Coin), ".")
	}
	if f.Invitees > 10 {
		w.Text = append(w.Text, phrase.Say(" The top 5 of "+phrase.Count(f.Invitees)+" earn "+phrase.Percent(f.Five.Percent)+", the top 10 "+phrase.Percent(f.Ten.Percent)+".")...)
	}
	return w
}

// findConcentration finds something only if all days are collected: missing records may belong
// to other invitees.
func findConcentration(_ context.Context, s *recent.Snapshot) ([]Finding, error) {
	if !s.Collected(affiliate.Days{First: s.Days.First, Last: min(s.Days.Last, s.Today-1)}) {
		return nil, nil
	}
	parts := contributions(s)
	f := Concentration{Coin: s.Coin, Days: s.Days, Invitees: int64(len(parts))}
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
func contributions(s *recent.Snapshot) []contribution {
	totals := map[sums.InviteeKey]decimal.Decimal{}
	for _, one := range s.Brought {
		if one.Coin == s.Coin {
			totals[one.InviteeKey] = totals[one.InviteeKey].Add(one.Commission.Decimal())
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
