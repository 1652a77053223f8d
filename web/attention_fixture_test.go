package web_test

import (
	"context"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
)

// Attention is one finding of each kind.
func (p *programme) Attention(_ context.Context, q reports.Query) (reports.Attention, error) {
	if err := p.answer(); err != nil {
		return reports.Attention{}, err
	}
	days := affiliate.Days{First: q.Today - 29, Last: q.Today}
	percent := func(n int64) reports.Ratio { return reports.Ratio{Percent: decimal.NewFromInt(n), Known: true} }
	amount := decimal.RequireFromString("1204.5678")
	uid := p.records[0].UID
	futures := affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Futures}
	gap := affiliate.Days{First: q.Today - 4, Last: q.Today - 3}
	return reports.Attention{Query: q, Days: days, Findings: []reports.Finding{
		reports.GapFinding{Account: "main", Streams: []affiliate.Stream{futures}, Days: 2, Oldest: gap.First, Reason: "HTTP 502 <b>", Gaps: []reports.Gap{{Account: "main", Stream: futures, Days: gap, Reason: "HTTP 502 <b>"}}},
		reports.RunFinding{Account: "main", InARow: 4, Since: affiliate.MillisOf(now), Slices: 2, Error: "the exchange cannot be reached"},
		reports.StaleFinding{Account: "main", Last: affiliate.MillisOf(now)},
		reports.DropFinding{Coin: "USDT", Days: affiliate.Days{First: q.Today - 7, Last: q.Today - 1}, Now: amount, Usual: amount.Add(amount), Of: 8, Drop: percent(50)},
		reports.DropFinding{Coin: "USDT", Days: affiliate.Days{First: q.Today - 1, Last: q.Today - 1}, Now: amount, Usual: amount.Add(amount), Of: 6, Drop: percent(50)},
		reports.SilentFinding{Coin: "USDT", AtRisk: amount, Count: 7, Most: []reports.SilentInvitee{{Account: "main", UID: uid, Last: q.Today - 12, Days: 12, UsualGap: reports.WholeDays(1), AtRisk: amount}}},
		reports.RateFinding{Coin: "USDT", Lost: amount, Count: 1, Most: []reports.RateChange{{Account: "main", UID: uid, Product: affiliate.Futures, Old: decimal.New(4, -1), New: decimal.New(2, -1), Since: q.Today - 9, Cost: amount}}},
		reports.RestatedFinding{Noticed: reports.Noticed{Coin: "USDT", Days: days, Records: 12, Up: amount, Down: amount.Neg()}, Within: days, Commission: amount.Add(amount), Share: percent(100)},
		reports.ConcentrationFinding{Coin: "USDT", Days: days, Invitees: 139, First: uid, One: percent(12), Five: percent(40), Ten: percent(61), Commission: amount},
	}}, nil
}

// users are lines with a hole.
func users(q reports.Query) reports.Lines {
	lines := reports.Lines{Of: "Users per day"}
	for day := q.Days.First; day <= q.Days.Last; day++ {
		lines.Steps = append(lines.Steps, affiliate.Days{First: day, Last: day})
	}
	for i, name := range []string{"Registered", "First deposits", "First trades", "Active traders"} {
		line := reports.Line{Name: name}
		for n := range lines.Steps {
			line.Values = append(line.Values, decimal.NewFromInt(int64(3+i*7+n%5)))
			line.Known = append(line.Known, n != 10)
		}
		lines.Parts = append(lines.Parts, line)
	}
	return lines
}

// funnel is of an account of which the exchange does not tell who passed KYC.
func funnel() reports.Funnel {
	known := func(n int64) reports.Count { return reports.Count{N: n, Known: true} }
	percent := func(n int64) reports.Ratio { return reports.Ratio{Percent: decimal.NewFromInt(n), Known: true} }
	return reports.Funnel{Young: 120, KYC: reports.FunnelStep{Step: reports.FunnelKYC, Count: reports.Count{Reason: "the exchange does not report it for this account"}}, Steps: []reports.FunnelStep{
		{Step: reports.FunnelRegistered, Count: known(1284), All: percent(100)},
		{Step: reports.FunnelDeposit, Count: known(640), All: percent(50), Wait: reports.Wait{From: reports.FunnelRegistered, Days: decimal.New(21, -1), Known: true}},
		{Step: reports.FunnelTrade, Count: known(128), All: percent(10), Next: percent(20), Wait: reports.Wait{From: reports.FunnelDeposit, Days: decimal.New(5, -1), Known: true}},
	}}
}
