package mail

import (
	"context"
	"slices"
	"strings"
	"time"

	"rebatedesk/reports/query"
	"rebatedesk/reports/worklist"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/rates"
)

// payments adds what the exchange paid for the period, what is outstanding, and the payments
// that came to be known as wrong in the period. The message does not wait for bills: if they
// are not collected, it says so.
func (q *question) payments() error {
	if q.facts.Payments == nil { // the message says so already
		return nil
	}
	view := *q.facts.Payments
	if words := phrase.PaymentsLack(view); words != "" {
		q.Notes = append(q.Notes, "Payments: "+words)
	}
	if !view.Known() {
		return nil
	}
	q.add(paymentTable(view))
	if !q.about.tells(SectionBalance) { // which has it
		q.add(balanceTable("of all time", unsettled(view.Owed)))
	}
	q.add(faultTable(view, q.Period.Days))
	return nil
}

// paymentTable has the sums of the page of payments, of the periods that begin in the range, in the coins
// of which not all is paid as it was earned. Without a rule nobody knows what is due.
func paymentTable(view payments.Overview) FigureTable {
	t := FigureTable{Title: "Earned and paid, days in UTC", Head: []string{"Coin", "Earned", "Paid for it", "Not due yet", "Not paid", "Paid too much"}, Spare: 3}
	if !view.Ruled() {
		t.Head, t.Spare = []string{"Coin", "Earned", "Paid", "Paid − earned, all time"}, 0
	}
	for _, all := range view.AllTime {
		in := payments.CoinBalance{}
		if i := slices.IndexFunc(view.InRange, func(b payments.CoinBalance) bool { return b.Coin == all.Coin }); i >= 0 {
			in = view.InRange[i]
		}
		if in.Lines == 0 && (view.Ruled() || all.Open == 0) || view.Ruled() && paidExactly(in) {
			continue
		}
		row := []string{affiliate.OneLine(string(all.Coin)), shortOf(in.Earned, all.Coin), shortOf(in.Paid, all.Coin)}
		if view.Ruled() {
			row = append(row, shortOf(in.Pending, all.Coin), shortOf(in.Outstanding, all.Coin), shortOf(in.Excess, all.Coin))
		} else {
			row = append(row, shortOf(all.Difference, all.Coin))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// paidExactly reports whether all that was earned was paid, and nothing else.
func paidExactly(b payments.CoinBalance) bool {
	var none affiliate.Sum
	return b.Pending.Cmp(&none) == 0 && b.Outstanding.Cmp(&none) == 0 && b.Excess.Cmp(&none) == 0
}

// balance adds what the exchange owes on balance, of all time and of the period.
func (q *question) balance(ctx context.Context) error {
	if q.facts.Payments == nil { // the message says so already
		return nil
	}
	if view := *q.facts.Payments; !view.Ruled() {
		q.Notes = append(q.Notes, "Balance: there is no payout rule, so nothing is known to be due.")
		return nil
	}
	q.add(balanceTable("of all time", q.facts.Payments.Owed))
	asked, err := q.ask(q.Period.Days)
	if err != nil {
		return err
	}
	view, err := reports.Ask(ctx, q.reports, asked, payments.MakeBalance)
	if err != nil {
		return err
	}
	q.add(balanceTable("of "+phrase.DaysIn(q.Period.Days, time.UTC), view.Coins))
	return nil
}

// unsettled leaves out the coins in which nothing is or was owed.
func unsettled(rows []payments.BalanceRow) []payments.BalanceRow {
	return slices.DeleteFunc(slices.Clone(rows), func(r payments.BalanceRow) bool { return len(r.Lines) == 0 })
}

// balanceTable has what the exchange owes on balance.
func balanceTable(of string, rows []payments.BalanceRow) FigureTable {
	t := FigureTable{Title: "On balance, " + of + ": what the exchange owes", Head: []string{"Coin", "Not paid at all", "Underpaid", "Restated since", "Paid too much", "Balance"}, Spare: 3}
	for i := range rows {
		row := &rows[i]
		t.Rows = append(t.Rows, []string{affiliate.OneLine(string(row.Coin)), shortOf(row.Missing, row.Coin), shortOf(row.Underpaid, row.Coin), shortOf(row.Restated, row.Coin), shortOf(row.Excess, row.Coin), shortOf(row.Owed(), row.Coin)})
	}
	return t
}

// shortOf rounds a sum as pages show it.
func shortOf(sum affiliate.Sum, coin affiliate.Coin) string {
	return affiliate.Amount{Value: sum.Decimal(), Coin: coin}.Short()
}

// faultTable lists the payments that are not as they should be, the newest first.
func faultTable(view payments.Overview, days affiliate.Days) FigureTable {
	t := FigureTable{Title: "Payments that are not as earned", Head: []string{"Period", "Earned", "Paid", "What is wrong"}}
	more := 0
	for _, line := range slices.Backward(view.Faults) {
		switch {
		case !line.Within(days):
		case len(t.Rows) == topLines:
			more++
		default:
			words := phrase.PaymentOf(line.Line)
			if !view.Single() {
				words = affiliate.OneLine(string(line.Account)) + ", " + words
			}
			t.Rows = append(t.Rows, []string{words, shortOf(line.Earned, line.Coin), shortOf(line.Paid, line.Coin), phrase.PaymentState(line.Line)})
		}
	}
	if more > 0 {
		t.Title += ", and " + phrase.Count(more) + " more"
	}
	return t
}

// rates adds what was agreed against what was paid for the period.
func (q *question) rates(ctx context.Context) error {
	list, err := reports.Ask(ctx, q.reports, q.query, rates.MakeDeviations)
	if err != nil {
		return err
	}
	t := FigureTable{Title: "Paid otherwise than agreed, or than before", Head: []string{"Who", "Agreed", "Paid", "Since", "Difference"}}
	for i, d := range list {
		if i == topLines {
			t.Title += ", and " + phrase.Count(len(list)-i) + " more"
			break
		}
		agreed, paid := phrase.DeviationRates(d)
		who := phrase.DeviationOf(d, q.names)
		if d.Account != list[0].Account || d.Account != list[len(list)-1].Account {
			who = affiliate.OneLine(string(d.Account)) + ", " + who
		}
		words := ""
		for n, c := range d.Costs {
			if n > 0 {
				words += ", "
			}
			words += phrase.WithSign(c.Difference, affiliate.Amount{Value: c.Difference, Coin: c.Coin}.Short()) + " " + string(c.Coin)
		}
		t.Rows = append(t.Rows, []string{who, agreed, paid, d.Days.First.Format("2 Jan"), words})
	}
	q.add(t)
	return nil
}

// worklist adds the invitees to call now, and what they are worth.
func (q *question) worklist(ctx context.Context) error {
	asked := query.Query{Account: q.query.Account, Coin: q.query.Coin, Code: q.query.Code, Segment: q.query.Segment, AsOf: q.query.AsOf, Zone: q.query.Zone, Today: q.query.Today,
		Sort: worklist.Accepted.Order, Page: 1, Per: topLines}
	asked.SetOwn("show", worklist.ShowOpen)
	view, err := reports.Ask(ctx, q.reports, asked, worklist.Make)
	if err != nil {
		return err
	}
	answer, _, _ := strings.Cut(phrase.WorklistAnswer(view.Open, false), ". ")
	t := FigureTable{Title: "Whom to call. " + strings.TrimSuffix(answer, "."), Head: []string{"Invitee", "Why", "Silent for", "At risk a month"}}
	for _, l := range view.Lines {
		silent, worth := phrase.Dash, phrase.Dash
		if l.LastTradeDay != 0 {
			silent = phrase.Things(l.SilentDays, "day")
		}
		if l.Priced() {
			worth = l.Worth.Amount().Short() + " " + string(l.Worth.Amount().Coin)
		} else if len(l.AtRisk) > 0 {
			worth = l.AtRisk[0].Short() + " " + string(l.AtRisk[0].Coin)
		}
		t.Rows = append(t.Rows, []string{q.names.Beside(l.UID), phrase.WorkReason(l.Reasons[0].Name), silent, worth})
	}
	q.add(t)
	return nil
}
