package identity

import (
	"context"
	"fmt"

	"rebatedesk/store"
)

// UseTOTPStep notes that a user's code of a step of time was taken. It reports
// false, and notes nothing, where that code or a newer one was taken before.
func UseTOTPStep(ctx context.Context, s *store.Store, user, step int64) (fresh bool, err error) {
	err = s.UpdateQuietly(ctx, func(tx *store.Tx) error {
		fresh, err = store.Changed(tx.ExecContext(ctx, `UPDATE users SET totp_step = ? WHERE id = ? AND totp_step < ?`, step, user, step))
		return err
	})
	if err != nil {
		return false, fmt.Errorf("taking a code: %w", err)
	}
	return fresh, nil
}

// UseRecoveryCode takes a user's recovery code by its hash. It reports false
// where there is none, or no longer.
func UseRecoveryCode(ctx context.Context, s *store.Store, user int64, hash []byte) (fresh bool, err error) {
	err = s.UpdateQuietly(ctx, func(tx *store.Tx) error {
		fresh, err = store.Changed(tx.ExecContext(ctx, `DELETE FROM recovery_codes WHERE user_id = ? AND hash = ?`, user, hash))
		return err
	})
	if err != nil {
		return false, fmt.Errorf("taking a recovery code: %w", err)
	}
	return fresh, nil
}
