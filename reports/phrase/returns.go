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
		case !row.Payback.Known:
			unknown++
		case row.Payback.Cost.IsZero():
			free++
		case row.Payback.Day == 0:
			open++
		case row.Payback.Missing.IsPositive():
			behind++
		}
	}
	of := len(r.Rows) - unknown - free
	var words []string
	if t := r.Total; t != nil {
		words = append(words, fmt.Sprintf("What was spent came back %s: %s of commission for %s%s", multiple(t), commissionOf(t), costOf(t), converted(t)))
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
		return Sentence(fmt.Sprintf("no cost of %s fell due %s; %s of commission came%s; %s", name, within(r), commissionOf(r), converted(r), PaidBack(r)))
	}
	words := fmt.Sprintf("%s returned %s what it cost: %s of commission for %s%s", name, multiple(r), commissionOf(r), costOf(r), converted(r))
	if r.Scope == returns.CostOfPeople {
		words = fmt.Sprintf("%s returned %s what they cost: %s of commission for %s%s", name, multiple(r), commissionOf(r), costOf(r), converted(r))
	}
	return Sentence(words + "; " + PaidBack(r))
}

// within names the days of a row.
func within(r *returns.Row) string { return "in " + Days(r.Days) }

// PaidBack says when the costs of a row were paid back, or what is missing, of all time.
func PaidBack(r *returns.Row) string {
	p := r.Payback
	missing := affiliate.Amount{Value: p.Missing, Coin: p.Coin}
	switch {
	case !p.Known:
		return "when they are paid back is not known"
	case p.Cost.IsZero():
		return "no cost has fallen due"
	case p.Day == 0:
		return "not paid back yet: " + missing.String() + " missing"
	case p.Missing.IsPositive():
		return "paid back on " + p.Day.Format(dayForm) + "; later costs are not: " + missing.String() + " missing"
	}
	return "paid back on " + p.Day.Format(dayForm)
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
func multiple(r *returns.Row) string {
	factor := r.Commission.DivRound(r.Cost, 1)
	if factor.LessThan(decimal.NewFromInt(1)) {
		factor = r.Commission.DivRound(r.Cost, 2)
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
