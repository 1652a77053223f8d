package store

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
)

// UpdateAside is [Store.Update] for a write that changes only what no file of a report shows: who has
// access (sessions, devices, tokens, users, preferences and the like) and the audit log. Pages that show
// them notice the stamp; [Tx.LastReported] does not. Nothing checks this but the tests, see
// storetest.Unreported: they refuse other changes, and files of reports that read these tables.
func (s *Store) UpdateAside(ctx context.Context, f func(tx *Tx, stamp affiliate.Millis) error) error {
	return s.UpdateQuietly(ctx, func(tx *Tx) error {
		now := affiliate.MillisOf(s.now())
		err := tx.QueryRowContext(ctx, `
			UPDATE meta SET
				reported_ms = CASE WHEN aside_ms = last_write_ms THEN reported_ms ELSE last_write_ms END,
				aside_ms = max(?, last_write_ms + 1), last_write_ms = max(?, last_write_ms + 1)
			RETURNING last_write_ms`, now, now).Scan(&tx.stamp)
		if err != nil {
			return err
		}
		tx.aside = true
		return f(tx, tx.stamp)
	})
}

// LastReported returns the stamp of the newest write that files of reports show: two reads at the
// same stamp return the same rows to them.
func (t *Tx) LastReported(ctx context.Context) (affiliate.Millis, error) {
	return lastReported(ctx, t)
}

// LastReported is [Tx.LastReported] of the present state.
func (s *Store) LastReported(ctx context.Context) (affiliate.Millis, error) {
	return lastReported(ctx, s.read)
}

func lastReported(ctx context.Context, r Asker) (stamp affiliate.Millis, err error) {
	err = r.QueryRowContext(ctx, `SELECT CASE WHEN aside_ms = last_write_ms THEN reported_ms ELSE last_write_ms END FROM meta WHERE id = 1`).Scan(&stamp)
	if err != nil {
		return 0, fmt.Errorf("reading the newest stamp of the reports: %w", err)
	}
	return stamp, nil
}

// Watch sets a function that is called with each statement of a transaction before it runs, and with
// whether [Store.UpdateAside] runs it. It is for tests, and must be called before a store is opened.
func Watch(f func(s *Store, statement string, aside bool)) { watch = f }

// watch is nil except in tests.
var watch func(s *Store, statement string, aside bool)

func (t *Tx) watched(statement string) {
	if watch != nil {
		watch(t.store, statement, t.aside)
	}
}
