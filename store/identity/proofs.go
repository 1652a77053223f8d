package identity

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// Proof returns when the user of a session last proved to be present. It is unknown if the
// session has ended.
func Proof(ctx context.Context, s *store.Store, session int64) (at affiliate.Millis, err error) {
	err = s.Readers().QueryRowContext(ctx, `SELECT proved_ms FROM sessions WHERE id = ?`, session).Scan(&at)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("reading a session: %w", err)
	}
	return at, nil
}

// NoteProof stores that the user of a session has proved to be present, with a line in the
// audit log. A session that has ended is a *RuleError that is Missing.
func NoteProof(ctx context.Context, s *store.Store, by audit.Line, session int64, at affiliate.Millis) error {
	err := s.UpdateAside(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		x, err := sessionWhere(ctx, s.AuditKey(), tx, `s.id = ?`, session)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE sessions SET proved_ms = ? WHERE id = ?`, at, x.Session.ID); err != nil {
			return err
		}
		if err := signSession(ctx, tx, x.Session.ID); err != nil {
			return err
		}
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return fmt.Errorf("noting a proof: %w", err)
	}
	return nil
}
