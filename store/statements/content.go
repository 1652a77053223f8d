package statements

import (
	"rebatedesk/affiliate"
)

// Content is what a statement says, in the form in which it is printed. It is
// frozen when the statement is issued. Amounts are exact and have no unit: the exchange
// states none (4.19). Days are UTC days, as text.
type Content struct {
	Number   string              `json:"number"`
	Month    string              `json:"month"` // 2026-09
	UID      affiliate.UID       `json:"uid"`
	Payee    Payee               `json:"payee"`
	Sender   Sender              `json:"sender"`
	Issued   affiliate.Millis    `json:"issued_ms"`
	AsOf     affiliate.Millis    `json:"as_of_ms"`
	Lines    []Line              `json:"lines"`  // by day, account and product
	Totals   []Total             `json:"totals"` // by product, then of all
	Terms    []Term              `json:"terms"`  // that applied, in the order of their numbers
	Lacks    []string            `json:"lacks,omitempty"`
	Reason   string              `json:"reason,omitempty"` // why it was issued although something lacked
	Corrects *CorrectedStatement `json:"corrects,omitempty"`
}

// Sender is who issues statements.
type Sender struct {
	Name    string   `json:"name,omitempty"`
	Address []string `json:"address,omitempty"`
}

// Payee is to whom the statements of a sub-affiliate are addressed. Empty fields are not
// known.
type Payee struct {
	Name    string `json:"name,omitempty"`
	Address string `json:"address,omitempty"` // lines
	Email   string `json:"-"`
	Payment string `json:"payment,omitempty"` // where to pay, in lines
}

// Line is a day of a product and account. An empty amount is not known.
type Line struct {
	Day     string            `json:"day"` // 2026-09-01
	Account affiliate.Account `json:"account"`
	Product affiliate.Product `json:"product"`
	Volume  affiliate.Number  `json:"volume"`
	Fee     affiliate.Number  `json:"fee"`            // net trading fee
	Paid    affiliate.Number  `json:"paid"`           // what the exchange paid the sub-affiliate
	Rate    affiliate.Number  `json:"rate,omitempty"` // our share as a fraction; empty: none is agreed
	Term    int               `json:"term,omitempty"` // number of the term, from 1; 0: none
	Due     affiliate.Number  `json:"due,omitempty"`  // fee × rate, exact; empty: not known
}

// Total adds up lines. Amounts that are not known add nothing.
type Total struct {
	Product affiliate.Product `json:"product,omitempty"` // empty: all
	Days    int               `json:"days"`              // with a line
	Volume  affiliate.Number  `json:"volume"`
	Fee     affiliate.Number  `json:"fee"`
	Paid    affiliate.Number  `json:"paid"`
	Due     affiliate.Number  `json:"due"`
}

// Term is a term in the words of then.
type Term struct {
	Number    int              `json:"number"` // in this statement, from 1
	About     string           `json:"about"`
	Rate      affiliate.Number `json:"rate"`
	Coin      affiliate.Coin   `json:"coin,omitempty"` // in which the share is settled; empty: none is agreed
	From      string           `json:"from"`
	To        string           `json:"to,omitempty"`
	Note      string           `json:"note,omitempty"`
	Reference string           `json:"reference,omitempty"`
}

// CorrectedStatement is the statement that another one replaces.
type CorrectedStatement struct {
	Number     string           `json:"number"`
	Issued     affiliate.Millis `json:"issued_ms"`
	Due        affiliate.Number `json:"due"`
	Difference affiliate.Number `json:"difference"` // of the new share to the old one
	PaidOn     string           `json:"paid_on,omitempty"`
	Reference  string           `json:"reference,omitempty"`
	Changes    []LineChange     `json:"changes"`
}

// LineChange is a line that differs from the statement before. Amounts are empty where
// there was none.
type LineChange struct {
	Day       string            `json:"day"`
	Account   affiliate.Account `json:"account"`
	Product   affiliate.Product `json:"product"`
	FeeBefore affiliate.Number  `json:"fee_before"`
	FeeAfter  affiliate.Number  `json:"fee_after"`
	DueBefore affiliate.Number  `json:"due_before"`
	DueAfter  affiliate.Number  `json:"due_after"`
}

// CoinOf returns the coin in which the share of a line is settled; empty if none is agreed.
func (c Content) CoinOf(l Line) affiliate.Coin {
	if l.Term < 1 || l.Term > len(c.Terms) {
		return ""
	}
	return c.Terms[l.Term-1].Coin
}

// Coin returns the coin of what is owed; empty if none is agreed. A statement is in one coin.
func (c Content) Coin() affiliate.Coin {
	if len(c.Terms) == 0 {
		return ""
	}
	return c.Terms[0].Coin
}

// Total is that of all products.
func (c Content) Total() Total {
	if len(c.Totals) == 0 {
		return Total{Volume: "0", Fee: "0", Paid: "0", Due: "0"}
	}
	return c.Totals[len(c.Totals)-1]
}
