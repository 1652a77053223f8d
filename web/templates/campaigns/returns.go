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

func returnColumns() []ui.TableColumn {
	return []ui.TableColumn{
		{Field: "for", Label: "For"},
		{Field: "cost", Label: "Cost", Numeric: true, Largest: true, Hint: "What fell due so far"},
		{Field: "commission", Label: "Commission", Numeric: true, Largest: true, Hint: "Of the invitees, since the first cost"},
		{Field: "return", Label: "Return", Numeric: true, Largest: true, Hint: "Commission less cost"},
		{Field: "percent", Label: "Of cost", Numeric: true, Largest: true, Hint: "Commission in percent of the cost"},
		{Field: "paid_back", Label: "Paid back", Hint: "The first day on which commission had reached the cost, of all time"},
		{Label: "Invitees", Numeric: true, Hint: "Whose commission counts: whom the exchange ever listed, and others with commission"},
		{Label: "Not final", Hint: "Why the return can still change, other than by future trades"},
	}
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
		if r.Payback.Day != 0 {
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
