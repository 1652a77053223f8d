package pivot

import (
	"context"
	"iter"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/export"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/sums"
)

// File is the file of the pivot table.
var File = &export.Kind{Name: "pivot", Title: "Pivot table", Stream: affiliate.Commissions,
	About: "Sums, shares and changes by any two axes.",
	Table: table, Object: export.ObjectOf(object),
}

// table has a row for each row of the table, in its order, and a column for each of its
// columns, named by what they are.
func table(ctx context.Context, q *snapshot.Snapshot) (export.Table, error) {
	m, err := newMaker(ctx, q)
	if err != nil {
		return export.Table{}, err
	}
	return m.table(), nil
}

func (m *maker) table() export.Table {
	r := &m.report
	columns := []export.Column[TableRow]{export.UIDColumn(string(r.By), func(row *TableRow) affiliate.UID { return affiliate.UID(row.Text(r.By)) })}
	if r.By == sums.AxisInvitee {
		columns = append(columns, export.TextColumn("account", func(row *TableRow) affiliate.Account { return row.Account }))
	}
	if r.By != sums.AxisCoin {
		columns = append(columns, export.CoinColumn("coin", func(*TableRow) affiliate.Coin { return r.Coin }))
	}
	value := m.fileValue()
	for i := range m.width() {
		name := "others"
		if i < len(r.Columns) {
			name = r.columnName(i)
		}
		columns = append(columns, export.DecimalColumn(name, func(row *TableRow) affiliate.Number { return value(row.Cells[i]) }))
	}
	columns = append(columns, export.DecimalColumn("total", func(row *TableRow) affiliate.Number { return value(row.Total) }))
	return export.TableOf(columns, m.rows())
}

// rows yields all rows, each laid out when it is asked for.
func (m *maker) rows() iter.Seq2[TableRow, error] {
	return func(yield func(TableRow, error) bool) {
		for _, key := range m.keys {
			if !yield(m.rowOf(key), nil) {
				return
			}
		}
	}
}

// fileValue returns what a file has of a cell: the exact sum, the exact difference, or the
// share in percent. Unknown is empty.
func (m *maker) fileValue() func(TableCell) affiliate.Number {
	number := func(d decimal.Decimal) affiliate.Number { return affiliate.Number(d.String()) }
	switch m.report.Query.Own("show") {
	case ShowShare, ShowRowShare, ShowColumnShare:
		return func(c TableCell) affiliate.Number {
			if !c.Share.Known {
				return ""
			}
			return affiliate.Number(c.Share.Percent.StringFixed(1))
		}
	case ShowChange:
		return func(c TableCell) affiliate.Number {
			if !c.Known || c.Change.Kind == figures.ChangeUnknown {
				return ""
			}
			return number(c.Difference())
		}
	}
	return func(c TableCell) affiliate.Number {
		if !c.Known {
			return ""
		}
		return number(c.Value)
	}
}

// columnName returns the name of a column in files. Several accounts can have one invitee,
// whose columns then begin with their account.
func (r *Report) columnName(i int) string {
	name := r.Columns[i].Text(r.Across)
	for k := range r.Columns {
		if k != i && r.Across == sums.AxisInvitee && r.Columns[k].Name == r.Columns[i].Name {
			return string(r.Columns[i].Account) + "/" + name
		}
	}
	return name
}

// Text returns the key as files have it: a day, the first day of a week, a month such as
// 2026-09, or a name.
func (h TableHead) Text(axis sums.PivotAxis) string {
	switch axis {
	case sums.AxisMonth:
		return h.Day.Format("2006-01")
	case sums.AxisDay, sums.AxisWeek:
		return h.Day.String()
	}
	if h.Name == "" {
		return "unknown"
	}
	return h.Name
}

// The table as programs read it. The names of members are fixed. Amounts are exact, as text; an
// unknown one is null.
type pivotObject struct {
	By      string        `json:"by"`
	Across  string        `json:"across"`
	Metric  string        `json:"metric"`
	Show    string        `json:"show"`
	Coin    string        `json:"coin"` // empty: the figure has none, or an axis is the coin
	Columns []pivotHead   `json:"columns"`
	Rest    int           `json:"others"` // number of columns added up in the last cell of each row; 0: there is none
	Rows    []pivotMember `json:"rows"`
	Total   pivotMember   `json:"total"`
}

type pivotHead struct {
	Key     string `json:"key"`
	Account string `json:"account,omitempty"`
}

type pivotMember struct {
	pivotHead
	Cells []*string `json:"cells"`
	Total *string   `json:"total"`
}

// object returns the table as its JSON has it, with its table.
func object(ctx context.Context, q *snapshot.Snapshot) (pivotObject, export.Table, error) {
	m, err := newMaker(ctx, q)
	if err != nil {
		return pivotObject{}, export.Table{}, err
	}
	r := &m.report
	object := pivotObject{By: q.By, Across: q.Own("across"), Metric: q.Metric, Show: q.Own("show"), Coin: string(r.Coin), Rest: r.RestN, Columns: []pivotHead{}, Rows: []pivotMember{}}
	for _, c := range r.Columns {
		object.Columns = append(object.Columns, pivotHead{c.Text(r.Across), string(c.Account)})
	}
	value := m.fileValue()
	member := func(row TableRow) pivotMember {
		text := func(c TableCell) *string {
			if n := string(value(c)); n != "" {
				return &n
			}
			return nil
		}
		out := pivotMember{Cells: []*string{}, Total: text(row.Total)}
		for _, c := range row.Cells {
			out.Cells = append(out.Cells, text(c))
		}
		return out
	}
	for row := range m.rows() {
		out := member(row)
		out.pivotHead = pivotHead{row.Text(r.By), string(row.Account)}
		object.Rows = append(object.Rows, out)
	}
	object.Total = member(r.Total)
	object.Total.Key = "total"
	return object, m.table(), nil
}
