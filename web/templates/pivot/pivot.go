// Package pivot holds the page of the pivot table.
package pivot

import (
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/people"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/pivot"
	"rebatedesk/reports/query"
	"rebatedesk/store/sums"
	"rebatedesk/web/templates/ui"
)

// PivotPath is the address of the page.
const PivotPath = "/pivot"

// PivotView is one page of a pivot table.
type PivotView struct {
	Report pivot.Report
	Links  ui.Links
}

// choices returns the options of a select with their labels.
func choices(names []string, label func(string) string) []ui.Pair {
	pairs := make([]ui.Pair, len(names))
	for i, name := range names {
		pairs[i] = ui.Pair{Name: name, Value: label(name)}
	}
	return pairs
}

// axisLabel names an axis.
func axisLabel(name string) string {
	switch sums.PivotAxis(name) {
	case sums.AxisDay:
		return "Day"
	case sums.AxisWeek:
		return "Week"
	case sums.AxisMonth:
		return "Month"
	case sums.AxisProduct:
		return "Product"
	case sums.AxisSymbol:
		return "Pair"
	case sums.AxisCoin:
		return "Coin"
	case sums.AxisSource:
		return "Source"
	case sums.AxisCode:
		return "Invite code"
	case sums.AxisInvitee:
		return "Invitee"
	case pivot.AxisTag:
		return "Tag"
	}
	return "Account"
}

func metricLabel(name string) string {
	metric, ok := affiliate.MetricOf(name)
	switch {
	case !ok:
		return "Records"
	case metric.Volume():
		return metric.Title + " ≈ quote currency"
	}
	return metric.Title
}

func showLabel(name string) string {
	switch name {
	case pivot.ShowShare:
		return "Share of the total"
	case pivot.ShowRowShare:
		return "Share of the row"
	case pivot.ShowColumnShare:
		return "Share of the column"
	case pivot.ShowChange:
		return "Change against the comparison"
	}
	return "Sum"
}

// label names a row or a column for people.
func (v PivotView) label(axis sums.PivotAxis, head pivot.TableHead) string {
	name := head.Name
	switch axis {
	case sums.AxisDay:
		return head.Day.Format("2 Jan 2006")
	case sums.AxisWeek, sums.AxisMonth:
		return phrase.Period(head.Days)
	case sums.AxisProduct:
		name = affiliate.Product(name).Label()
	case sums.AxisSymbol:
		name = affiliate.MarketPair(name)
	case sums.AxisSource:
		name = affiliate.Source(name).Label()
	}
	switch {
	case name != "":
		return name
	case axis == sums.AxisCode:
		return "Code not known"
	case axis == pivot.AxisTag:
		return "No tag"
	}
	return "Not given"
}

// clippedName keeps a name short enough for a heading.
func clippedName(name string) string {
	const most = 24
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return name
}

// line is a row of the table, or the total, which has no head.
type line struct {
	pivot.TableRow
	head *pivot.TableHead
}

func (v PivotView) lines() []line {
	list := make([]line, len(v.Report.Rows))
	for i, row := range v.Report.Rows {
		list[i] = line{row, &v.Report.Rows[i].TableHead}
	}
	return list
}

// columns are those of the table, with the names that the reader may see.
func (v PivotView) columns(names *people.NameBook) []ui.Column[line] {
	r := v.Report
	columns := []ui.Column[line]{ui.CellColumn(axisLabel(string(r.By)), func(l line) templ.Component { return rowLabel(v, l.TableHead) }, ui.Names("text-base-content! font-normal"))}
	for i := range r.Columns {
		head := &r.Columns[i]
		column := ui.TableColumn{Label: v.label(r.Across, *head), Numeric: true}
		switch {
		case r.Across == sums.AxisCode && r.Codes.OnlyOurs(head.Name):
			column.Label += " (ours)"
		case r.Across == sums.AxisInvitee && head.Name != "":
			column.Label = head.Name
			if name := affiliate.OneLine(names.Of(affiliate.UID(head.Name))); name != "" {
				column.Label += " (" + clippedName(name) + ")"
				column.Hint = name
			}
			if len(r.Options.Accounts) > 1 {
				column.Label += " (" + string(head.Account) + ")"
			}
		}
		if head.Partial {
			column.Label += " · partial"
			column.Hint = "Not collected completely"
		}
		columns = append(columns, ui.Cells(column, func(l line) templ.Component { return cell(v, l.Cells[i], l.head, head, v.href(l.head, head)) }))
	}
	if r.RestN > 0 {
		columns = append(columns, ui.CellColumn(v.restLabel(), func(l line) templ.Component { return cell(v, l.Cells[len(r.Columns)], l.head, nil, "") },
			ui.Nums, ui.Hinted("All columns without one of their own, added up")))
	}
	return append(columns, ui.CellColumn("Total", func(l line) templ.Component { return cell(v, l.Total, l.head, nil, v.href(l.head, nil)) }, ui.Nums, ui.Classed("font-medium")).Kept(nil))
}

