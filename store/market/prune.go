package market

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// pruneRows is how many rows of a table one transaction deletes, so that other writers do not
// wait for long.
const pruneRows = 5000

// Prune deletes trades and prices before one instant, and candles and stretches before
// another, which is not later. Both are the starts of minutes: a candle is never made of a part
// of its trades. It returns how many rows it deleted.
func Prune(ctx context.Context, s *store.Store, trades, candles affiliate.Millis) (deleted int64, err error) {
	trades, candles = minuteOf(trades), minuteOf(candles)
	for _, of := range []struct {
		table, key, column string
		before             affiliate.Millis
	}{
		{"market_trades", "trade_id", "time_ms", trades}, {"market_prices", "time_ms", "time_ms", trades},
		{"market_minutes", "minute_ms", "minute_ms", candles}, {"market_stretches", "from_ms", "asked_ms", candles},
	} {
		n, err := prune(ctx, s, of.table, of.key, of.column, of.before)
		deleted += n
		if err != nil {
			return deleted, fmt.Errorf("deleting old rows of %s: %w", of.table, err)
		}
	}
	return deleted, nil
}

func prune(ctx context.Context, s *store.Store, table, key, column string, before affiliate.Millis) (deleted int64, err error) {
	for {
		var n int64
		err := s.UpdateQuietly(ctx, func(tx *store.Tx) error {
			result, err := tx.ExecContext(ctx, fmt.Sprintf(`DELETE FROM %[1]s WHERE (market_id, %[2]s) IN
				(SELECT market_id, %[2]s FROM %[1]s WHERE %[3]s < ? LIMIT %[4]d)`, table, key, column, pruneRows), before)
			if err != nil {
				return err
			}
			n, err = result.RowsAffected()
			return err
		})
		deleted += n
		if err != nil || n < pruneRows {
			return deleted, err
		}
	}
}
