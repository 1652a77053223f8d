package earnings

import (
	"slices"

	"github.com/a-h/templ"

	"rebatedesk/affiliate"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/months"
	"rebatedesk/reports/overview"
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

// commissionColumn is a column of commission records, with its cells.
type commissionColumn struct {
	ui.TableColumn
	cell func(commissionLine) templ.Component
}

// commissionCells are the cells of fields that show more than the value.
var commissionCells = map[string]func(commissionLine) templ.Component{
	"time": timeCell, "uid": uidCell, "product": productCell, "source": sourceCell, "rate": rateCell, "commission": commissionCell,
	"symbol": func(l commissionLine) templ.Component { return pairCell(l.Symbol) },
}

// commissionColumns are all columns of commission records: those of the fields, each followed by what
// belongs to it, and the commission last.
func commissionColumns(q query.Query, accounts bool) (columns []commissionColumn) {
	var last commissionColumn
	for _, f := range affiliate.CommissionFields {
		c := commissionColumn{ui.ColumnOf(f), commissionCells[f.Name]}
		if c.cell == nil {
			c.cell = fieldCell(f)
		}
		switch f.Name {
		case "time":
			c.Label += " (" + ui.ZoneOf(q).String() + ")"
			if columns = append(columns, c); accounts {
				columns = append(columns, commissionColumn{ui.TableColumn{Label: "Account"}, accountCell})
			}
		case "uid":
			columns = append(columns, c, commissionColumn{ui.TableColumn{Name: "code", Label: "Code", Hint: "Invite code"}, codeCell})
		case "commission":
			last = c
			last.Keep = true
		default:
			columns = append(columns, c)
		}
	}
	return append(columns, last)
}

// fieldCell is the cell of a field that shows its value.
func fieldCell(f affiliate.Field[affiliate.Commission]) func(commissionLine) templ.Component {
	return func(l commissionLine) templ.Component {
		text := f.Text(&l.CommissionRow.Commission)
		if f.Decimal() {
			return numberCell(affiliate.Number(text))
		}
		return textCell(text, ui.NotGiven)
	}
}

// commissionHeads are the columns without their cells.
func commissionHeads(columns []commissionColumn) []ui.TableColumn {
	heads := make([]ui.TableColumn, len(columns))
	for i, c := range columns {
		heads[i] = c.TableColumn
	}
	return heads
}

// shownCommissionColumns are those of the columns that the question shows.
func shownCommissionColumns(q query.Query, columns []commissionColumn) []commissionColumn {
	return slices.DeleteFunc(slices.Clone(columns), func(c commissionColumn) bool { return !c.Shown(q) })
}

// CommissionColumnNames are the columns of commission records that can be chosen.
func CommissionColumnNames() []string {
	return ui.ColumnNames(commissionHeads(commissionColumns(query.Query{}, false)))
}

// atCoin is the place of the coin: totals write before it what they are of.
func atCoin(columns []commissionColumn) int {
	return slices.IndexFunc(columns, func(c commissionColumn) bool { return c.Field == "coin" })
}
