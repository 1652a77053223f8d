package pivot

import (
	"context"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/rollup"
	"rebatedesk/store/sums"
)

// AxisTag counts records by the tags of their invitee. One with two tags counts in both, one
// without a tag under the empty name.
const AxisTag sums.PivotAxis = "tag"

// Forms in which a table shows its figure.
const (
	ShowSum         = "sum"
	ShowShare       = "share" // of the grand total
	ShowRowShare    = "row-share"
	ShowColumnShare = "column-share"
	ShowChange      = "change" // against the comparison; the previous period if none is chosen
)

// Axes lists the axes in the order they are offered.
func Axes() []string {
	return names(sums.AxisMonth, sums.AxisWeek, sums.AxisDay, sums.AxisProduct, sums.AxisSource, sums.AxisSymbol, sums.AxisCoin,
		sums.AxisCode, sums.AxisInvitee, AxisTag, sums.AxisAccount)
}

func names[S ~string](list ...S) []string {
	texts := make([]string, len(list))
	for i, name := range list {
		texts[i] = string(name)
	}
	return texts
}

// Parameters of the table alone.
var (
	across = query.Declare(query.Own{Name: "across", Words: "What the columns are. Other than by.", Choices: Axes(), Usual: true, NotBy: true})
	show   = query.Declare(query.Own{Name: "show", Words: "Which form of it is shown.", Choices: Shows, Usual: true})
)

// Shows are the forms in which the table shows its figure.
var Shows = []string{ShowSum, ShowShare, ShowRowShare, ShowColumnShare, ShowChange}

// Accepted are the parameters of the table. Its rows are codes and its columns months
// unless the query says otherwise.
var Accepted = query.AcceptedParams{
	Taken: []string{"range", "from", "to", "compare", "account", "product", "coin", "uid", "symbol", "source", "code", "segment", "q",
		"by", "across", "metric", "show", "page", "per", "as_of"},
	By:      append([]string{string(sums.AxisCode)}, slices.DeleteFunc(Axes(), func(name string) bool { return name == string(sums.AxisCode) })...),
	Metrics: figureNames(),
	Own:     []query.Own{across, show},
	Usual:   query.Last90,
}

// figureNames lists the figures in the order they are offered.
func figureNames() (list []string) {
	for _, m := range affiliate.Metrics {
		list = append(list, m.Name)
	}
	return append(list, sums.PivotRecords)
}

// Limits of the columns that stand apart; the others are added up in one.
const (
	mostColumns = 12
	mostPeriods = 31 // the newest ones
)

// Report is one page of a pivot table. Its cells add up to its totals, and these to the
// figures of the overview for the same query, unless an axis is tags.
type Report struct {
	Query    query.Query
	Coverage coverage.Coverage
	Empty    coverage.EmptyKind // not "" when there are no records
	By       sums.PivotAxis
	Across   sums.PivotAxis
	Figure   string           // of [sums.PivotQuestion]
	Coin     affiliate.Coin   // of the amounts; empty: the figure has none, or each row or column has its own
	Others   []affiliate.Coin // further coins of the query, which are not part of the table
	Columns  []TableHead
	RestN    int              // number of columns that are added up in the last cell of each row
	Rows     []TableRow       // of the page
	RowsN    int              // of all pages
	Pages    int              // at least 1
	Total    TableRow         // over all rows: each record counts once
	Parts    figures.Portions // the totals of all rows
	Options  snapshot.Options
	Codes    *snapshot.CodeBook // where a side of the table is the invite code
}

// Amounts reports whether the figure has a coin.
func (r Report) Amounts() bool {
	metric, ok := affiliate.MetricOf(r.Figure)
	return ok && !metric.Volume()
}

// Tagged reports whether an axis is tags, so that a record can count several times.
func (r Report) Tagged() bool { return r.By == AxisTag || r.Across == AxisTag }

// TableHead is the key of a row or a column, with its days if it is a period.
type TableHead struct {
	sums.PivotKey
	Days    affiliate.Days // as far as they belong to the range; meaningless for a name
	Partial bool           // a period that is not collected completely
	Unread  bool           // a period of which nothing is collected
}

// TableRow is a row with a cell for each column, one more for the others if there are any,
// and its total.
type TableRow struct {
	TableHead
	Cells []TableCell
	Total TableCell
}

// TableCell is a sum with what it is compared with.
type TableCell struct {
	Known   bool // false: amounts of different coins, or days of which nothing is collected
	Records int64
	Value   decimal.Decimal
	Before  decimal.Decimal
	Change  figures.Change
	Share   figures.Ratio
}

