package identity

import (
	"context"
	"database/sql"
	"errors"
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
// the code does not exist or was already used, and a *[ForgedError] if it was forged.
func UseRecoveryCode(ctx context.Context, s *store.Store, user int64, hash []byte) (fresh bool, err error) {
	err = s.UpdateQuietly(ctx, func(tx *store.Tx) error {
		if s.AuditKey() == nil {
			return store.ErrNoAuditKey
		}
		c := recoveryCode{user: user, hash: hash}
		var name string
		err := tx.QueryRowContext(ctx, `
			SELECT c.mac, u.name, u.totp FROM recovery_codes c JOIN users u ON u.id = c.user_id WHERE c.user_id = ? AND c.hash = ?`, user, hash).Scan(&c.mac, &name, &c.totp)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := c.authentic(s.AuditKey(), name); err != nil {
			return err
		}
		if _, err := userWhere(ctx, s.AuditKey(), tx, `u.id = ?`, user); err != nil {
			return err
		}
		fresh, err = store.Changed(tx.ExecContext(ctx, `DELETE FROM recovery_codes WHERE user_id = ? AND hash = ?`, user, hash))
		if err != nil {
			return err
		}
		// How many are left is in the code of the user, so that a used one cannot be put back.
		_, err = signUser(ctx, tx, user, 0)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("taking a recovery code: %w", err)
	}
	return fresh, nil
}
