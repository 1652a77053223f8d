package records

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// Run is one pass of the collector over an account.
type Run struct {
	ID       int64
	Account  affiliate.Account
	Cause    string // what started it
	Started  affiliate.Millis
	Finished affiliate.Millis // unknown: still running, or its process died
	Requests int64
	Weight   int64
	Records  int64
	Opened   int64
	Closed   int64
	Slices   int64
	Failed   int64  // slices that could not be read
	Error    string // why the run as a whole ended early

	Quarantined int64 // records that could not be read
}

// RunStopped is the Error of a run that was stopped with the program, which is no failure.
const RunStopped = "stopped"

// Fails reports whether the run ended early by itself, or could not read a slice.
func (run Run) Fails() bool { return run.Failed > 0 || run.Error != "" && run.Error != RunStopped }

// StartRun opens the log of a run. Runs of the account that never ended died with their
// process, because only one collector works at a time.
func StartRun(ctx context.Context, s *store.Store, name affiliate.Account, cause string) (int64, error) {
	var id int64
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		account, err := store.AccountID(ctx, tx, name)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE runs SET finished_ms = ?, error = 'ended abruptly'
			WHERE account_id = ? AND finished_ms IS NULL`, stamp, account)
		if err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, `
			INSERT INTO runs (account_id, cause, started_ms) VALUES (?, ?, ?)
			RETURNING id`, account, cause, stamp).Scan(&id)
	})
	if err != nil {
		return 0, fmt.Errorf("starting a run of %s: %w", name, err)
	}
	return id, nil
}

// FinishRun closes the log of a run with its cost.
func FinishRun(ctx context.Context, s *store.Store, id, requests, weight int64, cause string) error {
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		_, err := tx.ExecContext(ctx, `
			UPDATE runs SET finished_ms = ?, requests = ?, weight = ?, error = ? WHERE id = ?`,
			stamp, requests, weight, cause, id)
		return err
	})
	if err != nil {
		return fmt.Errorf("finishing run %d: %w", id, err)
	}
	return nil
}

// LastRun returns the newest run, or the zero Run if there was none.
func LastRun(ctx context.Context, r *store.Tx, account affiliate.Account) (Run, error) {
	var run Run
	err := r.QueryRowContext(ctx, `
		SELECT `+runColumns+`
		FROM runs r JOIN accounts a ON a.id = r.account_id
		WHERE ? = '' OR a.name = ?
		ORDER BY r.id DESC LIMIT 1`, account, account).Scan(run.targets()...)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return Run{}, fmt.Errorf("reading the last run: %w", err)
	}
	return run, nil
}
