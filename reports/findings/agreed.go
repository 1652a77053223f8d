package findings

import (
	"context"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/rates"
	"rebatedesk/reports/recent"
)

var _ = register(Kind{
	Finding: Agreed{},
	Check:   &Check{Place: 80, Of: "agreed rates", Find: findAgreed},
	Alert: &Alert{
		Name: "rate", Place: 90, Title: "A rate is not as agreed",
		When:     "In the last 30 days, commission was paid at another rate than your terms say. Where nothing was agreed, a rate that had been constant changed. Each finding is reported once.",
		Help:     "commission is paid otherwise than agreed, or a rate that was constant changes",
		Coin:     coinHint,
		Segments: true, Lapses: true, // a term may be corrected
		Words: func(w *Watched) string {
			return "Commission" + w.ofCoin() + " is paid otherwise than agreed, or a rate changes"
		},
		Signals: agreedSignals,
	},
	Events: []Event{{Name: "rate.changed", Place: 60, Label: "A rate is not as agreed, or changes",
		When: "Commission is paid otherwise than agreed, or a constant rate changed.", Key: "rate|", Signals: agreedSignals}},
	Headline: counted("a rate is not as agreed or as before", "rate", " are not as agreed or as before"),
})

// rateDays is how many days up to today an alert compares.
const rateDays = 30

// Agreed says that records of the last days were paid otherwise than agreed or, where
// nothing was agreed, that a rate which had been constant changed.
type Agreed struct {
	Days   affiliate.Days
	Coins  []recent.AgreedSum // those whose sums matter, by coin
	Agreed bool               // some of them are against terms
	Count  int                // of deviations in these coins
	Most   []rates.Deviation  // all of them if they are few, otherwise none; in the order of the report
	Worth  figures.Valuation  // of all that was lost and won
}

// Severity is a warning if commission was lost, otherwise an information.
func (f Agreed) Severity() Severity {
	if slices.ContainsFunc(f.Coins, func(c recent.AgreedSum) bool { return c.Lost.IsPositive() }) {
		return SeverityWarning
	}
	return SeverityInfo
}

func (f Agreed) stake(*recent.Snapshot) stake {
	group := stakeKnown
	if len(f.Worth.Coins) == 0 {
		group = stakeUnknown
	}
	return stake{group, f.Worth.Total}
}

func (f Agreed) words(a About) Statement {
	w := Statement{Title: phrase.Things(f.Count, "rate") + " changed", Link: "See the findings", Href: a.within("/rates", f.Days)}
	against := "the rates before"
	if f.Agreed {
		w.Title, against = "Paid otherwise than agreed", "the agreed rates"
	}
	var lost, won []any
	for _, c := range f.Coins {
		if c.Lost.IsPositive() {
			lost = append(lost, money(c.Lost, c.Coin))
		}
		if c.Won.IsPositive() {
			won = append(won, money(c.Won, c.Coin))
		}
	}
	w.Text = phrase.Say("In "+phrase.Period(f.Days)+", against "+against+", ", phrase.Things(f.Count, "finding")+". ")
	w.Text = append(w.Text, a.lostWon("", enumerated(lost), "; won elsewhere: ", enumerated(won), f.Worth)...)
	for _, d := range f.Most {
		due, paid := phrase.DeviationRates(d)
		var sums []any
		for _, c := range d.Costs {
			sums = append(sums, money(c.Difference.Abs(), c.Coin))
		}
		verb := "lost "
		if d.Over {
			verb = "won "
		}
		w.Invitees = append(w.Invitees, InviteeNote{Name: phrase.DeviationOf(d, a.Names), Href: w.Href + "#finding-" + d.ID,
			Text: phrase.Say(due+" → "+paid+" since "+d.Days.First.Format("2 Jan")+"; ", verb, enumerated(sums))})
	}
	return w
}

// lostWon gives what was lost and what was won, each unless there is none.
func (a About) lostWon(when string, lost []phrase.Fragment, others string, won []phrase.Fragment, worth figures.Valuation) []phrase.Fragment {
	switch {
	case len(won) == 0:
		return phrase.Say("Lost"+when+": ", lost, a.worth(worth, false), ".")
	case len(lost) == 0:
		return phrase.Say("Won"+when+": ", won, a.worth(worth, false), ".")
	}
	return phrase.Say("Lost"+when+": ", lost, others, won, a.worth(worth, true), ".")
}

// enumerated joins amounts as [phrase.Listed] joins words.
func enumerated(parts []any) []phrase.Fragment {
	var list []phrase.Fragment
	for i, part := range parts {
		switch {
		case i > 0 && i == len(parts)-1:
			list = append(list, phrase.Say(" and ")...)
		case i > 0:
			list = append(list, phrase.Say(", ")...)
		}
		list = append(list, phrase.Say(part)...)
	}
	return list
}

// findAgreed compares agreed with paid rates.
func findAgreed(ctx context.Context, s *recent.Snapshot) ([]Finding, error) {
	list, coins, err := s.Agreed(ctx)
	if err != nil || len(coins) == 0 {
		return nil, err
	}
	f := Agreed{Days: s.Days, Coins: coins, Count: len(list), Agreed: slices.ContainsFunc(list, func(d rates.Deviation) bool { return !d.Break })}
	if f.Count <= recent.MostNames {
		f.Most = list
	}
	var worth []affiliate.Amount
	for _, c := range coins {
		worth = append(worth, affiliate.Amount{Value: c.Lost.Add(c.Won), Coin: c.Coin})
	}
	f.Worth = s.Prices.Worth(worth...)
	return []Finding{f}, nil
}

// agreedSignals reports deviations, each once. Those that had ended before the alert began
// are left out.
func agreedSignals(ctx context.Context, w *Watched) (found []Signal, err error) {
	q := w.inCoin(affiliate.Days{First: w.today() - rateDays + 1, Last: w.today()})
	list, err := shared(ctx, w, "deviations", q, rates.MakeDeviations)
	page := withQuery("/rates", "from", q.Days.First.String(), "to", q.Days.Last.String(), "account", string(q.Account), "coin", string(q.Coin), "segment", q.Segment)
	for _, d := range list {
		if d.Days.Last.Range(w.Zone).To.After(w.Since.Time()) {
			found = append(found, Signal{Key: "rate|" + d.ID, Words: phrase.RateDeviation(d, w.Account != ""), Page: page + "#finding-" + d.ID, Detail: rateDetails(d)})
		}
	}
	return found, err
}

// rateDetails are a deviation as programs get it. Amounts are those of the coin with
// most records.
func rateDetails(d rates.Deviation) string {
	pairs := []string{"id", d.ID, "account", string(d.Account), "scope", string(d.Scope), "value", d.Value, "product_type", string(d.Product), "from", d.Days.First.String(), "to", d.Days.Last.String()}
	if len(d.Costs) > 0 {
		c := d.Costs[0]
		pairs = append(pairs, "coin", string(c.Coin), "due", c.Due.String(), "commission", c.Commission.String(), "difference", c.Difference.String())
	}
	return details(pairs...)
}
