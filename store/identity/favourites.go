package identity

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// MaxFavourites is how many pairs a user can mark.
const MaxFavourites = 200

// Favourites returns the spot pairs that a user marked, in alphabetical order.
func Favourites(ctx context.Context, r *store.Tx, owner string) ([]string, error) {
	pairs, err := store.ReadColumn[string](ctx, r, `SELECT pair FROM favourite_pairs WHERE owner = ? ORDER BY pair`, owner)
	if err != nil {
		return nil, fmt.Errorf("reading the favourites of %s: %w", owner, err)
	}
	return pairs, nil
}

// AllFavourites returns the spot pairs that some user marked, in alphabetical order.
func AllFavourites(ctx context.Context, r *store.Tx) ([]string, error) {
	pairs, err := store.ReadColumn[string](ctx, r, `SELECT DISTINCT pair FROM favourite_pairs ORDER BY pair`)
	if err != nil {
		return nil, fmt.Errorf("reading the favourites: %w", err)
	}
	return pairs, nil
}

// SetFavourite marks a pair for a user or removes the mark. A second call changes nothing.
// One mark too many is a *RuleError.
func SetFavourite(ctx context.Context, s *store.Store, owner, pair string, on bool) error {
	err := s.UpdateAside(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		if !on {
			_, err := tx.ExecContext(ctx, `DELETE FROM favourite_pairs WHERE owner = ? AND pair = ?`, owner, pair)
			return err
		}
		var others int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM favourite_pairs WHERE owner = ? AND pair <> ?`, owner, pair).Scan(&others); err != nil {
			return err
		}
		if others >= MaxFavourites {
			return store.Refuse("There are %d favourites, and more are not kept: take one away first.", MaxFavourites)
		}
		_, err := tx.ExecContext(ctx, `
			INSERT INTO favourite_pairs (owner, pair, created_ms) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, owner, pair, stamp)
		return err
	})
	if err != nil {
		return fmt.Errorf("marking %s for %s: %w", pair, owner, err)
	}
	return nil
}
