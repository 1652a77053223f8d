package outbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// EnteredServer is the mail server that an administrator entered in the pages. Package mail defines the
// valid values. Its password is sealed; this package does not know the sealing key.
type EnteredServer struct {
	Host     string // empty: none was entered
	Port     int
	Security string // tls, mandatory, opportunistic or none
	User     string
	Password []byte // sealed; empty: no sign-in
	From     string
	Hello    string           // name in EHLO; empty: the usual one
	Updated  affiliate.Millis // identifies the version; unknown if none was entered
}

// ReadEnteredServer returns the mail server that was entered, without a host if none was.
func ReadEnteredServer(ctx context.Context, r *store.Tx) (m EnteredServer, err error) {
	err = r.QueryRowContext(ctx, `SELECT host, port, security, username, password, sender, hello, updated_ms FROM mail_server WHERE id = 1`).
		Scan(&m.Host, &m.Port, &m.Security, &m.User, &m.Password, &m.From, &m.Hello, &m.Updated)
	if errors.Is(err, sql.ErrNoRows) {
		return EnteredServer{}, nil
	}
	if err != nil {
		return EnteredServer{}, fmt.Errorf("reading the mail server: %w", err)
	}
	return m, nil
}

// EnterServer stores a mail server in the place of another one, with its line of the audit log. If the
// present one is no longer the version of m.Updated, the error is a *RuleError.
func EnterServer(ctx context.Context, s *store.Store, m EnteredServer, by audit.Line) error {
	by.Action, by.Object = "mail server set", fmt.Sprintf("%s:%d", m.Host, m.Port)
	by.Detail = m.Security + ", " + m.From
	if m.User != "" {
		by.Detail += ", signed in as " + m.User
	}
	return changeServer(ctx, s, m.Updated, by, func(tx *store.Tx, stamp affiliate.Millis) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO mail_server (id, host, port, security, username, password, sender, hello, updated_ms) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)`,
			m.Host, m.Port, m.Security, m.User, store.NotNull(m.Password), m.From, m.Hello, stamp)
		return err
	})
}

// RemoveServer takes the mail server away that was entered, with its line of the audit log. Another
// version than the one seen is a *RuleError.
func RemoveServer(ctx context.Context, s *store.Store, seen affiliate.Millis, by audit.Line) error {
	by.Action = "mail server removed"
	return changeServer(ctx, s, seen, by, func(*store.Tx, affiliate.Millis) error { return nil })
}

func changeServer(ctx context.Context, s *store.Store, seen affiliate.Millis, by audit.Line, next func(*store.Tx, affiliate.Millis) error) error {
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		present, err := ReadEnteredServer(ctx, tx)
		if err != nil {
			return err
		}
		if present.Updated != seen { // 0 = the sender has seen none, which is not any
			return &store.RuleError{Problem: "Somebody else changed the mail server meanwhile, so that nothing was saved.", Stale: true}
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM mail_server`); err != nil {
			return err
		}
		if err := next(tx, stamp); err != nil {
			return err
		}
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", by.Action, err)
	}
	return nil
}
