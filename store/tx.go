package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"rebatedesk/affiliate"
)

// Tx is a transaction. One that [Store.Read] opens answers questions about one
// state of the database: everything read through it is of the same moment. One
// that [Store.Update] opens writes, too.
type Tx struct {
	tx     *sql.Tx
	store  *Store
	zone   *time.Location
	rolled bool // the roll-ups are in this zone and can be used
}

// Read opens a transaction that reads. The caller closes it.
func (s *Store) Read(ctx context.Context) (*Tx, error) {
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, fmt.Errorf("reading the database: %w", err)
	}
	var zone string
	if err := tx.QueryRowContext(ctx, `SELECT zone FROM meta WHERE id = 1`).Scan(&zone); err != nil {
		return nil, fmt.Errorf("reading the database: %w", errors.Join(err, tx.Rollback()))
	}
	return &Tx{tx: tx, store: s, zone: s.zone, rolled: zone == s.zone.String()}, nil
}

// Close ends a transaction that reads.
func (t *Tx) Close() error { return t.tx.Rollback() }

// Update runs f in a transaction that writes. f gets the stamp of the write:
// later than that of every write before, so that states can be told apart by it
// even when the clock of the machine stands or goes back.
func (s *Store) Update(ctx context.Context, f func(tx *Tx, stamp affiliate.Millis) error) error {
	return s.UpdateQuietly(ctx, func(tx *Tx) error {
		stamp, err := tx.NextStamp(ctx)
		if err != nil {
			return err
		}
		return f(tx, stamp)
	})
}

// UpdateQuietly runs f in a transaction that writes and leaves the stamp of the
// newest write alone: no report shows what is changed, so none has to be made
// again.
func (s *Store) UpdateQuietly(ctx context.Context, f func(tx *Tx) error) error {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(&Tx{tx: tx, store: s, zone: s.zone}); err != nil {
		return err
	}
	return tx.Commit()
}

// NextStamp gives a write its stamp, see [Store.Update].
func (t *Tx) NextStamp(ctx context.Context) (stamp affiliate.Millis, err error) {
	err = t.QueryRowContext(ctx,
		`UPDATE meta SET last_write_ms = max(?, last_write_ms + 1) RETURNING last_write_ms`, affiliate.MillisOf(t.store.now())).Scan(&stamp)
	return stamp, err
}

// LastWrite is the stamp of the newest write: what was read at the same one is
// the same.
func (t *Tx) LastWrite(ctx context.Context) (affiliate.Millis, error) {
	var stamp affiliate.Millis
	if err := t.QueryRowContext(ctx, `SELECT last_write_ms FROM meta WHERE id = 1`).Scan(&stamp); err != nil {
		return 0, fmt.Errorf("reading the newest stamp: %w", err)
	}
	return stamp, nil
}

// ReportingZone is the zone of the reporting day.
func (t *Tx) ReportingZone() *time.Location { return t.zone }

// Rolled reports whether the roll-ups are in the zone of the transaction and can
// be used. It is known of a transaction that reads.
func (t *Tx) Rolled() bool { return t.rolled }

// In is the same state with the reporting days of another zone, in which there
// are no roll-ups.
func (t *Tx) In(zone *time.Location) *Tx {
	if zone.String() == t.zone.String() {
		return t
	}
	return &Tx{tx: t.tx, store: t.store, zone: zone}
}

// Store is the database of the transaction.
func (t *Tx) Store() *Store { return t.store }

// QueryContext runs a query.
func (t *Tx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return t.tx.QueryContext(ctx, query, args...)
}

// QueryRowContext runs a query of one row.
func (t *Tx) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return t.tx.QueryRowContext(ctx, query, args...)
}

// ExecContext runs a statement.
func (t *Tx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return t.tx.ExecContext(ctx, query, args...)
}

// PrepareContext prepares a statement that runs many times.
func (t *Tx) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	return t.tx.PrepareContext(ctx, query)
}

// Asker is asked one question: within a transaction, or [Store.Readers] on its
// own.
type Asker interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Within is a transaction on a connection of the caller's own, who ends it.
func (s *Store) Within(tx *sql.Tx) *Tx { return &Tx{tx: tx, store: s, zone: s.zone} }
