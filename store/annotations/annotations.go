package annotations

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// Annotation is what somebody wrote about a day or a range of days, to be read beside its figures.
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

// By names who wrote the annotation, and who gave it this form if that was somebody else.
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

// List lists the annotations that touch a range of days, as known at an instant, where
// unknown means now: by first day, last day, and time of writing. The caller leaves out those that
// its user may not see.
func List(ctx context.Context, r *store.Tx, days affiliate.Days, at affiliate.Millis) ([]Annotation, error) {
	var w store.Where
	w.Add(`n.first_day <= ? AND n.last_day >= ?`, store.DayText(days.Last), store.DayText(days.First))
	if at.Known() {
		w.Add(`n.created_ms <= ? AND (n.removed_ms IS NULL OR n.removed_ms > ?)`, int64(at), int64(at))
	} else {
		w.Add(`n.removed_ms IS NULL`)
	}
	list, err := readAnnotations(ctx, r, w)
	if err != nil {
		return nil, fmt.Errorf("reading the annotations: %w", err)
	}
	return list, nil
}

func readAnnotations(ctx context.Context, r *store.Tx, w store.Where) ([]Annotation, error) {
	// ForMembers: the program compares accounts and codes with what the user may see.
	return store.Scanned(ctx, r, func(rows *sql.Rows) (a Annotation, err error) {
		err = rows.Scan(&a.ID, (*store.DayText)(&a.Days.First), (*store.DayText)(&a.Days.Last), &a.Account, &a.Code, &a.Words, &a.Author, &a.Actor, &a.Created)
		return a, err
	}, store.ForMembers(`
		SELECT n.id, n.first_day, n.last_day, coalesce(a.name, ''), n.code, n.words, n.author, n.actor, n.created_ms
		FROM annotations n LEFT JOIN accounts a ON a.id = n.account_id
		WHERE `+w.String()+`
		ORDER BY n.first_day, n.last_day, n.created_ms, n.id`), w.Args...)
}

// One returns an annotation that nobody changed or removed. One that is gone is a
// *[store.RuleError], which is Stale if there was one.
func One(ctx context.Context, r *store.Tx, id int64) (Annotation, error) {
	var w store.Where
	w.Add(`n.id = ? AND n.removed_ms IS NULL`, id)
	list, err := readAnnotations(ctx, r, w)
	switch {
	case err != nil:
		return Annotation{}, err
	case len(list) == 0:
		return Annotation{}, gone(ctx, r, id)
	}
	return list[0], nil
}

// gone returns the error about an annotation that is not there: one that was is Stale.
func gone(ctx context.Context, r *store.Tx, id int64) error {
	var was bool
	// Only the kind of the error depends on it, and a bound user is told neither kind.
	if err := r.QueryRowContext(ctx, store.ForMembers(`SELECT EXISTS (SELECT 1 FROM annotations WHERE id = ?)`), id).Scan(&was); err != nil {
		return fmt.Errorf("reading an annotation: %w", err)
	}
	if !was {
		return &store.RuleError{Problem: "There is no such annotation.", Missing: true}
	}
	return &store.RuleError{Problem: "This annotation was changed or removed meanwhile: nothing was saved. Open the page again.", Missing: true, Stale: true}
}

