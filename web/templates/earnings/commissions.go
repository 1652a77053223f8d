package earnings

import (
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/months"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/store/records"
	"rebatedesk/web/templates/ui"
)

// CommissionsView is one page of commission records.
type CommissionsView struct {
	Report commissions.Report
	Links  ui.Links
	Closed []months.Line // the closed months in the range
	Why    *overview.Why // nil: the query is too wide to have one cause
}

// commissionLine is a commission record as a line of the table.
type commissionLine struct {
	records.CommissionRow
	links    ui.Links
	accounts bool // there are several
	reason   commissions.Reason
	sheet    *affiliate.Sheet // of an account with limits
}

// exchangeDay returns the day of the exchange that the record covers, and its zone; false if it covers none.
func (l commissionLine) exchangeDay() (day time.Time, zone string, ok bool) {
	if l.sheet == nil || l.sheet.Grain != affiliate.GrainDay || !l.DealTime.Known() {
		return day, "", false
	}
	return l.DealTime.Time().UTC().Add(l.sheet.Ahead()), l.sheet.DayZone, true
}

// ofSpan reports whether the record covers the time between two readings.
func (l commissionLine) ofSpan() bool {
	return l.sheet != nil && l.sheet.Grain == affiliate.GrainSpan && l.DealTime.Known()
}

func commissionLines(v CommissionsView, accounts bool) []commissionLine {
	lines := make([]commissionLine, len(v.Report.Rows))
	for i, row := range v.Report.Rows {
		sheet, reason := v.Report.Coverage.SheetOf(row.Account), v.Report.Reasons[i]
		if sheet != nil && !sheet.Fees {
			// Nothing is odd about a fee that no record has.
			reason.Causes = slices.DeleteFunc(slices.Clone(reason.Causes), func(c commissions.Cause) bool { return c == commissions.CauseNoAmount })
		}
		lines[i] = commissionLine{row, v.Links, accounts, reason, sheet}
	}
	return lines
}

// history returns the address of what became known of the trade of the record, from the moment of
// the trade on.
func (l commissionLine) history() string {
	q := l.links.Query
	day := affiliate.DayOf(l.DealTime.Time(), ui.ZoneOf(q))
	return "/changes?" + query.Query{Range: query.Custom, Days: affiliate.Days{First: day, Last: day}, Account: l.Account,
		UID: l.UID, Product: l.Product, Symbol: l.Symbol, Coin: l.Coin, Source: l.Source, Zone: q.Zone,
		Since: l.DealTime.Time(), Until: q.AsOf, Page: 1, Per: query.DefaultPer}.Values().Encode()
}

// ofPair returns the address of the page about the pair of the record; empty without one.
func (l commissionLine) ofPair() string {
	if l.Symbol == "" {
		return ""
	}
	return l.links.With(func(q *query.Query) { q.Symbol = l.Symbol })
}

// commissionCells are the columns of fields that show more than the value.
var commissionCells = map[string]func(ui.TableColumn, query.Query) ui.Column[commissionLine]{
	"time": func(c ui.TableColumn, q query.Query) ui.Column[commissionLine] {
		c.Label += " (" + ui.ZoneOf(q).String() + ")"
		return ui.Cells(c, timeCell, ui.OnPhone(ui.Note)).Titled(func(l commissionLine) string { return l.DealTime.String() })
	},
	"uid": func(c ui.TableColumn, _ query.Query) ui.Column[commissionLine] {
		return ui.Cells(c, func(l commissionLine) templ.Component {
			return ui.Link("text-link", l.links.InviteeOf(ui.AccountOf(l.Account, l.accounts), l.UID), ui.Invitee(l.UID))
		}, ui.OnPhone(ui.Lead))
	},
	"product": func(c ui.TableColumn, _ query.Query) ui.Column[commissionLine] {
		return ui.Cells(c, func(l commissionLine) templ.Component { return ui.Foreign(l.Product.Label()) })
	},
	"symbol": func(c ui.TableColumn, _ query.Query) ui.Column[commissionLine] {
		return ui.Cells(c, func(l commissionLine) templ.Component { return ui.TradedPair(l.Symbol) }, ui.OnPhone(ui.Note))
	},
	"source": func(c ui.TableColumn, _ query.Query) ui.Column[commissionLine] {
		return ui.Cells(c, func(l commissionLine) templ.Component { return sourceMark(l.Source) })
	},
	"rate": func(c ui.TableColumn, _ query.Query) ui.Column[commissionLine] {
		return ui.Cells(c, rateCell).Titled(func(l commissionLine) string {
			return strings.Join(phrase.ReasonWords(l.CommissionRow, l.reason), " ")
		})
	},
	"commission": func(c ui.TableColumn, _ query.Query) ui.Column[commissionLine] {
		return ui.Cells(c, commissionCell, ui.Classed("reason font-medium"), ui.OnPhone(ui.Figure)).Kept(func(l commissionLine) affiliate.Coin { return l.Coin })
	},
}