func (v PivotView) restLabel() string {
	if _, period := v.Report.Across.Span(); period {
		return phrase.Count(v.Report.RestN) + " earlier"
	}
	return phrase.Count(v.Report.RestN) + " others"
}

// href returns the address of the records that a cell adds up; empty if no filter selects
// them. Nil stands for all rows or all columns. A tag selects invitees, whose list shows what
// they brought to the cell.
func (v PivotView) href(row, column *pivot.TableHead) string {
	r := v.Report
	q := query.Query{Range: r.Query.Range, Days: r.Query.Days, Account: r.Query.Account, Product: r.Query.Product, Coin: r.Query.Coin, UID: r.Query.UID,
		Symbol: r.Query.Symbol, Source: r.Query.Source, Code: r.Query.Code, Segment: r.Query.Segment, Text: r.Query.Text, AsOf: r.Query.AsOf, Zone: r.Query.Zone,
		Page: 1, Per: query.DefaultPer}
	if r.Coin != "" {
		q.Coin = r.Coin
	}
	for _, part := range []struct {
		axis sums.PivotAxis
		head *pivot.TableHead
	}{{r.By, row}, {r.Across, column}} {
		if part.head != nil && !narrow(&q, part.axis, part.head) {
			return ""
		}
	}
	path := "/commissions"
	switch {
	case q.Tag == "":
	case q.UID != "": // the records of the invitee are those of the cell
		q.Tag = ""
	case q.Text != "":
		return "" // the list of invitees would look for something else
	default:
		path = "/invitees"
	}
	return path + "?" + q.Values().Encode()
}

// narrow adds the condition of a row or a column to a query. It returns false if there is none.
func narrow(q *query.Query, axis sums.PivotAxis, head *pivot.TableHead) bool {
	if _, period := axis.Span(); period {
		q.Range = query.Custom
		q.Days = affiliate.Days{First: max(q.Days.First, head.Days.First), Last: min(q.Days.Last, head.Days.Last)}
		return q.Days.First <= q.Days.Last
	}
	switch axis {
	case sums.AxisProduct:
		q.Product = affiliate.Product(head.Name)
	case sums.AxisSymbol:
		q.Symbol = head.Name
	case sums.AxisCoin:
		q.Coin = affiliate.Coin(head.Name)
	case sums.AxisSource:
		q.Source = affiliate.Source(head.Name)
	case sums.AxisCode:
		q.Code = head.Name
	case sums.AxisInvitee:
		q.UID, q.Account = affiliate.UID(head.Name), head.Account
	case pivot.AxisTag:
		q.Tag = head.Name
	case sums.AxisAccount:
		q.Account = affiliate.Account(head.Name)
	}
	return head.Name != ""
}

// coinOf returns the coin of a cell's amount; empty if the figure has none.
func (v PivotView) coinOf(row, column *pivot.TableHead) affiliate.Coin {
	r := v.Report
	switch {
	case !r.Amounts():
		return ""
	case r.By == sums.AxisCoin && row != nil:
		return affiliate.Coin(row.Name)
	case r.Across == sums.AxisCoin && column != nil:
		return affiliate.Coin(column.Name)
	}
	return r.Coin
}

// number prints a figure of the table.
func (v PivotView) number(d decimal.Decimal, coin affiliate.Coin) string {
	switch {
	case v.Report.Figure == sums.PivotRecords:
		return affiliate.Grouped(d.String())
	case !v.Report.Amounts():
		return ui.Volume(d)
	}
	return affiliate.Amount{Value: d, Coin: coin}.Short()
}

// text prints what a cell shows; changes are drawn by [ui.Change].
func (v PivotView) text(c pivot.TableCell, coin affiliate.Coin) string {
	switch v.Report.Query.Own("show") {
	case pivot.ShowShare, pivot.ShowRowShare, pivot.ShowColumnShare:
		return phrase.Share(c.Share)
	}
	return v.number(c.Value, coin)
}

