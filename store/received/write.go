package received

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

const dayMillis = 24 * 60 * 60 * 1000

// SaveAnswers stores the answers of a slice in the transaction that stores the slice. A slice
// without answers, for which nothing was requested, gets no line.
func SaveAnswers(ctx context.Context, tx *store.Tx, slice int64, a Answers, stamp affiliate.Millis) error {
	if a.Count == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO slice_answers (slice_id, fingerprint, answers, bytes, request, first_ms, last_ms, exchange_first_ms, exchange_last_ms)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		slice, a.Fingerprint[:], a.Count, a.Bytes, a.Request, a.First, a.Last, known(a.ExchangeFirst), known(a.ExchangeLast))
	if err != nil {
		return fmt.Errorf("fingerprint of the answers: %w", err)
	}
	if a.keepDays == 0 {
		return nil
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO kept_answers (slice_id, bodies, requests, size, kept_ms, until_ms) VALUES (?, ?, ?, ?, ?, ?)`,
		slice, a.bodies, a.index, len(a.bodies)+len(a.index), stamp, int64(stamp)+int64(a.keepDays)*dayMillis)
	if err != nil {
		return fmt.Errorf("keeping the answers: %w", err)
	}
	return nil
}

// known returns nil for an unknown instant.
func known(at affiliate.Millis) any {
	if !at.Known() {
		return nil
	}
	return int64(at)
}

// pruneAtOnce is how many slices lose their bodies in one transaction.
const pruneAtOnce = 200

// Prune deletes the bodies whose time is over: that which was set when they were kept, or,
// if keepDays is not 0, that of keepDays. Fingerprints remain. It returns of how many slices.
func Prune(ctx context.Context, s *store.Store, now affiliate.Millis, keepDays int) (pruned int, err error) {
	const due = `SELECT slice_id FROM kept_answers WHERE until_ms <= ? OR kept_ms <= ? ORDER BY slice_id LIMIT ?`
	before := int64(0)
	if keepDays > 0 {
		before = int64(now) - int64(keepDays)*dayMillis
	}
	for {
		n, err := countDue(ctx, s, due, int64(now), before, pruneAtOnce)
		if err != nil || n == 0 {
			return pruned, err
		}
		err = s.Update(ctx, func(tx *store.Tx, _ affiliate.Millis) error {
			_, err := tx.ExecContext(ctx, `DELETE FROM kept_answers WHERE slice_id IN (SELECT d.slice_id FROM (`+due+`) d)`, int64(now), before, pruneAtOnce)
			return err
		})
		if err != nil {
			return pruned, fmt.Errorf("deleting old answers: %w", err)
		}
		pruned += n
	}
}

// countDue says whether there is anything to write: most calls find nothing.
func countDue(ctx context.Context, s *store.Store, due string, args ...any) (n int, err error) {
	r, err := s.Read(ctx)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	if err := r.QueryRowContext(ctx, `SELECT count(*) FROM (`+due+`) d`, args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("looking for old answers: %w", err)
	}
	return n, nil
}
