package identity

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// PreferencesOf returns what a user decided about the pages, by name.
func PreferencesOf(ctx context.Context, r *store.Tx, owner string) (map[string]string, error) {
	return namedValues(ctx, r, `SELECT name, value FROM preferences WHERE owner = ?`, owner)
}

// SetPreference keeps one decision of a user; an empty value removes it.
func SetPreference(ctx context.Context, s *store.Store, owner, name, value string) error {
	err := s.UpdateAside(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		if value == "" {
			_, err := tx.ExecContext(ctx, `DELETE FROM preferences WHERE owner = ? AND name = ?`, owner, name)
			return err
		}
		_, err := tx.ExecContext(ctx, `
			INSERT INTO preferences (owner, name, value, updated_ms) VALUES (?, ?, ?, ?)
			ON CONFLICT (owner, name) DO UPDATE SET value = excluded.value, updated_ms = excluded.updated_ms`, owner, name, value, stamp)
		return err
	})
	if err != nil {
		return fmt.Errorf("keeping the preference %s of %s: %w", name, owner, err)
	}
	return nil
}

// SetupMarks returns what is known of the first setup besides the data, by name.
func SetupMarks(ctx context.Context, r *store.Tx) (map[string]string, error) {
	return namedValues(ctx, r, `SELECT name, value FROM setup_marks`)
}

// MarkSetup keeps a mark of the first setup, together with the line of the audit log that says
// who made it; an empty value removes it.
func MarkSetup(ctx context.Context, s *store.Store, name, value string, by audit.Line) error {
	err := s.UpdateAside(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		var err error
		if value == "" {
			_, err = tx.ExecContext(ctx, `DELETE FROM setup_marks WHERE name = ?`, name)
		} else {
			_, err = tx.ExecContext(ctx, `
				INSERT INTO setup_marks (name, value, actor, updated_ms) VALUES (?, ?, ?, ?)
				ON CONFLICT (name) DO UPDATE SET value = excluded.value, actor = excluded.actor, updated_ms = excluded.updated_ms`, name, value, by.Actor, stamp)
		}
		if err != nil {
			return err
		}
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return fmt.Errorf("keeping the mark %s of the setup: %w", name, err)
	}
	return nil
}

// namedValues reads rows of a name and a value.
func namedValues(ctx context.Context, r *store.Tx, query string, args ...any) (map[string]string, error) {
	rows, err := r.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("reading what users decided about the pages: %w", err)
	}
	defer rows.Close()
	values := map[string]string{}
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return nil, fmt.Errorf("reading what users decided about the pages: %w", err)
		}
		values[name] = value
	}
	return values, rows.Err()
}