// Difference returns the change as an amount.
func (c TableCell) Difference() decimal.Decimal { return c.Value.Sub(c.Before) }

// Make answers the query, which takes [Accepted], for one page of a table of two
// axes.
func Make(ctx context.Context, q *snapshot.Snapshot) (Report, error) {
	m, err := newMaker(ctx, q)
	if err != nil || m.report.Empty != "" {
		return m.report, err
	}
	r := &m.report
	r.Pages = max(1, (r.RowsN+q.Per-1)/q.Per)
	if q.Page > r.Pages {
		return *r, query.BeyondPages(q.Page, r.Pages)
	}
	first := (q.Page - 1) * q.Per
	for _, key := range m.keys[first:min(first+q.Per, r.RowsN)] {
		r.Rows = append(r.Rows, m.rowOf(key))
	}
	if r.By == sums.AxisCode || r.Across == sums.AxisCode {
		r.Codes, err = q.InviteeCodes(ctx)
	}
	return *r, err
}

// withComparison returns a query as the table answers it: changes need a comparison.
func withComparison(q query.Query) query.Query {
	if q.Own("show") == ShowChange && q.Compare == query.CompareNone {
		q.Compare = query.ComparePrevious
	}
	return q
}

// maker makes one table. Its rows are laid out one by one, since a table has up to one for each
// invitee.
type maker struct {
	*snapshot.Snapshot
	report Report
	ref    figures.Reference // nothing unless changes are shown
	cover  *coverage.Map
	coins  []figures.Totals // of the query, the one with most records first
	keys   []sums.PivotKey  // of all rows, in their order
	wholes wholes
	now    *grid
	before *grid // empty without a comparison
}

// newMaker reads everything that a table needs. The report has no rows yet.
func newMaker(ctx context.Context, asked *snapshot.Snapshot) (*maker, error) {
	q := *asked
	q.Query = withComparison(q.Query)
	m := &maker{Snapshot: &q, now: newGrid(), before: newGrid(),
		report: Report{Query: q.Query, By: sums.PivotAxis(q.By), Across: sums.PivotAxis(q.Own("across")), Figure: q.Metric, Pages: 1}}
	r := &m.report
	var err error
	if r.Options, err = q.Options(ctx); err != nil {
		return m, err
	}
	days, err := sums.ByDay(ctx, q.Tx, q.Filter())
	if err != nil {
		return m, err
	}
	if m.cover, r.Coverage, err = q.Covered(ctx); err != nil {
		return m, err
	}
	if q.Own("show") == ShowChange {
		if m.ref, err = q.Compared(ctx); err != nil {
			return m, err
		}
	}
	if m.coins = figures.TotalsOf(days); len(m.coins) == 0 {
		r.Total.Total = TableCell{Known: r.Coverage.Complete(), Change: figures.Change{Kind: figures.ChangeUnknown}}
		if r.Amounts() && r.By != sums.AxisCoin && r.Across != sums.AxisCoin {
			r.Coin = figures.MainCoin(q.Coin, nil)
		}
		r.Empty, err = q.WhyEmpty(ctx, r.Coverage)
		return m, err
	}
	if r.Amounts() && r.By != sums.AxisCoin && r.Across != sums.AxisCoin {
		r.Coin = figures.MainCoin(q.Coin, m.coins)
		for _, t := range m.coins {
			if t.Coin != r.Coin {
				r.Others = append(r.Others, t.Coin)
			}
		}
	}
	return m, m.make(ctx)
}

func (m *maker) make(ctx context.Context) (err error) {
	r := &m.report
	if r.Columns, r.RestN, err = m.columns(ctx); err != nil {
		return err
	}
	if m.now, err = m.grid(ctx, r.Columns, false); err != nil {
		return err
	}
	if m.ref.Asked {
		if m.before, err = m.grid(ctx, r.Columns, true); err != nil {
			return err
		}
	}
	m.addUp()
	m.keys = m.rowKeys()
	r.RowsN = len(m.keys)
	r.Total = m.row(TableHead{}, &m.now.total, &m.before.total)
	if m.mixed() {
		if r.By == sums.AxisCoin {
			for i := range r.Total.Cells {
				r.Total.Cells[i] = unknownCell
			}
		}
		r.Total.Total = unknownCell
	}
	m.shares(&r.Total)
	return nil
}

