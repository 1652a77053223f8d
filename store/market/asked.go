package market

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// MaxAsked is how many pairs are kept of an account. Another one takes the place of the one that
// was asked for longest ago.
const MaxAsked = 500

// KeepAsked keeps that a user asked for a pair at an instant. An earlier instant than the one
// that is kept changes nothing.
func KeepAsked(ctx context.Context, s *store.Store, account affiliate.Account, pair string, at affiliate.Millis) error {
	err := s.UpdateQuietly(ctx, func(tx *store.Tx) error {
		if _, err := tx.ExecContext(ctx, `
			INSERT INTO asked_pairs (account, pair, asked_ms) VALUES (?, ?, ?)
			ON CONFLICT (account, pair) DO UPDATE SET asked_ms = excluded.asked_ms WHERE excluded.asked_ms > asked_pairs.asked_ms`,
			account, pair, at); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `
			DELETE FROM asked_pairs WHERE account = ? AND pair IN
				(SELECT pair FROM asked_pairs WHERE account = ? ORDER BY asked_ms DESC, pair LIMIT 1000 OFFSET ?)`, account, account, MaxAsked)
		return err
	})
	if err != nil {
		return fmt.Errorf("keeping that %s was asked for: %w", pair, err)
	}
	return nil
}

// AskedPairs returns the pairs of an account that a user asked for since an instant, the one
// asked for last first.
func AskedPairs(ctx context.Context, r *store.Tx, account affiliate.Account, since affiliate.Millis) ([]string, error) {
	pairs, err := store.ReadColumn[string](ctx, r, `
		SELECT pair FROM asked_pairs WHERE account = ? AND asked_ms >= ? ORDER BY asked_ms DESC, pair`, account, since)
	if err != nil {
		return nil, fmt.Errorf("reading the pairs that were asked for: %w", err)
	}
	return pairs, nil
}

// PruneAsked deletes the pairs that nobody asked for since an instant.
func PruneAsked(ctx context.Context, s *store.Store, before affiliate.Millis) error {
	err := s.UpdateQuietly(ctx, func(tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM asked_pairs WHERE asked_ms < ?`, before)
		return err
	})
	if err != nil {
		return fmt.Errorf("deleting the pairs that were asked for long ago: %w", err)
	}
	return nil
}
