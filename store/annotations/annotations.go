package annotations

import (
	"context"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/dated"
)

// Annotation is what a user wrote about a day or a range of days, to be read beside its figures.
type Annotation struct {
	ID      int64 // a change gives a new one
	Days    affiliate.Days
	Account affiliate.Account // empty: every account
	Code    string            // invite code; empty: all
	Words   string            // a line
	Author  string            // who wrote it first; set by the store
	Actor   string            // who wrote it in this form; set by the store
	Created affiliate.Millis
}

// Limits of annotations.
const (
	Most      = 5000 // in force
	MostWords = 160  // characters of one
)

// About names the account and the invite code of an annotation; empty if it is about everything.
func (a Annotation) About() string {
	var parts []string
	if a.Code != "" {
		parts = append(parts, "code "+a.Code)
	}
	if a.Account != "" {
		parts = append(parts, "account "+string(a.Account))
	}
	return strings.Join(parts, ", ")
}

// String returns the words, and what they are about.
func (a Annotation) String() string {
	if about := a.About(); about != "" {
		return a.Words + " (" + about + ")"
	}
	return a.Words
}

// By names who wrote the annotation, and who gave it this form if that was someone else.
func (a Annotation) By() string {
	if a.Actor == a.Author {
		return a.Author
	}
	return a.Author + ", changed by " + a.Actor
}

// object names the annotation for the audit log.
func (a Annotation) object() string {
	name := a.Days.First.String()
	if a.Days.Last != a.Days.First {
		name += " to " + a.Days.Last.String()
	}
	if about := a.About(); about != "" {
		name += ", " + about
	}
	return name
}

// Table has the annotations: by first day, last day, and time of writing. Text that is no line, days in
// the wrong order, an unknown account and more than [Most] are refused. The caller leaves out those that
// its user may not see.
var Table = &dated.Table[Annotation]{
	Name: "annotations", Noun: "annotation", Shown: true,
	Columns: []dated.Column[Annotation]{
		dated.Day("first_day", func(a *Annotation) *affiliate.Day { return &a.Days.First }),
		dated.Day("last_day", func(a *Annotation) *affiliate.Day { return &a.Days.Last }),
		dated.Account(false, func(a *Annotation) *affiliate.Account { return &a.Account }),
		dated.Text("code", func(a *Annotation) *string { return &a.Code }),
		dated.Text("words", func(a *Annotation) *string { return &a.Words }),
		dated.Text("author", func(a *Annotation) *string { return &a.Author }),
	},
	Stamp: func(a *Annotation) dated.Stamp {
		return dated.Stamp{ID: &a.ID, Actor: &a.Actor, Created: &a.Created}
	},
	Order: `t.first_day, t.last_day, t.created_ms, t.id`,
	Check: check,
	Fits: func(ctx context.Context, tx *store.Tx, in *dated.Table[Annotation], _, before *Annotation) error {
		if before != nil {
			return nil
		}
		return in.Room(ctx, tx, Most)
	},
	Words: func(a, before *Annotation) (object, detail string) {
		if detail = a.Words; before != nil {
			detail += " instead of " + before.Words + " on " + before.object()
		}
		return a.object(), detail
	},
}

// List lists the annotations that touch a range of days, as known at an instant, where unknown means
// now.
func List(ctx context.Context, r *store.Tx, days affiliate.Days, at affiliate.Millis) ([]Annotation, error) {
	var w store.Where
	w.Add(`t.first_day <= ? AND t.last_day >= ?`, store.DayText(days.Last), store.DayText(days.First))
	return Table.List(ctx, r, at, w)
}

// Add stores an annotation of the actor, see [dated.Table.Add].
func Add(ctx context.Context, s *store.Store, a Annotation, by audit.Line) (int64, error) {
	a.Author = by.Actor
	return Table.Add(ctx, s, a, by)
}

// Change replaces an annotation and keeps its author, see [dated.Table.Change].
func Change(ctx context.Context, s *store.Store, id int64, now Annotation, by audit.Line) error {
	return Table.Change(ctx, s, id, func(a *Annotation) error {
		a.Days, a.Account, a.Code, a.Words = now.Days, now.Account, now.Code, now.Words
		return nil
	}, by)
}

// check puts the words into the form in which they are stored.
func check(a *Annotation) error {
	words, err := store.CheckLabel("An annotation", a.Words, MostWords)
	if err != nil {
		return store.AtField("words", err)
	}
	if a.Words = words; a.Code != "" {
		if a.Code, err = store.CheckLabel("An invite code", a.Code, MostWords); err != nil {
			return store.AtField("code", err)
		}
	}
	if a.Days.Len() == 0 {
		return store.RefuseAt("to", "The last day is before the first: give the days in their order.")
	}
	return nil
}
