package drivers

import (
	"github.com/a-h/templ"
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/drivers"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/web/charts"
	"rebatedesk/web/templates/ui"
)

// PageView is what moved the commission.
type PageView struct {
	Report drivers.Report
	Links  ui.Links
}

// MostLines is how many contributions of each direction the page lists.
const MostLines = 10

// cardLines is how many contributions of each direction the overview lists.
const cardLines = 3

// filesNote describes the files of the page.
const filesNote = "All contributions along the chosen division. JSON also has the effects. Amounts are exact."

func (v PageView) amount(d decimal.Decimal) affiliate.Amount {
	return affiliate.Amount{Value: d, Coin: v.Report.Coin}
}

// signed prints a change with its sign.
func (v PageView) signed(d decimal.Decimal) string {
	return phrase.WithSign(d, v.amount(d).Short())
}

// matters reports whether an amount is more than a thousandth of the change.
func (v PageView) matters(d decimal.Decimal) bool {
	return d.Abs().Shift(3).GreaterThan(v.Report.Change().Abs())
}

// dimensionWords name a division, one of its entries, and an entry without a name.
type dimensionWords struct{ Label, One, Unknown string }

var dimensions = map[drivers.Dimension]dimensionWords{
	drivers.ByInvitee: {"Invitees", "Invitee", ui.NotGiven},
	drivers.ByCode:    {"Invite codes", "Invite code", "Code not known"},
	drivers.ByPair:    {"Pairs", "Pair", ui.NotGiven},
	drivers.ByProduct: {"Products", "Product", ui.NotGiven},
	drivers.BySource:  {"Sources", "Source", ui.NotGiven},
}

// narrow makes a query about one contribution, or returns false if no filter selects it.
func (v PageView) narrow(q *query.Query, by drivers.Dimension, c drivers.Contribution) bool {
	switch {
	case c.Name == "":
		return false
	case by == drivers.ByCode:
		q.Code = c.Name
	case by == drivers.ByPair:
		q.Symbol = c.Name
	case by == drivers.ByProduct && affiliate.Product(c.Name).Known():
		q.Product = affiliate.Product(c.Name)
	case by == drivers.BySource && (c.Name == string(affiliate.Direct) || c.Name == string(affiliate.SubAgent)):
		q.Source = affiliate.Source(c.Name)
	case by == drivers.ByInvitee:
		if q.UID = affiliate.UID(c.Name); v.Report.Several {
			q.Account = c.Account
		}
	default:
		return false
	}
	return true
}

// deeper is the division that is most telling about one entry of another.
var deeper = map[drivers.Dimension]drivers.Dimension{
	drivers.ByInvitee: drivers.ByPair, drivers.ByCode: drivers.ByInvitee, drivers.ByPair: drivers.ByInvitee,
	drivers.ByProduct: drivers.ByPair, drivers.BySource: drivers.ByInvitee,
}

// into returns the address of the drivers of one contribution; it is empty if no filter selects
// it.
func (v PageView) into(by drivers.Dimension, c drivers.Contribution) string {
	q := v.Links.Query
	q.Page, q.Coin = 1, v.Report.Coin
	if !v.narrow(&q, by, c) {
		return ""
	}
	q.By = string(deeper[by])
	return v.Links.Address(ui.DriversPath, q)
}

// records returns the address of the commission records of a contribution on some days; it is
// empty if no filter selects them.
func (v PageView) records(by drivers.Dimension, c drivers.Contribution, days affiliate.Days) string {
	q := v.Links.Query
	of := query.Query{Range: query.Custom, Days: days, Compare: query.CompareNone, Account: q.Account, Product: q.Product, Coin: v.Report.Coin, UID: q.UID,
		Symbol: q.Symbol, Source: q.Source, Code: q.Code, Segment: q.Segment, Text: q.Text, AsOf: q.AsOf, Page: 1, Per: query.DefaultPer}
	if !v.narrow(&of, by, c) {
		return ""
	}
	return "/commissions?" + of.Values().Encode()
}

