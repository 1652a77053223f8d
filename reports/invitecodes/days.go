package invitecodes

import (
	"context"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/query"
	"rebatedesk/reports/question"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// chartedCodes is the number of codes shown separately in the chart.
const chartedCodes = 5

// codeDays arranges the commission of the top codes by day, in the coin of the list.
func codeDays(ctx context.Context, q *question.Question, view Report) (figures.DailySeries, error) {
	snapshot, err := invitees.ReadSnapshot(ctx, q)
	if err != nil {
		return figures.DailySeries{}, err
	}
	top := view.Top[:min(chartedCodes, len(view.Top))]
	group := codeGroups(q, snapshot, top)
	series, err := codeSeries(ctx, q, q.Days, view.Coin, len(top)+1, group)
	if err != nil {
		return series, err
	}
	names := codeNames(q, top)
	if rest := view.Count - len(top); rest > 0 {
		names = append(names, "Other codes")
	}
	series.Parts = series.Parts[:len(names)]
	for i, name := range names {
		series.Parts[i].Name = name
	}
	days, asked := q.Compare.Days(q.Days)
	if !asked {
		return series, nil
	}
	before, err := codeSeries(ctx, q, days, view.Coin, len(top)+1, group)
	if err != nil {
		return series, fmt.Errorf("the compared period: %w", err)
	}
	series.Compare(before)
	return series, nil
}

// codeGroups returns the part of the chart to which an invitee belongs: one of the top
// codes or, after them, all others. It returns none if the query is not about the invitee.
func codeGroups(q *question.Question, snapshot *invitees.Snapshot, top []CodeLine) func(sums.InviteeKey) int {
	codes := make(map[sums.InviteeKey]string, len(snapshot.Lines))
	for i := range snapshot.Lines {
		line := &snapshot.Lines[i]
		codes[sums.InviteeKey{Account: line.Account, UID: line.UID}] = line.InviteCode
	}
	parts := map[codeKey]int{}
	for i, l := range top {
		parts[codeKey{l.Account, l.Code}] = i
	}
	return func(key sums.InviteeKey) int {
		code := codes[key]
		if i, ok := parts[codeKey{key.Account, code}]; ok {
			return i
		}
		if asksForCode(q, code) {
			return len(top)
		}
		return -1
	}
}

// codeDaysAsked identifies days of codes, in addition to the state of the store.
type codeDaysAsked struct {
	filter records.CommissionFilter
	query  query.Query // which codes are shown
}

// codeSeries reads days of commission by part.
func codeSeries(ctx context.Context, q *question.Question, days affiliate.Days, coin affiliate.Coin, parts int, group func(sums.InviteeKey) int) (figures.DailySeries, error) {
	cover, err := q.ReadCoverage(ctx, affiliate.Commissions, days)
	if err != nil {
		return figures.DailySeries{}, err
	}
	series := figures.SeriesOf(days, coin, nil, cover, "")
	for range parts {
		series.Parts = append(series.Parts, figures.SeriesPart{Values: make([]decimal.Decimal, days.Len())})
	}
	f := q.Filter()
	f.Days, f.Coin, f.Code, f.Text = days, coin, "", "" // the groups decide which code counts
	totals, err := question.Part(ctx, q, "days of codes", codeDaysAsked{f, q.Query}, func(ctx context.Context) ([]sums.GroupDay, error) {
		return sums.ByGroup(ctx, q.Tx, f, group)
	})
	for _, s := range totals {
		day, amount := int(s.Day-days.First), s.Commission.Decimal()
		series.Parts[s.Group].Values[day] = amount
		series.Total[day] = series.Total[day].Add(amount)
	}
	return series, err
}

// codeNames returns the names of codes, with the account if there are several.
func codeNames(q *question.Question, lines []CodeLine) []string {
	var names []string
	for _, l := range lines {
		name := l.Code
		if name == "" {
			name = "Code not known"
		}
		if len(q.Accounts) > 1 {
			name += " (" + string(l.Account) + ")"
		}
		names = append(names, name)
	}
	return slices.Clip(names)
}
