package payments

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// Refusal is a stream that the exchange does not give to an account, or not for all days that
// were asked for.
type Refusal struct {
	Account  affiliate.Account
	Stream   affiliate.StreamKind
	Since    affiliate.Millis // stamp of the first refusal
	Last     affiliate.Millis // stamp of the last refusal
	Error    string           // of the exchange
	FirstDay affiliate.Day    // the first UTC day that the exchange gives; 0 = it gives none, as the key may not read the stream
}

// Partial reports whether the exchange gives the stream from Refusal.FirstDay on.
func (r Refusal) Partial() bool { return r.FirstDay != 0 }

// Refusals lists the refused streams by account and stream.
func Refusals(ctx context.Context, r store.Asker) ([]Refusal, error) {
	list, err := store.Scanned(ctx, r, func(rows *sql.Rows) (f Refusal, err error) {
		var first store.DayText
		err = rows.Scan(&f.Account, &f.Stream, &f.Since, &f.Last, &f.Error, store.Opt(&first))
		f.FirstDay = affiliate.Day(first)
		return f, err
	}, `
		SELECT a.name, f.stream, f.since_ms, f.last_ms, f.error, f.first_day
		FROM refused_streams f JOIN accounts a ON a.id = f.account_id
		ORDER BY a.name, f.stream`)
	if err != nil {
		return nil, fmt.Errorf("reading refused streams: %w", err)
	}
	return list, nil
}

// NoteRefusal records that the exchange refused a stream now. It reports whether that is news:
// the stream was given before, was refused with another error, or for all days instead of some.
// The times of the refusal are set by the store.
func NoteRefusal(ctx context.Context, s *store.Store, refused Refusal) (news bool, err error) {
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		account, err := store.AccountID(ctx, tx, refused.Account)
		if err != nil {
			return err
		}
		var before string
		var all bool
		err = tx.QueryRowContext(ctx, `SELECT error, first_day IS NULL FROM refused_streams WHERE account_id = ? AND stream = ?`,
			account, refused.Stream).Scan(&before, &all)
		if news = errors.Is(err, sql.ErrNoRows) || before != refused.Error || all == refused.Partial(); err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		first := store.DayText(refused.FirstDay)
		_, err = tx.ExecContext(ctx, `
			INSERT INTO refused_streams (account_id, stream, since_ms, last_ms, error, first_day) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (account_id, stream) DO UPDATE SET
				last_ms = excluded.last_ms, error = excluded.error, first_day = excluded.first_day`,
			account, refused.Stream, stamp, stamp, refused.Error, store.Opt(&first))
		return err
	})
	if err != nil {
		return false, fmt.Errorf("noting that %s of %s are refused: %w", refused.Stream, refused.Account, err)
	}
	return news, nil
}

// ClearRefusal records that the exchange gives a stream again.
func ClearRefusal(ctx context.Context, s *store.Store, account affiliate.Account, stream affiliate.StreamKind) error {
	err := s.Update(ctx, func(tx *store.Tx, _ affiliate.Millis) error {
		_, err := tx.ExecContext(ctx, `
			DELETE FROM refused_streams WHERE stream = ? AND account_id = (SELECT id FROM accounts WHERE name = ?)`, stream, account)
		return err
	})
	if err != nil {
		return fmt.Errorf("noting that %s of %s are given again: %w", stream, account, err)
	}
	return nil
}
