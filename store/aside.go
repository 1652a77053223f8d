package store

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"rebatedesk/affiliate"
)

// aside are the tables that no file of a report shows: who has access, and what was done.
var aside = []string{"audit", "audit_head", "sessions", "devices", "tokens", "throttles", "users", "recovery_codes", "favourite_pairs", "preferences", "setup_marks"}

var (
	// errNotAside means that a write of [Store.UpdateAside] would have changed what reports show.
	errNotAside = errors.New("a write beside the reports changes a table that they show")
	// ErrAside means that a file of a report would have read what [Store.UpdateAside] may change.
	ErrAside = errors.New("a file of a report reads a table that may change without its knowing")
)

// asideText is a statement that fails with the reason in its text, see [refusedText].
const asideText = `SELECT aside FROM table_that_changes_beside_the_reports`

var changedTable = regexp.MustCompile(`(?i)\b(?:INSERT(?:\s+OR\s+\w+)?\s+INTO|UPDATE|DELETE\s+FROM)\s+([a-z_][a-z_0-9]*)`)

// UpdateAside is [Store.Update] for a write that changes only tables of access and the audit log.
// Pages that show them notice the stamp; [Tx.LastReported] does not. Changes of other tables fail.
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

// changesAside reports whether a statement changes nothing but tables beside the reports.
func changesAside(statement string) bool {
	for _, found := range changedTable.FindAllStringSubmatch(statement, -1) {
		if table := strings.ToLower(found[1]); table != "set" && !slices.Contains(aside, table) { // DO UPDATE SET names no table
			return false
		}
	}
	return true
}

// readsAside reports whether a query reads a table beside the reports.
func readsAside(query string) bool {
	for _, found := range tableNames.FindAllStringSubmatch(query, -1) {
		if slices.Contains(aside, found[1]) {
			return true
		}
	}
	return false
}

// Reported returns the same state for reading what files of reports show: a query of a table that
// [Store.UpdateAside] may change fails with [ErrAside].
func (t *Tx) Reported() *Tx {
	reported := *t
	reported.reported = true
	return &reported
}

// LastReported returns the stamp of the newest write that files of reports show: two reads at the
// same stamp return the same rows to a transaction of [Tx.Reported].
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
