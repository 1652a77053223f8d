package market

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// Key names a market.
type Key struct {
	Venue string // host of the exchange
	Pair  string
}

// KeptTrade is a public trade.
type KeptTrade struct {
	Time            affiliate.Millis
	ID              string // of the exchange
	Rank            int    // among the trades of its millisecond, from 0, the oldest; as the exchange lists them
	Price, Quantity affiliate.Number
	Side            string // of the order that took: buy or sell; empty: unknown
}

// CompareTrades orders trades by time, and those of a millisecond as the exchange lists them.
func CompareTrades(a, b KeptTrade) int {
	return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Rank, b.Rank), cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID))
}

// KnownStretch is a time of which all trades are known, both ends included. Of its last
// millisecond some trades may be missing.
type KnownStretch struct {
	From, To affiliate.Millis
	Asked    affiliate.Millis // until then the exchange listed no trade later than To; at least To
}

// KeepTrades keeps trades that belong to one answer of the exchange, and the stretches of which
// the answer proves that it holds all of them. Of trades that are kept already only their rank
// can change. Stretches that overlap become one.
func KeepTrades(ctx context.Context, s *store.Store, market Key, trades []KeptTrade, known ...KnownStretch) error {
	err := s.UpdateQuietly(ctx, func(tx *store.Tx) error {
		id, err := lock(ctx, tx, market, affiliate.MillisOf(s.Now()))
		if err != nil {
			return err
		}
		fresh, err := notKept(ctx, tx, id, trades)
		if err != nil {
			return err
		}
		if len(fresh) > 0 {
			if err := insertTrades(ctx, tx, id, fresh); err != nil {
				return err
			}
			if err := remake(ctx, tx, id, minutesOf(fresh)); err != nil {
				return err
			}
		}
		for _, stretch := range known {
			if err := join(ctx, tx, id, stretch); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("keeping the trades of %s: %w", market.Pair, err)
	}
	return nil
}

// lock returns the id of a market, which it creates if need be. Other writers of the same
// market wait until the transaction ends.
func lock(ctx context.Context, tx *store.Tx, market Key, now affiliate.Millis) (id int64, err error) {
	if _, err := tx.ExecContext(ctx, `INSERT INTO markets (venue, pair, written_ms) VALUES (?, ?, ?) ON CONFLICT (venue, pair) DO NOTHING`,
		market.Venue, market.Pair, now); err != nil {
		return 0, err
	}
	err = tx.QueryRowContext(ctx, `UPDATE markets SET written_ms = ? WHERE venue = ? AND pair = ? RETURNING id`, now, market.Venue, market.Pair).Scan(&id)
	return id, err
}

// notKept returns the trades that are not kept yet, or with another rank, each once.
func notKept(ctx context.Context, tx *store.Tx, id int64, trades []KeptTrade) ([]KeptTrade, error) {
	if len(trades) == 0 {
		return nil, nil
	}
	first := slices.MinFunc(trades, CompareTrades).Time
	kept, err := scanTrades(ctx, tx, "?", first, math.MaxInt64, id)
	if err != nil {
		return nil, err
	}
	known := make(map[string]int, len(kept)+len(trades)) // rank by id
	for _, one := range kept {
		known[one.ID] = one.Rank
	}
	var fresh []KeptTrade
	for _, t := range trades {
		if rank, found := known[t.ID]; !found || rank != t.Rank {
			known[t.ID] = t.Rank
			fresh = append(fresh, t)
		}
	}
	return fresh, nil
}

func insertTrades(ctx context.Context, tx *store.Tx, id int64, trades []KeptTrade) error {
	batch := store.NewBatch(ctx, tx, "market_trades", "market_id, trade_id, time_ms, tie, price, quantity, side", "ON CONFLICT (market_id, trade_id) DO UPDATE SET tie = excluded.tie", id)
	for _, t := range trades {
		if err := batch.Add(t.ID, t.Time, t.Rank, t.Price, t.Quantity, t.Side); err != nil {
			return err
		}
	}
	return batch.Flush()
}

// join adds a stretch. It is one with another if it begins no later than that ends: then the
// answer behind it also held all trades of the other's last millisecond.
func join(ctx context.Context, tx *store.Tx, id int64, known KnownStretch) error {
	if !known.To.Known() || known.From > known.To {
		return nil
	}
	touching, err := scanStretches(ctx, tx, `WHERE market_id = ? AND from_ms <= ? AND to_ms >= ?`, id, known.To, known.From)
	if err != nil {
		return err
	}
	for _, s := range touching {
		known.From, known.To, known.Asked = min(known.From, s.From), max(known.To, s.To), max(known.Asked, s.Asked)
		if _, err := tx.ExecContext(ctx, `DELETE FROM market_stretches WHERE market_id = ? AND from_ms = ?`, id, s.From); err != nil {
			return err
		}
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO market_stretches (market_id, from_ms, to_ms, asked_ms) VALUES (?, ?, ?, ?)`,
		id, known.From, known.To, max(known.Asked, known.To))
	return err
}

func scanStretches(ctx context.Context, r store.Asker, where string, args ...any) ([]KnownStretch, error) {
	return store.Scanned(ctx, r, func(rows *sql.Rows) (s KnownStretch, err error) {
		return s, rows.Scan(&s.From, &s.To, &s.Asked)
	}, `SELECT from_ms, to_ms, asked_ms FROM market_stretches `+where+` ORDER BY from_ms`, args...)
}

// idOf is the id of a market as an SQL expression with the parameters venue and pair.
const idOf = `(SELECT id FROM markets WHERE venue = ? AND pair = ?)`

// Stretches returns the stretches of a market that reach into a time, oldest first.
func Stretches(ctx context.Context, r *store.Tx, market Key, from, to affiliate.Millis) ([]KnownStretch, error) {
	list, err := scanStretches(ctx, r, `WHERE market_id = `+idOf+` AND from_ms <= ? AND asked_ms >= ?`, market.Venue, market.Pair, to, from)
	if err != nil {
		return nil, fmt.Errorf("reading the stretches of %s: %w", market.Pair, err)
	}
	return list, nil
}

// KeptTrades returns the trades of a market in a time, the end not included, oldest first.
func KeptTrades(ctx context.Context, r store.Asker, market Key, from, to affiliate.Millis) ([]KeptTrade, error) {
	list, err := scanTrades(ctx, r, idOf, from, to, market.Venue, market.Pair)
	if err != nil {
		return nil, fmt.Errorf("reading the trades of %s: %w", market.Pair, err)
	}
	return list, nil
}

// scanTrades returns trades of the market that an expression with its parameters names.
func scanTrades(ctx context.Context, r store.Asker, market string, from, to affiliate.Millis, named ...any) ([]KeptTrade, error) {
	list, err := store.Scanned(ctx, r, func(rows *sql.Rows) (t KeptTrade, err error) {
		return t, rows.Scan(&t.ID, &t.Time, &t.Rank, &t.Price, &t.Quantity, &t.Side)
	}, `SELECT trade_id, time_ms, tie, price, quantity, side FROM market_trades WHERE market_id = `+market+` AND time_ms >= ? AND time_ms < ?`,
		append(named, from, to)...)
	slices.SortFunc(list, CompareTrades)
	return list, err
}
