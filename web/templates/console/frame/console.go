// Package frame draws what the pages of the console have in common: their frame with the state of
// trading, sheets and their cells, and the words for pairs, orders and intents.
package frame

import (
	"fmt"
	"net/url"
	"time"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/reports/phrase"
	"rebatedesk/trading"
	"rebatedesk/web/templates/ui"
)

// View is a page of the console.
type View struct {
	ui.Page
	Account  affiliate.Account
	Accounts []affiliate.Account
	Tabs     []ui.Tab
	Here     string   // path of the tab
	Parts    []ui.Tab // of the tab; none if it has one only
	Part     string   // path of the part
	About    string
	Fields   []Field
	Filter   string // address to which the filters lead
	Sheet    *Sheet // nil: nothing was requested
	CSV, All string // the page and the whole range as files; empty: not offered
	Back     string // the page before; empty if it does not exist
	Next     string
	Refresh  string // address that the page refreshes; empty: none
	Budget   CallBudget
	Token    string // of forms
	AsTrader string // address that signs in as the demo's trader; empty: not offered
	Zone     *time.Location
	Trading  *TradingBar // nil: sending is impossible from here
	Close    bool        // on a phone the frame takes as little room as possible

	FillMarks string // own fills that the page knows, for its stream
}

// Field is one parameter that a page accepts, under the exchange's name.
type Field struct {
	Name, Label, Value string
	Kind               string   // text, number, datetime-local or select
	Options            []string // of a select
	Problem            string   // why the value cannot be used
	Needed             bool
	SymbolOf           func(string) string // of a pair: its symbol, as people may write it; nil: another field
}

// Sheet is a table of data from the exchange.
type Sheet struct {
	Title   string
	Words   string // the number of rows, and their time
	Columns []SheetColumn
	Rows    []SheetRow
	Problem string // what is unknown, and why; there are no rows
	Unread  string // what could not be read of the answer, in sentences
	Empty   string // why there are no rows, if known
}

// SheetColumn is a column; Name heads it in files.
type SheetColumn struct {
	Name, Label, Hint string
	Numeric           bool
	Wide              bool   // not on phones
	Sort              string // address of the page sorted by it; empty: not sortable
	Sorted            string // ascending, descending or none
}

// SheetRow is a row. Pair is the pair that can be marked in it.
type SheetRow struct {
	Cells  []Cell
	Links  []SeeLink // to what belongs to the row
	Pair   string
	Marked bool
}

// Cell is the content of a table cell: in words, and in raw form for files. Its Text is
// empty if the value is unknown.
type Cell struct {
	Text, Raw, Title, Href string
	Words                  bool   // Raw is foreign text
	Hint                   string // the value of the exchange for which Text has words
	Tone                   string // in, out, buy or sell: how it is coloured
}

// CallBudget is how much of the exchange's limit is used.
type CallBudget struct {
	Used, Limit int
	Waiting     int
	Banned      time.Time
}

// NumberCell shows a number exactly as received, with separators.
func NumberCell(n affiliate.Number) Cell {
	if !n.Known() {
		return Cell{}
	}
	return Cell{Text: affiliate.Grouped(string(n)), Raw: string(n)}
}

// AmountCell shows a number with at most eight digits; its title is the exact one.
func AmountCell(n affiliate.Number) Cell {
	c := NumberCell(n)
	if !n.Known() {
		return c
	}
	if short := affiliate.Digits(n.Decimal()); short != c.Text {
		c.Text, c.Title = short, c.Text
	}
	return c
}

// FractionCell shows a fraction as a percentage.
func FractionCell(n affiliate.Number) Cell {
	if !n.Known() {
		return Cell{}
	}
	percent := n.Decimal().Shift(2).String()
	return Cell{Text: affiliate.Grouped(percent) + phrase.Space + "%", Raw: percent, Title: "as a fraction: " + string(n)}
}

// TextCell shows foreign text.
func TextCell(text string) Cell { return Cell{Text: text, Raw: text, Words: true} }