// Add stores an annotation, together with its line of the audit log, and returns its id.
// Text that is no line, days in the wrong order, an unknown account and more than
// [Most] are a *[store.RuleError].
func Add(ctx context.Context, s *store.Store, a Annotation, by audit.Line) (id int64, err error) {
	if err = check(&a); err != nil {
		return 0, err
	}
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		var kept int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM annotations WHERE removed_ms IS NULL`).Scan(&kept); err != nil {
			return err
		}
		if kept >= Most {
			return store.Refuse("There are %d annotations, which is the most: remove some first.", kept)
		}
		by.Action, by.Object, by.Detail = "annotation added", a.object(), a.Words
		a.Author = by.Actor
		id, err = insert(ctx, s, tx, stamp, a, by)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("adding an annotation: %w", err)
	}
	return id, nil
}

// Change replaces an annotation, together with its line of the audit log. The same
// content changes nothing. One that was changed or removed meanwhile is a *[store.RuleError].
func Change(ctx context.Context, s *store.Store, id int64, a Annotation, by audit.Line) error {
	if err := check(&a); err != nil {
		return err
	}
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		before, err := One(ctx, tx, id)
		if err != nil {
			return err
		}
		if before.Days == a.Days && before.Account == a.Account && before.Code == a.Code && before.Words == a.Words {
			return nil
		}
		if err := end(ctx, tx, id, stamp); err != nil {
			return err
		}
		by.Action, by.Object, by.Detail = "annotation changed", a.object(), a.Words+" instead of "+before.Words+" on "+before.object()
		a.Author = before.Author
		_, err = insert(ctx, s, tx, stamp, a, by)
		return err
	})
	if err != nil {
		return fmt.Errorf("changing an annotation: %w", err)
	}
	return nil
}

// Remove removes an annotation, together with its line of the audit log. It stays
// stored for queries about earlier instants. One that is gone is a *[store.RuleError].
func Remove(ctx context.Context, s *store.Store, id int64, by audit.Line) error {
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		a, err := One(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := end(ctx, tx, id, stamp); err != nil {
			return err
		}
		by.Action, by.Object, by.Detail = "annotation removed", a.object(), a.Words
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return fmt.Errorf("removing an annotation: %w", err)
	}
	return nil
}

// insert writes an annotation and its line of the audit log.
func insert(ctx context.Context, s *store.Store, tx *store.Tx, stamp affiliate.Millis, a Annotation, by audit.Line) (id int64, err error) {
	account, err := accountOf(ctx, tx, a.Account)
	if err != nil {
		return 0, err
	}
	err = tx.QueryRowContext(ctx, `
		INSERT INTO annotations (id, first_day, last_day, account_id, code, words, author, actor, created_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		store.RandomID(), store.DayText(a.Days.First), store.DayText(a.Days.Last), store.Opt(&account), a.Code, a.Words, a.Author, by.Actor, stamp).Scan(&id)
	if err != nil {
		return 0, err
	}
	return id, audit.Append(ctx, s, tx, stamp, by)
}

func end(ctx context.Context, tx *store.Tx, id int64, stamp affiliate.Millis) error {
	_, err := tx.ExecContext(ctx, `UPDATE annotations SET removed_ms = ? WHERE id = ?`, stamp, id)
	return err
}

// check puts the words into the form in which they are stored.
func check(a *Annotation) error {
	words, err := store.CheckLabel("An annotation", a.Words, MostWords)
	if err != nil {
		return atField(err, "words")
	}
	if a.Words = words; a.Code != "" {
		if a.Code, err = store.CheckLabel("An invite code", a.Code, MostWords); err != nil {
			return atField(err, "code")
		}
	}
	if a.Days.Len() == 0 {
		return &store.RuleError{Problem: "The last day is before the first: give the days in their order.", Field: "to"}
	}
	return nil
}

// atField names the field that breaks a rule.
func atField(err error, field string) error {
	if rule, ok := errors.AsType[*store.RuleError](err); ok {
		return &store.RuleError{Problem: rule.Problem, Field: field}
	}
	return err
}

// accountOf returns the row ID of a stored account, or 0 for the empty name.
func accountOf(ctx context.Context, tx *store.Tx, name affiliate.Account) (id int64, err error) {
	if name == "" {
		return 0, nil
	}
	missing := &store.RuleError{Problem: fmt.Sprintf("There is no account %q.", name), Missing: true, Field: "account"}
	if strings.Contains(string(name), "\x00") {
		return 0, missing // PostgreSQL refuses such a text
	}
	err = tx.QueryRowContext(ctx, `SELECT id FROM accounts WHERE name = ?`, name).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, missing
	}
	return id, err
}
