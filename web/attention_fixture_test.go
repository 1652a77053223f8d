package web_test

import (
	"context"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/attention"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/query"
)

// Attention is one finding of each kind.
func (p *programme) Attention(_ context.Context, q query.Query) (attention.Report, error) {
	if err := p.answer(); err != nil {
		return attention.Report{}, err
	}
	days := affiliate.Days{First: q.Today - 29, Last: q.Today}
	percent := func(n int64) figures.Ratio { return figures.Ratio{Percent: decimal.NewFromInt(n), Known: true} }
	amount := decimal.RequireFromString("1204.5678")
	uid := p.records[0].UID
	futures := affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Futures}
	gap := affiliate.Days{First: q.Today - 4, Last: q.Today - 3}
	return attention.Report{Query: q, Days: days, Findings: []attention.Finding{
		attention.GapFinding{Account: "main", Streams: []affiliate.Stream{futures}, Days: 2, Oldest: gap.First, Reason: "HTTP 502 <b>", Gaps: []coverage.Gap{{Account: "main", Stream: futures, Days: gap, Reason: "HTTP 502 <b>"}}},
		attention.RunFinding{Account: "main", InARow: 4, Since: affiliate.MillisOf(now), Slices: 2, Error: "the exchange cannot be reached"},
		attention.StaleFinding{Account: "main", Last: affiliate.MillisOf(now)},
		attention.DropFinding{Coin: "USDT", Days: affiliate.Days{First: q.Today - 7, Last: q.Today - 1}, Now: amount, Usual: amount.Add(amount), Of: 8, Drop: percent(50)},
		attention.DropFinding{Coin: "USDT", Days: affiliate.Days{First: q.Today - 1, Last: q.Today - 1}, Now: amount, Usual: amount.Add(amount), Of: 6, Drop: percent(50)},
		attention.SilentFinding{Coin: "USDT", AtRisk: amount, Count: 7, Most: []attention.SilentInvitee{{Account: "main", UID: uid, Last: q.Today - 12, Days: 12, UsualGap: figures.WholeDays(1), AtRisk: amount}}},
		attention.RateFinding{Coin: "USDT", Lost: amount, Count: 1, Most: []attention.RateChange{{Account: "main", UID: uid, Product: affiliate.Futures, Old: decimal.New(4, -1), New: decimal.New(2, -1), Since: q.Today - 9, Cost: amount}}},
		attention.RestatedFinding{Restated: commissions.Restated{Coin: "USDT", Days: days, Records: 12, Up: amount, Down: amount.Neg()}, Within: days, Commission: amount.Add(amount), Share: percent(100)},
		attention.ConcentrationFinding{Coin: "USDT", Days: days, Invitees: 139, First: uid, One: percent(12), Five: percent(40), Ten: percent(61), Commission: amount},
	}}, nil
}

// users are lines with a hole.
func users(q query.Query) figures.Lines {
	lines := figures.Lines{Of: "Users per day"}
	for day := q.Days.First; day <= q.Days.Last; day++ {
		lines.Steps = append(lines.Steps, affiliate.Days{First: day, Last: day})
	}
	for i, name := range []string{"Registered", "First deposits", "First trades", "Active traders"} {
		line := figures.Line{Name: name}
		for n := range lines.Steps {
			line.Values = append(line.Values, decimal.NewFromInt(int64(3+i*7+n%5)))
			line.Known = append(line.Known, n != 10)
		}
		lines.Parts = append(lines.Parts, line)
	}
	return lines
}

// funnel is of an account of which the exchange does not tell who passed KYC.
func funnel() invitees.Funnel {
	known := func(n int64) figures.Count { return figures.Count{N: n, Known: true} }
	percent := func(n int64) figures.Ratio { return figures.Ratio{Percent: decimal.NewFromInt(n), Known: true} }
	return invitees.Funnel{Young: 120, KYC: invitees.FunnelStep{Step: invitees.FunnelKYC, Count: figures.Count{Reason: "the exchange does not report it for this account"}}, Steps: []invitees.FunnelStep{
		{Step: invitees.FunnelRegistered, Count: known(1284), All: percent(100)},
		{Step: invitees.FunnelDeposit, Count: known(640), All: percent(50), Wait: invitees.Wait{From: invitees.FunnelRegistered, Days: decimal.New(21, -1), Known: true}},
		{Step: invitees.FunnelTrade, Count: known(128), All: percent(10), Next: percent(20), Wait: invitees.Wait{From: invitees.FunnelDeposit, Days: decimal.New(5, -1), Known: true}},
	}}
}
