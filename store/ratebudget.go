package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// RateBudget keeps what the processes that share a database spend of the exchange's limit.
// It is one row of its own, which no other writer waits for.
type RateBudget struct{ db *sql.DB }

// RateBudget returns the budget that all processes share, or nil if nobody shares the
// database.
func (s *Store) RateBudget() *RateBudget {
	if s.spending == nil {
		return nil
	}
	return &RateBudget{s.spending}
}

// Change calls f with the state and the time of the server's clock, and stores the result. A
// nil result changes nothing. If another process changed the state meanwhile, Change calls f
// again with the newer one. The state is empty at first.
func (r *RateBudget) Change(ctx context.Context, f func(state []byte, now time.Time) ([]byte, error)) error {
	for {
		changed, err := r.change(ctx, f)
		if err != nil || changed {
			return err
		}
	}
}

// change returns false if another process changed the state.
func (r *RateBudget) change(ctx context.Context, f func([]byte, time.Time) ([]byte, error)) (bool, error) {
	var version, now int64
	var state string
	err := r.db.QueryRowContext(ctx, `SELECT version, state, `+serverClock+` FROM rate_budget WHERE id = 1`).Scan(&version, &state, &now)
	if errors.Is(err, sql.ErrNoRows) {
		_, err := r.db.ExecContext(ctx, `INSERT INTO rate_budget (id, version, state) VALUES (1, 1, '') ON CONFLICT (id) DO NOTHING`)
		return false, ofBudget(err)
	}
	if err != nil {
		return false, ofBudget(err)
	}
	next, err := f([]byte(state), time.UnixMilli(now))
	if err != nil || next == nil {
		return true, err
	}
	changed, err := Changed(r.db.ExecContext(ctx, `UPDATE rate_budget SET version = version + 1, state = ? WHERE id = 1 AND version = ?`, string(next), version))
	return changed, ofBudget(err)
}

// ofBudget returns the error of a statement about the budget.
func ofBudget(err error) error {
	if err != nil {
		return fmt.Errorf("changing the shared request budget: %w", err)
	}
	return nil
}
