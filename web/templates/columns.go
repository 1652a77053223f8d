package templates

import (
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/query"
)

// column is a column of a table.
type column struct {
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

// shownColumns are those of the columns that the question shows.
func shownColumns(q query.Query, columns []column) []column {
	return slices.DeleteFunc(slices.Clone(columns), func(c column) bool { return c.Name != "" && !q.Shows(c.Name, !c.Extra) })
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
func columnGroups(columns []column) (groups []columnGroup) {
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

// keepSorted lets the column that a table is sorted by stay in sight while it
// scrolls sideways. The first column of a table stands in sight anyway.
func keepSorted(q query.Query, columns []column) []column {
	sorted := slices.IndexFunc(columns, func(c column) bool { return c.Field == q.Sort.Field && (c.Name == "" || q.Shows(c.Name, !c.Extra)) })
	if sorted > 0 {
		for i := range columns {
			columns[i].Keep = i == sorted
		}
	}
	return columns
}

// keeping is the class of the cells of a column that stays in sight.
func keeping(columns []column, field string) string {
	if slices.ContainsFunc(columns, func(c column) bool { return c.Keep && c.Field == field }) {
		return "keep"
	}
	return ""
}

// choosable are the columns that can be chosen.
func choosable(columns []column) []column {
	return slices.DeleteFunc(slices.Clone(columns), func(c column) bool { return c.Name == "" })
}

// columnNames are the names by which columns can be chosen, as a question takes
// them.
func columnNames(columns []column) []string {
	var names []string
	for _, c := range choosable(columns) {
		names = append(names, c.Name)
	}
	return names
}

// commissionColumns are those of commission records.
func commissionColumns(zone string, accounts []affiliate.Account) []column {
	columns := []column{{Field: "time", Label: "Time (" + zone + ")", Largest: true}}
	if len(accounts) > 1 {
		columns = append(columns, column{Label: "Account"})
	}
	return append(columns,
		column{Field: "uid", Label: "UID"},
		column{Name: "code", Label: "Code", Hint: "Invite code"},
		column{Name: "product", Field: "product", Label: "Product"},
		column{Name: "symbol", Field: "symbol", Label: "Pair"},
		column{Name: "source", Field: "source", Label: "Sub", Hint: "Marked: a client of a sub-agent. Unmarked: a client of our own"},
		column{Field: "coin", Label: coinLabel, Hint: "The coin of fee and commission"},
		column{Name: "taker", Field: "taker", Label: "Taker ≈ quote", Hint: "Trading volume as taker, " + unitless, Numeric: true, Largest: true},
		column{Name: "maker", Field: "maker", Label: "Maker ≈ quote", Hint: "Trading volume as maker, " + unitless, Numeric: true, Largest: true},
		column{Name: "fee", Field: "fee", Label: "Fee paid", Hint: "Fee paid by the invitee", Numeric: true, Largest: true},
		column{Name: "rate", Field: "rate", Label: "Rebate rate", Hint: "As the exchange states it: the part of the fee that is paid as commission", Numeric: true, Largest: true},
		column{Field: "commission", Label: "Commission", Numeric: true, Largest: true, Keep: true},
	)
}

// coinLabel heads the column before which totals write what they are of.
const coinLabel = "Coin"

// CommissionChoices are the columns of commission records that can be chosen.
func CommissionChoices() []string { return columnNames(commissionColumns("", nil)) }
