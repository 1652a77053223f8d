package forecast

import (
	"net/url"

	"rebatedesk/reports/losses"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/worklist"
	"rebatedesk/web/templates/ui"
)

// LossesPath is the address of the revenue at risk.
const LossesPath = "/forecast/at-risk"

// lossesAddress returns the address of a page with the account, the coin, the segment and the instant
// of a query.
func lossesAddress(path string, q query.Query) string {
	values := url.Values{}
	for name, value := range q.Values() {
		if name == "account" || name == "coin" || name == "segment" || name == "as_of" || name == "show" {
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

// people returns the list of those who are meant, whatever was done about them.
func (v LossesView) people() string {
	q := v.Query
	q.SetOwn("show", worklist.ShowAll)
	return lossesAddress(ui.WorklistPath, q)
}