// waterfall leads from the compared commission to that of the range.
func (v PageView) waterfall() charts.Waterfall {
	r := v.Report
	w := charts.Waterfall{Of: "Commission", Coin: r.Coin}
	w.Steps = append(w.Steps, charts.WaterfallStep{Name: "Before: " + phrase.Period(r.Compared), Short: "Before", Whole: true, Amount: r.Before.Commission, Unsure: !r.ComparedCover.Complete()})
	for _, e := range r.EffectList() {
		w.Steps = append(w.Steps, charts.WaterfallStep{Name: phrase.EffectName(e.Effect), Short: effectShort[e.Effect], Amount: e.Amount})
	}
	return charts.Waterfall{Of: w.Of, Coin: w.Coin, Steps: append(w.Steps, charts.WaterfallStep{
		Name: "After: " + phrase.Period(r.Query.Days), Short: "After", Whole: true, Amount: r.Now.Commission, Unsure: !r.Coverage.Complete()})}
}

// effectShort names the effects on an axis.
var effectShort = map[drivers.Effect]string{
	drivers.VolumeEffect: "Volume", drivers.FeeEffect: "Fees", drivers.ShareEffect: "Share", drivers.RestEffect: "Rest",
}

// effectHints say what the effects mean.
var effectHints = map[drivers.Effect]string{
	drivers.VolumeEffect: "More or less was traded, at the former fees and the former share",
	drivers.FeeEffect:    "The same volume paid higher or lower fees, at the former share",
	drivers.ShareEffect:  "A larger or smaller part of the fees was passed on",
	drivers.RestEffect:   "Products and sources without volume or fees in one of the periods, and what is lost by rounding",
}

func drawing(w charts.Waterfall) ui.Chart {
	return ui.Chart{ID: "drivers-chart", Label: charts.DescribeWaterfall(w), Still: charts.StillWaterfall(w), Data: charts.DrawWaterfall(w)}
}

// factorValues returns a factor in both periods in words, as the effect of it is named. A rest
// has none.
func factorValues(e drivers.Effect, before, now figures.Factors) (string, string) {
	of := func(f figures.Factors) string {
		switch e {
		case drivers.VolumeEffect:
			return ui.Volume(f.Volume)
		case drivers.FeeEffect:
			if v, ok := f.FeePerVolume(); ok {
				return v.Shift(2).StringFixed(4) + phrase.Space + "%"
			}
		case drivers.ShareEffect:
			if v, ok := f.ShareOfFees(); ok {
				return v.Shift(2).StringFixed(2) + phrase.Space + "%"
			}
		}
		return phrase.Dash
	}
	return of(before), of(now)
}

// presenceNouns name one entry of the presences that stand above the table.
var presenceNouns = map[drivers.Dimension]string{drivers.ByInvitee: "invitee", drivers.ByCode: "code"}

// presence names a presence in the range of the page.
func (v PageView) presence(p figures.Presence) phrase.Comparison {
	return phrase.PresenceIn(p, v.Report.Query.Days)
}

// people returns the contributions whose presence is shown, and along what they are: invite
// codes if the page divides by them, otherwise invitees.
func (v PageView) people() (drivers.Contributions, drivers.Dimension) {
	if v.Report.By == drivers.ByCode {
		return v.Report.Contributions, drivers.ByCode
	}
	return v.Report.Invitees, drivers.ByInvitee
}

// mostPeople is how many entries of a presence are named.
const mostPeople = 3

// cameAndWent is the title of the presences.
func cameAndWent(by drivers.Dimension) string {
	if by == drivers.ByCode {
		return "Invite codes that came and went"
	}
	return "Invitees who came and went"
}

// others names the contributions without a line.
func others(n int) string {
	if n == 1 {
		return "1 other"
	}
	return phrase.Count(n) + " others"
}

// otherCompares lists the comparisons that the page does not use.
func (v PageView) otherCompares() (list []query.Compare) {
	for _, c := range drivers.Accepted.Compares() {
		if c != v.Links.Query.Compare {
			list = append(list, c)
		}
	}
	return list
}

// nameOf returns the displayed name of a contribution along a division.
func nameOf(by drivers.Dimension, c drivers.Contribution) string {
	switch by {
	case drivers.ByProduct:
		return affiliate.Product(c.Name).Label()
	case drivers.BySource:
		return affiliate.Source(c.Name).Label()
	case drivers.ByPair:
		return affiliate.MarketPair(c.Name)
	}
	return c.Name
}

