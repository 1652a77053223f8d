// Package campaigns draws what brings invitees: invite codes, sub-affiliates, and costs with what
// they brought back.
package campaigns

import (
	"strconv"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/returns"
	"rebatedesk/store/costs"
	"rebatedesk/web/templates/ui"

	"github.com/a-h/templ"
)

// CostFields are the fields of the form of a cost.
var CostFields = []string{"scope", "value", "kind", "amount", "coin", "from", "to", "note"}

// ReturnsView is the page.
type ReturnsView struct {
	Report returns.Report
	Links  ui.Links
	Token  string  // empty: the reader may not write
	Done   string  // what was just done
	Undo   string  // the cost that was removed; empty: nothing can be restored
	Form   ui.Form // of a new cost
	Ended  int64   // the cost whose form to end it was refused; 0: none
	Today  affiliate.Day
	People string // where costs of people are kept; empty: the reader may not go there
}

const filesNote = "One row per code, tag or segment, and one for people."

// returnColumns are the columns of the rows, and of all costs together.
func returnColumns(v ReturnsView) []ui.Column[*returns.Row] {
	type row = *returns.Row
	known := func(cell func(row) templ.Component) func(row) templ.Component {
		return func(r row) templ.Component {
			if !r.Known() {
				return ui.Unknown(r.Why)
			}
			return cell(r)
		}
	}
	money := func(which, label, hint string) ui.Column[row] {
		place := ui.NamedNote
		if which == "return" {
			place = ui.Figure
		}
		return ui.NumberColumn(which, label, hint, known(func(r row) templ.Component { return returnMoney(amount(r, which), which == "return") }), ui.Classed("whitespace-nowrap"), ui.OnPhone(place))
	}
	return ui.Present(
		ui.Cells(ui.TableColumn{Field: "for", Label: "For"}, func(r row) templ.Component { return returnName(v, r) }, ui.Names("min-w-32 font-normal"), ui.OnPhone(ui.Lead)),
		money("cost", "Cost", "What fell due so far"),
		money("commission", "Commission", "Of the invitees, since the first cost"),
		money("return", "Return", "Commission less cost"),
		ui.NumberColumn("percent", "Of cost", "Commission in percent of the cost", known(func(r row) templ.Component { return ui.Text(phrase.Share(r.Percent())) })),
		ui.Cells(ui.TableColumn{Field: "paid_back", Label: "Paid back", Hint: "The first day on which commission had reached the cost, and what came after it, of all time"}, returnPayback, ui.Classed("min-w-28 whitespace-nowrap")),
		ui.NumberColumn("", "All time", "Commission less cost, from the first cost to now", returnLife, ui.Classed("whitespace-nowrap"), ui.If(v.Links.Query.Range != query.AllTime)),
		ui.NumberColumn("", "Invitees", "Whose commission counts: whom the exchange ever listed, and others with commission", func(r row) templ.Component { return returnInvitees(v, r) }),
		ui.NumberColumn("", "Per invitee", "Commission of all time by all invitees of the row, listed or not; below it, their cost", returnPerInvitee, ui.Classed("whitespace-nowrap")),
		ui.CellColumn("Not final", func(r row) templ.Component {
			reasons := r.NotFinal.Words()
			if r.Scope == "" && len(reasons) > 1 { // the rows below name them
				return ui.Span("", strings.Join(reasons, ", "), phrase.Things(len(reasons), "reason"))
			}
			var words []templ.Component
			for _, one := range reasons {
				words = append(words, ui.Span("block", "", one))
			}
			return ui.Join(words...)
		}, ui.Classed("text-muted min-w-28 text-xs whitespace-normal"), ui.Hinted("Why the return can still change, other than by future trades")),
	)
}

// whole is the row of all costs together, or the only row.
func (v ReturnsView) whole() *returns.Row {
	if v.Report.Total == nil && len(v.Report.Rows) == 1 {
		return v.Report.Rows[0]
	}
	return v.Report.Total
}

