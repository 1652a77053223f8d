package prices

import (
	"context"
	"database/sql"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// Stored is an imported price with the import that brought it.
type Stored struct {
	Price
	Import   int64
	Actor    string           // who imported it
	Imported affiliate.Millis // when
}

// Of lists the imported prices of a coin that were in force at an instant, where unknown means now, by
// day.
func Of(ctx context.Context, r *store.Tx, coin affiliate.Coin, at affiliate.Millis) ([]Stored, error) {
	inForce, args := `p.removed_ms IS NULL`, []any{string(coin)}
	if at.Known() {
		inForce, args = `p.created_ms <= ? AND (p.removed_ms IS NULL OR p.removed_ms > ?)`, append(args, int64(at), int64(at))
	}
	// Prices say nothing about any invitee.
	list, err := store.Scanned(ctx, r, func(rows *sql.Rows) (s Stored, err error) {
		err = rows.Scan(&s.Coin, (*store.DayText)(&s.Day), &s.Price.Price, &s.Import, &s.Actor, &s.Imported)
		return s, err
	}, store.ForMembers(`
		SELECT p.coin, p.day, p.price, p.import_id, i.actor, i.imported_ms FROM imported_prices p JOIN people_imports i ON i.id = p.import_id
		WHERE p.coin = ? AND `+inForce+` ORDER BY p.day`), args...)
	if err != nil {
		return nil, fmt.Errorf("reading the imported prices of %s: %w", coin, err)
	}
	return list, nil
}

// All lists all prices in force, by day and coin.
func All(ctx context.Context, r *store.Tx) ([]Price, error) {
	list, err := store.Scanned(ctx, r, scanPrice, `SELECT coin, day, price FROM imported_prices WHERE removed_ms IS NULL ORDER BY day, coin`)
	if err != nil {
		return nil, fmt.Errorf("reading the imported prices: %w", err)
	}
	return list, nil
}

func scanPrice(rows *sql.Rows) (p Price, err error) {
	err = rows.Scan(&p.Coin, (*store.DayText)(&p.Day), &p.Price)
	return p, err
}
