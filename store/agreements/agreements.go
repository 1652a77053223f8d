package agreements

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
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

// TermsAt lists the terms that were in force at an instant, where unknown means now, in the
// order of [terms.Term.Compare].
func TermsAt(ctx context.Context, r *store.Tx, at affiliate.Millis) ([]terms.Term, error) {
	var w store.Where
	if at.Known() {
		w.Add(`created_ms <= ? AND (removed_ms IS NULL OR removed_ms > ?)`, int64(at), int64(at))
	} else {
		w.Add(`removed_ms IS NULL`)
	}
	versions, err := readVersions(ctx, r, w, `id`)
	if err != nil {
		return nil, fmt.Errorf("reading the terms: %w", err)
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
	var w store.Where
	w.Add(`1 = 1`)
	if at.Known() {
		w.Add(`created_ms <= ?`, int64(at))
	}
	list, err := readVersions(ctx, r, w, `id DESC`)
	if err != nil {
		return nil, fmt.Errorf("reading the versions of the terms: %w", err)
	}
	for i := range list {
		if at.Known() && list[i].Removed > at {
			list[i].Removed, list[i].RemovedBy = 0, ""
		}
	}
	return list, nil
}

func readVersions(ctx context.Context, r *store.Tx, w store.Where, order string) ([]TermVersion, error) {
	return store.Scanned(ctx, r, func(rows *sql.Rows) (v TermVersion, err error) {
		err = rows.Scan(&v.ID, &v.Account, &v.Scope, &v.Value, &v.Product, &v.Source, &v.TierBy, &v.TierFrom, &v.Rate,
			(*store.DayText)(&v.From), store.Opt((*store.DayText)(&v.To)), &v.Note, &v.Reference, &v.Actor, &v.Created, &v.RemovedBy, &v.Removed)
		return v, err
	}, `
		SELECT id, account, scope, value, product, source, tier_by, tier_from, rate, first_day, last_day, note, reference, actor, created_ms, removed_by, removed_ms
		FROM terms
		WHERE `+w.String()+`
		ORDER BY `+order, w.Args...)
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
		for _, change := range m.Changed {
			if err := end(ctx, tx, change.Before.ID, stamp, by.Actor); err != nil {
				return err
			}
			if err := insert(ctx, tx, change.After, stamp, by.Actor); err != nil {
				return err
			}
		}
		for _, t := range m.Added {
			if err := insert(ctx, tx, t, stamp, by.Actor); err != nil {
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

func insert(ctx context.Context, tx *store.Tx, t terms.Term, stamp affiliate.Millis, actor string) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO terms (account, scope, value, product, source, tier_by, tier_from, rate, first_day, last_day, note, reference, actor, created_ms, removed_by)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '')`,
		t.Account, t.Scope, t.Value, t.Product, t.Source, t.TierBy, t.TierFrom, t.Rate,
		store.DayText(t.From), store.Opt((*store.DayText)(&t.To)), t.Note, t.Reference, actor, stamp)
	return err
}

func end(ctx context.Context, tx *store.Tx, id int64, stamp affiliate.Millis, actor string) error {
	_, err := tx.ExecContext(ctx, `UPDATE terms SET removed_ms = ?, removed_by = ? WHERE id = ?`, stamp, actor, id)
	return err
}

// RemoveTerm removes a term, together with its line of the audit log, and returns it. It stays
// stored for queries about earlier instants. One that does not exist or was removed is a
// *[store.RuleError].
func RemoveTerm(ctx context.Context, s *store.Store, id int64, by audit.Line) (removed terms.Term, err error) {
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		var w store.Where
		w.Add(`id = ?`, id)
		versions, err := readVersions(ctx, tx, w, `id`)
		switch {
		case err != nil:
			return err
		case len(versions) == 0:
			return &store.RuleError{Problem: fmt.Sprintf("There is no term %d.", id), Missing: true}
		case versions[0].Removed.Known():
			return &store.RuleError{Problem: fmt.Sprintf("Term %d was removed or replaced already, at %s.", id, versions[0].Removed), Missing: true, Stale: true}
		}
		removed = versions[0].Term
		if err := end(ctx, tx, id, stamp, by.Actor); err != nil {
			return err
		}
		by.Action, by.Object = "term removed", strconv.FormatInt(id, 10)
		by.Detail = fmt.Sprintf("%s: %s, %s", removed.About(), removed.Rate, removed.Days())
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return terms.Term{}, fmt.Errorf("removing a term: %w", err)
	}
	return removed, nil
}
