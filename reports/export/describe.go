package export

import "cmp"

// ColumnInfo describes a column of a table without its rows.
type ColumnInfo struct {
	Name   string // snake_case
	Words  string // its meaning and unit; empty: only its name is known
	Type   string // as the JSON format names it: text, uid, integer, decimal, time, day or boolean
	Summed bool   // the sums of a file have it, per coin
}

// Infos describes columns.
func Infos[T any](columns []Column[T]) []ColumnInfo {
	infos := make([]ColumnInfo, len(columns))
	for i, c := range columns {
		infos[i] = c.info()
	}
	return infos
}

// Infos describes the columns of the table.
func (t Table) Infos() []ColumnInfo {
	infos := make([]ColumnInfo, len(t.headings))
	for i, h := range t.headings {
		infos[i] = h.info()
	}
	return infos
}

func (h heading) info() ColumnInfo {
	return ColumnInfo{Name: h.name, Words: cmp.Or(h.words, commonWords[h.name]), Type: string(h.kind), Summed: h.role == summed}
}
