package campaigns

import (
	"strings"

	"github.com/a-h/templ"
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/drivers"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitecodes"
	"rebatedesk/reports/levels"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/web/templates/totals"
	"rebatedesk/web/templates/ui"
)

// CodesView is one page of invite codes.
type CodesView struct {
	Report invitecodes.Report
	Levels levels.Changes // of everything; those of codes are told
	Links  ui.Links
}

// changed are the codes whose level changed, unless the page is about a part of what they bring.
func (v CodesView) changed() (list []levels.Change) {
	for _, c := range v.Levels.List {
		if c.Subject == levels.Code && strings.Contains(c.Code, v.Links.Query.Text) && !ui.NarrowsAmounts(v.Links.Query) {
			list = append(list, c)
		}
	}
	return list
}

const (
	codeFilesNote = "One row for each code, as in the table but whole: all columns, exact, amounts in its coin."
	valueHint     = "Commission per registration: all that those who registered in the range have earned until now, divided by how many they are"
	// listedNoMore explains why some people are missing for good.
	listedNoMore = "the exchange lists nobody who registered over 365 days ago"
	nobody       = "nobody registered with it in the range"
)

// codeColumns are the columns of the list. A line without a code has no links: it is of unknown
// codes, or the total.
func codeColumns(v CodesView) []ui.Column[invitecodes.CodeLine] {
	type code = invitecodes.CodeLine
	q, k, coin := v.Links.Query, v.Report.Known, string(v.Report.Coin)
	number := func(name, label, hint string, cell func(code) templ.Component, options ...ui.Option) ui.Column[code] {
		return ui.Cells(ui.TableColumn{Name: name, Field: name, Label: label, Hint: hint, Numeric: true, Largest: true}, cell, options...)
	}
	extra := func(c ui.Column[code]) ui.Column[code] { c.Extra = true; return c }
	people := func(n func(code) int64, unknown string, atLeast bool) func(code) templ.Component {
		return func(l code) templ.Component { return peopleNumber(n(l), unknown, atLeast) }
	}
	// A step has the number of users who took it and, unless a column of its own has it, their share.
	step := func(n func(code) int64, unknown string, rate func(code) figures.Ratio, rateName string) func(code) templ.Component {
		return func(l code) templ.Component {
			part := rate(l)
			return ui.Join(peopleNumber(n(l), unknown, k.AtLeast), ui.When(part.Known && !q.Shows(rateName, false), ui.Span("text-muted ml-1 text-xs", "", phrase.Percent(part.Percent))))
		}
	}
	share := func(rate func(code) figures.Ratio) func(code) templ.Component {
		return func(l code) templ.Component {
			return ui.Ratio(rate(l), "nobody registered, or it is not known who took the step")
		}
	}
	columns := ui.Present(
		ui.Cells(ui.TableColumn{Field: "code", Label: "Code"}, func(l code) templ.Component { return codeName(v, l) }, ui.OnPhone(ui.Lead)),
		ui.Cells(ui.TableColumn{Field: "account", Label: "Account"}, func(l code) templ.Component { return ui.Foreign(string(l.Account)) }, ui.OnPhone(ui.Note), ui.If(len(v.Report.Options.Accounts) > 1)),
		number("registered", "Registered", "Registered in the range with the code", func(l code) templ.Component {
			n := peopleNumber(l.Registered, k.Registered, k.AtLeast)
			if l.Code == "" || l.Registered == 0 {
				return n
			}
			return ui.Link("text-link", v.Links.CodeInvitees(l), n)
		}, ui.OnPhone(ui.NamedNote)),
		number("kyc", "KYC", "Of the registered, who passed KYC, and what part of them", step(func(l code) int64 { return l.KYC }, k.KYC, k.KYCRate, "kyc-rate")),
		extra(number("kyc-rate", "KYC %", "Of the registered, the part who passed KYC", share(k.KYCRate))),
		number("deposited", "Deposited", "Of the registered, who deposited until now, and what part of them", step(func(l code) int64 { return l.Deposited }, k.Deposited, k.DepositRate, "deposit-rate")),
		extra(number("deposit-rate", "Deposited %", "Of the registered, the part who deposited until now", share(k.DepositRate))),
		number("traded", "Traded", "Of the registered, who traded until now, and what part of them", step(func(l code) int64 { return l.Traded }, k.Traded, k.TradeRate, "trade-rate")),
		extra(number("trade-rate", "Traded %", "Of the registered, the part who traded until now", share(k.TradeRate))),
		number("value", "Per reg.", valueHint, func(l code) templ.Component { return codeValue(v, l) }),
		number("first-deposits", "1st deposit", "Made their first deposit in the range, whenever they registered", people(func(l code) int64 { return l.FirstDepositors }, k.FirstDeposits, k.FirstAtLeast)),
		number("first-trades", "1st trade", "Made their first trade in the range, whenever they registered", people(func(l code) int64 { return l.FirstTraders }, k.FirstTrades, k.FirstAtLeast)),
		number("active", "Active", "With at least one commission record in the range, whenever they registered", func(l code) templ.Component {
			n := peopleNumber(l.Active, k.Commission, false)
			if l.Code == "" || l.Active == 0 {
				return n
			}
			return ui.LinkTitled("text-link", v.Links.CodeTraders(l), "The invitees of the code with a commission record in the range", n)
		}, ui.OnPhone(ui.NamedNote)),
		number("volume", ui.VolumeLabel, "Taker + maker of all coins' records together, "+ui.Unitless, func(l code) templ.Component {
			return ui.Either(k.Commission != "", ui.Unknown(k.Commission), ui.VolumeOf(l.Volume()))
		}),
		number("fee", "Fees paid", "Fees paid by invitees, in "+coin, func(l code) templ.Component { return codeAmount(v, l.In(v.Report.Coin).Fee) }),
		number("share", "Share", "Of the commission of all codes of this selection", func(l code) templ.Component { return ui.Share(l.Share) }),
		number("change", "Change", "In "+coin+", of the commission against the compared period; ordered by the amount", func(l code) templ.Component { return codeChange(v, l) }, ui.If(q.Compare != query.CompareNone)),
		ui.Cells(ui.TableColumn{Name: "trend", Label: "Per day", Hint: "Commission per day of the range, in " + coin}, func(l code) templ.Component {
			return ui.When(len(l.Trend.Values) > 0, totals.Sparkline(l.Trend, "Earned"))
		}),
		ui.Cells(ui.TableColumn{Field: "commission", Label: "Commission, " + coin, Hint: "In the range", Numeric: true, Largest: true}, func(l code) templ.Component {
			return codeAmount(v, l.In(v.Report.Coin).Commission)
		}, ui.Classed("font-medium"), ui.OnPhone(ui.Figure)).Kept(func(code) affiliate.Coin { return v.Report.Coin }),
	)
	group := ""
	for i, c := range columns {
		switch c.Field {
		case "registered":
			group = "Of those who registered in the range, until now"
		case "first-deposits":
			group = "In the range, whenever they registered"
		}
		columns[i].Group = group
	}
	return columns
}

