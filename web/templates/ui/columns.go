package ui

import (
	"slices"

	"rebatedesk/affiliate"
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

// ShownColumns are those of the columns that the question shows.
func ShownColumns(q query.Query, columns []TableColumn) []TableColumn {
	return slices.DeleteFunc(slices.Clone(columns), func(c TableColumn) bool { return c.Name != "" && !q.Shows(c.Name, !c.Extra) })
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

// CommissionColumns are those of commission records.
func CommissionColumns(zone string, accounts []affiliate.Account) []TableColumn {
	columns := []TableColumn{{Field: "time", Label: "Time (" + zone + ")", Largest: true}}
	if len(accounts) > 1 {
		columns = append(columns, TableColumn{Label: "Account"})
	}
	return append(columns,
		TableColumn{Field: "uid", Label: "UID"},
		TableColumn{Name: "code", Label: "Code", Hint: "Invite code"},
		TableColumn{Name: "product", Field: "product", Label: "Product"},
		TableColumn{Name: "symbol", Field: "symbol", Label: "Pair"},
		TableColumn{Name: "source", Field: "source", Label: "Sub", Hint: "Marked: a client of a sub-agent. Unmarked: a client of our own"},
		TableColumn{Field: "coin", Label: CoinLabel, Hint: "The coin of fee and commission"},
		TableColumn{Name: "taker", Field: "taker", Label: "Taker ≈ quote", Hint: "Trading volume as taker, " + Unitless, Numeric: true, Largest: true},
		TableColumn{Name: "maker", Field: "maker", Label: "Maker ≈ quote", Hint: "Trading volume as maker, " + Unitless, Numeric: true, Largest: true},
		TableColumn{Name: "fee", Field: "fee", Label: "Fee paid", Hint: "Fee paid by the invitee", Numeric: true, Largest: true},
		TableColumn{Name: "rate", Field: "rate", Label: "Rebate rate", Hint: "As the exchange states it: the part of the fee that is paid as commission", Numeric: true, Largest: true},
		TableColumn{Field: "commission", Label: "Commission", Numeric: true, Largest: true, Keep: true},
	)
}

// CoinLabel heads the column before which totals write what they are of.
const CoinLabel = "Coin"

// CommissionColumnNames are the columns of commission records that can be chosen.
func CommissionColumnNames() []string { return ColumnNames(CommissionColumns("", nil)) }
