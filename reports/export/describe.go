package export

// ColumnInfo describes a column of a table without its rows.
type ColumnInfo struct {
	Name   string // snake_case
	Type   string // as the JSON format names it: text, uid, integer, decimal, time, day or boolean
	Summed bool   // the sums of a file have it, per coin
}

// Infos describes columns.
func Infos[T any](columns []Column[T]) []ColumnInfo {
	infos := make([]ColumnInfo, len(columns))
	for i, c := range columns {
		infos[i] = ColumnInfo{Name: c.name, Type: string(c.kind), Summed: c.role == summed}
	}
	return infos
}

// Infos describes the columns of the table.
func (t Table) Infos() []ColumnInfo {
	infos := make([]ColumnInfo, len(t.headings))
	for i, h := range t.headings {
		infos[i] = ColumnInfo{Name: h.name, Type: string(h.kind), Summed: h.role == summed}
	}
	return infos
}
