package reports

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// chartedCodes is how many codes the chart tells apart.
const chartedCodes = 5

// codeDays lays the commission of the top codes out by day, in the coin of the
// list.
func (q *question) codeDays(ctx context.Context, view CodesReport) (DailySeries, error) {
	roster, err := q.rosterOf(ctx)
	if err != nil {
		return DailySeries{}, err
	}
	top := view.Top[:min(chartedCodes, len(view.Top))]
	group := q.codeGroups(roster, top)
	grouping := q.codeGrouping(roster, top)
	series, err := q.codeSeries(ctx, q.Days, view.Coin, len(top)+1, grouping, group)
	if err != nil {
		return series, err
	}
	names := q.codeNames(top)
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
	before, err := q.codeSeries(ctx, days, view.Coin, len(top)+1, grouping, group)
	if err != nil {
		return series, fmt.Errorf("the compared period: %w", err)
	}
	series.compare(before)
	return series, nil
}

// codeGroups tells which part of the chart an invitee belongs to: that of one of
// the top codes or, behind them, of all others; none where the question is not
// about it.
func (q *question) codeGroups(roster *roster, top []CodeLine) func(store.InviteeKey) int {
	codes := make(map[store.InviteeKey]string, len(roster.lines))
	for i := range roster.lines {
		line := &roster.lines[i]
		codes[store.InviteeKey{Account: line.Account, UID: line.UID}] = line.InviteCode
	}
	parts := map[codeKey]int{}
	for i, l := range top {
		parts[codeKey{l.Account, l.Code}] = i
	}
	return func(key store.InviteeKey) int {
		code := codes[key]
		if i, ok := parts[codeKey{key.Account, code}]; ok {
			return i
		}
		if q.asksForCode(code) {
			return len(top)
		}
		return -1
	}
}

// codeGrouping is a digest of all that codeGroups goes by. Who has no known code
// is told by who has one.
func (q *question) codeGrouping(roster *roster, top []CodeLine) string {
	digest := sha256.New()
	fmt.Fprintf(digest, "%q %q\n", q.Code, q.Text)
	for _, l := range top {
		fmt.Fprintf(digest, "%q %q\n", l.Account, l.Code)
	}
	var text []byte
	for i := range roster.lines {
		line := &roster.lines[i]
		if line.InviteCode == "" {
			continue
		}
		text = strconv.AppendQuote(text[:0], string(line.Account))
		text = strconv.AppendQuote(text, string(line.UID))
		text = strconv.AppendQuote(text, line.InviteCode)
		digest.Write(text) // never fails
	}
	return string(digest.Sum(nil))
}

// codeSeries reads days of commission by part.
func (q *question) codeSeries(ctx context.Context, days affiliate.Days, coin affiliate.Coin, parts int, grouping string, group func(store.InviteeKey) int) (DailySeries, error) {
	cover, err := q.coverage(ctx, affiliate.Commissions, days)
	if err != nil {
		return DailySeries{}, err
	}
	series := seriesOf(days, coin, nil, cover, "")
	for range parts {
		series.Parts = append(series.Parts, SeriesPart{Values: make([]decimal.Decimal, days.Len())})
	}
	f := q.filter()
	f.Days, f.Coin, f.Code, f.Text = days, coin, "", "" // whose code is asked for is told by the groups
	sums, err := q.GroupDays(ctx, f, grouping, group)
	for _, s := range sums {
		day, amount := int(s.Day-days.First), s.Commission.Decimal()
		series.Parts[s.Group].Values[day] = amount
		series.Total[day] = series.Total[day].Add(amount)
	}
	return series, err
}

// codeNames are the names of codes, with the account where there are several.
func (q *question) codeNames(lines []CodeLine) []string {
	var names []string
	for _, l := range lines {
		name := l.Code
		if name == "" {
			name = "Code not known"
		}
		if len(q.accounts) > 1 {
			name += " (" + string(l.Account) + ")"
		}
		names = append(names, name)
	}
	return slices.Clip(names)
}
