package forecast

import (
	"net/url"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/losses"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/worklist"
	"rebatedesk/web/templates/ui"

	"github.com/a-h/templ"
)

// LossesPath is the address of the revenue at risk.
const LossesPath = "/forecast/at-risk"

// lossesAddress returns the address of a page with the account, the coin, the segment and the instant
// of a query.
func lossesAddress(path string, q query.Query) string {
	values := url.Values{}
	for name, value := range q.Values() {
		if name == "account" || name == "coin" || name == "segment" || name == "as_of" {
			values[name] = value
		}
	}
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}

// LossesView is the section about revenue at risk.
type LossesView struct {
	losses.Report
	AtRisk worklist.AtRisk // with what lower rates cost
}

// mostRisky is how many invitees of a coin are listed.
const mostRisky = 50

// risky lists the invitees of a coin, those who brought most first.
func risky(c losses.CoinRisk) []riskyLine {
	var list []riskyLine
	for _, one := range c.Silent {
		list = append(list, riskyLine{one, "silent"})
	}
	for _, one := range c.Slowing {
		list = append(list, riskyLine{one, "slowing"})
	}
	slices.SortStableFunc(list, func(a, b riskyLine) int { return b.Usual.Cmp(a.Usual) })
	return list[:min(len(list), mostRisky)]
}

// lossNote says from what a range was taken, and how often such ranges held.
func lossNote(c losses.CoinRisk) string {
	if !c.Known() {
		return ""
	}
	words := "Estimated from " + phrase.Things(c.Loss.Cases, "earlier absence") + " in " + phrase.Things(c.Loss.Origins, "month") + "."
	if trials := phrase.LossTrials(c.Trials); trials != "" {
		words += " " + trials
	}
	return words
}

func (v LossesView) nothing() string {
	return "No invitee who used to bring the worth of 10 USDT or more in 30 days is silent or slows down."
}

func (v LossesView) worth(c losses.CoinRisk) string {
	if !c.Worth.Known() {
		return ""
	}
	return phrase.Valuation(c.Worth, ui.ZoneOf(v.Query))
}

// together says what is at risk in all coins.
func (v LossesView) together() string {
	words := "Who stopped or slows down, all coins together, at today’s prices: ≈" + phrase.Space + v.Worth.Amount().String() + " in 30 days; " + phrase.LikelyLoss(*v.Together) + "."
	if missing := phrase.Unpriced(v.Worth.Missing); missing != "" {
		words += " " + missing
	}
	return words
}

func (v LossesView) togetherPrices() string { return phrase.Valuation(v.Worth, ui.ZoneOf(v.Query)) }

// invitee returns the address of the page of an invitee.
func (v LossesView) invitee(one losses.RiskyInvitee) string {
	values := url.Values{}
	if one.Account != "" {
		values.Set("account", string(one.Account))
	}
	if v.Query.Past() {
		values.Set("as_of", v.Query.Values().Get("as_of"))
	}
	path := "/invitees/" + url.PathEscape(string(one.UID))
	if len(values) > 0 {
		path += "?" + values.Encode()
	}
	return path
}

func riskColumns(v LossesView, coin affiliate.Coin, c losses.CoinRisk) []ui.Column[riskyLine] {
	return []ui.Column[riskyLine]{
		ui.CellColumn("Invitee", func(one riskyLine) templ.Component {
			return ui.Link("text-link", string(v.invitee(one.RiskyInvitee)), ui.Invitee(one.UID))
		}, ui.Names("")),
		ui.TextColumn("State", func(one riskyLine) string { return one.State }),
		ui.CellColumn("", func(one riskyLine) templ.Component { return ui.Amount(affiliate.Amount{Value: one.Usual, Coin: coin}) }, ui.Nums, ui.Headed(ui.Labelled("Used to bring in 30 days, ", string(c.Coin)))),
		ui.TextColumn("Silent for", func(one riskyLine) string { return phrase.Things(one.Days, "day") }, ui.Nums),
		ui.TextColumn("Usual gap", func(one riskyLine) string { return one.UsualGap.Words() }, ui.Nums),
	}
}
