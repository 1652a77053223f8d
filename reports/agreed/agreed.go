// Package agreed is the report of the terms: which hold, since when and until when, and who
// changed them.
package agreed

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/agreements"
	"rebatedesk/terms"
)

// Accepted are the parameters of the report.
var Accepted = query.AcceptedParams{Taken: []string{"as_of"}}

// TermState says whether a term holds on the day of the report.
type TermState string

// The states of a term.
const (
	TermHolds TermState = "holds"
	TermLater TermState = "later"
	TermEnded TermState = "ended"
)

// Report is the terms as known at the instant of its query.
type Report struct {
	query.Query
	Today   affiliate.Day
	Series  []terms.Series // those with a term that holds or begins later come first
	Counts  map[TermState]int
	General terms.Term // holds today for all records without a narrower term; its rate is unknown if there is none
	Changes []TermChange
	Stamp   affiliate.Millis // of the newest change
}

// TermChangeKind says how a term changed.
type TermChangeKind string

// The kinds of changes.
const (
	TermAdded    TermChangeKind = "added"
	TermReplaced TermChangeKind = "changed"
	TermRemoved  TermChangeKind = "removed"
)

// TermChange is one change of the stored terms.
type TermChange struct {
	At    affiliate.Millis
	Actor string
	Kind  TermChangeKind
	Term  terms.Term
	// Before is the term that was replaced, of a change.
	Before terms.Term
}

// StateOf returns the state of a spell on the day of the report.
func (r Report) StateOf(s terms.Spell) TermState {
	switch {
	case s.Holds(r.Today):
		return TermHolds
	case s.From > r.Today && (s.Last == 0 || s.Last >= s.From):
		return TermLater
	}
	return TermEnded
}

// List returns the terms in the order of a terms file.
func (r Report) List() (list []terms.Term) {
	for _, s := range r.Series {
		for _, spell := range s.Spells {
			list = append(list, spell.Term)
		}
	}
	slices.SortFunc(list, terms.Term.Compare)
	return list
}

// Make answers the query for the agreed rates. It uses the instant of the query.
func Make(ctx context.Context, q *snapshot.Snapshot) (Report, error) {
	r := Report{Query: q.Query, Today: affiliate.DayOf(q.Now, q.Zone), Counts: map[TermState]int{}}
	list, err := agreements.TermsAt(ctx, q.Tx, q.AsOfMillis())
	if err != nil {
		return Report{}, err
	}
	versions, err := agreements.TermVersions(ctx, q.Tx, q.AsOfMillis())
	if err != nil {
		return Report{}, err
	}
	if r.Stamp, err = agreements.TermsStamp(ctx, q.Tx); err != nil {
		return Report{}, fmt.Errorf("the terms: %w", err)
	}
	r.Series = terms.AllSeries(list)
	slices.SortStableFunc(r.Series, func(a, b terms.Series) int { return cmp.Compare(r.over(a), r.over(b)) })
	for _, s := range r.Series {
		for _, spell := range s.Spells {
			r.Counts[r.StateOf(spell)]++
		}
	}
	r.General, _ = terms.NewBook(list).Of(terms.Earning{Day: r.Today}, nil)
	r.Changes = changesOf(versions)
	return r, nil
}

// over is 1 for a series that has ended.
func (r Report) over(s terms.Series) int {
	if slices.ContainsFunc(s.Spells, func(spell terms.Spell) bool { return r.StateOf(spell) != TermEnded }) {
		return 0
	}
	return 1
}

// changesOf turns versions into changes, the newest first. A term that was removed by the
// write that added its successor was changed.
func changesOf(versions []agreements.TermVersion) (changes []TermChange) {
	type place struct {
		at   affiliate.Millis
		key  terms.Key
		from affiliate.Day
	}
	added := map[place]bool{}
	for _, v := range versions {
		added[place{v.Created, v.Key(), v.From}] = true
	}
	before := map[place]terms.Term{}
	for _, v := range versions {
		at := place{v.Removed, v.Key(), v.From}
		switch {
		case !v.Removed.Known():
		case added[at]:
			before[at] = v.Term
		default:
			changes = append(changes, TermChange{At: v.Removed, Actor: v.RemovedBy, Kind: TermRemoved, Term: v.Term})
		}
	}
	for _, v := range versions {
		change := TermChange{At: v.Created, Actor: v.Actor, Kind: TermAdded, Term: v.Term}
		if old, ok := before[place{v.Created, v.Key(), v.From}]; ok {
			change.Kind, change.Before = TermReplaced, old
		}
		changes = append(changes, change)
	}
	slices.SortStableFunc(changes, func(a, b TermChange) int { return cmp.Or(-cmp.Compare(a.At, b.At), cmp.Compare(a.Term.ID, b.Term.ID)) })
	return changes
}
