// Package histories draws the pages of fills, bills and transfers.
package histories

import (
	"net/url"
	"slices"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/phrase"
	"rebatedesk/web/templates/console/frame"
	"rebatedesk/web/templates/ui"
)

// HistoryView is a page about what happened in an account over a range of days.
type HistoryView struct {
	frame.View
	Noun     string // of a record: "bill"
	Fills    bool
	Links    ui.Links
	Zoned    string            // the zone of the range
	Type     string            // the chosen kind, as the exchange writes it; empty: all
	Coin     string            // the chosen coin; empty: all
	Symbol   string            // the chosen pair of fills; empty: all that the reader follows
	Order    string            // of which the fills are; empty: all
	Around   string            // the instant around which the records are; empty: the whole range
	Whole    string            // address of the range without filters
	Symbols  []string          // pairs of the fills
	Coins    []string          // that occur
	Lacking  string            // that a chosen coin does not occur
	Instead  []frame.SeeLink   // the nearest coins that do
	Types    []ui.Pair         // that occur, with their names
	Endpoint string            // address of one answer of the endpoint
	Refused  string            // why nothing was asked
	Wrong    map[string]string // faults by field
	Problem  string            // why nothing is known
	Cut      string            // why only a part is known
	Progress string            // how far the reading is; empty: it is done
	Reading  string            // id of the reading that is under way
	Stopping bool              // it ends after the page that is under way
	On       string            // address with which a reading that was stopped goes on
	Share    int               // of the range that is read, in percent
	Again    string            // address that the page asks while it is read
	Fresh    string            // address that reads the range again
	Kept     int               // records that were stored here
	Count    int
	Pages    int
	Sheet    frame.Sheet
	CSV      string
	Sums     []SumLine
	Charts   HistoryCharts
}

// ProgressID is the id of the part of a page that says how far a reading is.
const ProgressID = "reading-now"

// StopReadingPath is the address that ends the reading of a range.
const StopReadingPath = "/console/readings/stop"

// HistoryCharts are the charts of a range.
type HistoryCharts struct {
	Coins    []affiliate.Coin
	Flows    figures.DailySeries
	Balances *figures.Lines
	Fees     *figures.Lines
}

// SumLine is the sum of the records of one coin, or pair, and kind.
type SumLine struct {
	Of          string // coin or pair
	Kind, Raw   string
	Coin, Base  affiliate.Coin
	Count       int
	Known       bool // false: an amount among them is unknown
	In, Out     affiliate.Sum
	Sum         affiliate.Sum
	Quantity    affiliate.Sum // of fills, in the base coin
	Fees        affiliate.Sum // of fills; the exchange does not name their coin
	FeesUnknown int           // fills whose fee is unknown
}

// hidden are the parameters that the filters keep.
func (v HistoryView) hidden() []ui.Pair {
	set := []string{"coin", "type", "symbol", "orderId", "page"}
	pairs := v.Links.Hidden(set...)
	return slices.DeleteFunc(pairs, func(p ui.Pair) bool { return slices.Contains(set, p.Name) })
}

// typeAddress is the page narrowed to one kind.
func (v HistoryView) typeAddress(kind string) string {
	at, err := url.Parse(v.Links.Here())
	if err != nil || v.Around != "" {
		return ""
	}
	values := at.Query()
	values.Del("page")
	values.Set("type", kind)
	return at.Path + "?" + values.Encode()
}

// doubled repeats each value, as name and as label.
func doubled(values []string) (pairs []string) {
	for _, value := range values {
		pairs = append(pairs, value, value)
	}
	return pairs
}

func offers(options []ui.Pair, name string) bool {
	return slices.ContainsFunc(options, func(p ui.Pair) bool { return p.Name == name })
}

// csvTitle says what the file has.
func (v HistoryView) csvTitle() string {
	if v.Cut != "" {
		return "The records that are known; the name of the file begins with incomplete-"
	}
	return "All records of this range"
}

// printWords say what a printed page is about, whose filters are not printed.
func (v HistoryView) printWords() string {
	words := "Account " + string(v.Account) + ", "
	if v.Around != "" {
		words += "within seconds of " + v.Around
	} else {
		words += phrase.DaysIn(v.Links.Query.Days, v.Links.Query.Zone)
	}
	if v.Fills && len(v.Symbols) > 0 {
		names := make([]string, len(v.Symbols))
		for i, symbol := range v.Symbols {
			names[i] = affiliate.PairName(symbol)
		}
		words += ", " + strings.Join(names, ", ")
	}
	for _, filter := range []string{v.Coin, frame.KindWords(v.Type)} {
		if filter != "" {
			words += ", " + filter
		}
	}
	if v.Pages > 1 {
		words += ", page " + phrase.Count(v.Links.Query.Page) + " of " + phrase.Count(v.Pages)
	}
	return words
}
