package findings

import (
	"context"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/recent"
)

var _ = register(Kind{
	Finding: Rate{},
	Check:   &Check{Place: 90, Of: "changed rates", Said: "shares of fees of 30 days, 10 % off those of the 90 before", Bound: true, Segments: true, Find: findRates},
})

// Rate says that the effective rate of invitees changed.
type Rate struct {
	Coin      affiliate.Coin
	Lost, Won decimal.Decimal // from changes that bring less and from changes that bring more, so far; neither is negative
	Count     int
	Most      []recent.RateChange // the most costly, or most rewarding, first; at most five
	Worth     figures.Valuation   // of Lost and Won together
	Days      affiliate.Days      // the last thirty
}

// Severity is a warning if the change costs commission, otherwise an information.
func (f Rate) Severity() Severity {
	if f.Lost.IsPositive() {
		return SeverityWarning
	}
	return SeverityInfo
}

func (f Rate) stake(s *recent.Snapshot) stake { return stakeOf(s, f.Lost.Add(f.Won), f.Coin) }

func (f Rate) words(a About) Statement {
	w := Statement{Title: "The share of fees in " + affiliate.OneLine(string(f.Coin)) + " of " + phrase.Things(f.Count, "invitee") + " changed",
		Link: "See the records", Href: a.within("/commissions", f.Days, "coin", string(f.Coin))}
	var lost, won []any
	if !f.Won.IsZero() {
		won = append(won, money(f.Won, f.Coin))
	}
	if !f.Lost.IsZero() || f.Won.IsZero() {
		lost = append(lost, money(f.Lost, f.Coin))
	}
	w.Text = append(phrase.Say("Commission ÷ fees paid by invitees, against the 90 days before. "), a.lostWon(" so far", enumerated(lost), "; won by others: ", enumerated(won), f.Worth)...)
	for _, c := range f.Most {
		cost := phrase.Say("lost ", money(c.Cost, f.Coin))
		if c.Cost.IsNegative() {
			cost = phrase.Say("won ", money(c.Cost.Neg(), f.Coin))
		}
		w.Invitees = append(w.Invitees, InviteeNote{Name: a.Names.Beside(c.UID),
			Href: a.within("/commissions", affiliate.Days{First: c.Since, Last: a.Today}, "uid", string(c.UID), "product", string(c.Product)),
			Text: phrase.Say(c.Product.Label()+", "+phrase.Percent(c.Old.Shift(2))+" → "+phrase.Percent(c.New.Shift(2))+" since "+c.Since.Format("2 Jan")+"; ", cost)})
	}
	return w
}

// findRates compares the last days with those before them.
func findRates(ctx context.Context, s *recent.Snapshot) ([]Finding, error) {
	changes, coins, err := s.RateChanges(ctx)
	if err != nil {
		return nil, err
	}
	var found []Finding
	for _, coin := range coins {
		f := rateOf(coin, changes[coin])
		f.Worth, f.Days = s.Prices.Worth(affiliate.Amount{Value: f.Lost.Add(f.Won), Coin: coin}), s.Days
		found = append(found, f)
	}
	return found, nil
}

func rateOf(coin affiliate.Coin, changes []recent.RateChange) Rate {
	f := Rate{Coin: coin, Count: len(changes)}
	for _, c := range changes {
		if c.Cost.IsPositive() {
			f.Lost = f.Lost.Add(c.Cost)
		} else {
			f.Won = f.Won.Sub(c.Cost)
		}
	}
	slices.SortStableFunc(changes, func(a, b recent.RateChange) int { return b.Cost.Abs().Cmp(a.Cost.Abs()) })
	f.Most = changes[:min(len(changes), recent.MostNames)]
	return f
}
