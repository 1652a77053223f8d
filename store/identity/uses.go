package identity

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// Uses holds when sessions and tokens were last used, collected over a while: a request for
// a page must not wait for such a write.
type Uses struct {
	Sessions map[int64]affiliate.Millis // by id
	Tokens   map[int64]TokenUse         // by id
	Lines    []audit.Line               // that report them
}

// TokenUse is the last use of a token.
type TokenUse struct {
	At      affiliate.Millis
	Address string
}

// NoteUses stores uses. It skips sessions that have ended.
func NoteUses(ctx context.Context, s *store.Store, u Uses) error {
	write := func(tx *store.Tx, stamp affiliate.Millis) error {
		if err := u.write(ctx, tx); err != nil {
			return err
		}
		for _, line := range u.Lines {
			if err := audit.Append(ctx, s, tx, stamp, line); err != nil {
				return err
			}
		}
		return nil
	}
	var err error
	if len(u.Lines) > 0 {
		err = s.UpdateAside(ctx, write)
	} else {
		err = s.UpdateQuietly(ctx, func(tx *store.Tx) error { return write(tx, 0) })
	}
	if err != nil {
		return fmt.Errorf("noting what was used: %w", err)
	}
	return nil
}

func (u Uses) write(ctx context.Context, tx *store.Tx) error {
	for id, seen := range u.Sessions {
		if _, err := tx.ExecContext(ctx, `UPDATE sessions SET seen_ms = max(seen_ms, ?) WHERE id = ?`, seen, id); err != nil {
			return err
		}
	}
	for id, use := range u.Tokens {
		_, err := tx.ExecContext(ctx, `UPDATE tokens SET used_ms = ?, address = ? WHERE id = ? AND coalesce(used_ms, 0) <= ?`, use.At, use.Address, id, use.At)
		if err != nil {
			return err
		}
	}
	return nil
}
