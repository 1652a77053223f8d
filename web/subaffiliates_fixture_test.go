package web_test

import (
	"context"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/reports/subaffiliates"
)

// SubAffiliates takes the invitees whose trades came through sub-agents for
// sub-affiliates: enough to see how their names are shown.
func (p *programme) SubAffiliates(_ context.Context, q query.Query) (subaffiliates.Report, error) {
	r := subaffiliates.Report{Query: q, Zone: q.Zone, Coverage: p.coverage(q), Empty: p.empty, Pages: 1, Options: p.options()}
	if err := p.answer(); err != nil || p.empty != "" {
		return r, err
	}
	seen := map[affiliate.UID]bool{}
	for _, record := range p.matching(q, q.Days) {
		if record.Source != affiliate.SubAgent || seen[record.UID] || len(r.Lines) == q.Per {
			continue
		}
		seen[record.UID] = true
		r.Lines = append(r.Lines, subaffiliates.SubAffiliateLine{
			Account: record.Account, UID: record.UID, Days: 1, First: q.Days.First, Last: q.Days.Last,
			SubAffiliateFigures: subaffiliates.SubAffiliateFigures{Records: 1, Volume: record.TakerAmount, Fee: record.Fee, Paid: record.Commission.Commission},
			Spot:                record.Commission.Commission,
			Share:               figures.Ratio{Percent: decimal.New(123, -1), Known: true},
			Trend: subaffiliates.Trend{Days: affiliate.Days{First: q.Days.Last - 2, Last: q.Days.Last}, Known: []bool{true, false, true},
				Values: []decimal.Decimal{value(record.Fee), decimal.Zero, value(record.Commission.Commission)}},
		})
	}
	if len(r.Lines) == 0 {
		r.Empty = coverage.EmptyFiltered
		return r, nil
	}
	r.Count, r.Total, r.Top = len(r.Lines), r.Lines[0], r.Lines[:min(10, len(r.Lines))]
	r.Daily = p.daily(q, "")
	r.Check = subaffiliates.SubAffiliateCheck{Days: q.Days, Totals: []subaffiliates.CheckLine{{Days: q.Days, Product: affiliate.Spot, Ours: totals(p.matching(q, q.Days)), OursWhole: true}}}
	return r, nil
}

// SubAffiliate knows the same ones.
func (p *programme) SubAffiliate(ctx context.Context, q query.Query) (subaffiliates.SubAffiliateReport, error) {
	r := subaffiliates.SubAffiliateReport{Query: q, Zone: q.Zone, Coverage: p.coverage(q), Empty: p.empty, Pages: 1, Options: p.options()}
	all, err := p.SubAffiliates(ctx, q)
	r.Known = len(all.Lines) > 0
	r.Any, r.Stored, r.Ever, r.Daily = true, q.Days, q.Days, all.Daily
	return r, err
}