// LinkCell shows foreign text with a link.
func LinkCell(text, href, title string) Cell {
	return Cell{Text: text, Raw: text, Href: href, Title: title, Words: true}
}

// TimeCell shows an instant to the second.
func TimeCell(m affiliate.Millis, zone *time.Location) Cell {
	if !m.Known() {
		return Cell{}
	}
	return Cell{Text: m.Time().In(zone).Format("2 Jan 2006 15:04:05"), Raw: m.String(), Title: m.String()}
}

// FlagCell shows yes or no.
func FlagCell(f affiliate.Flag) Cell {
	switch f {
	case affiliate.FlagOf(true):
		return Cell{Text: "yes", Raw: "true"}
	case affiliate.FlagOf(false):
		return Cell{Text: "no", Raw: "false"}
	}
	return Cell{}
}

// budgetWords says how much of the limit is used.
func budgetWords(b CallBudget) string {
	words := fmt.Sprintf("API limit: %s of %s used (10 s)", phrase.Count(b.Used), phrase.Count(b.Limit))
	if b.Waiting > 0 {
		words += ", " + phrase.Things(b.Waiting, "call") + " waiting"
	}
	return words
}

// hereLabel returns the label of the tab.
func (v View) hereLabel() string {
	for _, tab := range v.Tabs {
		if tab.Path == v.Here {
			return tab.Label
		}
	}
	return ""
}

// SeeLink leads from a record to what belongs to it.
type SeeLink struct{ Label, Href string }

// ToneClass colours a cell: what came in and went out, and the sides of the market.
func ToneClass(tone string) string {
	switch tone {
	case "in", "buy":
		return "text-success"
	case "out", "sell":
		return "text-error"
	}
	return ""
}

// ToneOf tells what comes in from what goes out.
func ToneOf(change affiliate.Number) string {
	switch {
	case !change.Known() || change.IsZero():
		return ""
	case change.Cmp("0") < 0:
		return "out"
	}
	return "in"
}

// Addresses of the pages of the console that others lead to.
const (
	MarketsPath   = "/console/markets"
	ContractsPath = "/console/contracts"
	TicketPath    = "/console/trade"
	OrdersPath    = "/console/orders"
	IntentsPath   = "/console/intents"
	FillsPath     = "/console/fills"
)

// PairAddress returns the page of a pair.
func PairAddress(symbol string) string {
	if affiliate.IsContract(symbol) {
		return ContractsPath + "/" + url.PathEscape(symbol)
	}
	return MarketsPath + "/" + url.PathEscape(symbol)
}

// InAccount returns an address that keeps the account if there are several.
func InAccount(path string, v View) string {
	if len(v.Accounts) < 2 {
		return path
	}
	return path + "?" + url.Values{"account": {string(v.Account)}}.Encode()
}

// OpenOrdersOf returns the page of the open orders of a pair.
func OpenOrdersOf(v View, pair string) string {
	values := url.Values{"pair": {pair}}
	if len(v.Accounts) > 1 {
		values.Set("account", string(v.Account))
	}
	return OrdersPath + "?" + values.Encode()
}

// OrdersOf links to a page about a pair, or to one of its orders.
func OrdersOf(v View, path, pair, order string) string {
	values := url.Values{"symbol": {pair}}
	if len(v.Accounts) > 1 {
		values.Set("account", string(v.Account))
	}
	if order != "" {
		values.Set("orderId", order)
	}
	if path == TicketPath {
		values.Set("kind", "cancel")
	}
	return path + "?" + values.Encode()
}

// cancelAddress returns the page that cancels the open orders of a page; it is empty if
// there are none, or the reader may not cancel them.
func (v View) cancelAddress() string {
	if v.Here != OrdersPath || v.Sheet == nil || len(v.Sheet.Rows) == 0 || v.Trading == nil || v.Trading.Mode == trading.Off || !v.User.Role.May(access.MayTrade) {
		return ""
	}
	for _, f := range v.Fields {
		if f.Name == "symbol" {
			return OrdersOf(v, TicketPath, affiliate.SpotSymbolOf(f.Value), "")
		}
	}
	return ""
}
