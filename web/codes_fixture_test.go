package web_test

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/reports/cohorts"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/invitecodes"
	"rebatedesk/reports/query"
	"rebatedesk/store/records"
)

// Codes takes the invite codes of the records for codes: enough to see how
// their names are shown.
func (p *programme) Codes(_ context.Context, q query.Query) (invitecodes.Report, error) {
	r := invitecodes.Report{Query: q, Coverage: p.coverage(q), Listed: p.coverage(q), Empty: p.empty, Pages: 1, Options: p.options()}
	if err := p.answer(); err != nil || p.empty != "" {
		return r, err
	}
	rows := p.matching(q, q.Days)
	sums := totals(rows)
	if len(rows) == 0 {
		r.Empty = coverage.EmptyFiltered
		return r, nil
	}
	r.Coin = sums[0].Coin
	of := map[string][]records.CommissionRow{}
	for _, row := range rows {
		if of[row.InviteCode] == nil {
			r.Lines = append(r.Lines, invitecodes.CodeLine{Account: row.Account, Code: row.InviteCode, Active: 1})
		}
		of[row.InviteCode] = append(of[row.InviteCode], row)
	}
	for i := range r.Lines {
		l := &r.Lines[i]
		l.Registered, l.InRange = int64(len(of[l.Code])), totals(of[l.Code])
	}
	r.Total = invitecodes.CodeLine{InRange: sums, Active: int64(len(r.Lines))}
	r.Count, r.Top, r.Daily = len(r.Lines), r.Lines[:min(10, len(r.Lines))], p.daily(q, r.Coin)
	for _, t := range sums {
		r.Coins = append(r.Coins, t.Coin)
		r.Cards = append(r.Cards, card(t, nil, query.CompareNone))
	}
	r.People = inviteeCards(q.Compare)
	return r, nil
}

// Cohorts are two, of which the second has just begun.
func (p *programme) Cohorts(_ context.Context, q query.Query) (cohorts.Report, error) {
	r := cohorts.Report{Query: q, Period: "month", Coverage: p.coverage(q), Earned: p.coverage(q), Empty: p.empty, Options: p.options()}
	if err := p.answer(); err != nil || p.empty != "" {
		return r, err
	}
	month := func(first, last affiliate.Day) affiliate.Days { return affiliate.Days{First: first, Last: last} }
	october := month(affiliate.NewDay(2026, 10, 1), affiliate.NewDay(2026, 10, 31))
	november := month(affiliate.NewDay(2026, 11, 1), affiliate.NewDay(2026, 11, 30))
	const running = "this month is not over yet"
	r.Coin, r.Invitees = totals(p.records)[0].Coin, 12
	r.Cohorts = []cohorts.Cohort{
		{Days: october, Whole: october, Invitees: 8, Cells: []cohorts.CohortCell{{Days: october, Active: 4}, {Days: november, Active: 1, Immature: running}}},
		{Days: november, Whole: november, Invitees: 4, Cells: []cohorts.CohortCell{{Days: november, Active: 2, Immature: running}}},
	}
	r.Means = []cohorts.CohortMean{{Cohorts: 1, Invitees: 8, Active: 4}, {Age: 1}}
	return r, nil
}
