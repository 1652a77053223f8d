package phrase

import (
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/people"
	"rebatedesk/reports/rates"
	"rebatedesk/terms"
)

// RatesAnswer says in a sentence how much was paid otherwise than agreed or, where nothing was
// agreed, what changed rates cost.
func RatesAnswer(r rates.Report) string {
	in := " in " + Range(r.Query)
	var parts []string
	for _, of := range []struct {
		over, found bool
		verb, what  string
	}{
		{false, false, "underpaid by ", " against the agreed rates"}, {true, false, "overpaid by ", " against the agreed rates"},
		{false, true, "", " lost to rates that changed"}, {true, true, "", " won by rates that changed"},
	} {
		if sums, n := deviationSums(r.Deviations, of.over, of.found); n > 0 {
			parts = append(parts, of.verb+sums+of.what+" ("+Things(n, "finding")+")")
		}
	}
	agents := ofSubAgents(r.Balances)
	switch {
	case len(parts) > 0:
		return Capital(strings.Join(parts, "; ")) + in + "." + agents
	case r.Judged > 0 && r.Coverage.Complete():
		return "Paid as agreed" + in + "." + agents
	case r.Judged > 0:
		return "Of what is collected, everything was paid as agreed" + in + "." + agents
	}
	return "No rate changed" + in + "." + agents
}

// ofSubAgents says in a sentence what was paid otherwise for clients of sub-agents, which is in no
// finding; empty: nothing was.
func ofSubAgents(balances []rates.Balance) string {
	var less, more []string
	for _, b := range balances {
		for _, c := range b.Causes {
			words := affiliate.Amount{Value: c.Difference.Abs(), Coin: b.Coin}.String()
			switch {
			case c.Cause != rates.OfSubAgent:
			case c.Difference.IsNegative():
				less = append(less, words)
			case c.Difference.IsPositive():
				more = append(more, words)
			}
		}
	}
	var parts []string
	if len(less) > 0 {
		parts = append(parts, Listed(less)+" less")
	}
	if len(more) > 0 {
		parts = append(parts, Listed(more)+" more")
	}
	if len(parts) == 0 {
		return ""
	}
	return " For clients of sub-agents " + strings.Join(parts, " and ") + " was paid, which is in no finding: no term says that it holds for them."
}

// DueRate names the rates that records are compared with, and the commission at these rates.
func DueRate(r rates.Report) (rate, commission string) {
	found := slices.ContainsFunc(r.Deviations, func(d rates.Deviation) bool { return d.Break })
	switch {
	case r.Judged == 0:
		return "Before", "At the rate before"
	case found:
		return "Agreed or before", "Commission due"
	}
	return "Agreed", "Agreed commission"
}

// deviationSums adds up what findings of one kind cost or brought, by coin.
func deviationSums(list []rates.Deviation, over, found bool) (words string, n int) {
	var coins []affiliate.Amount
	for _, d := range list {
		if d.Over != over || d.Break != found {
			continue
		}
		n++
		for _, c := range d.Costs {
			known := false
			for i := range coins {
				if coins[i].Coin == c.Coin {
					coins[i].Value, known = coins[i].Value.Add(c.Difference), true
				}
			}
			if !known {
				coins = append(coins, affiliate.Amount{Value: c.Difference, Coin: c.Coin})
			}
		}
	}
	var sums []string
	for _, a := range coins {
		a.Value = a.Value.Abs()
		sums = append(sums, a.String())
	}
	return Listed(sums), n
}

// DeviationOf names whom a finding concerns. With a book of names, an invitee has its name
// beside the UID.
func DeviationOf(d rates.Deviation, names *people.NameBook) string {
	what := "the whole programme"
	switch d.Scope {
	case terms.ScopeUID:
		what = "invitee " + names.Beside(affiliate.UID(d.Value))
	case terms.ScopeCode:
		what = "invite code " + affiliate.OneLine(d.Value)
	default:
		if d.Product != "" {
			return "All " + d.Product.Label()
		}
	}
	if d.Product != "" {
		what += ", " + d.Product.Label()
	}
	return Capital(what)
}

// DeviationRates returns the agreed and the paid rates of a finding, from the lowest to the highest.
func DeviationRates(d rates.Deviation) (agreed, paid string) {
	var due, got []decimal.Decimal
	for i := range d.Lines {
		l := &d.Lines[i]
		due = append(due, l.Agreed)
		if l.Paid.Known() {
			got = append(got, l.Paid.Decimal())
		}
	}
	return rateSpan(due), rateSpan(got)
}

func rateSpan(list []decimal.Decimal) string {
	if len(list) == 0 {
		return Dash
	}
	low, high := list[0], list[0]
	for _, d := range list {
		low, high = decimal.Min(low, d), decimal.Max(high, d)
	}
	if low.Equal(high) {
		return fractionOf(low)
	}
	return fractionOf(low) + " to " + fractionOf(high)
}

// DeviationCost says what a finding cost or brought.
func DeviationCost(d rates.Deviation) string {
	var sums []string
	for _, c := range d.Costs {
		sums = append(sums, affiliate.Amount{Value: c.Difference.Abs(), Coin: c.Coin}.String())
	}
	verb := "cost "
	if d.Over {
		verb = "brought "
	}
	return verb + Listed(sums)
}

// RateDeviation says in a sentence what a finding is about. It names no person.
func RateDeviation(d rates.Deviation, single bool) string {
	agreed, paid := DeviationRates(d)
	who := DeviationOf(d, nil)
	if !single {
		who += " of " + affiliate.OneLine(string(d.Account))
	}
	if d.Break {
		return who + ": the rate changed from " + agreed + " to " + paid + " on " + d.Days.First.Format(dayForm) + "; it " + DeviationCost(d) + " since"
	}
	return who + ": agreed " + agreed + ", paid " + paid + ", " + Period(d.Days) + "; it " + DeviationCost(d)
}

// Words for the rate that records are compared with.
const (
	DueAgreed = "agreed rate"
	DueBefore = "rate before the change"
	DueEither = "agreed rate or, without one, rate before the change"
)

// DueRateWords returns the words for the rate that records are compared with.
func DueRateWords(r rates.Report) string {
	switch rate, _ := DueRate(r); rate {
	case "Before":
		return DueBefore
	case "Agreed":
		return DueAgreed
	}
	return DueEither
}

// RateCause names why records were or were not paid as agreed, and explains it.
// due names the rate that the records are compared with.
func RateCause(c rates.Cause, due string) (name, meaning string) {
	switch c {
	case rates.Underpaid:
		return "Underpaid", "less than fee × " + due + "; in the findings"
	case rates.Overpaid:
		return "Overpaid", "more than fee × " + due + "; in the findings"
	case rates.Rounded:
		return "Rounding", "less than one unit of the last digit that the exchange gives, for each record"
	case rates.NoCommission:
		return "Fee without commission", "an upline has the same rate, so nothing was passed on"
	case rates.OfSubAgent:
		return "Clients of sub-agents", "paid otherwise, but the term does not say for which source it holds"
	case rates.TakenBack:
		return "Negative records", "a fee or a commission was taken back"
	case rates.NothingDue:
		return "Commission without a fee", "nothing was due"
	case rates.AmountUnknown:
		return "Amount unknown", "the exchange gave no fee or no commission, so nobody can say what was due"
	}
	name = "As agreed"
	if due == DueBefore {
		name = "As before"
	}
	return name, "exactly fee × " + due + "; vouchers and pairs without a fee are among them, as nothing was due"
}
