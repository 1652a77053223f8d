package store

import (
	"context"
	"database/sql"
	"fmt"
)

// UseTOTPStep notes that a user's code of a step of time was taken. It reports
// false, and notes nothing, where that code or a newer one was taken before.
func (s *Store) UseTOTPStep(ctx context.Context, user, step int64) (fresh bool, err error) {
	err = s.quietly(ctx, func(tx *sql.Tx) error {
		fresh, err = changed(tx.ExecContext(ctx, `UPDATE users SET totp_step = ? WHERE id = ? AND totp_step < ?`, step, user, step))
		return err
	})
	if err != nil {
		return false, fmt.Errorf("taking a code: %w", err)
	}
	return fresh, nil
}

// UseRecoveryCode takes a user's recovery code by its hash. It reports false
// where there is none, or no longer.
func (s *Store) UseRecoveryCode(ctx context.Context, user int64, hash []byte) (fresh bool, err error) {
	err = s.quietly(ctx, func(tx *sql.Tx) error {
		fresh, err = changed(tx.ExecContext(ctx, `DELETE FROM recovery_codes WHERE user_id = ? AND hash = ?`, user, hash))
		return err
	})
	if err != nil {
		return false, fmt.Errorf("taking a recovery code: %w", err)
	}
	return fresh, nil
}

func changed(result sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

// quietly runs f in a write transaction that leaves the stamp of the newest
// write alone: nothing that a report shows is changed, so nothing that was
// worked out for one has to be thrown away.
func (s *Store) quietly(ctx context.Context, f func(tx *sql.Tx) error) error {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}