// paidBackWords say how many rows had paid for themselves: "3 of 5 rows".
func (v ReturnsView) paidBackWords() string {
	var n int
	for _, r := range v.Report.Rows {
		if r.Life.PaidBack != 0 {
			n++
		}
	}
	return phrase.Count(n) + " of " + phrase.Things(len(v.Report.Rows), "row")
}

// of returns the address of the page about one row; empty for the row of people.
func (v ReturnsView) of(r *returns.Row) string { return v.ofTarget(r.Scope, r.Value) }

func (v ReturnsView) ofTarget(scope costs.Scope, value string) string {
	return v.Links.With(func(q *query.Query) {
		q.Code, q.Tag, q.Segment = "", "", ""
		switch scope {
		case costs.OfCode:
			q.Code = value
		case costs.OfTag:
			q.Tag = value
		case costs.OfSegment:
			q.Segment = value
		}
	})
}

// nameOf names what a row is about.
func nameOf(r *returns.Row) string {
	switch r.Scope {
	case returns.CostOfPeople:
		return phrase.Things(r.People, "person")
	case "":
		return "All together"
	}
	return r.Value
}

func scopeName(scope costs.Scope) string {
	switch scope {
	case costs.OfCode:
		return "Invite code"
	case costs.OfTag:
		return "Tag"
	case costs.OfSegment:
		return "Segment"
	case returns.CostOfPeople:
		return "Costs of their own"
	}
	return "Each invitee once"
}

func amount(r *returns.Row, which string) affiliate.Amount {
	value := map[string]affiliate.Amount{
		"cost": {Value: r.Cost, Coin: r.Coin}, "commission": {Value: r.Commission, Coin: r.Coin}, "return": {Value: r.Return(), Coin: r.Coin},
	}
	return value[which]
}

// listedCost is a cost with the row it belongs to.
type listedCost struct {
	returns.DueCost
	Known bool // how often it fell due
}

func (v ReturnsView) costs() (list []listedCost) {
	for _, r := range v.Report.Rows {
		for _, c := range r.Costs {
			list = append(list, listedCost{c, true})
		}
	}
	return list
}

// narrowed says that costs are not divided by filters that narrow the commission.
func (v ReturnsView) narrowed() string {
	q := v.Links.Query
	if q.Account == "" && q.Product == "" && q.Coin == "" && q.Source == "" {
		return ""
	}
	return "The filters narrow commission only: costs are not divided by product, coin or source, and by account only those per invitee are."
}

func costAddress(c costs.Cost, what string) string {
	return ui.ReturnsPath + "/costs/" + strconv.FormatInt(c.ID, 10) + "/" + what
}

func scopeChoices() []ui.Pair {
	return []ui.Pair{{Name: "Invite code", Value: string(costs.OfCode)}, {Name: "Tag", Value: string(costs.OfTag)}, {Name: "Segment", Value: string(costs.OfSegment)}}
}

func kindChoices() []ui.Pair {
	return []ui.Pair{{Name: "Once", Value: string(costs.Once)}, {Name: "Monthly", Value: string(costs.Monthly)},
		{Name: "Per registration", Value: string(costs.PerRegistration)}, {Name: "Per first trade", Value: string(costs.PerFirstTrade)}}
}

// values are the codes, tags and segments that the field offers.
func (v ReturnsView) values() (names []string) {
	names = append(names, v.Report.Options.Codes...)
	for _, t := range v.Report.Tags {
		names = append(names, t.Tag)
	}
	return append(names, v.Report.Options.Segments...)
}

func (v ReturnsView) tags() (pairs []ui.Pair) {
	for _, t := range v.Report.Tags {
		pairs = append(pairs, ui.Pair{Name: t.Tag, Value: t.Tag})
	}
	return pairs
}

// formOpen reports whether the form of a new cost is unfolded.
func (v ReturnsView) formOpen() bool { return v.Form.Wrong() || v.Report.Empty == "empty" }

// times says how often a cost fell due.
func times(c listedCost) string {
	words := phrase.Count(c.Times) + " ×"
	if c.Runs {
		words += " so far"
	}
	return words
}

func idOf(c costs.Cost) string { return strconv.FormatInt(c.ID, 10) }

