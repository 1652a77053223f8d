// Package deliveries has the pages of the scheduled deliveries.
package deliveries

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"rebatedesk/delivery"
	"rebatedesk/reports/phrase"
	"rebatedesk/store/outbox"
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

// DeliveriesView is the list of the scheduled deliveries.
type DeliveriesView struct {
	Frame
	Lines []DeliveryLine
}

// DeliveryLine is a delivery with the newest of its files.
type DeliveryLine struct {
	Delivery outbox.Delivery
	Next     time.Time
	Last     *outbox.File // the newest that reached its destination; nil: none has
	Waiting  int
	Answer   string // why the newest try failed; empty: it did not
}

// Fails reports whether the last try failed.
func (l DeliveryLine) Fails() bool { return l.Delivery.Failures > 0 && l.Answer != "" }

// LogView is one delivery with its files.
type LogView struct {
	Frame
	DeliveryLine
	Log   []outbox.File
	Older int64 // ID to go on from; 0: there is no more
}

// FormView is the form of a delivery.
type FormView struct {
	Frame
	ID   int64 // 0: a new one
	Form ui.Form
}

// Address returns the address of a delivery, or of a form below it.
func Address(id int64, below string) string {
	return ui.DeliveriesPath + "/" + strconv.FormatInt(id, 10) + below
}

// DeliveryLabels are the fields of the form, by their labels.
var DeliveryLabels = []ui.FieldLabel{
	{Value: "name", Name: "Name"}, {Value: "kind", Name: "Export"}, {Value: "format", Name: "Format"}, {Value: "every", Name: "Every"}, {Value: "at", Name: "At"},
	{Value: "content", Name: "Content"}, {Value: "to", Name: "Destination"}, {Value: "deadline", Name: "Deadline"},
	{Value: "account", Name: "Account"}, {Value: "product", Name: "Product"}, {Value: "coin", Name: "Coin"}, {Value: "uid", Name: "UID"},
	{Value: "symbol", Name: "Pair"}, {Value: "source", Name: "Source"}, {Value: "code", Name: "Invite code"}, {Value: "segment", Name: "Segment"},
}

var everyWords = map[string]string{delivery.DayPeriods: "every day", delivery.WeekPeriods: "every week, on Monday", delivery.MonthPeriods: "every month, on the 1st"}

var contentWords = map[string]string{delivery.OfPeriod: "the period before", delivery.Whole: "everything up to the end of the period before", delivery.Incremental: "what became known since the last delivery"}

// what says what is delivered and when.
func what(d outbox.Delivery) string {
	return fmt.Sprintf("%s as %s, %s at %02d:%02d: %s", phrase.Capital(d.Kind), formatWords[d.Format], everyWords[d.Every], d.Hour, d.Minute, contentOf(d))
}

func contentOf(d outbox.Delivery) string {
	switch {
	case d.Content == delivery.Whole && len(delivery.ContentsOf(d.Kind)) == 1:
		return "the state of then"
	case d.Kind == "changes" && d.Content == delivery.OfPeriod:
		return "what became known in the " + d.Every + " before"
	case d.Content == delivery.OfPeriod:
		return "the " + d.Every + " before"
	case d.Content == delivery.Whole:
		return "everything up to the end of the " + d.Every + " before"
	}
	return contentWords[d.Content]
}

// filters lists the filters in words.
func filters(d outbox.Delivery) string {
	values, err := url.ParseQuery(d.Filters)
	if err != nil {
		return ""
	}
	var words []string
	for _, label := range DeliveryLabels {
		if value := values.Get(label.Value); value != "" {
			words = append(words, strings.ToLower(label.Name)+" "+value)
		}
	}
	return strings.Join(words, ", ")
}

// sumLines lists the exact sums of a file, a line for each coin and column.
func sumLines(one outbox.File) (lines []string) {
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
	kindOptions    = options(delivery.DeliveredKinds(), phrase.Capital)
	formatOptions  = options(delivery.Formats(), formatWord)
	everyOptions   = options([]string{delivery.DayPeriods, delivery.WeekPeriods, delivery.MonthPeriods}, func(v string) string { return phrase.Capital(everyWords[v]) })
	contentOptions = options([]string{delivery.OfPeriod, delivery.Whole, delivery.Incremental}, func(v string) string { return phrase.Capital(contentWords[v]) })
	productOptions = append([]ui.Pair{{Value: "", Name: "All products"}}, options([]string{"SPOT", "FUTURES"}, plainWord)...)
	sourceOptions  = append([]ui.Pair{{Value: "", Name: "All sources"}}, options([]string{"direct", "sub"}, plainWord)...)
)
