package net

import (
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/net"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/returns"
	"rebatedesk/reports/statements"
	"rebatedesk/web/templates/ui"
)

// Addresses of the page and of those to which it leads.
const (
	Path           = "/net"
	statementsPath = "/statements"
	termsPath      = "/rates/terms"
)

// View is what is left of a month.
type View struct {
	Report net.Report
	Links  ui.Links
}

func (v View) month() *net.Month { return v.Report.Month() }
func (v View) name() string      { return phrase.MonthName(v.month().Days.First) }

// of returns the address of the page about the month of a day.
func (v View) of(day affiliate.Day) string {
	return v.Links.With(func(q *query.Query) { q.Range, q.Month = query.MonthTo, day.Format("2006-01") })
}

// statements returns the address of the statements of the month.
func (v View) statements() string {
	return statementsPath + "?month=" + v.month().Days.First.Format("2006-01")
}

// only returns the only line of the month; nil if there are several, or none.
func (v View) only() *net.Line {
	if m := v.month(); len(m.Coins) == 1 {
		return &m.Coins[0]
	}
	return nil
}

// empty reports whether there is nothing to show of the month.
func (v View) empty() bool { return len(v.month().Coins) == 0 }

// part is one of commission, shares, costs and net, in a coin or converted.
type part struct {
	label, hint string
	of          func(*net.Line) decimal.Decimal
	total       func(*net.Total) decimal.Decimal
	unknown     func(why string, costs bool) string // why it is not known; empty: it is
	words       func(*net.Total) *figures.Valuation // with the prices; nil: it has none of its own
}

var parts = []part{
	{"Commission", "Of the reporting days of the month", func(l *net.Line) decimal.Decimal { return l.Commission }, func(t *net.Total) decimal.Decimal { return t.Commission.Total },
		func(why string, costs bool) string { return ui.ClassIf(!costs, why) }, func(t *net.Total) *figures.Valuation { return &t.Commission }},
	{"Shares", "Owed to sub-affiliates for the UTC days of the month, in the coin of the terms", func(l *net.Line) decimal.Decimal { return l.Shares }, func(t *net.Total) decimal.Decimal { return t.Shares.Total },
		func(string, bool) string { return "" }, func(t *net.Total) *figures.Valuation { return &t.Shares }},
	{"Costs", "That fell due in the month", func(l *net.Line) decimal.Decimal { return l.Costs }, func(t *net.Total) decimal.Decimal { return t.Costs.Total },
		func(why string, costs bool) string { return ui.ClassIf(costs, why) }, func(t *net.Total) *figures.Valuation { return &t.Costs }},
	{"Net", "Commission − shares − costs", (*net.Line).Net, (*net.Total).Net,
		func(why string, _ bool) string { return why }, func(*net.Total) *figures.Valuation { return nil }},
}

// netWords derive the converted net.
func (v View) netWords(t *net.Total) string {
	zone := ui.ZoneOf(v.Links.Query)
	var lines []string
	for _, p := range parts[:3] {
		lines = append(lines, p.label+": "+phrase.Valuation(*p.words(t), zone))
	}
	exact := affiliate.Amount{Value: t.Net().RoundBank(8), Coin: figures.ValuedIn}
	return exact.Exact() + "\n" + strings.Join(lines, "\n")
}

// totalWords derive a converted part.
func (v View) totalWords(p part, t *net.Total) string {
	if of := p.words(t); of != nil {
		return phrase.Valuation(*of, ui.ZoneOf(v.Links.Query))
	}
	return v.netWords(t)
}

// about prints a converted sum; ≈ where a price was used.
func about(value decimal.Decimal, of ...*figures.Valuation) string {
	return mark(of...) + affiliate.Amount{Value: value, Coin: figures.ValuedIn}.String()
}

func mark(of ...*figures.Valuation) string {
	for _, v := range of {
		if v.Known() {
			return "≈" + phrase.Space
		}
	}
	return ""
}

// behind are the valuations of which a part consists.
func (p part) behind(t *net.Total) []*figures.Valuation {
	if of := p.words(t); of != nil {
		return []*figures.Valuation{of}
	}
	return []*figures.Valuation{&t.Commission, &t.Shares, &t.Costs}
}

// statement is what is left, as the page says it: the figure between two pieces of a sentence.
type statement struct {
	before, figure, exact, after string
}

