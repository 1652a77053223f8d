package earnings

import (
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/internal/pagetest"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/findings"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/rates"
	"rebatedesk/reports/recent"
	"rebatedesk/reports/worklist"
	"rebatedesk/terms"
	"rebatedesk/web/templates/ui"
)

// Each kind of finding has a heading, and foreign text is escaped.
func TestEveryFindingIsShown(t *testing.T) {
	q := pagetest.Ask(t, "")
	days := affiliate.Days{First: pagetest.Today - 29, Last: pagetest.Today}
	percent := func(n int64) figures.Ratio { return figures.Ratio{Percent: decimal.NewFromInt(n), Known: true} }
	amount := decimal.RequireFromString("1204.5678")
	uid := affiliate.UID("4667776811")
	futures := affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Futures}
	gap := affiliate.Days{First: pagetest.Today - 4, Last: pagetest.Today - 3}
	report := findings.Report{Query: q, Days: days, Findings: []findings.Finding{
		findings.Gap{Account: "main", Streams: []affiliate.Stream{futures}, Days: 2, Oldest: gap.First, Reason: "HTTP 502 <b>", Gaps: []coverage.Gap{{Account: "main", Stream: futures, Days: gap, Reason: "HTTP 502 <b>"}}},
		findings.Run{Account: "main", InARow: 4, Since: affiliate.MillisOf(pagetest.Today.Start(time.UTC)), Slices: 2, Error: "the exchange cannot be reached"},
		findings.Stale{Account: "main", Last: affiliate.MillisOf(pagetest.Today.Start(time.UTC))},
		findings.Drop{Coin: "USDT", Days: affiliate.Days{First: pagetest.Today - 7, Last: pagetest.Today - 1}, Now: amount, Usual: amount.Add(amount), Of: 8, Drop: percent(50)},
		findings.Drop{Coin: "USDT", Days: affiliate.Days{First: pagetest.Today - 1, Last: pagetest.Today - 1}, Now: amount, Usual: amount.Add(amount), Of: 6, Drop: percent(50)},
		findings.Silent{Count: 7, Coins: []findings.Silence{{Coin: "USDT", AtRisk: amount, Count: 7, Most: []findings.SilentInvitee{{Account: "main", UID: uid, Last: pagetest.Today - 12, Days: 12, UsualGap: figures.WholeDays(1), AtRisk: amount}}}}},
		findings.Rate{Coin: "USDT", Lost: amount, Count: 1, Most: []recent.RateChange{{Account: "main", UID: uid, Product: affiliate.Futures, Old: decimal.New(4, -1), New: decimal.New(2, -1), Since: pagetest.Today - 9, Cost: amount}}},
		findings.Agreed{Days: days, Coins: []recent.AgreedSum{{Coin: "USDT", Lost: amount}}, Count: 1, Agreed: true, Most: []rates.Deviation{{ID: "a1b2", Account: "main", Scope: terms.ScopeUID, Value: string(uid), Days: days, Costs: []rates.CoinCost{{Coin: "USDT", Difference: amount.Neg()}}}}},
		findings.Restated{Restated: commissions.Restated{Coin: "USDT", Days: days, Records: 12, Up: amount, Down: amount.Neg()}, Within: days, Commission: amount.Add(amount), Share: percent(100)},
		findings.Concentration{Coin: "USDT", Days: days, Invitees: 139, First: uid, One: percent(12), Five: percent(40), Ten: percent(61), Commission: amount},
	}}
	page := pagetest.Source(t, attentionList(AttentionView{Report: report, Links: ui.Links{Path: "/attention", Query: q}}, ui.CollectionRun{}))
	if !strings.Contains(page, "HTTP 502 &lt;b&gt;") || strings.Count(page, "<h3") != len(report.Findings) || len(report.Findings) != 10 {
		t.Error("there are not ten findings, or an error became an element of the page")
	}
}

// The first findings of the front page lead to what they are about, and the people of the day stand beside them
// with why and what is at risk.
func TestWhomToCallFirst(t *testing.T) {
	q := pagetest.Ask(t, "")
	line := &worklist.Line{Account: "main", UID: "4667776811", SilentDays: 12, UsualGap: figures.WholeDays(2),
		Reasons: []worklist.CallReason{{Name: worklist.ReasonSilent}}, AtRisk: []affiliate.Amount{{Value: decimal.NewFromInt(30), Coin: "DOGE"}}}
	view := AttentionView{Links: ui.Links{Path: "/attention", Query: q}, Day: &worklist.Day{Tally: worklist.WorkTally{Lines: 1, Today: 1}, First: []*worklist.Line{line}}}
	page := pagetest.Source(t, callFirst(view))
	for _, words := range []string{`href="/invitees/4667776811`, "silent for 12 days, usually trades every 2 days", "DOGE", `href="/worklist"`} {
		if !strings.Contains(page, words) {
			t.Errorf("%q is not in %s", words, page)
		}
	}
	view.Day = &worklist.Day{Failed: true}
	if page := pagetest.Source(t, callFirst(view)); !strings.Contains(page, phrase.NotMade) {
		t.Errorf("a fault is told as %s", page)
	}
	view.Day = &worklist.Day{}
	if page := pagetest.Source(t, callFirst(view)); !strings.Contains(page, "Nobody is worth a call today.") {
		t.Errorf("nobody to call is told as %s", page)
	}
}