// named is how many columns of a list name its lines.
func named(o snapshot.Options) int {
	if len(o.Accounts) > 1 {
		return 2
	}
	return 1
}

// CodeColumns are the columns of the list that can be chosen.
func CodeColumns() []string {
	return ui.ColumnNames(ui.Heads(codeColumns(CodesView{Links: ui.Links{Query: query.Query{Compare: query.ComparePrevious}}})))
}

// in returns an amount in the coin of the list.
func (v CodesView) in(value decimal.Decimal) affiliate.Amount {
	return affiliate.Amount{Value: value, Coin: v.Report.Coin}
}

// bar returns the bar of one of the top codes, or of the others.
func (v CodesView) bar(line invitecodes.CodeLine) ui.Bar {
	least, most := decimal.Zero, decimal.Zero
	for _, one := range append([]invitecodes.CodeLine{v.Report.Others}, v.Report.Top...) {
		commission := one.In(v.Report.Coin).Commission
		least, most = decimal.Min(least, commission), decimal.Max(most, commission)
	}
	return ui.BarOf(line.In(v.Report.Coin).Commission, least, most)
}

// otherCoins returns the cards of the coins other than that of the list.
func (v CodesView) otherCoins() []figures.CoinCard {
	var cards []figures.CoinCard
	for _, card := range v.Report.Cards {
		if card.Coin != v.Report.Coin {
			cards = append(cards, card)
		}
	}
	return cards
}

// coinCard returns the card of the coin of the list; all zero if it earned nothing.
func (v CodesView) coinCard() figures.CoinCard {
	for _, card := range v.Report.Cards {
		if card.Coin == v.Report.Coin {
			return card
		}
	}
	zero := figures.Figure{Amount: v.in(decimal.Zero), Change: figures.Change{Kind: figures.ChangeNone}}
	return figures.CoinCard{Coin: v.Report.Coin, Summed: affiliate.MapSummed(new(affiliate.Summed[bool]), func(*bool) figures.Figure { return zero })}
}

// driversOf returns the address of what moved the commission of a code; it is empty without any,
// and for invitees without a known code.
func (v CodesView) driversOf(line invitecodes.CodeLine) string {
	if line.Code == "" || line.In(v.Report.Coin).Records == 0 && line.Was(v.Report.Coin).Records == 0 {
		return ""
	}
	return v.Links.Drivers(func(q *query.Query) {
		q.Code, q.Coin, q.Text = line.Code, v.Report.Coin, ""
		if len(v.Report.Options.Accounts) > 1 {
			q.Account = line.Account
		}
	})
}

// driversOfAll returns the address of what moved the commission of all codes of the page; it is
// empty if that page cannot narrow its records in the same way.
func (v CodesView) driversOfAll() string {
	if !v.Links.DriversFit() {
		return ""
	}
	return v.Links.Drivers(func(q *query.Query) { q.Coin, q.By = v.Report.Coin, string(drivers.ByCode) })
}
