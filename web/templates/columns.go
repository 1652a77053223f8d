package templates

import "rebatedesk/affiliate"

// column is a column of the table of commissions.
type column struct {
	Field   string // what it sorts by; empty when it does not
	Label   string
	Hint    string
	Numeric bool
	Largest bool // the first click sorts descending
	Keep    bool // stays in sight while the table scrolls sideways
}

// commissionColumns are the columns up to the coin, which totals span, and the
// amounts after it.
func commissionColumns(zone string, accounts []affiliate.Account) (texts, amounts []column) {
	texts = []column{{Field: "time", Label: "Time (" + zone + ")", Largest: true}}
	if len(accounts) > 1 {
		texts = append(texts, column{Label: "Account"})
	}
	texts = append(texts,
		column{Field: "uid", Label: "UID"},
		column{Label: "Code", Hint: "Invite code"},
		column{Field: "product", Label: "Product"},
		column{Field: "symbol", Label: "Pair"},
		column{Field: "source", Label: "Sub", Hint: "Marked: a client of a sub-agent. Unmarked: a client of our own"},
		column{Field: "coin", Label: "Coin", Hint: "The coin of fee and commission"},
	)
	amounts = []column{
		{Field: "taker", Label: "Taker", Hint: "Trading volume as taker " + unitless, Numeric: true, Largest: true},
		{Field: "maker", Label: "Maker", Hint: "Trading volume as maker " + unitless, Numeric: true, Largest: true},
		{Field: "fee", Label: "Net fee", Numeric: true, Largest: true},
		{Field: "rate", Label: "Rate", Hint: "Rebate rate", Numeric: true, Largest: true},
		{Field: "commission", Label: "Commission", Numeric: true, Largest: true, Keep: true},
	}
	return texts, amounts
}