// answer says what is left of the month.
func (v View) answer() statement {
	t := &v.month().Total
	if l := v.only(); l != nil {
		words := func(d decimal.Decimal) string { return affiliate.Amount{Value: d, Coin: l.Coin}.String() }
		left := affiliate.Amount{Value: l.Net().Abs(), Coin: l.Coin}
		return v.said(l.Net(), l.Shares, l.Costs, words(l.Commission), words(l.Shares), words(l.Costs), "", statement{figure: left.String(), exact: left.Exact()})
	}
	prices := ", each day at its own price"
	if later := phrase.OtherPrices(t.Commission, ui.ZoneOf(v.Links.Query)); strings.HasPrefix(later, ",") {
		prices += later
	} else if later != "" {
		prices = ", converted" + later
	}
	if n := len(t.Missing()); n > 0 {
		prices = ", " + phrase.Count(n) + " of them without a price and left out"
	}
	net := parts[len(parts)-1]
	return v.said(t.Net(), t.Shares.Total, t.Costs.Total, about(t.Commission.Total, &t.Commission), about(t.Shares.Total, &t.Shares), about(t.Costs.Total, &t.Costs),
		" ("+phrase.Things(len(v.month().Coins), "coin")+prices+")", statement{figure: about(t.Net().Abs(), net.behind(t)...), exact: v.netWords(t)})
}

// said puts the sentence around the figure.
func (v View) said(left, shares, costs decimal.Decimal, commissionWords, sharesWords, costsWords, prices string, s statement) statement {
	var off []string
	if !shares.IsZero() {
		off = append(off, sharesWords+" of shares")
	}
	if !costs.IsZero() {
		off = append(off, costsWords+" of costs")
	}
	switch {
	case left.IsNegative():
		s.before = "Shares and costs of " + v.name() + " exceed its commission by "
		s.after = ": " + phrase.Listed(off) + ", and " + commissionWords + " of commission" + prices + "."
	case len(off) == 0:
		s.after = " of commission in " + v.name() + " is left whole: no share and no cost is to be taken off" + prices + "."
	default:
		s.after = " is left of " + commissionWords + " of commission in " + v.name() + ", after " + phrase.Listed(off) + prices + "."
	}
	return s
}

// unknown is why nothing can be said of the month; empty if something can.
func (v View) unknown() string {
	switch m := v.month(); {
	case m.Total.Why != "":
		return "What is left of " + v.name() + " is not known: " + m.Total.Why + "."
	case v.empty():
		return "There is no commission, no share in a coin and no cost in " + v.name() + "."
	}
	return ""
}

// notes say what the figures leave out, and why they can change.
func (v View) notes() []string {
	list := v.Report.Lacks()
	if reasons := v.Report.NotFinal(); len(reasons) > 0 {
		list = append(list, phrase.Sentence("not final: "+strings.Join(reasons, "; ")))
	}
	return list
}

func coinColumns() []ui.Column[net.Line] {
	list := []ui.Column[net.Line]{ui.ForeignColumn("Coin", func(l net.Line) affiliate.Coin { return l.Coin }, ui.Names(""), ui.OnPhone(ui.Lead))}
	for _, p := range parts {
		list = append(list, ui.CellColumn(p.label, func(l net.Line) templ.Component {
			if why := p.unknown(l.Why, l.CostsUnknown); why != "" {
				return ui.Unknown(why)
			}
			return ui.Amount(affiliate.Amount{Value: p.of(&l), Coin: l.Coin})
		}, ui.Nums, ui.Hinted(p.hint), ui.OnPhone(p.place()), weight(p)))
	}
	return list
}

// total is all coins together, converted; nil if there are not several.
func (v View) total() templ.Component {
	m := v.month()
	if len(m.Coins) < 2 {
		return nil
	}
	list := []ui.Column[net.Total]{ui.CellColumn("", func(net.Total) templ.Component { return totalName(v) }, ui.Names("text-left"), ui.OnPhone(ui.Lead))}
	for _, p := range parts {
		list = append(list, ui.CellColumn(p.label, func(t net.Total) templ.Component {
			if why := p.unknown(t.Why, t.CostsUnknown); why != "" {
				return ui.Unknown(why)
			}
			return v.converted(p, &t)
		}, ui.Nums, ui.OnPhone(p.place()), weight(p)))
	}
	return ui.Rows(list, []net.Total{m.Total})
}

// converted is a converted sum; a press shows the coins and prices behind it.
func (v View) converted(p part, t *net.Total) templ.Component {
	return ui.Span("", v.totalWords(p, t), mark(p.behind(t)...)+affiliate.Amount{Value: p.total(t), Coin: figures.ValuedIn}.Short())
}

// place is where a phone shows the part; commission is left to wide screens, for the others say what it was.
func (p part) place() ui.Place {
	switch p.label {
	case "Net":
		return ui.Figure
	case "Commission":
		return ""
	}
	return ui.NamedNote
}

// weight sets the net apart from what it consists of.
func weight(p part) ui.Option { return ui.Classed(ui.ClassIf(p.label == "Net", "font-medium")) }