// commissionColumns are all columns of commission records: those of the fields, each followed by what
// belongs to it, and the commission last.
func commissionColumns(q query.Query, accounts bool) (columns []ui.Column[commissionLine]) {
	var last ui.Column[commissionLine]
	for _, f := range affiliate.CommissionFields {
		column := ui.Cells(ui.ColumnOf(f), fieldCell(f))
		if own := commissionCells[f.Name]; own != nil {
			column = own(ui.ColumnOf(f), q)
		}
		switch f.Name {
		case "time":
			columns = append(columns, column, ui.ForeignColumn("Account", func(l commissionLine) affiliate.Account { return l.Account }, ui.OnPhone(ui.Note), ui.If(accounts)))
		case "uid":
			columns = append(columns, column, ui.Cells(ui.TableColumn{Name: "code", Label: "Code", Hint: "Invite code"}, codeCell))
		case "commission":
			last = column
		default:
			columns = append(columns, column)
		}
	}
	return ui.Present(append(columns, last)...)
}

// fieldCell is the cell of a field that shows its value.
func fieldCell(f affiliate.Field[affiliate.Commission]) func(commissionLine) templ.Component {
	return func(l commissionLine) templ.Component {
		text := f.Text(&l.CommissionRow.Commission)
		if f.Decimal() {
			return ui.Number(affiliate.Number(text))
		}
		return ui.ExchangeText(text, ui.NotGiven)
	}
}

// CommissionColumnNames are the columns of commission records that can be chosen.
func CommissionColumnNames() []string {
	return ui.ColumnNames(ui.Heads(commissionColumns(query.Query{}, false)))
}

// atCoin is the place of the coin: totals write before it what they are of.
func atCoin(columns []ui.Column[commissionLine]) int {
	return slices.IndexFunc(columns, func(c ui.Column[commissionLine]) bool { return c.Field == "coin" })
}

// uncompared are totals as cards, with nothing to compare them with.
func uncompared(totals []figures.Totals) []figures.CoinCard {
	cards := make([]figures.CoinCard, len(totals))
	for i, t := range totals {
		figure := func(value *decimal.Decimal) figures.Figure {
			return figures.Figure{Amount: affiliate.Amount{Value: *value, Coin: t.Coin}, Change: figures.Change{Kind: figures.ChangeNone}}
		}
		cards[i] = figures.CoinCard{Coin: t.Coin, Records: t.Records, Summed: affiliate.MapSummed(&t.Summed, figure)}
	}
	return cards
}

// volumesOf adds up the amounts of all coins, which means something for volumes only.
func volumesOf(totals []figures.Totals) (sums affiliate.Summed[decimal.Decimal]) {
	for _, t := range totals {
		amounts := t.All()
		for i, sum := range sums.All() {
			*sum = sum.Add(*amounts[i])
		}
	}
	return sums
}

// summedPlace is the index in [affiliate.Summed.All] of a field that is added up and of a kind, by the name of its
// column; otherwise -1.
func summedPlace(name string, kind affiliate.FieldKind) int {
	return slices.IndexFunc(affiliate.SummedFields, func(f affiliate.Field[affiliate.Commission]) bool { return f.Name == name && f.Kind == kind })
}

func exportNote(r commissions.Report) string {
	note := "All " + phrase.Things(r.Records, "record") + " of this selection, exact."
	if !r.Coverage.Complete() {
		note += " The range is not collected completely; the file name says so."
	}
	return note
}