// title has the exact figure of a cell, and its number of records.
func (v PivotView) title(c pivot.TableCell, coin affiliate.Coin) string {
	exact := affiliate.Grouped(c.Value.String())
	if coin != "" {
		exact += " " + string(coin)
	}
	if v.Report.Query.Own("show") == pivot.ShowChange && ui.Comparable(c.Change) {
		exact += ", before " + affiliate.Grouped(c.Before.String())
	}
	if v.Report.Figure != sums.PivotRecords {
		exact += ", " + phrase.Things(c.Records, "record")
	}
	return exact
}

// whyUnknown returns why a cell has no figure.
func (v PivotView) whyUnknown(row, column *pivot.TableHead) string {
	if (row == nil || !row.Unread) && (column == nil || !column.Unread) {
		return "amounts of different coins are never added up"
	}
	return figures.NotYet
}

// sentence is the answer of the page in words.
func (v PivotView) sentence() string {
	r := v.Report
	total := r.Total.Total
	by := "by " + phrase.Lowered(axisLabel(string(r.By))) + " and " + phrase.Lowered(axisLabel(string(r.Across)))
	metric, _ := affiliate.MetricOf(r.Figure)
	subject := phrase.Lowered(metricLabel(r.Figure))
	var words string
	switch {
	case !total.Known:
		words = phrase.Capital(subject) + " " + by + ", each coin by itself."
	case r.Figure == sums.PivotRecords:
		words = phrase.Things(total.Records, "record") + " " + by + "."
	case !r.Amounts():
		words = "A " + phrase.Lowered(metric.Title) + " of " + v.number(total.Value, "") + " (≈ quote currency, unit not documented) " + by + "."
	default:
		words = v.number(total.Value, r.Coin) + " " + string(r.Coin) + " of " + subject + " " + by + "."
	}
	if _, period := r.By.Span(); !period && r.Query.Page == 1 && r.Query.Own("show") != pivot.ShowChange && total.Known && len(r.Rows) > 1 {
		first := r.Rows[0]
		share, of := r.Parts.Share(first.Total.Value), ""
		switch {
		case share.OfPositive:
			of = " of the positive ones"
		case r.Tagged():
			share = figures.PortionsOf(total.Value).Share(first.Total.Value)
		}
		if share.Known && !(share.OfPositive && r.Tagged()) {
			words += " The largest part is " + v.label(r.By, first.TableHead) + " with " + phrase.Share(share) + of + "."
		}
	}
	if c := total.Change; r.Query.Own("show") == pivot.ShowChange && total.Known {
		if ui.Comparable(c) {
			words += " The change is " + phrase.WithSign(total.Difference(), v.number(total.Difference(), r.Coin)) + " " + string(r.Coin)
			words = strings.TrimSpace(words) + ", from " + v.number(total.Before, r.Coin) + "."
		} else {
			words += " The compared period is not collected completely, so its changes are not known."
		}
	}
	return words
}

// ofPositive reports whether a share of the page is of positive amounts only, or left out for
// negative ones.
func (v PivotView) ofPositive() bool {
	show := v.Report.Query.Own("show")
	if show != pivot.ShowShare && show != pivot.ShowRowShare && show != pivot.ShowColumnShare {
		return false
	}
	return slices.ContainsFunc(append(slices.Clone(v.Report.Rows), v.Report.Total), func(row pivot.TableRow) bool {
		return slices.ContainsFunc(append(slices.Clone(row.Cells), row.Total), func(c pivot.TableCell) bool { return c.Known && c.Value.IsNegative() })
	})
}

// notes are further sentences about the table.
func (v PivotView) notes() (notes []string) {
	r := v.Report
	if r.Tagged() {
		notes = append(notes, "An invitee with several tags counts under each of them, so the lines can add up to more than the total, in which each record counts once.")
	}
	if v.ofPositive() {
		notes = append(notes, "Where amounts have both signs, shares are of the positive ones, and negative ones have none.")
	}
	if _, period := r.Across.Span(); period && r.RestN > 0 {
		notes = append(notes, "The newest "+phrase.Count(len(r.Columns))+" columns stand apart; the earlier ones are added up.")
	} else if r.RestN > 0 {
		notes = append(notes, "The largest "+phrase.Count(len(r.Columns))+" columns stand apart; the others are added up.")
	}
	return notes
}

// otherCoins are the coins of the switch, with that of the table.
func (v PivotView) otherCoins() []affiliate.Coin {
	if len(v.Report.Others) == 0 {
		return nil
	}
	return append([]affiliate.Coin{v.Report.Coin}, v.Report.Others...)
}

func exportNote(c coverage.Coverage) string {
	note := "All rows of this table, exact."
	if !c.Complete() {
		note += " The range is not collected completely; the file name says so."
	}
	return note
}
