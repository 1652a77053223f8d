package identity

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// SealedKey is a signing key as it is stored.
type SealedKey struct {
	Public  []byte
	Sealed  []byte // its secret, sealed for this row
	Created affiliate.Millis
}

// NewestSigningKey returns the key that signs. found is false as long as none was made.
func NewestSigningKey(ctx context.Context, r *store.Tx) (key SealedKey, found bool, err error) {
	err = r.QueryRowContext(ctx, `SELECT public_key, sealed, created_ms FROM signing_keys ORDER BY id DESC LIMIT 1`).Scan(&key.Public, &key.Sealed, &key.Created)
	if errors.Is(err, sql.ErrNoRows) {
		return SealedKey{}, false, nil
	}
	if err != nil {
		return SealedKey{}, false, fmt.Errorf("reading the signing key: %w", err)
	}
	return key, true, nil
}

// AddSigningKey stores the first signing key, together with its line of the audit log, and
// returns the key that signs: another one if another process came first.
func AddSigningKey(ctx context.Context, s *store.Store, key SealedKey, by audit.Line) (SealedKey, error) {
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		first, found, err := NewestSigningKey(ctx, tx)
		if err != nil {
			return err
		}
		if found {
			key = first
			return nil
		}
		key.Created = stamp
		if _, err := tx.ExecContext(ctx, `INSERT INTO signing_keys (public_key, sealed, created_ms) VALUES (?, ?, ?)`, key.Public, key.Sealed, stamp); err != nil {
			return err
		}
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return SealedKey{}, fmt.Errorf("storing a signing key: %w", err)
	}
	return key, nil
}
