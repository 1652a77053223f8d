package phrase

import (
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/books"
	"rebatedesk/reports/payments"
)

// PaymentFault says what is wrong with a line of the books: what was earned, what was paid,
// and when. Its account is named unless it is the only one.
func PaymentFault(l payments.PaymentLine, single bool, zone *time.Location) string {
	words := PaymentOf(l.Line) + ": "
	if account := affiliate.OneLine(string(l.Account)); !single && account != "" {
		words = account + ", " + words
	}
	earned, paid := sumOf(l.Earned, l.Coin), sumOf(l.Paid, l.Coin)
	due := "due on " + Clock(l.Due.Time(), zone)
	arrived := Clock(l.LastPaid().Time(), zone)
	switch l.State {
	case books.Missing:
		words += earned.String() + " earned and not paid, " + due
	case books.Short:
		if GrownOnly(l.Line) {
			return words + paid.String() + " paid, all that was earned then; the exchange raised it to " + earned.String() + " later, and the " + sumOf(l.Unpaid(), l.Coin).String() + " between are not paid, " + due
		}
		words += paid.String() + " paid of " + earned.String() + " earned, " + sumOf(l.Unpaid(), l.Coin).String() + " are short, " + due
	case books.Late:
		words += paid.String() + " paid " + lateness(l.LastPaid().Time().Sub(l.Due.Time())) + " late, on " + arrived
	case books.Twice:
		words += earned.String() + " earned and paid twice, the last time on " + arrived
	case books.Over:
		words += paid.String() + " paid for " + earned.String() + " earned, the last time on " + arrived
	case books.Unexplained:
		words += paid.String() + " paid on " + arrived + ", for no period"
	default:
		words += earned.String() + " earned, " + paid.String() + " paid"
	}
	if restated := PaymentRestated(l.Line); restated != "" {
		words += ". " + restated
	}
	return words
}

// PaymentOf names the period, the coin and the kind of a line: "5–11 Oct 2026 (UTC), USDT of
// sub-agents".
func PaymentOf(l books.Line) string {
	words := PaymentPeriod(l.From, l.To) + " (UTC), " + affiliate.OneLine(string(l.Coin))
	switch l.Kind {
	case books.Direct:
		return words + " of direct invitees"
	case books.Sub:
		return words + " of sub-agents"
	}
	return words
}

// PaymentRestated says how the exchange changed a commission after it had paid it, or nothing.
func PaymentRestated(l books.Line) string {
	by := sumOf(l.Restated(), l.Coin)
	switch {
	case by.Value.IsZero():
		return ""
	case by.Value.IsPositive():
		return "The exchange raised what was earned by " + by.String() + " after it had paid"
	}
	by.Value = by.Value.Neg()
	return "The exchange lowered what it had paid by " + by.String()
}

// GrownOnly reports whether a line is short only since the exchange raised what was earned after it
// had paid all of it.
func GrownOnly(l books.Line) bool {
	grown, unpaid := l.Grown(), l.Unpaid()
	return l.State == books.Short && grown.Cmp(&unpaid) == 0
}

// TooMuch says what was paid beyond what was due, in a clause: "194.57 USDT was paid twice, too much
// or for no period". It stands wherever is said what is missing in the same scope. It is empty if
// nothing was.
func TooMuch(amounts []affiliate.Amount) string {
	var more, back []string
	for _, a := range amounts {
		if a.Value.IsNegative() {
			a.Value = a.Value.Neg()
			back = append(back, a.String())
		} else if a.Value.IsPositive() {
			more = append(more, a.String())
		}
	}
	var parts []string
	if len(more) > 0 {
		parts = append(parts, Listed(more)+" was paid twice, too much or for no period")
	}
	if len(back) > 0 {
		parts = append(parts, Listed(back)+" was taken back for no period")
	}
	return strings.Join(parts, ", ")
}

// Grown says in a clause what part of the sums that are not paid the exchange added after it had
// paid. It is empty if there is none.
func Grown(amounts []affiliate.Amount) string {
	var list []string
	for _, a := range amounts {
		list = append(list, a.String())
	}
	if len(list) == 0 {
		return ""
	}
	return Listed(list) + " of it was added by the exchange after it had paid"
}

func sumOf(sum affiliate.Sum, coin affiliate.Coin) affiliate.Amount {
	return money(sum.Decimal(), coin)
}

// lateness prints how late something came, in hours if these are many.
func lateness(d time.Duration) string {
	if d >= 3*time.Hour {
		d = d.Round(time.Hour)
	}
	return LongSpan(max(d, time.Minute))
}

// PaymentState names in a few words what is wrong with a line.
func PaymentState(l books.Line) string {
	switch l.State {
	case books.Missing:
		return "not paid"
	case books.Short:
		if GrownOnly(l) {
			return "raised after it was paid"
		}
		return "paid too little"
	case books.Late:
		return "paid late"
	case books.Twice:
		return "paid twice"
	case books.Over:
		return "paid too much"
	case books.Unexplained:
		return "for no period"
	case books.Pending:
		return "not due yet"
	}
	return "paid"
}

// PaymentsLack says why what was paid is not known, or not whole; empty if it is.
func PaymentsLack(s payments.Overview) string {
	var parts []string
	for _, account := range s.Unread() {
		of := ""
		if !s.Single() {
			of = " of " + affiliate.OneLine(string(account))
		}
		parts = append(parts, "the key"+of+" may not read all bills. "+RefusedHint)
	}
	switch {
	case len(parts) > 0:
	case !s.Paid.Begun:
		parts = append(parts, "no bills of these days are collected yet, so it is not known what was paid.")
	case !s.Paid.Complete():
		parts = append(parts, "the bills of these days are not collected completely.")
	case !s.Known():
		parts = append(parts, "no bill looks like a payment of commission, so it is not known what was paid.")
	case !s.Ruled():
		parts = append(parts, "no payout rule is known, so it cannot be said which periods lack something.")
	}
	return strings.Join(parts, " ")
}
