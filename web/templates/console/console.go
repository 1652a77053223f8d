// Package console draws the exchange itself, and the pages that send orders.
package console

import (
	"fmt"
	"net/url"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/phrase"
	"rebatedesk/web/templates/ui"
)

// ConsoleView is a page of the console.
type ConsoleView struct {
	ui.Page
	Account  affiliate.Account
	Accounts []affiliate.Account
	Tabs     []ui.Tab
	Here     string // path of the tab
	About    string
	Fields   []ConsoleField
	Filter   string // where the filters lead
	Facts    []Property
	Sheet    *Sheet // nil: nothing was asked
	CSV, All string // the same as a file, and the whole range as one; empty: not offered
	Back     string // the page before; empty: there is none
	Next     string
	Refresh  string // what is asked again by itself; empty: nothing
	Budget   ConsoleBudget
	Token    string // of forms
	Zone     *time.Location
	Trading  *TradingBar // nil: nothing is ever sent from here
}

// ConsoleField is one parameter that a page takes, under the exchange's name.
type ConsoleField struct {
	Name, Label, Value string
	Kind               string   // text, number, datetime-local or select
	Options            []string // of a select
	Problem            string   // why the value cannot be used
	Needed             bool
}

// Property is one thing known of what a page is about.
type Property struct {
	Label string
	Cell  Cell
}

// Sheet is a table of what the exchange says.
type Sheet struct {
	Title   string
	Words   string // how many rows there are, and of when
	Columns []SheetColumn
	Rows    []SheetRow
	Problem string // what is not known, and why; there are no rows
	Empty   string // why there are no rows, where that is known
}

// SheetColumn is a column; Name heads it in files.
type SheetColumn struct {
	Name, Label, Hint string
	Numeric           bool
	Sort              string // address of the page sorted by it; empty: it does not sort
	Sorted            string // ascending, descending or none
}

// SheetRow is a row. Pair is the pair that can be marked in it.
type SheetRow struct {
	Cells  []Cell
	Pair   string
	Marked bool
}

// Cell is what stands in a table: in words, and as it came for files. Where
// nothing is known its Text is empty.
type Cell struct {
	Text, Raw, Title, Href string
	Words                  bool // Raw is foreign text
}

// ConsoleBudget is how much of the exchange's limit is used.
type ConsoleBudget struct {
	Used, Limit int
	Waiting     int
	Banned      time.Time
}

// NumberCell shows a number exactly as it came, with separators.
func NumberCell(n affiliate.Number) Cell {
	if !n.Known() {
		return Cell{}
	}
	return Cell{Text: affiliate.Grouped(string(n)), Raw: string(n)}
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

// LinkCell shows foreign text that leads somewhere.
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
func budgetWords(b ConsoleBudget) string {
	words := fmt.Sprintf("API limit: %s of %s used (10 s)", phrase.Count(b.Used), phrase.Count(b.Limit))
	if b.Waiting > 0 {
		words += ", " + phrase.Things(b.Waiting, "call") + " waiting"
	}
	return words
}

// ConsolePart is one page of the console, as its front page names it.
type ConsolePart struct{ Path, Label, About string }

// inAccount is an address that keeps the account where there are several.
func inAccount(path string, v ConsoleView) string {
	if len(v.Accounts) < 2 {
		return path
	}
	return path + "?" + url.Values{"account": {string(v.Account)}}.Encode()
}
