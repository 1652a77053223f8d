package market

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// Candle sums up the trades, or the prices, of a time.
type Candle struct {
	Start                  affiliate.Millis
	Open, High, Low, Close affiliate.Number
	Volume                 affiliate.Number // in base currency; unknown if made of prices
	Trades                 int              // or prices
}

const minuteMillis = affiliate.Millis(time.Minute / time.Millisecond)

// minuteOf returns the start of the minute of an instant.
func minuteOf(at affiliate.Millis) affiliate.Millis { return at - at%minuteMillis }

// minutesOf returns the minutes of trades, in order, each once.
func minutesOf(trades []KeptTrade) []affiliate.Millis {
	minutes := make([]affiliate.Millis, len(trades))
	for i, t := range trades {
		minutes[i] = minuteOf(t.Time)
	}
	slices.Sort(minutes)
	return slices.Compact(minutes)
}

// remake makes the candles of minutes again, from all trades that are kept of them.
func remake(ctx context.Context, tx *store.Tx, id int64, minutes []affiliate.Millis) error {
	first, last := minutes[0], minutes[len(minutes)-1]
	trades, err := scanTrades(ctx, tx, "?", first, last+minuteMillis, id)
	if err != nil {
		return err
	}
	for _, c := range MinuteCandles(trades) {
		if _, changed := slices.BinarySearch(minutes, c.Start); changed {
			if err := putCandle(ctx, tx, id, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// putCandle stores a candle. It never replaces one of more trades, some of which may have been
// deleted since.
func putCandle(ctx context.Context, tx *store.Tx, id int64, c Candle) error {
	var volume any
	if c.Volume.Known() {
		volume = string(c.Volume)
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO market_minutes (market_id, minute_ms, open, high, low, close, volume, trades) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (market_id, minute_ms) DO UPDATE SET open = excluded.open, high = excluded.high, low = excluded.low,
			close = excluded.close, volume = excluded.volume, trades = excluded.trades
		WHERE excluded.trades >= market_minutes.trades`,
		id, c.Start, c.Open, c.High, c.Low, c.Close, volume, c.Trades)
	return err
}

// MinuteCandles returns the candles of minutes that have a trade. The trades are in the order
// of [CompareTrades].
func MinuteCandles(trades []KeptTrade) (candles []Candle) {
	var volume affiliate.Sum
	for i, t := range trades {
		start := minuteOf(t.Time)
		if n := len(candles); n == 0 || candles[n-1].Start != start {
			volume = affiliate.Sum{}
			candles = append(candles, Candle{Start: start, Open: t.Price, High: t.Price, Low: t.Price})
		}
		c := &candles[len(candles)-1]
		c.take(t.Price)
		volume.Add(t.Quantity)
		if i+1 == len(trades) || minuteOf(trades[i+1].Time) != start {
			c.Volume = affiliate.Number(volume.String())
		}
	}
	return candles
}

// take adds a price.
func (c *Candle) take(price affiliate.Number) {
	if price.Cmp(c.High) > 0 {
		c.High = price
	}
	if price.Cmp(c.Low) < 0 {
		c.Low = price
	}
	c.Close = price
	c.Trades++
}

// MinutesKept returns the candles of a market by minute, oldest first, the end not included.
func MinutesKept(ctx context.Context, r *store.Tx, market Key, from, to affiliate.Millis) ([]Candle, error) {
	list, err := scanCandles(ctx, r, idOf, from, to, market.Venue, market.Pair)
	if err != nil {
		return nil, fmt.Errorf("reading the candles of %s: %w", market.Pair, err)
	}
	return list, nil
}

// MinutesCounted are the candles of a market by minute in a stretch of time: how many there are, of how
// many trades, and the start of the first, 0 if there is none.
type MinutesCounted struct {
	Minutes, Trades int64
	First           affiliate.Millis
}

// CountMinutes counts the candles of a market by minute, the end not included.
func CountMinutes(ctx context.Context, r *store.Tx, market Key, from, to affiliate.Millis) (counted MinutesCounted, err error) {
	err = r.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(trades), 0), coalesce(min(minute_ms), 0) FROM market_minutes
		WHERE market_id = `+idOf+` AND minute_ms >= ? AND minute_ms < ?`, market.Venue, market.Pair, from, to).Scan(&counted.Minutes, &counted.Trades, &counted.First)
	if err != nil {
		return MinutesCounted{}, fmt.Errorf("counting the candles of %s: %w", market.Pair, err)
	}
	return counted, nil
}

func scanCandles(ctx context.Context, r store.Asker, market string, from, to affiliate.Millis, named ...any) ([]Candle, error) {
	return store.Scanned(ctx, r, func(rows *sql.Rows) (c Candle, err error) {
		return c, rows.Scan(&c.Start, &c.Open, &c.High, &c.Low, &c.Close, &c.Volume, &c.Trades)
	}, `SELECT minute_ms, open, high, low, close, coalesce(volume, ''), trades FROM market_minutes
		WHERE market_id = `+market+` AND minute_ms >= ? AND minute_ms < ? ORDER BY minute_ms`, append(named, from, to)...)
}
