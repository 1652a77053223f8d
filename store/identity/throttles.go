package identity

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// Throttle counts the guesses under a key.
type Throttle struct {
	Key   []byte
	Count int64
	Since affiliate.Millis // the count covers the time from then on
	Until affiliate.Millis // nothing is accepted before then
	Last  affiliate.Millis // time of the last change
}

// Throttles reads the throttles of keys, in the order of the keys; a missing one has a zero
// count. It does not wait for a writer.
func Throttles(ctx context.Context, s *store.Store, keys [][]byte) ([]Throttle, error) {
	return throttlesOf(ctx, s.Readers(), keys)
}

// ChangeThrottles reads the throttles of keys and stores the result of change, unless
// change returns false. No other writer changes them meanwhile.
func ChangeThrottles(ctx context.Context, s *store.Store, keys [][]byte, change func([]Throttle) bool) error {
	err := s.UpdateQuietly(ctx, func(tx *store.Tx) error {
		list, err := throttlesOf(ctx, tx, keys)
		if err != nil || !change(list) {
			return err
		}
		for _, t := range list {
			if err := t.write(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("counting attempts: %w", err)
	}
	return nil
}

func throttlesOf(ctx context.Context, from store.Asker, keys [][]byte) ([]Throttle, error) {
	list := make([]Throttle, len(keys))
	for i, key := range keys {
		t := &list[i]
		t.Key = key
		err := from.QueryRowContext(ctx, `SELECT count, since_ms, until_ms, last_ms FROM throttles WHERE key = ?`, key).
			Scan(&t.Count, &t.Since, &t.Until, &t.Last)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return nil, fmt.Errorf("reading attempts: %w", err)
		}
	}
	return list, nil
}

func (t Throttle) write(ctx context.Context, tx *store.Tx) error {
	if t.Count == 0 {
		_, err := tx.ExecContext(ctx, `DELETE FROM throttles WHERE key = ?`, t.Key)
		return err
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO throttles (key, count, since_ms, until_ms, last_ms) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (key) DO UPDATE SET count = excluded.count, since_ms = excluded.since_ms,
			until_ms = excluded.until_ms, last_ms = excluded.last_ms`, t.Key, t.Count, t.Since, t.Until, t.Last)
	return err
}

// maxThrottles limits how many throttles guessers can make us store. Those changed longest
// ago are deleted first.
const maxThrottles = 200_000

// RemoveThrottles deletes throttles that have not changed since an instant.
func RemoveThrottles(ctx context.Context, s *store.Store, before affiliate.Millis) error {
	err := s.UpdateQuietly(ctx, func(tx *store.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM throttles WHERE last_ms < ?`, before); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `
			DELETE FROM throttles WHERE key NOT IN (SELECT key FROM throttles ORDER BY last_ms DESC, key LIMIT ?)`, maxThrottles)
		return err
	})
	if err != nil {
		return fmt.Errorf("removing old attempts: %w", err)
	}
	return nil
}
