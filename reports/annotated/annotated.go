// Package annotated makes the list of annotations.
package annotated

import (
	"context"
	"fmt"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store"
	"rebatedesk/store/annotations"
)

// Accepted are the parameters of the list.
var Accepted = query.AcceptedParams{Taken: []string{"account", "code", "as_of", "page", "per"}, Usual: query.AllTime}

// Report is a page of the list of annotations, the newest days first.
type Report struct {
	Query    query.Query
	Lines    []Line
	Count    int // on all pages
	Pages    int
	Accounts []affiliate.Account // that a new one can be about
	Whole    bool                // a new one may be about everything
}

// Writer is the caller who reads and writes annotations.
type Writer struct {
	Name     string
	Everyone bool // an administrator, who changes those of others too
}

// changes reports whether the writer may change an annotation that they may write about.
func (w Writer) changes(a annotations.Annotation) bool {
	return w.Everyone || a.Author == w.Name
}

// NotYoursError means that someone else wrote the annotation that is to be changed or removed.
type NotYoursError struct{ Author string }

func (e *NotYoursError) Error() string {
	return fmt.Sprintf("only %s, who wrote this annotation, and administrators change or remove it", e.Author)
}

// Line is an annotation of the list.
type Line struct {
	annotations.Annotation
	Changeable bool // by the caller, if they may write at all
}

// Make makes the list. It has annotations of all days, whatever the range of the query.
func Make(ctx context.Context, q *snapshot.Snapshot, writer Writer) (view Report, err error) {
	view.Query = q.Query
	all := *q
	all.Days = snapshot.AllDays
	list, err := all.Annotations(ctx)
	if err != nil {
		return view, err
	}
	visible, err := q.VisibleNames(ctx)
	if err != nil {
		return view, err
	}
	view.Accounts, view.Whole = q.Known, visible.Writes(annotations.Annotation{})
	view.Count = len(list)
	view.Pages = max(1, (view.Count+q.Per-1)/q.Per)
	if q.Page > view.Pages {
		return view, query.BeyondPages(q.Page, view.Pages)
	}
	newest := slices.Clone(list)
	slices.Reverse(newest)
	first := (q.Page - 1) * q.Per
	for _, a := range newest[first:min(first+q.Per, len(newest))] {
		view.Lines = append(view.Lines, Line{a, visible.Writes(a) && writer.changes(a)})
	}
	return view, nil
}

// Check returns what is wrong with an annotation that a user wants to write: days out of reach,
// and accounts and codes of others.
func Check(ctx context.Context, q *snapshot.Snapshot, a annotations.Annotation) error {
	visible, err := q.VisibleNames(ctx)
	if err != nil {
		return err
	}
	refuse := func(field, format string, args ...any) error {
		return &store.RuleError{Problem: fmt.Sprintf(format, args...), Field: field}
	}
	switch {
	case a.Days.First < snapshot.AllDays.First || a.Days.First > snapshot.AllDays.Last:
		return refuse("from", "Give a day between %s and %s.", snapshot.AllDays.First, snapshot.AllDays.Last)
	case a.Days.Last > snapshot.AllDays.Last:
		return refuse("to", "Give a day until %s.", snapshot.AllDays.Last)
	case a.Account != "" && !slices.Contains(q.Known, a.Account):
		return refuse("account", "There is no account %q.", string(a.Account))
	case !visible.Shows(a):
		return refuse("code", "No invitee has the invite code %q: choose a code of your invitees.", a.Code)
	case !visible.Writes(a):
		return refuse("code", "Name a code or an account: you see some invitees only, and everybody would read this.")
	}
	return nil
}

// Find returns an annotation that a writer may change. One that is gone, or about
// others, is a missing *[store.RuleError], and one that someone else wrote a *[NotYoursError].
func Find(ctx context.Context, q *snapshot.Snapshot, writer Writer, id int64) (annotations.Annotation, error) {
	visible, err := q.VisibleNames(ctx)
	if err != nil {
		return annotations.Annotation{}, err
	}
	a, err := annotations.Table.Get(ctx, q.Tx, id)
	if err == nil && !visible.Writes(a) {
		err = &store.RuleError{Problem: "There is no such annotation.", Missing: true}
	}
	if err == nil && !writer.changes(a) {
		err = &NotYoursError{a.Author}
	}
	return a, err
}
