package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"rebatedesk/affiliate"
)

// Tx is a transaction. One opened by [Store.Read] answers queries about one state of the
// database: everything read through it belongs to the same moment. One opened by
// [Store.Update] also writes.
type Tx struct {
	tx     *sql.Tx
	store  *Store
	zone   *time.Location
	rolled bool             // the roll-ups are in this zone and usable
	stamp  affiliate.Millis // given to this write
	fenced bool             // see [Tx.Fenced]
	aside  bool             // a write of [Store.UpdateAside]
}

// Read opens a transaction that reads. The caller must close it.
func (s *Store) Read(ctx context.Context) (*Tx, error) { return s.readOn(ctx, s.read) }

func (s *Store) readOn(ctx context.Context, db *sql.DB) (*Tx, error) {
	tx, err := s.engine.begin(ctx, db, false)
	if err != nil {
		return nil, fmt.Errorf("reading the database: %w", err)
	}
	var zone string
	if err := tx.QueryRowContext(ctx, `SELECT zone FROM meta WHERE id = 1`).Scan(&zone); err != nil {
		return nil, fmt.Errorf("reading the database: %w", errors.Join(err, tx.Rollback()))
	}
	return &Tx{tx: tx, store: s, zone: s.zone, rolled: zone == s.zone.String()}, nil
}

// Beside opens another transaction that reads the same state as t, so that two queries can
// run at once. It returns nil if another state has been written since. The caller must
// close it.
func (t *Tx) Beside(ctx context.Context) (*Tx, error) {
	beside, err := t.store.readOn(ctx, t.store.beside)
	if err != nil {
		return nil, err
	}
	same, err := t.sameState(ctx, beside)
	if err != nil || !same {
		return nil, errors.Join(err, beside.Close())
	}
	beside.fenced = t.fenced
	return beside.In(t.zone), nil
}

// sameState compares the stamps of the newest write. Writes without a stamp change nothing
// that reports read, see [Store.UpdateQuietly].
func (t *Tx) sameState(ctx context.Context, other *Tx) (bool, error) {
	ours, err := t.LastWrite(ctx)
	if err != nil {
		return false, err
	}
	theirs, err := other.LastWrite(ctx)
	return ours == theirs, err
}

// Close ends a transaction that reads.
func (t *Tx) Close() error { return t.tx.Rollback() }

// Update runs f in a transaction that writes. f receives the stamp of the write, which is
// later than the stamp of every earlier write. Stamps therefore distinguish states even if
// the machine's clock stops or goes back.
func (s *Store) Update(ctx context.Context, f func(tx *Tx, stamp affiliate.Millis) error) error {
	return s.UpdateQuietly(ctx, func(tx *Tx) error {
		stamp, err := tx.NextStamp(ctx)
		if err != nil {
			return err
		}
		return f(tx, stamp)
	})
}

// UpdateQuietly runs f in a transaction that writes and keeps the stamp of the newest
// write: no report shows the changed data, so no report has to be rebuilt. With the context
// of [Store.Lock] or [Store.Lead], it is [ErrSuperseded] once another process leads.
func (s *Store) UpdateQuietly(ctx context.Context, f func(tx *Tx) error) error {
	tx, err := s.engine.begin(ctx, s.write, true)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	t := &Tx{tx: tx, store: s, zone: s.zone}
	if err := fenced(ctx, s, t); err != nil {
		return err
	}
	if err := f(t); err != nil {
		return err
	}
	warnings := s.engine.warned()
	if err := tx.Commit(); err != nil {
		return err
	}
	s.engine.settle(ctx, s.write, t.stamp, warnings)
	s.engine.survey(ctx, s.write)
	return nil
}

// NextStamp assigns a write its stamp, see [Store.Update].
func (t *Tx) NextStamp(ctx context.Context) (stamp affiliate.Millis, err error) {
	err = t.QueryRowContext(ctx,
		`UPDATE meta SET last_write_ms = max(?, last_write_ms + 1) RETURNING last_write_ms`, affiliate.MillisOf(t.store.now())).Scan(&stamp)
	t.stamp = stamp
	return stamp, err
}

// LastWrite returns the stamp of the newest write, see [Tx.LastWrite].
func (s *Store) LastWrite(ctx context.Context) (stamp affiliate.Millis, err error) {
	if err := s.read.QueryRowContext(ctx, `SELECT last_write_ms FROM meta WHERE id = 1`).Scan(&stamp); err != nil {
		return 0, fmt.Errorf("reading the newest stamp: %w", err)
	}
	return stamp, nil
}

// LastWrite returns the stamp of the newest write. Two reads at the same stamp return the
// same data.
func (t *Tx) LastWrite(ctx context.Context) (affiliate.Millis, error) {
	var stamp affiliate.Millis
	if err := t.QueryRowContext(ctx, `SELECT last_write_ms FROM meta WHERE id = 1`).Scan(&stamp); err != nil {
		return 0, fmt.Errorf("reading the newest stamp: %w", err)
	}
	return stamp, nil
}

// ReportingZone returns the zone of the reporting day.
func (t *Tx) ReportingZone() *time.Location { return t.zone }

// Rolled reports whether the roll-ups are in the zone of the transaction and usable. It is
// known only for a transaction that reads.
func (t *Tx) Rolled() bool { return t.rolled }

// In returns the same state with the reporting days of another zone, for which no roll-ups
// exist.
func (t *Tx) In(zone *time.Location) *Tx {
	if zone.String() == t.zone.String() {
		return t
	}
	return &Tx{tx: t.tx, store: t.store, zone: zone, fenced: t.fenced}
}

// Store returns the database of the transaction.
func (t *Tx) Store() *Store { return t.store }

// QueryContext runs a query.
func (t *Tx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if t.fenced && !withinFence(query) {
		return nil, ErrFenced
	}
	t.watched(query)
	return t.tx.QueryContext(ctx, query, args...)
}

// QueryRowContext runs a query that returns one row.
func (t *Tx) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if t.fenced && !withinFence(query) {
		return t.tx.QueryRowContext(ctx, refusedText)
	}
	t.watched(query)
	return t.tx.QueryRowContext(ctx, query, args...)
}

// ExecContext runs a statement.
func (t *Tx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	t.watched(query)
	return t.tx.ExecContext(ctx, query, args...)
}

// Asker runs one query, either within a transaction or directly on [Store.Readers].
type Asker interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Within returns a transaction on the caller's connection. The caller ends it.
func (s *Store) Within(tx *sql.Tx) *Tx { return &Tx{tx: tx, store: s, zone: s.zone} }
