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

// serverSince is since when the server has lost no commit: a server that crashed, or a standby
// that took over, begins its statistics again.
const serverSince = `CAST(coalesce(extract(epoch FROM pg_stat_get_bgwriter_stat_reset_time()), 0) * 1000 AS BIGINT)`

// Change calls f with the state and the time of the server's clock, and stores the result. A
// nil result changes nothing. If another process changed the state meanwhile, Change calls f
// again with the newer one. The state is empty at first.
//
// The server does not wait for its disk. If it crashed since the last change, or another one
// took over, some changes may be lost, and f is told so.
func (r *RateBudget) Change(ctx context.Context, f func(state []byte, now time.Time, lost bool) ([]byte, error)) error {
	for {
		changed, err := r.change(ctx, f)
		if err != nil || changed {
			return err
		}
	}
}

// change returns false if another process changed the state.
func (r *RateBudget) change(ctx context.Context, f func([]byte, time.Time, bool) ([]byte, error)) (bool, error) {
	var version, now, then, since int64
	var state string
	err := r.db.QueryRowContext(ctx, `SELECT version, state, server_ms, `+serverSince+`, `+serverClock+` FROM rate_budget WHERE id = 1`).
		Scan(&version, &state, &then, &since, &now)
	if errors.Is(err, sql.ErrNoRows) {
		_, err := r.db.ExecContext(ctx, `INSERT INTO rate_budget (id, version, state, server_ms) VALUES (1, 1, '', `+serverSince+`) ON CONFLICT (id) DO NOTHING`)
		return false, ofBudget(err)
	}
	if err != nil {
		return false, ofBudget(err)
	}
	next, err := f([]byte(state), time.UnixMilli(now), then != since)
	if err != nil || next == nil {
		return true, err
	}
	changed, err := Changed(r.db.ExecContext(ctx, `
		UPDATE rate_budget SET version = version + 1, state = ?, server_ms = ? WHERE id = 1 AND version = ?`, string(next), since, version))
	return changed, ofBudget(err)
}

// ofBudget returns the error of a statement about the budget.
func ofBudget(err error) error {
	if err != nil {
		return fmt.Errorf("changing the shared request budget: %w", err)
	}
	return nil
}
