package templates

import (
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
)

// column is a column of a table.
type column struct {
	Name    string // by which it can be chosen; empty: it is always there
	Extra   bool   // shown only when chosen
	Field   string // what it sorts by; empty when it does not
	Label   string
	Hint    string
	Numeric bool
	Largest bool // the first click sorts descending
	Keep    bool // stays in sight while the table scrolls sideways
}

// shownColumns are those of the columns that the question shows.
func shownColumns(q reports.Query, columns []column) []column {
	return slices.DeleteFunc(slices.Clone(columns), func(c column) bool { return c.Name != "" && !q.Shows(c.Name, !c.Extra) })
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
		column{Name: "taker", Field: "taker", Label: "Taker", Hint: "Trading volume as taker " + unitless, Numeric: true, Largest: true},
		column{Name: "maker", Field: "maker", Label: "Maker", Hint: "Trading volume as maker " + unitless, Numeric: true, Largest: true},
		column{Name: "fee", Field: "fee", Label: "Net fee", Numeric: true, Largest: true},
		column{Name: "rate", Field: "rate", Label: "Rate", Hint: "Rebate rate", Numeric: true, Largest: true},
		column{Field: "commission", Label: "Commission", Numeric: true, Largest: true, Keep: true},
	)
}

// coinLabel heads the column before which totals write what they are of.
const coinLabel = "Coin"

// CommissionChoices are the columns of commission records that can be chosen.
func CommissionChoices() []string { return columnNames(commissionColumns("", nil)) }
