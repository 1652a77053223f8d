package ui

import (
	"slices"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/reports/query"
)

// TableColumn is a column of a table.
type TableColumn struct {
	Name    string // by which it can be chosen; empty: always shown
	Extra   bool   // shown only when chosen
	Field   string // sort field; empty: not sortable
	Label   string
	Hint    string
	Group   string // common heading with its neighbours of the same group
	Numeric bool
	Largest bool // the first click sorts descending
	Keep    bool // stays visible while the table scrolls sideways
}

// ColumnOf is the column of a field of a record.
func ColumnOf[T any](f affiliate.Field[T]) TableColumn {
	c := TableColumn{Field: f.Name, Label: f.Label, Hint: f.Hint, Numeric: f.Decimal(), Largest: f.Decimal() || f.Kind == affiliate.TimeField}
	if f.Chosen {
		c.Name = f.Name
	}
	if f.Kind == affiliate.AmountField {
		c.Hint = strings.TrimPrefix(c.Hint+". "+InEachCoin, ". ")
	}
	return c
}

// InEachCoin is part of the hint of a column of amounts of several coins, by which a list can be sorted.
const InEachCoin = "Sorted within each coin: amounts of several coins cannot be compared"

// shownBy reports whether the query shows the column.
func shownBy(q query.Query, c TableColumn) bool { return c.Name == "" || q.Shows(c.Name, !c.Extra) }

// ShownColumns returns the columns that the query shows.
func ShownColumns(q query.Query, columns []TableColumn) []TableColumn {
	return slices.DeleteFunc(slices.Clone(columns), func(c TableColumn) bool { return !shownBy(q, c) })
}

// columnGroup is a run of columns under one heading; empty: without a heading.
type columnGroup struct {
	Label string
	Span  int
	Keep  bool
	Again bool // continues the previous group
}

// columnGroups returns the groups of the columns in their order, and none if no column
// has one. The column that stays visible is a separate group.
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

// KeepSorted makes the column by which a table is sorted stay visible while it scrolls
// sideways. The first column of a table is always visible.
func KeepSorted[T any](q query.Query, columns []Column[T]) []Column[T] {
	sorted := slices.IndexFunc(Heads(columns), func(c TableColumn) bool { return c.Field == q.Sort.Field && shownBy(q, c) })
	if sorted > 0 {
		for i := range columns {
			columns[i].Keep = i == sorted
		}
	}
	return columns
}

// sortable returns the columns by which a table can be sorted.
func sortable(columns []TableColumn) []TableColumn {
	return slices.DeleteFunc(slices.Clone(columns), func(c TableColumn) bool { return c.Field == "" })
}

// choosable returns the columns that can be chosen.
func choosable(columns []TableColumn) []TableColumn {
	return slices.DeleteFunc(slices.Clone(columns), func(c TableColumn) bool { return c.Name == "" })
}

// ColumnNames returns the names of the choosable columns, in the form of a query.
func ColumnNames(columns []TableColumn) []string {
	var names []string
	for _, c := range choosable(columns) {
		names = append(names, c.Name)
	}
	return names
}
