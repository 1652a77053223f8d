package market

import (
	"context"
	"database/sql"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// KeptPrice is the last price of a market at an instant.
type KeptPrice struct {
	Time  affiliate.Millis // of the ticker
	Price affiliate.Number
}

// KeepPrice keeps a price, for the line of a day. One of the same instant changes nothing.
func KeepPrice(ctx context.Context, s *store.Store, market Key, p KeptPrice) error {
	return keepPrice(ctx, s, market, func(tx *store.Tx, id int64) error {
		_, err := insertPrice(ctx, tx, id, p)
		return err
	})
}

// SamplePrice keeps a price of a market whose trades are not listed, and adds it to the candle
// of its minute. A price that follows the one before it within a time continues its stretch.
func SamplePrice(ctx context.Context, s *store.Store, market Key, p KeptPrice, within affiliate.Millis) error {
	return keepPrice(ctx, s, market, func(tx *store.Tx, id int64) error {
		fresh, err := insertPrice(ctx, tx, id, p)
		if err != nil || !fresh {
			return err
		}
		if err := remakeOfPrices(ctx, tx, id, minuteOf(p.Time)); err != nil {
			return err
		}
		known := KnownStretch{From: p.Time, To: p.Time, Asked: p.Time}
		var before affiliate.Millis
		err = tx.QueryRowContext(ctx, `SELECT max(time_ms) FROM market_prices WHERE market_id = ? AND time_ms < ? AND time_ms >= ?`,
			id, p.Time, p.Time-within).Scan(store.Opt(&before))
		if err != nil {
			return err
		}
		if before.Known() {
			known.From = before
		}
		return join(ctx, tx, id, known)
	})
}

func keepPrice(ctx context.Context, s *store.Store, market Key, write func(*store.Tx, int64) error) error {
	err := s.UpdateQuietly(ctx, func(tx *store.Tx) error {
		id, err := lock(ctx, tx, market, affiliate.MillisOf(s.Now()))
		if err != nil {
			return err
		}
		return write(tx, id)
	})
	if err != nil {
		return fmt.Errorf("keeping a price of %s: %w", market.Pair, err)
	}
	return nil
}

func insertPrice(ctx context.Context, tx *store.Tx, id int64, p KeptPrice) (fresh bool, err error) {
	return store.Changed(tx.ExecContext(ctx, `INSERT INTO market_prices (market_id, time_ms, price) VALUES (?, ?, ?) ON CONFLICT (market_id, time_ms) DO NOTHING`,
		id, p.Time, p.Price))
}

// remakeOfPrices makes the candle of a minute again, from all prices that are kept of it.
func remakeOfPrices(ctx context.Context, tx *store.Tx, id int64, minute affiliate.Millis) error {
	prices, err := scanPrices(ctx, tx, "?", minute, minute+minuteMillis, id)
	if err != nil || len(prices) == 0 {
		return err
	}
	first := prices[0].Price
	c := Candle{Start: minute, Open: first, High: first, Low: first}
	for _, p := range prices {
		c.take(p.Price)
	}
	return putCandle(ctx, tx, id, c)
}

// PricesKept returns the prices of a market in a time, the end not included, oldest first.
func PricesKept(ctx context.Context, r *store.Tx, market Key, from, to affiliate.Millis) ([]KeptPrice, error) {
	list, err := scanPrices(ctx, r, idOf, from, to, market.Venue, market.Pair)
	if err != nil {
		return nil, fmt.Errorf("reading the prices of %s: %w", market.Pair, err)
	}
	return list, nil
}

func scanPrices(ctx context.Context, r store.Asker, market string, from, to affiliate.Millis, named ...any) ([]KeptPrice, error) {
	return store.Scanned(ctx, r, func(rows *sql.Rows) (p KeptPrice, err error) {
		return p, rows.Scan(&p.Time, &p.Price)
	}, `SELECT time_ms, price FROM market_prices WHERE market_id = `+market+` AND time_ms >= ? AND time_ms < ? ORDER BY time_ms`, append(named, from, to)...)
}
