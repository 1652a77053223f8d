// Package shipping has the pages of the scheduled deliveries.
package shipping

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"rebatedesk/reports/phrase"
	"rebatedesk/shipping"
	"rebatedesk/store/shipments"
	"rebatedesk/web/templates/ui"
)

// Frame is what the pages share.
type Frame struct {
	Page  ui.Page
	Zone  *time.Location
	Token string
	Done  string // a change that the page confirms
	Runs  bool   // the reader may run, pause and resume
	Edits bool   // the reader may add, change and remove
}

// DispatchesView is the list of the scheduled deliveries.
type DispatchesView struct {
	Frame
	Lines []DispatchLine
}

// DispatchLine is a dispatch with the newest of its files.
type DispatchLine struct {
	Dispatch shipments.Dispatch
	Next     time.Time
	Last     *shipments.Shipment // the newest that reached its destination; nil: none has
	Waiting  int
	Answer   string // why the newest try failed; empty: it did not
}

// Fails reports whether the last try failed.
func (l DispatchLine) Fails() bool { return l.Dispatch.Failures > 0 && l.Answer != "" }

// LogView is one dispatch with its files.
type LogView struct {
	Frame
	DispatchLine
	Log   []shipments.Shipment
	Older int64 // ID to go on from; 0: there is no more
}

// FormView is the form of a dispatch.
type FormView struct {
	Frame
	ID   int64 // 0: a new one
	Form ui.Form
}

// Address returns the address of a dispatch, or of a form below it.
func Address(id int64, below string) string {
	return ui.DeliveriesPath + "/" + strconv.FormatInt(id, 10) + below
}

// DispatchLabels are the fields of the form, by their labels.
var DispatchLabels = []ui.FieldLabel{
	{Value: "name", Name: "Name"}, {Value: "kind", Name: "Export"}, {Value: "format", Name: "Format"}, {Value: "every", Name: "Every"}, {Value: "at", Name: "At"},
	{Value: "content", Name: "Content"}, {Value: "to", Name: "Destination"}, {Value: "deadline", Name: "Deadline"},
	{Value: "account", Name: "Account"}, {Value: "product", Name: "Product"}, {Value: "coin", Name: "Coin"}, {Value: "uid", Name: "UID"},
	{Value: "symbol", Name: "Pair"}, {Value: "source", Name: "Source"}, {Value: "code", Name: "Invite code"}, {Value: "segment", Name: "Segment"},
}

var everyWords = map[string]string{shipping.DayPeriods: "every day", shipping.WeekPeriods: "every week, on Monday", shipping.MonthPeriods: "every month, on the 1st"}

var contentWords = map[string]string{shipping.OfPeriod: "the period before", shipping.Whole: "everything up to the end of the period before", shipping.Incremental: "what became known since the last delivery"}

// what says what is delivered and when.
func what(d shipments.Dispatch) string {
	return fmt.Sprintf("%s as %s, %s at %02d:%02d: %s", phrase.Capital(d.Kind), formatWords[d.Format], everyWords[d.Every], d.Hour, d.Minute, contentOf(d))
}

func contentOf(d shipments.Dispatch) string {
	switch {
	case d.Content == shipping.Whole && len(shipping.ContentsOf(d.Kind)) == 1:
		return "the state of then"
	case d.Kind == "changes" && d.Content == shipping.OfPeriod:
		return "what became known in the " + d.Every + " before"
	case d.Content == shipping.OfPeriod:
		return "the " + d.Every + " before"
	case d.Content == shipping.Whole:
		return "everything up to the end of the " + d.Every + " before"
	}
	return contentWords[d.Content]
}

// filters lists the filters in words.
func filters(d shipments.Dispatch) string {
	values, err := url.ParseQuery(d.Filters)
	if err != nil {
		return ""
	}
	var words []string
	for _, label := range DispatchLabels {
		if value := values.Get(label.Value); value != "" {
			words = append(words, strings.ToLower(label.Name)+" "+value)
		}
	}
	return strings.Join(words, ", ")
}

// stateWords says in which state a file is.
func stateWords(one shipments.Shipment) string {
	switch one.State {
	case shipments.Sent:
		return "Delivered"
	case shipments.Incomplete:
		return "Delivered incomplete"
	case shipments.Skipped:
		return "Skipped"
	}
	if one.Answer != "" {
		return "Failed, tried again"
	}
	return "Waiting"
}

func stateClass(one shipments.Shipment) string {
	switch {
	case one.State == shipments.Sent:
		return "text-success"
	case one.State == shipments.Incomplete, one.State == shipments.Waiting && one.Answer == "":
		return "text-warning"
	case one.State == shipments.Waiting:
		return "text-error"
	}
	return "text-muted"
}

// sumLines lists the exact sums of a file, a line for each coin and column.
func sumLines(one shipments.Shipment) (lines []string) {
	var list []map[string]any
	if one.Sums == "" || json.Unmarshal([]byte(one.Sums), &list) != nil {
		return nil
	}
	for _, sums := range list {
		coin, _ := sums["coin"].(string)
		for _, column := range []string{"commission", "paid_commission", "amount", "difference", "paid", "earned", "at_risk"} {
			if value, ok := sums[column].(string); ok {
				lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s", column, value, coin)))
				break
			}
		}
	}
	return lines
}

func options(values []string, words func(string) string) (list []ui.Pair) {
	for _, value := range values {
		list = append(list, ui.Pair{Value: value, Name: words(value)})
	}
	return list
}

func plainWord(value string) string { return value }

var formatWords = map[string]string{"csv": "CSV", "xlsx": "a workbook (XLSX)", "jsonl": "JSON lines", "parquet": "Parquet"}

func formatWord(value string) string { return phrase.Capital(formatWords[value]) }

// tries counts tries.
func tries(n int) string {
	if n == 1 {
		return "1 try"
	}
	return phrase.Count(n) + " tries"
}

var (
	kindOptions    = options(shipping.DeliveredKinds(), phrase.Capital)
	formatOptions  = options(shipping.Formats(), formatWord)
	everyOptions   = options([]string{shipping.DayPeriods, shipping.WeekPeriods, shipping.MonthPeriods}, func(v string) string { return phrase.Capital(everyWords[v]) })
	contentOptions = options([]string{shipping.OfPeriod, shipping.Whole, shipping.Incremental}, func(v string) string { return phrase.Capital(contentWords[v]) })
	productOptions = append([]ui.Pair{{Value: "", Name: "All products"}}, options([]string{"SPOT", "FUTURES"}, plainWord)...)
	sourceOptions  = append([]ui.Pair{{Value: "", Name: "All sources"}}, options([]string{"direct", "sub"}, plainWord)...)
)
