package identity

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// Limits of saved views.
const (
	MaxViews     = 100 // per owner
	MaxViewName  = 80  // characters
	maxViewQuery = 4000
)

// View is a named page with its query.
type View struct {
	ID      int64
	Owner   string // empty: shared with all users
	Name    string
	Path    string // of the page: "/commissions"
	Query   string // of its address, without the question mark
	Default bool   // the page without a query opens with it; one per owner and path
	Created affiliate.Millis
	Updated affiliate.Millis // identifies the version
}

// Views lists the views that an owner sees, which are the shared views and the owner's, by
// path and name.
func Views(ctx context.Context, r *store.Tx, owner string) ([]View, error) {
	rows, err := r.QueryContext(ctx, `
		SELECT id, owner, name, path, query, is_default, created_ms, updated_ms FROM saved_views
		WHERE owner IN ('', ?) ORDER BY path, name COLLATE NOCASE, id`, owner)
	if err != nil {
		return nil, fmt.Errorf("reading saved views: %w", err)
	}
	defer rows.Close()
	var views []View
	for rows.Next() {
		var v View
		if err := rows.Scan(&v.ID, &v.Owner, &v.Name, &v.Path, &v.Query, &v.Default, &v.Created, &v.Updated); err != nil {
			return nil, fmt.Errorf("reading saved views: %w", err)
		}
		views = append(views, v)
	}
	return views, rows.Err()
}

// EachView calls do with the query of each saved view, of all users. A view with a malformed query
// names nothing and is left out.
func EachView(ctx context.Context, tx *store.Tx, do func(id int64, query url.Values) error) error {
	list, err := store.Scanned(ctx, tx, func(rows *sql.Rows) (v View, err error) {
		return v, rows.Scan(&v.ID, &v.Query)
	}, `SELECT id, query FROM saved_views ORDER BY id`)
	if err != nil {
		return fmt.Errorf("reading saved views: %w", err)
	}
	for _, v := range list {
		query, err := url.ParseQuery(v.Query)
		if err != nil {
			continue
		}
		if err := do(v.ID, query); err != nil {
			return err
		}
	}
	return nil
}

// RewriteViews changes the queries of all saved views for which change reports that it changed
// something.
func RewriteViews(ctx context.Context, tx *store.Tx, stamp affiliate.Millis, change func(url.Values) bool) error {
	return EachView(ctx, tx, func(id int64, query url.Values) error {
		if !change(query) {
			return nil
		}
		if _, err := tx.ExecContext(ctx, `UPDATE saved_views SET query = ?, updated_ms = ? WHERE id = ?`, query.Encode(), stamp, id); err != nil {
			return fmt.Errorf("changing a saved view: %w", err)
		}
		return nil
	})
}

// SaveView stores a view under a name that its owner has not yet used for the path. Saving
// the same view again changes only whether it is the default. A broken rule is a
// *RuleError.
func SaveView(ctx context.Context, s *store.Store, v View) error {
	var err error
	if v.Name, err = viewName(v.Name); err != nil {
		return err
	}
	if err := checkAddress(v.Path, v.Query); err != nil {
		return err
	}
	return changeViews(ctx, s, "saving a view", func(tx *store.Tx, stamp affiliate.Millis) error {
		id, err := addView(ctx, tx, v, stamp)
		if err != nil || !v.Default {
			return err
		}
		return setDefault(ctx, tx, View{ID: id, Owner: v.Owner, Path: v.Path}, true, stamp)
	})
}