// unknownCell stands for amounts of different coins.
var unknownCell = TableCell{Change: figures.Change{Kind: figures.ChangeNone}}

// mixed reports whether totals would add up amounts of different coins.
func (m *maker) mixed() bool {
	r := &m.report
	return r.Amounts() && r.Coin == "" && len(m.coins) > 1
}

// rowOf lays out the row of a key.
func (m *maker) rowOf(key sums.PivotKey) TableRow {
	row := m.row(m.head(m.report.By, key), m.now.rows[key], m.before.rows[key])
	if m.mixed() && m.report.Across == sums.AxisCoin {
		row.Total = unknownCell
	}
	m.shares(&row)
	return row
}

// width is the number of cells of a row.
func (m *maker) width() int {
	if m.report.RestN > 0 {
		return len(m.report.Columns) + 1
	}
	return len(m.report.Columns)
}

// row lays out one row.
func (m *maker) row(head TableHead, now, before *gridRow) TableRow {
	r := &m.report
	row := TableRow{TableHead: head, Cells: make([]TableCell, m.width())}
	for i := range row.Cells {
		column := TableHead{}
		if i < len(r.Columns) {
			column = r.Columns[i]
		}
		row.Cells[i] = m.cell(head, column, now.at(i), before.at(i))
	}
	row.Total = m.cell(head, TableHead{}, now.whole(), before.whole())
	return row
}

// cell compares a sum. The change of a period is known if its own days of the compared range
// are; all others need the whole range.
func (m *maker) cell(row, column TableHead, now, before gridSum) TableCell {
	c := TableCell{Known: now.records > 0 || !row.Unread && !column.Unread, Records: now.records,
		Value: m.value(now), Before: m.value(before)}
	ref := m.ref
	if !ref.Asked {
		c.Change.Kind = figures.ChangeNone
		return c
	}
	for _, head := range []TableHead{row, column} {
		if head.Day != 0 {
			ref.Known = m.comparedWhole(head)
			ref.Open = ref.Open && head.Days.Contains(m.DayOf(affiliate.MillisOf(m.Now)))
		}
	}
	c.Change = ref.Change(m.coinOf(row, column), c.Value, c.Before)
	return c
}

// value returns the figure of a sum.
func (m *maker) value(s gridSum) decimal.Decimal {
	if m.report.Figure == sums.PivotRecords {
		return decimal.NewFromInt(s.records)
	}
	return s.amount.Decimal()
}

// coinOf returns the coin of a cell; empty if it has none, or several.
func (m *maker) coinOf(row, column TableHead) affiliate.Coin {
	switch r := &m.report; {
	case !r.Amounts():
		return ""
	case r.By == sums.AxisCoin:
		return affiliate.Coin(row.Name)
	case r.Across == sums.AxisCoin:
		return affiliate.Coin(column.Name)
	}
	return m.report.Coin
}

// wholes are what the shares of a table are of, by what they are parts of.
type wholes struct {
	cells, rows, columns figures.Portions   // all cells, the totals of all rows, and those of all columns
	column               []figures.Portions // the cells of each column
}

// sharing reports whether the table shows shares.
func (m *maker) sharing() bool {
	return slices.Contains([]string{ShowShare, ShowRowShare, ShowColumnShare}, m.report.Query.Own("show"))
}

// addUp adds up the parts of the table by their sign.
func (m *maker) addUp() {
	w := wholes{column: make([]figures.Portions, m.width())}
	for _, row := range m.now.rows {
		w.rows.Add(m.value(row.whole()))
		if !m.sharing() {
			continue
		}
		for i := range w.column {
			part := m.value(row.at(i))
			w.cells.Add(part)
			w.column[i].Add(part)
		}
	}
	for i := range w.column {
		w.columns.Add(m.value(m.now.total.at(i)))
	}
	m.wholes, m.report.Parts = w, w.rows
}

// shares sets the shares of a row, if the query asks for them. The whole of an amount is that
// of its coin.
func (m *maker) shares(row *TableRow) {
	if !m.sharing() {
		return
	}
	last := row == &m.report.Total
	var own figures.Portions
	for _, c := range row.Cells {
		own.Add(c.Value)
	}
	for i := range row.Cells {
		m.share(&row.Cells[i], row, i, last, own)
	}
	m.share(&row.Total, row, -1, last, own)
}

