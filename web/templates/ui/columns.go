package ui

import (
	"slices"

	"rebatedesk/reports/query"
)

// TableColumn is a column of a table.
type TableColumn struct {
	Name    string // by which it can be chosen; empty: it is always there
	Extra   bool   // shown only when chosen
	Field   string // what it sorts by; empty when it does not
	Label   string
	Hint    string
	Group   string // heads it together with its neighbours of the same group
	Numeric bool
	Largest bool // the first click sorts descending
	Keep    bool // stays in sight while the table scrolls sideways
}

// Shown reports whether the question shows the column.
func (c TableColumn) Shown(q query.Query) bool { return c.Name == "" || q.Shows(c.Name, !c.Extra) }

// ShownColumns are those of the columns that the question shows.
func ShownColumns(q query.Query, columns []TableColumn) []TableColumn {
	return slices.DeleteFunc(slices.Clone(columns), func(c TableColumn) bool { return !c.Shown(q) })
}

// columnGroup are neighbouring columns under one heading; empty: under none.
type columnGroup struct {
	Label string
	Span  int
	Keep  bool
	Again bool // goes on with what the one before it began
}

// columnGroups are the groups of the columns in their order; none where no column
// has one. The column that stays in sight is a group of its own.
func columnGroups(columns []TableColumn) (groups []columnGroup) {
	named := false
	for _, c := range columns {
		named = named || c.Group != ""
		n := len(groups)
		if n > 0 && groups[n-1].Label == c.Group && !c.Keep && !groups[n-1].Keep {
			groups[n-1].Span++
			continue
		}
		groups = append(groups, columnGroup{c.Group, 1, c.Keep, n > 0 && groups[n-1].Label == c.Group})
	}
	if !named {
		return nil
	}
	return groups
}

// KeepSorted lets the column that a table is sorted by stay in sight while it
// scrolls sideways. The first column of a table stands in sight anyway.
func KeepSorted(q query.Query, columns []TableColumn) []TableColumn {
	sorted := slices.IndexFunc(columns, func(c TableColumn) bool {
		return c.Field == q.Sort.Field && (c.Name == "" || q.Shows(c.Name, !c.Extra))
	})
	if sorted > 0 {
		for i := range columns {
			columns[i].Keep = i == sorted
		}
	}
	return columns
}

// Keeping is the class of the cells of a column that stays in sight.
func Keeping(columns []TableColumn, field string) string {
	if slices.ContainsFunc(columns, func(c TableColumn) bool { return c.Keep && c.Field == field }) {
		return "keep"
	}
	return ""
}

// choosable are the columns that can be chosen.
func choosable(columns []TableColumn) []TableColumn {
	return slices.DeleteFunc(slices.Clone(columns), func(c TableColumn) bool { return c.Name == "" })
}

// ColumnNames are the names by which columns can be chosen, as a question takes
// them.
func ColumnNames(columns []TableColumn) []string {
	var names []string
	for _, c := range choosable(columns) {
		names = append(names, c.Name)
	}
	return names
}