func addView(ctx context.Context, tx *store.Tx, v View, stamp affiliate.Millis) (id int64, err error) {
	var query string
	err = tx.QueryRowContext(ctx, `SELECT id, query FROM saved_views WHERE owner = ? AND path = ? AND name = ?`,
		v.Owner, v.Path, v.Name).Scan(&id, &query)
	switch {
	case err == nil && query == v.Query:
		return id, nil
	case err == nil:
		return 0, nameTaken(v.Name)
	case !errors.Is(err, sql.ErrNoRows):
		return 0, err
	}
	var n int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM saved_views WHERE owner = ?`, v.Owner).Scan(&n); err != nil {
		return 0, err
	}
	if n >= MaxViews {
		return 0, store.Refuse("There are %d saved views, which is as many as there can be: delete one first.", MaxViews)
	}
	err = tx.QueryRowContext(ctx, `
		INSERT INTO saved_views (id, owner, name, path, query, created_ms, updated_ms) VALUES (?, ?, ?, ?, ?, ?, ?)
		RETURNING id`, store.RandomID(), v.Owner, v.Name, v.Path, v.Query, stamp, stamp).Scan(&id)
	return id, err
}

// RenameView gives a view another name. A view that is gone or belongs to another user is a
// *RuleError, and so is one in another version than the one seen; an unknown version
// renames any. A view that already has the name is left unchanged: a form that is sent
// twice is no conflict.
func RenameView(ctx context.Context, s *store.Store, owner string, id int64, seen affiliate.Millis, name string) error {
	name, err := viewName(name)
	if err != nil {
		return err
	}
	return changeViews(ctx, s, "renaming a view", func(tx *store.Tx, stamp affiliate.Millis) error {
		v, err := viewOf(ctx, tx, owner, id)
		if err != nil || v.Name == name {
			return err
		}
		if err := store.SameVersion("view", seen, v.Updated); err != nil {
			return err
		}
		var taken bool
		err = tx.QueryRowContext(ctx, `
			SELECT EXISTS (SELECT 1 FROM saved_views WHERE owner = ? AND path = ? AND name = ? AND id <> ?)`,
			v.Owner, v.Path, name, id).Scan(&taken)
		if err != nil {
			return err
		}
		if taken {
			return nameTaken(name)
		}
		_, err = tx.ExecContext(ctx, `UPDATE saved_views SET name = ?, updated_ms = ? WHERE id = ?`, name, stamp, id)
		return err
	})
}

// SetDefaultView makes a view the default of its path, or ends that. A view that is gone or
// belongs to another user is a *RuleError, and so is one in another version than the one
// seen, as with [RenameView].
func SetDefaultView(ctx context.Context, s *store.Store, owner string, id int64, seen affiliate.Millis, on bool) error {
	return changeViews(ctx, s, "setting the default view", func(tx *store.Tx, stamp affiliate.Millis) error {
		v, err := viewOf(ctx, tx, owner, id)
		if err != nil || v.Default == on {
			return err
		}
		if err := store.SameVersion("view", seen, v.Updated); err != nil {
			return err
		}
		return setDefault(ctx, tx, v, on, stamp)
	})
}

func setDefault(ctx context.Context, tx *store.Tx, v View, on bool, stamp affiliate.Millis) error {
	if on {
		_, err := tx.ExecContext(ctx, `
			UPDATE saved_views SET is_default = 0, updated_ms = ?
			WHERE owner = ? AND path = ? AND is_default = 1 AND id <> ?`, stamp, v.Owner, v.Path, v.ID)
		if err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE saved_views SET is_default = ?, updated_ms = ? WHERE id = ? AND is_default <> ?`, on, stamp, v.ID, on)
	return err
}

// DeleteView deletes a view of the owner or a shared one. A view that is already gone is no
// error; one in another version than the one seen is a *RuleError, as with [RenameView].
func DeleteView(ctx context.Context, s *store.Store, owner string, id int64, seen affiliate.Millis) error {
	return changeViews(ctx, s, "deleting a view", func(tx *store.Tx, _ affiliate.Millis) error {
		v, err := viewOf(ctx, tx, owner, id)
		if rule, ok := errors.AsType[*store.RuleError](err); ok && rule.Missing {
			return nil
		}
		if err == nil {
			err = store.SameVersion("view", seen, v.Updated)
		}
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM saved_views WHERE id = ? AND owner IN ('', ?)`, id, owner)
		return err
	})
}

// changeViews runs every change of a view.
func changeViews(ctx context.Context, s *store.Store, what string, change func(*store.Tx, affiliate.Millis) error) error {
	if err := s.Update(ctx, change); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// viewOf finds a view that the owner may change.
func viewOf(ctx context.Context, tx *store.Tx, owner string, id int64) (View, error) {
	v := View{ID: id}
	err := tx.QueryRowContext(ctx, `SELECT owner, name, path, is_default, updated_ms FROM saved_views WHERE id = ? AND owner IN ('', ?)`, id, owner).
		Scan(&v.Owner, &v.Name, &v.Path, &v.Default, &v.Updated)
	if errors.Is(err, sql.ErrNoRows) {
		err = &store.RuleError{Problem: "There is no such view any more.", Missing: true}
	}
	return v, err
}

func viewName(name string) (string, error) { return store.CheckLabel("The name", name, MaxViewName) }

func nameTaken(name string) error {
	return store.Refuse("There is another view of this page called “%s” already: choose another name, or delete that view first.", name)
}

// checkAddress refuses an address that is not a page of this application: the links of a
// view must not lead elsewhere.
func checkAddress(path, query string) error {
	switch {
	case !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.ContainsFunc(path, outsidePath):
		return store.Refuse("The view names no page that can be opened.")
	case len(path) > 200 || len(query) > maxViewQuery:
		return store.Refuse("The address of the view is too long to be kept.")
	case !utf8.ValidString(query) || strings.ContainsFunc(query, func(r rune) bool { return r <= ' ' || r > '~' || r == '#' }):
		return store.Refuse("The view names no question that can be asked.")
	}
	return nil
}

// outsidePath reports whether the paths of pages never contain r. Browsers treat a
// backslash as a slash.
func outsidePath(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/-_", r))
}