// share sets the share of a cell, or of the total of a row if the column is -1. last says that the row
// has the totals of the columns, and own are the cells of the row.
func (m *maker) share(c *TableCell, row *TableRow, column int, last bool, own figures.Portions) {
	r, show := &m.report, m.report.Query.Own("show")
	of, parts, all := r.Total.Total, m.wholes.cells, false
	switch {
	case show == ShowRowShare || show == ShowShare && m.mixed() && r.By == sums.AxisCoin:
		of, parts, all = row.Total, own, column < 0
	case column >= 0 && (show == ShowColumnShare || m.mixed()):
		of, parts, all = r.Total.Cells[column], m.wholes.column[column], last
	case column < 0:
		parts, all = m.wholes.rows, last
	case last:
		parts = m.wholes.columns
	}
	switch {
	case !c.Known || !of.Known || parts.Mixed() && (all || r.Tagged()):
		// unknown, or a sum of parts of both signs, which are not told apart where they overlap
	case parts.Mixed():
		c.Share = parts.Share(c.Value)
	default:
		c.Share = figures.PortionsOf(of.Value).Share(c.Value)
	}
}

// rowKeys lists the rows in their order: all periods that have begun, the newest first; or the
// names of both periods, by the size of their change if it is shown, otherwise by total. Where
// totals have no coin, coins stand by their number of records, other names by their first coin.
func (m *maker) rowKeys() (keys []sums.PivotKey) {
	r := &m.report
	if span, period := r.By.Span(); period {
		keys = m.periods(span)
		for key := range m.now.rows { // a record ahead of the clock
			if !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
		slices.SortFunc(keys, func(a, b sums.PivotKey) int { return compareKeys(b, a) })
		return keys
	}
	for key := range m.now.rows {
		keys = append(keys, key)
	}
	for key := range m.before.rows {
		if m.now.rows[key] == nil {
			keys = append(keys, key)
		}
	}
	size := func(now, before gridSum) decimal.Decimal {
		if r.Query.Own("show") == ShowChange {
			return m.value(now).Sub(m.value(before)).Abs()
		}
		return m.value(now)
	}
	sizes := make(map[sums.PivotKey][]decimal.Decimal, len(keys))
	for _, key := range keys {
		now, before := m.now.rows[key], m.before.rows[key]
		switch {
		case !m.mixed():
			sizes[key] = []decimal.Decimal{size(now.whole(), before.whole())}
		case r.By == sums.AxisCoin:
			sizes[key] = []decimal.Decimal{decimal.NewFromInt(int64(-m.rankOf(key.Name)))}
		default:
			for i := range m.width() {
				sizes[key] = append(sizes[key], size(now.at(i), before.at(i)))
			}
		}
	}
	slices.SortFunc(keys, func(a, b sums.PivotKey) int {
		for i := range sizes[a] {
			if order := sizes[b][i].Cmp(sizes[a][i]); order != 0 {
				return order
			}
		}
		return compareKeys(a, b)
	})
	return keys
}

// rankOf returns the place of a coin by its number of records.
func (m *maker) rankOf(coin string) int {
	if i := slices.IndexFunc(m.coins, func(t figures.Totals) bool { return string(t.Coin) == coin }); i >= 0 {
		return i
	}
	return len(m.coins)
}

// head describes a key of an axis.
func (m *maker) head(axis sums.PivotAxis, key sums.PivotKey) TableHead {
	head := TableHead{PivotKey: key}
	span, period := axis.Span()
	if !period {
		return head
	}
	block := rollup.Stretch{Span: span, First: key.Day, Last: key.Day}.Days()
	head.Days = affiliate.Days{First: max(block.First, m.Days.First), Last: min(block.Last, m.Days.Last)}
	covered := m.cover.Summary(head.Days)
	head.Partial = !covered.Complete()
	head.Unread = covered.Collected == 0 && !covered.Complete()
	return head
}

// comparedWhole reports whether the days with which a period is compared are collected
// completely.
func (m *maker) comparedWhole(head TableHead) bool {
	ref := m.ref
	days := affiliate.Days{First: head.Days.First - m.shift(), Last: head.Days.Last - m.shift()}
	if head.Days.Last == m.Days.Last {
		days.Last = ref.Days.Last
	}
	days = affiliate.Days{First: max(days.First, ref.Days.First), Last: min(days.Last, ref.Days.Last)}
	return days.First <= days.Last && ref.Cover.Summary(days).Complete()
}

// shift returns by how many days the compared period is earlier.
func (m *maker) shift() affiliate.Day { return m.Days.First - m.ref.Days.First }