func monthColumns(v View) []ui.Column[net.Month] {
	type month = net.Month
	list := []ui.Column[month]{ui.CellColumn("Month", func(m month) templ.Component {
		return ui.Link("text-link whitespace-nowrap", v.of(m.Days.First), ui.Text(phrase.MonthName(m.Days.First)))
	}, ui.Names("font-normal"), ui.OnPhone(ui.Lead))}
	for _, p := range parts {
		list = append(list, ui.CellColumn(p.label, func(m month) templ.Component {
			if why := p.unknown(m.Total.Why, m.Total.CostsUnknown); why != "" {
				return ui.Unknown(why)
			}
			return ui.Join(v.converted(p, &m.Total),
				ui.When(p.label == "Commission" && !m.Whole && !m.Unread, ui.Span("text-muted block text-xs", "", "not all days collected")))
		}, ui.Nums, ui.Hinted(p.hint+", in USDT"), ui.OnPhone(p.place()), weight(p)))
	}
	return append(list, ui.CellColumn("Without a coin", func(m month) templ.Component {
		if len(m.Apart) == 0 {
			return ui.Span("text-muted", "", "0")
		}
		return ui.Amount(m.Apart[0])
	}, ui.Nums, ui.Hinted("Shares for which no coin is agreed: they are not taken off"), ui.If(v.apart())))
}

// apart reports whether any month has shares without a coin.
func (v View) apart() bool {
	for i := range v.Report.Months {
		if len(v.Report.Months[i].Apart) > 0 {
			return true
		}
	}
	return false
}

func costColumns() []ui.Column[*returns.Row] {
	type row = *returns.Row
	cell := func(of func(row) decimal.Decimal) func(row) templ.Component {
		return func(r row) templ.Component {
			if !r.Known() {
				return ui.Unknown(r.Why)
			}
			return ui.Amount(affiliate.Amount{Value: of(r), Coin: r.Coin})
		}
	}
	coin := func(r row) affiliate.Coin { return r.Coin }
	return []ui.Column[row]{
		ui.ForeignColumn("For", func(r row) string { return phrase.Capital(phrase.CostTarget(r.Scope, r.Value)) }, ui.Names("font-normal"), ui.OnPhone(ui.Lead)),
		ui.CellColumn("Commission", cell(func(r row) decimal.Decimal { return r.Commission }), ui.Nums, ui.Hinted("Of its invitees in the month, since its first cost"), ui.OnPhone(ui.NamedNote)),
		ui.CellColumn("Costs", cell(func(r row) decimal.Decimal { return r.Cost }), ui.Nums, ui.Hinted("That fell due in the month"), ui.OnPhone(ui.NamedNote)),
		ui.CellColumn("Left", cell((*returns.Row).Return), ui.Nums, ui.Classed("font-medium"), ui.Hinted("Commission − costs; shares belong to sub-affiliates, not to a code"), ui.OnPhone(ui.Figure)).Coined(coin),
		ui.ForeignColumn("Coin", func(r row) string {
			if r.Converted {
				return string(r.Coin) + ", converted"
			}
			return string(r.Coin)
		}, ui.Classed("text-muted")),
	}
}

func shareColumns(v View) []ui.Column[statements.Share] {
	type share = statements.Share
	return []ui.Column[share]{
		ui.CellColumn("Sub-affiliate", func(s share) templ.Component {
			name := s.Name
			if name == "" {
				name = string(s.UID)
			}
			return ui.Link("text-link", statementsPath+"/payees/"+url.PathEscape(string(s.UID)), ui.Foreign(name))
		}, ui.Names("font-normal"), ui.OnPhone(ui.Lead)),
		ui.CellColumn("Share", func(s share) templ.Component {
			if !s.Agreed {
				return ui.Unknown("no share is agreed")
			}
			return amounts(s.Due())
		}, ui.Nums, ui.Classed("font-medium"), ui.OnPhone(ui.Figure)),
		ui.CellColumn("Taken off", func(s share) templ.Component { return ui.Text(takenOff(s)) }, ui.OnPhone(ui.NamedNote)),
		ui.CellColumn("By", func(s share) templ.Component {
			switch {
			case s.Issued != nil:
				return ui.Join(ui.Span("", "", "statement "), ui.Link("text-link whitespace-nowrap", statementsPath+"/"+s.Issued.Number, ui.Text(s.Issued.Number)))
			case !s.Agreed:
				return ui.Unknown("no share is agreed")
			}
			return ui.Text("the figures and terms of now")
		}),
	}
}

// takenOff says whether a share is taken off the commission.
func takenOff(s statements.Share) string {
	var with, without bool
	for _, a := range s.Due() {
		with, without = with || a.Coin != "", without || a.Coin == ""
	}
	switch {
	case with && without:
		return "in part: a term has no coin"
	case with:
		return "yes"
	case without:
		return "no: no coin is agreed"
	}
	return "nothing is owed"
}

// amounts lists amounts in several coins, each in a line.
func amounts(list []affiliate.Amount) templ.Component {
	var lines []templ.Component
	for _, a := range list {
		lines = append(lines, ui.Span("block whitespace-nowrap", a.Exact(), a.String()))
	}
	if len(lines) == 0 {
		return ui.Text("0")
	}
	return ui.Join(lines...)
}

const filesNote = "A row for each coin of the month: commission, shares, costs and net, digit by digit. Shares without a coin are a row of their own, and in no net."
