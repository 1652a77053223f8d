package rates

import (
	"strings"

	"github.com/a-h/templ"

	"rebatedesk/affiliate"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/tiers"
	"rebatedesk/web/templates/ui"
)

// TiersPath is the address of the page.
const TiersPath = "/tiers"

// TiersView is how far the next tiers of a month are.
type TiersView struct {
	Report tiers.Report
	Links  ui.Links
}

// month returns the address of the page about the month of a day.
func (v TiersView) month(day affiliate.Day) string {
	return v.Links.With(func(q *query.Query) { q.Range, q.Month = query.MonthTo, day.Format("2006-01") })
}

func (v TiersView) before() affiliate.Day { return v.Report.Days.First - 1 }
func (v TiersView) after() affiliate.Day  { return v.Report.Days.Last + 1 }

// answer says of each tier that is within reach what it lacks, and otherwise how many there are.
func (v TiersView) answer() string {
	var words []string
	for i := range v.Report.Tiers {
		if t := &v.Report.Tiers[i]; t.Within() && len(words) < mostTold {
			words = append(words, phrase.Tier(t))
		}
	}
	if len(words) > 0 {
		return strings.Join(words, " ")
	}
	next := 0
	for i := range v.Report.Tiers {
		if v.Report.Tiers[i].Next != nil {
			next++
		}
	}
	switch {
	case len(v.Report.Tiers) == 0:
		return ""
	case next == 0:
		return "The highest tier of each agreement is reached."
	case !v.Report.Open():
		return phrase.Things(next, "tier") + " above what was reached in " + v.Report.Days.First.Format("January 2006") + "."
	}
	return "At the present pace no further tier is reached in " + v.Report.Days.First.Format("January 2006") + "."
}

// mostTold is how many tiers the first sentence names.
const mostTold = 2

func tierColumns(v TiersView) []ui.Column[tiers.Tier] {
	type tier = tiers.Tier
	dash := func(reason string) templ.Component { return ui.Unknown(reason) }
	top := "the highest tier is reached"
	return []ui.Column[tier]{
		ui.ForeignColumn("Agreement", func(t tier) string { return phrase.TierAgreement(&t) }, ui.Names(""), ui.OnPhone(ui.Lead)),
		ui.CellColumn("Reached", func(t tier) templ.Component { return tierReached(t) }, ui.Nums, ui.Hinted("Volume in USDT, or active traders, of the month as far as it is known")),
		ui.CellColumn("Rate", func(t tier) templ.Component {
			if !t.Current.Rate.Known() {
				return dash("no rate is agreed below the first tier")
			}
			return ui.Text(phrase.AgreedRate(t.Current.Rate))
		}, ui.Nums),
		ui.CellColumn("Next from", func(t tier) templ.Component {
			if t.Next == nil {
				return dash(top)
			}
			return ui.Text(phrase.TierFigure(t.By, t.Next.TierFrom))
		}, ui.Nums),
		ui.CellColumn("Missing", func(t tier) templ.Component {
			if t.Next == nil {
				return dash(top)
			}
			return ui.Text(phrase.TierFigure(t.By, t.Missing))
		}, ui.Nums, ui.Classed("font-medium"), ui.OnPhone(ui.NamedNote)),
		ui.CellColumn("Next rate", func(t tier) templ.Component {
			if t.Next == nil {
				return dash(top)
			}
			return ui.Text(phrase.AgreedRate(t.Next.Rate))
		}, ui.Nums, ui.OnPhone(ui.NamedNote)),
		ui.CellColumn("Reached on", func(t tier) templ.Component {
			if t.ReachedOn == 0 {
				return dash("not in this month at the pace of its whole days so far")
			}
			return ui.Text(t.ReachedOn.Format("2 Jan"))
		}, ui.Hinted("At the pace of the whole days of the month so far")),
		ui.CellColumn("Worth in the month", func(t tier) templ.Component { return tierWorth(t, v) }, ui.Nums, ui.Hinted("What the commission of the month would be more at the next rate, by the fees that are known now"), ui.OnPhone(ui.Figure)),
	}
}

const tiersNote = "A row for each tiered agreement. Numbers are digit by digit; worth is in USDT at the prices of today."
