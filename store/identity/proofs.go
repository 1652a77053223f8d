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
// audit log.
func NoteProof(ctx context.Context, s *store.Store, by audit.Line, session int64, at affiliate.Millis) error {
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		if _, err := tx.ExecContext(ctx, `UPDATE sessions SET proved_ms = ? WHERE id = ?`, at, session); err != nil {
			return err
		}
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return fmt.Errorf("noting a proof: %w", err)
	}
	return nil
}

// PendingEnrolment is an authenticator that is being set up in a session.
type PendingEnrolment struct {
	Secret []byte // sealed; nil: none
	Begun  affiliate.Millis
}

// EnrolmentOf returns the authenticator that is being set up in a session.
func EnrolmentOf(ctx context.Context, s *store.Store, session int64) (PendingEnrolment, error) {
	return pendingIn(ctx, s.Readers(), session)
}

// BeginEnrolment stores an authenticator that is being set up in a session, unless one was
// begun after an instant: then it returns that one. A session that has ended is a *RuleError
// that is Missing.
func BeginEnrolment(ctx context.Context, s *store.Store, session int64, e PendingEnrolment, after affiliate.Millis) (PendingEnrolment, error) {
	err := s.UpdateQuietly(ctx, func(tx *store.Tx) error {
		first, err := pendingIn(ctx, tx, session)
		if err != nil {
			return err
		}
		if first.Secret != nil && first.Begun > after {
			e = first
			return nil
		}
		changed, err := store.Changed(tx.ExecContext(ctx, `UPDATE sessions SET enrolment = ?, enrolment_ms = ? WHERE id = ?`, e.Secret, e.Begun, session))
		if err == nil && !changed {
			err = &store.RuleError{Problem: "The session has ended.", Missing: true}
		}
		return err
	})
	if err != nil {
		return PendingEnrolment{}, fmt.Errorf("beginning to set up an authenticator: %w", err)
	}
	return e, nil
}

func pendingIn(ctx context.Context, from store.Asker, session int64) (e PendingEnrolment, err error) {
	err = from.QueryRowContext(ctx, `SELECT enrolment, enrolment_ms FROM sessions WHERE id = ?`, session).Scan(&e.Secret, &e.Begun)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return e, fmt.Errorf("reading a session: %w", err)
	}
	return e, nil
}
