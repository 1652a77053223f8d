package earnings

import (
	"net/url"
	"slices"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/web/templates/ui"
)

// PaymentsView says what was paid and what is outstanding.
type PaymentsView struct {
	Report payments.Overview
	Links  ui.Links
}

// paymentsAddress returns the address of a page about payments with the range and the filters
// of the overview.
func paymentsAddress(path string, q query.Query) string {
	values := url.Values{}
	for name, value := range q.Values() {
		if slices.Contains(payments.AcceptedOfOverview.Taken, name) {
			values[name] = value
		}
	}
	if query := values.Encode(); query != "" {
		return path + "?" + query
	}
	return path
}

// owedWords says what the exchange owes on balance; empty if that is what is not paid, or nothing.
func (v PaymentsView) owedWords() string {
	owed, unpaid := v.Report.OwedAmounts(), v.outstanding()
	same := len(owed) == len(unpaid) && !slices.ContainsFunc(owed, func(a affiliate.Amount) bool {
		return !slices.ContainsFunc(unpaid, func(b affiliate.Amount) bool { return a.Coin == b.Coin && a.Value.Equal(b.Value) })
	})
	switch worth := v.Report.OwedWorth; {
	case len(owed) == 0 || same:
		return ""
	case len(owed) == 1:
		return "On balance: " + owed[0].String()
	case worth.Known() && len(worth.Missing) == 0:
		return "On balance: ≈" + phrase.Space + worth.Amount().String()
	}
	return "On balance, in " + phrase.Things(len(owed), "coin")
}

// onBalance is the query of the page Balance: of all time.
func (v PaymentsView) onBalance() query.Query {
	q := v.Links.Query
	q.Range = query.AllTime
	return q
}

// paid returns what was paid for the periods of the range.
func (v PaymentsView) paid() []affiliate.Amount {
	return payments.Amounts(v.Report.InRange, func(b *payments.CoinBalance) affiliate.Sum { return b.Paid })
}

// outstanding returns what is due and was not paid; of accounts without a rule that is not
// known.
func (v PaymentsView) outstanding() []affiliate.Amount {
	return payments.Amounts(v.Report.AllTime, payments.NotPaid)
}

// inRange returns what is due and was not paid of the periods of the range.
func (v PaymentsView) inRange() []affiliate.Amount { return v.Report.Overdue }

// tooMuch returns what was paid twice, too much or for no period, of all time.
func (v PaymentsView) tooMuch() []affiliate.Amount {
	return payments.Amounts(v.Report.AllTime, payments.Excess)
}

// moreEver reports whether all time has other amounts than the range.
func (v PaymentsView) moreEver() bool {
	same := func(a, b affiliate.Amount) bool { return a.Coin == b.Coin && a.Value.Equal(b.Value) }
	order := func(list []affiliate.Amount) []affiliate.Amount {
		return slices.SortedFunc(slices.Values(list), func(a, b affiliate.Amount) int { return strings.Compare(string(a.Coin), string(b.Coin)) })
	}
	return !slices.EqualFunc(order(v.inRange()), order(v.outstanding()), same) || !slices.EqualFunc(order(v.Report.TooMuch), order(v.tooMuch()), same)
}

// behind returns by how much more was earned than paid, of all time.
func (v PaymentsView) behind() []affiliate.Amount {
	return payments.Amounts(v.Report.AllTime, func(b *payments.CoinBalance) affiliate.Sum { return b.Difference.Negated() })
}

// oldest returns the line that has been open longest, or nil.
func (v PaymentsView) oldest() (oldest *payments.PaymentLine) {
	for i := range v.Report.AllTime {
		if line := v.Report.AllTime[i].Oldest; line != nil && (oldest == nil || line.Due < oldest.Due) {
			oldest = line
		}
	}
	return oldest
}

// open counts the open lines.
func (v PaymentsView) open() (n int) {
	for i := range v.Report.AllTime {
		n += v.Report.AllTime[i].Open
	}
	return n
}

// lack says what is not known.
func (v PaymentsView) lack() string {
	words := phrase.Capital(phrase.PaymentsLack(v.Report))
	if partly := v.Report.Ruled() && slices.ContainsFunc(v.Report.Rules, func(r payments.RuleInUse) bool { return !r.Known }); partly {
		words = strings.TrimSpace(words + " Of some accounts or days no payout rule is known: they are not part of what is outstanding.")
	}
	return words
}
