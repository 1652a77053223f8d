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

// commissionColumns are all columns of commission records.
func commissionColumns(q query.Query, accounts bool) []commissionColumn {
	columns := []commissionColumn{{ui.TableColumn{Field: "time", Label: "Time (" + ui.ZoneOf(q).String() + ")", Largest: true}, timeCell}}
	if accounts {
		columns = append(columns, commissionColumn{ui.TableColumn{Label: "Account"}, accountCell})
	}
	number := func(name, label, hint string, of func(records.CommissionRow) affiliate.Number) commissionColumn {
		return commissionColumn{
			ui.TableColumn{Name: name, Field: name, Label: label, Hint: hint, Numeric: true, Largest: true},
			func(l commissionLine) templ.Component { return numberCell(of(l.CommissionRow)) },
		}
	}
	return append(columns,
		commissionColumn{ui.TableColumn{Field: "uid", Label: "UID"}, uidCell},
		commissionColumn{ui.TableColumn{Name: "code", Label: "Code", Hint: "Invite code"},
			func(l commissionLine) templ.Component { return codeCell(l) }},
		commissionColumn{ui.TableColumn{Name: "product", Field: "product", Label: "Product"}, productCell},
		commissionColumn{ui.TableColumn{Name: "symbol", Field: "symbol", Label: "Pair"},
			func(l commissionLine) templ.Component { return pairCell(l.Symbol) }},
		commissionColumn{ui.TableColumn{Name: "source", Field: "source", Label: "Sub", Hint: "Marked: a client of a sub-agent. Unmarked: a client of our own"}, sourceCell},
		commissionColumn{ui.TableColumn{Field: "coin", Label: "Coin", Hint: "The coin of fee and commission"},
			func(l commissionLine) templ.Component { return textCell(string(l.Coin), ui.NotGiven) }},
		number("taker", "Taker ≈", "Trading volume as taker, "+ui.Unitless, func(r records.CommissionRow) affiliate.Number { return r.TakerAmount }),
		number("maker", "Maker ≈", "Trading volume as maker, "+ui.Unitless, func(r records.CommissionRow) affiliate.Number { return r.MakerAmount }),
		number("fee", "Fee paid", "Fee paid by the invitee", func(r records.CommissionRow) affiliate.Number { return r.Fee }),
		commissionColumn{ui.TableColumn{Name: "rate", Field: "rate", Label: "Rate", Hint: "As the exchange states it: the part of the fee that is paid as commission. Open it for why the record brought what it did", Numeric: true, Largest: true}, rateCell},
		commissionColumn{ui.TableColumn{Field: "commission", Label: "Commission", Numeric: true, Largest: true, Keep: true}, commissionCell},
	)
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