// endFormOf returns the form that ends a cost: with what was refused, or with today.
func (v ReturnsView) endFormOf(c costs.Cost) ui.Form {
	if v.Ended == c.ID {
		return v.Form
	}
	day := v.Today
	if c.Last != 0 {
		day = c.Last
	}
	return ui.Form{Values: map[string]string{"to": max(day, c.First).String()}}
}

// someValues lists some of the known codes, tags and segments.
func (v ReturnsView) someValues() string {
	const most = 6
	names := v.values()
	if len(names) > most {
		return strings.Join(names[:most], ", ") + " …"
	}
	return strings.Join(names, ", ")
}

// basis is the row whose rates the page names: all together, or else the first converted one.
func (v ReturnsView) basis() *returns.Row {
	if t := v.Report.Total; t != nil && t.Converted {
		return t
	}
	for _, r := range v.Report.Rows {
		if r.Converted && r.Known() {
			return r
		}
	}
	return nil
}

// foreignCost reports whether a cost was converted.
func foreignCost(r *returns.Row) bool { return r.Spent.Known() || len(r.Spent.Missing) > 0 }

func ageColumns(v ReturnsView) []ui.Column[returns.AgeReturn] {
	return []ui.Column[returns.AgeReturn]{
		ui.TextColumn("Month", func(a returns.AgeReturn) string { return phrase.Count(a.Age) }, ui.Names("font-normal")),
		ui.TextColumn("Invitees of this age", func(a returns.AgeReturn) string { return phrase.Count(a.Invitees) }, ui.Nums),
		ui.CellColumn("Commission until then", func(a returns.AgeReturn) templ.Component {
			return returnMoney(affiliate.Amount{Value: a.Commission, Coin: v.Report.Only().Coin}, false)
		}, ui.Nums, ui.Classed("whitespace-nowrap")),
		ui.TextColumn("Of cost", func(a returns.AgeReturn) string { return phrase.Share(a.Percent) }, ui.Nums),
		ui.CellColumn("Final", func(a returns.AgeReturn) templ.Component {
			if a.Immature {
				return ui.Span("text-warning", "", "not yet: some are younger")
			}
			return ui.Text("yes")
		}, ui.Classed("text-muted")),
	}
}

func costColumns(v ReturnsView) []ui.Column[listedCost] {
	return []ui.Column[listedCost]{
		ui.CellColumn("For", func(c listedCost) templ.Component {
			return ui.Join(ui.Link("text-link hover:underline", string(v.ofTarget(c.Scope, c.Value)), ui.Foreign(c.Value)), ui.Span("text-muted block text-xs", "", scopeName(c.Scope)))
		}, ui.Names("font-normal")),
		ui.TextColumn("Cost", func(c listedCost) string { return phrase.Cost(c.Cost) }, ui.Classed("min-w-48 whitespace-normal")),
		ui.TextColumn("Fell due", func(c listedCost) string { return times(c) }, ui.Nums, ui.Classed("whitespace-nowrap")),
		ui.CellColumn("Sum", func(c listedCost) templ.Component {
			return returnMoney(affiliate.Amount{Value: c.Sum, Coin: c.Coin}, false)
		}, ui.Nums, ui.Classed("whitespace-nowrap")),
		ui.ForeignColumn("Note", func(c listedCost) string { return c.Note }, ui.Classed("text-muted min-w-32 whitespace-normal wrap-anywhere")),
		ui.CellColumn("Written", func(c listedCost) templ.Component { return costWritten(c, v) }, ui.Classed("text-muted whitespace-nowrap")),
		ui.CellColumn("Change a cost", func(c listedCost) templ.Component { return costChangeA(c, v) }, ui.Styled("no-print"), ui.Silent, ui.If(v.Token != "")),
	}
}

// daysToPayBack says how long it took from the first cost until a row had paid for itself.
func daysToPayBack(l returns.Life) string {
	if l.PaidBack == l.Due {
		return "on the first day"
	}
	return "after " + phrase.Things(int(l.PaidBack-l.Due), "day")
}

// whyNobody says why nothing can be said per invitee.
func whyNobody(r *returns.Row) string {
	if r.Life.Known {
		return "nobody belongs to the row yet"
	}
	return "nothing can be said about all time"
}
