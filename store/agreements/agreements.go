package agreements

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/dated"
	"rebatedesk/terms"
)

// TermVersion is a term as it is or was stored.
type TermVersion struct {
	terms.Term
	Actor     string // who added it
	Created   affiliate.Millis
	RemovedBy string           // "" = in force
	Removed   affiliate.Millis // unknown = in force
}

// MostTerms is the maximum number of terms in force.
const MostTerms = 50_000

// Terms has the terms. What a file changes is one line of the audit log, see [ImportTerms].
var Terms = &dated.Table[TermVersion]{
	Name: "terms", Noun: "term", Numbered: true, EndedBy: "removed_by",
	Columns: []dated.Column[TermVersion]{
		dated.Text("account", func(v *TermVersion) *affiliate.Account { return &v.Account }),
		dated.Text("scope", func(v *TermVersion) *terms.Scope { return &v.Scope }),
		dated.Text("value", func(v *TermVersion) *string { return &v.Value }),
		dated.Text("product", func(v *TermVersion) *affiliate.Product { return &v.Product }),
		dated.Text("source", func(v *TermVersion) *affiliate.Source { return &v.Source }),
		dated.Text("tier_by", func(v *TermVersion) *terms.TierBy { return &v.TierBy }),
		dated.Text("tier_from", func(v *TermVersion) *affiliate.Number { return &v.TierFrom }),
		dated.Text("rate", func(v *TermVersion) *affiliate.Number { return &v.Rate }),
		dated.Day("first_day", func(v *TermVersion) *affiliate.Day { return &v.From }),
		dated.DayOrNone("last_day", func(v *TermVersion) *affiliate.Day { return &v.To }),
		dated.Text("coin", func(v *TermVersion) *affiliate.Coin { return &v.Coin }),
		dated.Text("note", func(v *TermVersion) *string { return &v.Note }),
		dated.Text("reference", func(v *TermVersion) *string { return &v.Reference }),
	},
	Stamp: func(v *TermVersion) dated.Stamp {
		return dated.Stamp{ID: &v.ID, Actor: &v.Actor, Created: &v.Created, Ended: &v.Removed, EndedBy: &v.RemovedBy}
	},
	Order: `t.id`,
	Words: func(v, _ *TermVersion) (object, detail string) {
		return strconv.FormatInt(v.ID, 10), fmt.Sprintf("%s: %s, %s", v.About(), v.Rate, v.Days())
	},
}

// TermsAt lists the terms that were in force at an instant, where unknown means now, in the
// order of [terms.Term.Compare].
func TermsAt(ctx context.Context, r *store.Tx, at affiliate.Millis) ([]terms.Term, error) {
	versions, err := Terms.List(ctx, r, at, store.Where{})
	if err != nil {
		return nil, err
	}
	list := make([]terms.Term, len(versions))
	for i, v := range versions {
		list[i] = v.Term
	}
	slices.SortFunc(list, terms.Term.Compare)
	return list, nil
}

// TermVersions lists all terms that were ever stored as known at an instant, where unknown means
// now, the newest first. A removal after the instant is left out.
func TermVersions(ctx context.Context, r *store.Tx, at affiliate.Millis) ([]TermVersion, error) {
	return Terms.History(ctx, r, at, store.Where{}, `t.id DESC`)
}

// TermsStamp returns when the terms were last changed; unknown if there never were any.
func TermsStamp(ctx context.Context, r *store.Tx) (stamp affiliate.Millis, err error) {
	err = r.QueryRowContext(ctx, `SELECT coalesce(max(max(created_ms, coalesce(removed_ms, 0))), 0) FROM terms`).Scan(&stamp)
	if err != nil {
		return 0, fmt.Errorf("reading when the terms were changed: %w", err)
	}
	return stamp, nil
}

// CompareTerms says what a file would change in the terms in force. The error may be of the type
// [tabular.Mistakes], or a *[store.RuleError] if there would be more than [MostTerms].
func CompareTerms(ctx context.Context, r *store.Tx, file terms.File) (terms.Merging, error) {
	inForce, err := TermsAt(ctx, r, 0)
	if err != nil {
		return terms.Merging{}, err
	}
	m, err := file.Merge(inForce)
	if added := len(m.Added); err == nil && len(inForce)+added > MostTerms {
		return terms.Merging{}, store.Refuse("At most %d terms are in force at a time; there are %d, and the file adds %d.", MostTerms, len(inForce), added)
	}
	return m, err
}

// ImportTerms stores what a file changes, all of it or nothing, together with its line of the
// audit log, whose object is the name of the file. A file that changes nothing writes nothing.
//
// If the terms have changed since the instant seen, which [TermsStamp] returns, the error is a
// *[store.RuleError]; [store.AnyVersion] takes any. A file with contradictions is
// [tabular.Mistakes].
func ImportTerms(ctx context.Context, s *store.Store, file terms.File, name string, seen affiliate.Millis, by audit.Line) (m terms.Merging, err error) {
	unchanged := errors.New("nothing to write")
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		stored, err := TermsStamp(ctx, tx)
		if err != nil {
			return err
		}
		if err := store.SameVersion("list of terms", seen, stored); err != nil {
			return err
		}
		if m, err = CompareTerms(ctx, tx, file); err != nil {
			return err
		}
		if !m.Any() {
			return unchanged
		}
		var fresh []terms.Term
		for _, change := range m.Changed {
			if err := Terms.End(ctx, tx, stamp, by.Actor, dated.Row(change.Before.ID)); err != nil {
				return err
			}
			fresh = append(fresh, change.After)
		}
		for _, t := range append(fresh, m.Added...) {
			if _, err := Terms.Write(ctx, tx, stamp, TermVersion{Term: t}, by.Actor); err != nil {
				return err
			}
		}
		by.Action, by.Object = "terms imported", name
		by.Detail = fmt.Sprintf("%d added, %d changed, %d unchanged, %d ended earlier", len(m.Added), len(m.Changed), len(m.Unchanged), len(m.Ended))
		return audit.Append(ctx, s, tx, stamp, by)
	})
	switch {
	case errors.Is(err, unchanged):
		return m, nil
	case err != nil:
		return terms.Merging{}, fmt.Errorf("importing terms: %w", err)
	}
	return m, nil
}

// RemoveTerm removes a term, together with its line of the audit log, and returns it. It stays
// stored for queries about earlier instants. One that does not exist or was removed is a
// *[store.RuleError].
func RemoveTerm(ctx context.Context, s *store.Store, id int64, by audit.Line) (removed terms.Term, err error) {
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		versions, err := Terms.History(ctx, tx, 0, dated.Row(id), Terms.Order)
		switch {
		case err != nil:
			return err
		case len(versions) == 0:
			return &store.RuleError{Problem: fmt.Sprintf("There is no term %d.", id), Missing: true}
		case versions[0].Removed.Known():
			return &store.RuleError{Problem: fmt.Sprintf("Term %d was removed or replaced already, at %s.", id, versions[0].Removed), Missing: true, Stale: true}
		}
		removed = versions[0].Term
		return Terms.Finish(ctx, s, tx, stamp, versions[0], by)
	})
	if err != nil {
		return terms.Term{}, fmt.Errorf("removing a term: %w", err)
	}
	return removed, nil
}