// contributionColumns are the columns of the contributions along the chosen division.
func contributionColumns(v PageView) []ui.Column[drivers.Contribution] {
	type part = drivers.Contribution
	return ui.Present(
		ui.CellColumn(dimensions[v.Report.By].One, func(c part) templ.Component { return contributionCell(v, c) }, ui.Names("font-normal"), ui.OnPhone(ui.Lead)),
		ui.CellColumn("Invite code", func(c part) templ.Component {
			if c.Code == "" {
				return ui.Unknown(ui.UnknownCode)
			}
			return ui.ForeignStyled("text-muted", c.Code)
		}, ui.If(v.Report.By == drivers.ByInvitee)),
		ui.CellColumn("Before", func(c part) templ.Component { return ui.Amount(v.amount(c.Before)) }, ui.Nums, ui.Hinted(phrase.Period(v.Report.Compared)), ui.OnPhone(ui.NamedNote)),
		ui.CellColumn("After", func(c part) templ.Component { return ui.Amount(v.amount(c.Now)) }, ui.Nums, ui.Hinted(phrase.Period(v.Report.Query.Days)), ui.OnPhone(ui.NamedNote)),
		ui.CellColumn("Records", func(c part) templ.Component { return recordLinks(v, c) }),
		ui.CellColumn("Change", func(c part) templ.Component { return contributionChange(v, c) }, ui.Nums, ui.Headed(ui.Labelled("Change, ", string(v.Report.Coin))), ui.OnPhone(ui.Figure)).Kept(nil),
	)
}

// sumRow adds up contributions below their columns.
func sumRow(v PageView, name string, of drivers.Moved, columns []ui.Column[drivers.Contribution]) templ.Component {
	return ui.SumRow[drivers.Contribution]{Words: ui.Text(name), Span: 1, Columns: columns, Cell: func(c ui.Column[drivers.Contribution]) templ.Component {
		switch c.Label {
		case "Before":
			return ui.Amount(v.amount(of.Before))
		case "After":
			return ui.Amount(v.amount(of.Now))
		case "Change":
			return ui.SignedAmount("", v.amount(of.Change()))
		}
		return nil
	}}
}

func effectColumns(v PageView) []ui.Column[drivers.EffectAmount] {
	return []ui.Column[drivers.EffectAmount]{
		ui.TextColumn("Effect", func(e drivers.EffectAmount) string { return phrase.EffectName(e.Effect) }, ui.Names("font-normal")).Titled(func(e drivers.EffectAmount) string { return effectHints[e.Effect] }),
		ui.CellColumn("Before", func(e drivers.EffectAmount) templ.Component {
			before, _ := factorValues(e.Effect, v.Report.Before, v.Report.Now)
			return ui.Text(before)
		}, ui.Nums),
		ui.CellColumn("After", func(e drivers.EffectAmount) templ.Component {
			_, now := factorValues(e.Effect, v.Report.Before, v.Report.Now)
			return ui.Text(now)
		}, ui.Nums),
		ui.CellColumn("", func(e drivers.EffectAmount) templ.Component {
			return ui.SignedAmount("", v.amount(e.Amount))
		}, ui.Nums, ui.Headed(ui.Labelled("Effect, ", string(v.Report.Coin)))),
	}
}

func coinColumns(v PageView) []ui.Column[drivers.CoinChange] {
	return []ui.Column[drivers.CoinChange]{
		ui.CellColumn("Coin", func(c drivers.CoinChange) templ.Component {
			return ui.Link("text-link", string(v.Links.With(func(q *query.Query) { q.Coin = c.Coin })), ui.Foreign(string(c.Coin)))
		}, ui.Names("")),
		ui.CellColumn("Before", func(c drivers.CoinChange) templ.Component {
			return ui.Amount(affiliate.Amount{Value: c.Before, Coin: c.Coin})
		}, ui.Nums),
		ui.CellColumn("After", func(c drivers.CoinChange) templ.Component {
			return ui.Amount(affiliate.Amount{Value: c.Now, Coin: c.Coin})
		}, ui.Nums),
		ui.CellColumn("Change", func(c drivers.CoinChange) templ.Component {
			return ui.SignedAmount("", affiliate.Amount{Value: c.Change(), Coin: c.Coin})
		}, ui.Nums),
		ui.CellColumn("Worth, "+string(figures.ValuedIn), func(c drivers.CoinChange) templ.Component {
			if c.Priced {
				return ui.SignedAmount("", affiliate.Amount{Value: c.Worth, Coin: figures.ValuedIn})
			}
			return ui.Unknown("no price of this coin is known")
		}, ui.Nums),
	}
}
