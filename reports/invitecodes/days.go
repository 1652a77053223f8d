package invitecodes

import (
	"context"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/sums"
)

// chartedCodes is the number of codes shown separately in the chart.
const chartedCodes = 5

// codeDays arranges the commission of the top codes by day, in the coin of the list.
func codeDays(ctx context.Context, q *snapshot.Snapshot, view Report) (figures.DailySeries, error) {
	top := view.Top[:min(chartedCodes, len(view.Top))]
	part := codeParts(q, top)
	shown := map[codeKey]*CodeLine{}
	for i := range view.Lines {
		shown[codeKey{view.Lines[i].Account, view.Lines[i].Code}] = &view.Lines[i]
	}
	series, err := codeSeries(ctx, q, q.Days, view.Coin, len(top)+1, part, shown)
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
	before, err := codeSeries(ctx, q, days, view.Coin, len(top)+1, part, nil)
	if err != nil {
		return series, fmt.Errorf("the compared period: %w", err)
	}
	series.Compare(before)
	return series, nil
}

// codeParts returns the part of the chart to which a code belongs: one of the top codes or,
// after them, all others. It returns none if the query is not about the code.
func codeParts(q *snapshot.Snapshot, top []CodeLine) func(codeKey) int {
	parts := map[codeKey]int{}
	for i, l := range top {
		parts[codeKey{l.Account, l.Code}] = i
	}
	return func(key codeKey) int {
		if i, ok := parts[key]; ok {
			return i
		}
		if asksForCode(q, key.code) {
			return len(top)
		}
		return -1
	}
}

// codeSeries reads days of commission by part, and adds them to the trends of lines.
func codeSeries(ctx context.Context, q *snapshot.Snapshot, days affiliate.Days, coin affiliate.Coin, parts int, part func(codeKey) int, lines map[codeKey]*CodeLine) (figures.DailySeries, error) {
	cover, err := q.ReadCoverage(ctx, affiliate.Commissions, days)
	if err != nil {
		return figures.DailySeries{}, err
	}
	series := figures.SeriesOf(days, coin, nil, cover, "", figures.ShowCommission)
	for _, line := range lines {
		line.Trend = figures.NewTrend(days, coin, cover)
	}
	for range parts {
		series.Parts = append(series.Parts, figures.SeriesPart{Values: make([]decimal.Decimal, days.Len())})
	}
	f := q.Filter()
	f.Days, f.Coin, f.Code, f.Text, f.Named = days, coin, "", "", "" // the parts decide which code counts
	totals, err := snapshot.OfDays(ctx, q, "days of codes", f, sums.DaysOfCodes, slices.Concat)
	for _, s := range totals {
		if shown := lines[codeKey{s.Account, s.Code}]; shown != nil {
			shown.Trend.Add(s.Day, s.Commission.Decimal())
		}
		i := part(codeKey{s.Account, s.Code})
		if i < 0 {
			continue
		}
		day, amount := int(s.Day-days.First), s.Commission.Decimal()
		series.Parts[i].Values[day] = series.Parts[i].Values[day].Add(amount)
		series.Total[day] = series.Total[day].Add(amount)
	}
	return series, err
}

// codeNames returns the names of codes, with the account if there are several.
func codeNames(q *snapshot.Snapshot, lines []CodeLine) []string {
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
