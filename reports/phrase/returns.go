package phrase

import (
	"fmt"
	"strings"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/returns"
	"rebatedesk/store/costs"
)

// ReturnsAnswer says what the costs of a report brought back: "What was spent came back 3.2 ×: …; 2
// of 9 have not paid back yet."
func ReturnsAnswer(r returns.Report) string {
	if only := r.Only(); only != nil {
		return oneReturn(only)
	}
	var open, unknown, free, behind int
	for _, row := range r.Rows {
		switch {
		case !row.Life.Known:
			unknown++
		case row.Life.Cost.IsZero():
			free++
		case row.Life.PaidBack == 0:
			open++
		case row.Life.Missing.IsPositive():
			behind++
		}
	}
	of := len(r.Rows) - unknown - free
	var words []string
	switch t := r.Total; {
	case t == nil:
	case t.Cost.IsZero():
		words = append(words, fmt.Sprintf("no cost fell due %s: %s of commission came%s%s", within(t), commissionOf(t), converted(t), lived(t)))
	default:
		words = append(words, fmt.Sprintf("What was spent came back %s: %s of commission for %s%s%s", multiple(t), commissionOf(t), costOf(t), converted(t), lived(t)))
	}
	switch {
	case of == 0:
		words = append(words, "nothing can be said about the return of any cost yet")
	case open == 0 && of == 1:
		words = append(words, "the one whose return is known has paid back")
	case open == 0:
		words = append(words, fmt.Sprintf("all %d have paid back", of))
	case open == 1:
		words = append(words, fmt.Sprintf("1 of %d has not paid back yet", of))
	default:
		words = append(words, fmt.Sprintf("%d of %d have not paid back yet", open, of))
	}
	if behind > 0 {
		words = append(words, Count(behind)+" had paid back, and later costs are not")
	}
	if free > 0 {
		words = append(words, fmt.Sprintf("no cost of %d has fallen due", free))
	}
	if unknown > 0 && of > 0 {
		words = append(words, fmt.Sprintf("of %d more nothing can be said", unknown))
	}
	return Sentence(strings.Join(words, "; "))
}

// oneReturn says what the costs of one row brought back.
func oneReturn(r *returns.Row) string {
	name := CostTarget(r.Scope, r.Value)
	if !r.Known() {
		return Sentence(fmt.Sprintf("nothing can be said about the return of %s: %s", name, r.Why))
	}
	if r.Cost.IsZero() {
		return Sentence(fmt.Sprintf("no cost of %s fell due %s; %s of commission came%s%s; %s", name, within(r), commissionOf(r), converted(r), lived(r), PaidBack(r)))
	}
	words := fmt.Sprintf("%s returned %s what it cost: %s of commission for %s%s", name, multiple(r), commissionOf(r), costOf(r), converted(r))
	if r.Scope == returns.CostOfPeople {
		words = fmt.Sprintf("%s returned %s what they cost: %s of commission for %s%s", name, multiple(r), commissionOf(r), costOf(r), converted(r))
	}
	return Sentence(words + lived(r) + "; " + PaidBack(r))
}

// within names the days of a row.
func within(r *returns.Row) string { return "in " + Days(r.Days) }

// PaidBack says when the costs of a row were paid back and what came since, or what is missing, of all time.
func PaidBack(r *returns.Row) string {
	l := r.Life
	missing, since := affiliate.Amount{Value: l.Missing, Coin: l.Coin}, affiliate.Amount{Value: l.Since, Coin: l.Coin}
	switch {
	case !l.Known:
		return "when they are paid back is not known"
	case l.Cost.IsZero():
		return "no cost has fallen due"
	case l.PaidBack == 0:
		return "not paid back yet: " + missing.String() + " missing"
	case l.Missing.IsPositive():
		return "paid back on " + l.PaidBack.Format(dayForm) + "; later costs are not: " + missing.String() + " missing"
	case l.Since.IsZero():
		return "paid back on " + l.PaidBack.Format(dayForm)
	}
	return "paid back on " + l.PaidBack.Format(dayForm) + ", and " + since.String() + " came since then"
}

// lived says what a row brought from its first cost to the present, after the words about a shorter
// range; empty if the range has all of it, or nothing is known.
func lived(r *returns.Row) string {
	l := r.Life
	if !l.Known || l.Cost.IsZero() || l.Days == r.Days {
		return ""
	}
	return fmt.Sprintf("; since the first cost, %s of commission for %s, %s", affiliate.Amount{Value: l.Commission, Coin: l.Coin}, affiliate.Amount{Value: l.Cost, Coin: l.Coin}, Times(l.Commission, l.Cost))
}

// PersonReturn says what the cost of a person brought back.
func PersonReturn(r *returns.Row) string {
	if !r.Known() {
		return Sentence("nothing can be said about the return: " + r.Why)
	}
	if r.Cost.IsZero() {
		return Sentence(fmt.Sprintf("%s of commission in all accounts; %s", commissionOf(r), PaidBack(r)))
	}
	return Sentence(fmt.Sprintf("%s of commission in all accounts for %s%s, %s; %s", commissionOf(r), costOf(r), converted(r), multiple(r), PaidBack(r)))
}

// multiple prints commission as a multiple of the cost.
func multiple(r *returns.Row) string { return Times(r.Commission, r.Cost) }

// Times prints commission as a multiple of a cost that is not zero. Less than the cost is never printed as 1.
func Times(commission, cost decimal.Decimal) string {
	factor := commission.DivRound(cost, 1)
	if commission.LessThan(cost) {
		factor = commission.DivRound(cost, 9).Truncate(2)
	}
	return affiliate.Grouped(factor.String()) + Space + "×"
}

func commissionOf(r *returns.Row) string {
	return affiliate.Amount{Value: r.Commission, Coin: r.Coin}.String()
}

func costOf(r *returns.Row) string {
	return affiliate.Amount{Value: r.Cost, Coin: r.Coin}.String()
}

func converted(r *returns.Row) string {
	if r.Converted {
		return ", converted"
	}
	return ""
}

// CostTarget names what a cost is for: "the code VIP".
func CostTarget(scope costs.Scope, value string) string {
	switch scope {
	case returns.CostOfPeople:
		return "people with a cost of their own"
	case "":
		return "all together"
	}
	return "the " + string(scope) + " " + affiliate.OneLine(value)
}

// CostKind names when a cost falls due.
func CostKind(kind costs.Kind) string {
	switch kind {
	case costs.Monthly:
		return "a month"
	case costs.PerRegistration:
		return "per registration"
	case costs.PerFirstTrade:
		return "per first trade"
	}
	return "once"
}

// Cost says what a cost is: "500 USDT a month from 1 Sep 2026".
func Cost(c costs.Cost) string {
	words := affiliate.Grouped(string(c.Amount)) + " " + string(c.Coin) + " " + CostKind(c.Kind)
	switch {
	case c.Kind == costs.Once:
		return words + ", " + c.First.Format(dayForm)
	case c.Last == 0:
		return words + " from " + c.First.Format(dayForm) + " on"
	}
	return words + ", " + Days(affiliate.Days{First: c.First, Last: c.Last})
}
