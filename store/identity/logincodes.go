package identity

import (
	"context"
	"fmt"

	"rebatedesk/store"
)

// UseTOTPStep records that a user's code of a time step was used. It returns false and
// records nothing if that code or a newer one was used before.
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

// UseRecoveryCode uses up a user's recovery code, found by its hash. It returns false if
// the code does not exist or was already used.
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
