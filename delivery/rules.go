package delivery

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"rebatedesk/reports/changes"
	"rebatedesk/reports/worklist"

	"rebatedesk/affiliate"
	"rebatedesk/delivery/carrier"
	"rebatedesk/reports"
	"rebatedesk/reports/export"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/store"
	"rebatedesk/store/outbox"
)

// PeopleKind is the people file, the only kind that is no table of the reports.
const PeopleKind = "people"

// DeliveredKinds lists the exports that can be delivered: those of webapp export.
func DeliveredKinds() (kinds []string) {
	for _, kind := range reports.ExportKinds() {
		kinds = append(kinds, kind.Name)
	}
	return append(kinds, PeopleKind)
}

// Formats lists the file formats of deliveries.
func Formats() []string {
	return []string{string(export.CSV), string(export.XLSX), string(export.JSONL), string(export.Parquet)}
}

// FilterParams lists the parameters by which a delivery can be narrowed.
func FilterParams() []string {
	return []string{"account", "product", "coin", "uid", "symbol", "source", "code", "segment"}
}

// What a file has.
const (
	OfPeriod    = "period"      // the days of the period
	Whole       = "whole"       // everything up to the end of the period
	Incremental = "incremental" // of changes: what became known since the last delivery
)

// ContentsOf lists what files of a kind can have; the first is the default.
func ContentsOf(kind string) []string {
	switch kind {
	case PeopleKind, worklist.File.Name:
		return []string{Whole} // they are about the present
	case changes.File.Name:
		return []string{OfPeriod, Incremental}
	}
	return []string{OfPeriod, Whole}
}

// Limits of the deadline, in hours.
const (
	DefaultWait = 12
	MostWait    = 72
)

// faults collects all errors in a user's input.
type faults []error

func (f *faults) add(field, format string, args ...any) {
	*f = append(*f, &store.RuleError{Problem: fmt.Sprintf(format, args...), Field: field})
}

// Check returns a delivery in the form in which it is stored. Its error joins a
// *[store.RuleError] for each fault, with the name of its field. now and zone are those of the
// reports. Whether account, coin and segment exist, and whether the destination can be reached,
// is not checked.
func Check(d outbox.Delivery, now time.Time, zone *time.Location) (outbox.Delivery, error) {
	var errs faults
	if !slices.Contains(DeliveredKinds(), d.Kind) {
		errs.add("kind", "There is no export “%s”: choose one of %s.", shortened(d.Kind), strings.Join(DeliveredKinds(), ", "))
	}
	if d.Content == "" {
		d.Content = ContentsOf(d.Kind)[0]
	}
	if contents := ContentsOf(d.Kind); !slices.Contains(contents, d.Content) {
		errs.add("content", "An export of %s can have as its content: %s.", shortened(d.Kind), strings.Join(contents, ", "))
	}
	switch {
	case !slices.Contains(Formats(), d.Format):
		errs.add("format", "There is no format “%s”: choose one of %s.", shortened(d.Format), strings.Join(Formats(), ", "))
	case d.Kind == PeopleKind && d.Format != string(export.CSV) && d.Format != string(export.XLSX):
		errs.add("format", "People are exported as csv or xlsx, the forms that an import reads.")
	}
	if lengths[d.Every] == "" {
		errs.add("every", "A delivery comes every day, week or month, not “%s”.", shortened(d.Every))
	}
	if d.Hour < 0 || d.Hour > 23 || d.Minute < 0 || d.Minute > 59 {
		errs.add("at", "There is no time %d:%02d.", d.Hour, d.Minute)
	}
	if d.Deadline < 0 || d.Deadline > MostWait {
		errs.add("deadline", "A delivery waits from 0 to %d hours for its period, not %d.", MostWait, d.Deadline)
	}
	to, err := carrier.ParseDestination(d.To)
	if err != nil {
		errs.add("to", "%s", phrase.Sentence(err.Error()))
	} else {
		d.To = to.String()
	}
	filters, err := checkFilters(d, now, zone)
	if err != nil {
		errs = append(errs, err)
	}
	d.Filters = filters
	return d, errors.Join(errs...)
}

// checkFilters returns the filters without those that are empty.
func checkFilters(d outbox.Delivery, now time.Time, zone *time.Location) (string, error) {
	given, err := url.ParseQuery(d.Filters)
	if err != nil {
		return d.Filters, &store.RuleError{Problem: "The filters are damaged: give them again.", Field: "filters"}
	}
	values := url.Values{}
	for name := range given {
		value := strings.TrimSpace(given.Get(name))
		switch {
		case value == "":
		case !slices.Contains(FilterParams(), name):
			return d.Filters, &store.RuleError{Problem: fmt.Sprintf("A delivery cannot be narrowed by %s: choose among %s.", shortened(name), strings.Join(FilterParams(), ", ")), Field: "filters"}
		case d.Kind == PeopleKind:
			return d.Filters, &store.RuleError{Problem: "An export of people has everybody: leave this empty.", Field: name}
		default:
			values.Set(name, value)
		}
	}
	if d.Kind == PeopleKind {
		return "", nil
	}
	asked, err := query.Parse(values, query.Basis{Now: now, Zone: zone, First: affiliate.DayOf(now, zone)})
	if kind, unknown := reports.ExportNamed(d.Kind); err == nil && unknown == nil {
		err = kind.Takes(asked)
	}
	if wrong, ok := errors.AsType[*query.ParamError](err); ok {
		return d.Filters, &store.RuleError{Problem: fmt.Sprintf("“%s” %s.", shortened(wrong.Value), wrong.Problem), Field: wrong.Param}
	}
	return values.Encode(), err
}

// shortened makes text from outside fit for a message.
func shortened(text string) string {
	text = affiliate.OneLine(text)
	if r := []rune(text); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return text
}
