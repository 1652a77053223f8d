package identity

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// Session is a browser in which a user has signed in.
type Session struct {
	ID      int64
	Hash    []byte // of its secret
	UserID  int64
	Whole   bool // false: the code is still missing
	Agent   string
	Address string
	Created affiliate.Millis // of the sign-in
	Seen    affiliate.Millis

	proved affiliate.Millis // when the user last proved to be present
	mac    []byte
}

// SessionUser is a session with its user.
type SessionUser struct {
	Session
	User
}

// Opening is a session to be opened, with everything that is written at the same moment.
type Opening struct {
	Session               // ID, UserID and Seen are set by the store
	Of           User     // the user as read for the sign-in, which takes a while
	Password     string   // hash of the user's new password; empty: unchanged
	LongPassword bool     // whether that password is long
	TOTP         []byte   // the user's new sealed secret; nil: unchanged
	TOTPStep     int64    // of the code that proved it
	Recovery     [][]byte // hashes of the recovery codes for it
	Replaces     int64    // id of the session that it replaces; 0: none
	Alone        bool     // all other sessions of the user end
	Proves       bool     // the user has just proved to be present
	Device       []byte   // hash of the browser's mark; nil: it is not recorded
}

const (
	// MaxSessions is how many sessions one user has at most; the oldest end. Sessions whose
	// code is still missing are counted separately: someone who knows only the password
	// cannot end the user's sessions.
	MaxSessions = 20

	maxDevices = 20 // known browsers per user, the most recently used
)

// Device is a browser in which a user signed in, as it was the first time.
type Device struct {
	First   affiliate.Millis // unknown: before devices were recorded
	Used    affiliate.Millis // the last sign-in
	Agent   string
	Address string
}

// OpenSession stores a session and returns its id. The audit log gets a line if by has an
// Action. If the user was disabled meanwhile, or has another password, role or
// authenticator, the error is a *RuleError that is Missing: all sessions ended at that
// change, and this one would outlive it.
func OpenSession(ctx context.Context, s *store.Store, by audit.Line, o Opening) (id int64, err error) {
	err = s.UpdateAside(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		o.UserID = o.Of.ID
		if err := o.holds(ctx, tx); err != nil {
			return err
		}
		if err := o.prepare(ctx, tx, &by, stamp); err != nil {
			return err
		}
		id = store.RandomID()
		_, err := tx.ExecContext(ctx, `
			INSERT INTO sessions (id, hash, user_id, whole, agent, address, created_ms, seen_ms, proved_ms)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			id, o.Hash, o.UserID, o.Whole, o.Agent, o.Address, o.Session.Created, o.Session.Created, o.provedAt())
		if err != nil {
			return err
		}
		if err := signSession(ctx, tx, id); err != nil {
			return err
		}
		if o.Whole {
			if _, err := tx.ExecContext(ctx, `UPDATE users SET signed_in_ms = ? WHERE id = ?`, o.Session.Created, o.UserID); err != nil {
				return err
			}
		}
		if err := o.endOldest(ctx, tx, &by); err != nil {
			return err
		}
		if by.Action == "" {
			return nil
		}
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return 0, fmt.Errorf("opening a session: %w", err)
	}
	return id, nil
}

// provedAt returns when the user proved to be present, NULL if not.
func (o Opening) provedAt() any {
	if !o.Proves {
		return nil
	}
	return o.Session.Created
}

// endOldest ends the sessions above the user's limit.
func (o Opening) endOldest(ctx context.Context, tx *store.Tx, by *audit.Line) error {
	ended, err := store.Changed(tx.ExecContext(ctx, `
		DELETE FROM sessions WHERE user_id = ? AND whole = ? AND id NOT IN
			(SELECT id FROM sessions WHERE user_id = ? AND whole = ? ORDER BY created_ms DESC, id DESC LIMIT ?)`,
		o.UserID, o.Whole, o.UserID, o.Whole, MaxSessions))
	if err == nil && ended {
		by.Detail += fmt.Sprintf("; the oldest of %d sessions ended", MaxSessions)
	}
	return err
}

// holds refuses a sign-in that was checked against outdated credentials of the user.
func (o Opening) holds(ctx context.Context, tx *store.Tx) error {
	now, err := userWhere(ctx, tx.Store().AuditKey(), tx, `u.id = ?`, o.UserID)
	if err != nil {
		return err
	}
	if now.Disabled.Known() || now.Password != o.Of.Password || now.Role != o.Of.Role || !bytes.Equal(now.TOTP, o.Of.TOTP) {
		return &store.RuleError{Problem: "The user was changed at this moment.", Missing: true}
	}
	return nil
}

// prepare writes the changes of the user and ends the session that is replaced.
func (o Opening) prepare(ctx context.Context, tx *store.Tx, by *audit.Line, stamp affiliate.Millis) error {
	if o.Replaces != 0 {
		ended, err := store.Changed(tx.ExecContext(ctx, `DELETE FROM sessions WHERE id = ? AND user_id = ?`, o.Replaces, o.UserID))
		switch {
		case err != nil:
			return err
		case !ended:
			return &store.RuleError{Problem: "The session has ended.", Missing: true} // in this moment
		}
	}
	if o.Password != "" {
		if err := setPassword(ctx, tx, by, o.UserID, o.Password, o.LongPassword, stamp); err != nil {
			return err
		}
	}
	if o.TOTP != nil {
		if err := o.setTOTP(ctx, tx); err != nil {
			return err
		}
		// The first authenticator only adds a factor. A new one replaces an authenticator
		// that was lost or that someone else has.
		if o.Of.TOTP != nil {
			if err := endTokens(ctx, tx, by, o.UserID, stamp); err != nil {
				return err
			}
		}
	}
	if o.Password != "" || o.TOTP != nil {
		if _, err := signUser(ctx, tx, o.UserID, stamp); err != nil {
			return err
		}
	}
	if o.Alone {
		if err := endSessions(ctx, tx, o.UserID); err != nil {
			return err
		}
	}
	if o.Device == nil {
		return nil
	}
	return o.noteDevice(ctx, tx)
}

func (o Opening) setTOTP(ctx context.Context, tx *store.Tx) error {
	_, err := tx.ExecContext(ctx, `UPDATE users SET totp = ?, totp_step = max(totp_step, ?) WHERE id = ?`, o.TOTP, o.TOTPStep, o.UserID)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM recovery_codes WHERE user_id = ?`, o.UserID); err != nil {
		return err
	}
	for _, hash := range o.Recovery {
		code := recoveryCode{user: o.UserID, hash: hash, totp: o.TOTP}
		_, err := tx.ExecContext(ctx, `INSERT INTO recovery_codes (user_id, hash, mac) VALUES (?, ?, ?)`, o.UserID, hash, code.code(tx.Store().AuditKey()))
		if err != nil {
			return err
		}
	}
	return nil
}

func (o Opening) noteDevice(ctx context.Context, tx *store.Tx) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO devices (hash, user_id, used_ms, first_ms, agent, address) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (hash, user_id) DO UPDATE SET used_ms = excluded.used_ms`,
		o.Device, o.UserID, o.Session.Created, o.Session.Created, o.Agent, o.Address)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		DELETE FROM devices WHERE user_id = ? AND hash NOT IN
			(SELECT hash FROM devices WHERE user_id = ? ORDER BY used_ms DESC LIMIT ?)`, o.UserID, o.UserID, maxDevices)
	return err
}

// ForgetDevices forgets what the browsers were, and from where, that were not used since an instant. That
// a user had them stays known, so that others are still new ones.
func ForgetDevices(ctx context.Context, s *store.Store, before affiliate.Millis) error {
	err := s.UpdateQuietly(ctx, func(tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE devices SET agent = '', address = '' WHERE used_ms < ? AND (agent <> '' OR address <> '')`, before)
		return err
	})
	if err != nil {
		return fmt.Errorf("forgetting old browsers: %w", err)
	}
	return nil
}

// Devices lists the browsers in which a user signed in, newest first.
func Devices(ctx context.Context, s *store.Store, user int64) ([]Device, error) {
	rows, err := s.Readers().QueryContext(ctx, `
		SELECT first_ms, used_ms, agent, address FROM devices WHERE user_id = ? ORDER BY first_ms DESC, used_ms DESC`, user)
	if err != nil {
		return nil, fmt.Errorf("reading devices: %w", err)
	}
	defer rows.Close()
	var list []Device
	for rows.Next() {
		var d Device
		if err := rows.Scan(&d.First, &d.Used, &d.Agent, &d.Address); err != nil {
			return nil, fmt.Errorf("reading devices: %w", err)
		}
		list = append(list, d)
	}
	return list, rows.Err()
}

// KnownDevice reports whether a user signed in before with the browser whose mark has this
// hash.
func KnownDevice(ctx context.Context, s *store.Store, user int64, hash []byte) (known bool, err error) {
	err = s.Readers().QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM devices WHERE hash = ? AND user_id = ?)`, hash, user).Scan(&known)
	if err != nil {
		return false, fmt.Errorf("reading devices: %w", err)
	}
	return known, nil
}

const sessionColumns = `s.id, s.hash, s.user_id, s.whole, s.agent, s.address, s.created_ms, s.seen_ms, s.proved_ms, s.mac`

func (x *SessionUser) columns() []any {
	return append([]any{&x.Session.ID, &x.Hash, &x.UserID, &x.Whole, &x.Agent, &x.Address, &x.Session.Created, &x.Seen, &x.proved, &x.Session.mac}, x.User.columns()...)
}

// SessionByHash finds a session of a user who is not disabled. One that does not exist is a
// *RuleError that is Missing, and so is one that was forged, a *[ForgedError]. It does not wait for a
// writer.
func SessionByHash(ctx context.Context, s *store.Store, hash []byte) (SessionUser, error) {
	return sessionWhere(ctx, s.AuditKey(), s.Readers(), `s.hash = ? AND u.disabled_ms IS NULL`, hash)
}

// sessionWhere finds a session that this program wrote, of a user that it wrote.
func sessionWhere(ctx context.Context, key []byte, from store.Asker, condition string, arg any) (x SessionUser, err error) {
	if key == nil {
		return x, store.ErrNoAuditKey
	}
	if x, err = readSession(ctx, from, condition, arg); err != nil {
		return x, err
	}
	if err = x.User.authentic(key); err == nil {
		err = x.authentic(key)
	}
	return x, err
}

// readSession finds a session, whoever wrote it.
func readSession(ctx context.Context, from store.Asker, condition string, arg any) (x SessionUser, err error) {
	err = from.QueryRowContext(ctx, `
		SELECT `+sessionColumns+`, `+userColumns+` FROM sessions s JOIN users u ON u.id = s.user_id
		WHERE `+condition, arg).Scan(x.columns()...)
	if errors.Is(err, sql.ErrNoRows) {
		return x, &store.RuleError{Problem: "The session has ended.", Missing: true}
	}
	if err != nil {
		return x, fmt.Errorf("reading a session: %w", err)
	}
	return x, nil
}

// Sessions lists the sessions of a user, or of all users if the name is empty, latest
// first. Some may be too old to be used.
func Sessions(ctx context.Context, s *store.Store, user string) ([]SessionUser, error) {
	rows, err := s.Readers().QueryContext(ctx, `
		SELECT `+sessionColumns+`, `+userColumns+` FROM sessions s JOIN users u ON u.id = s.user_id
		WHERE ? = '' OR u.folded = ? ORDER BY s.created_ms DESC, s.id DESC`, user, affiliate.Folded(user))
	if err != nil {
		return nil, fmt.Errorf("reading sessions: %w", err)
	}
	defer rows.Close()
	var list []SessionUser
	for rows.Next() {
		var x SessionUser
		if err := rows.Scan(x.columns()...); err != nil {
			return nil, fmt.Errorf("reading sessions: %w", err)
		}
		list = append(list, x)
	}
	return list, rows.Err()
}

// EndSession ends a session, with a line in the audit log. A session that has already ended
// is no error and adds no line.
func EndSession(ctx context.Context, s *store.Store, by audit.Line, id int64) error {
	err := s.UpdateAside(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		err := tx.QueryRowContext(ctx, `
			DELETE FROM sessions WHERE id = ? RETURNING (SELECT name FROM users WHERE users.id = user_id)`, id).Scan(&by.Object)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return fmt.Errorf("ending a session: %w", err)
	}
	return nil
}

// RemoveSessions deletes sessions that can no longer be used.
func RemoveSessions(ctx context.Context, s *store.Store, ids []int64) error {
	err := s.UpdateQuietly(ctx, func(tx *store.Tx) error {
		for _, id := range ids {
			if _, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE id = ?`, id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("removing sessions: %w", err)
	}
	return nil
}

func endSessions(ctx context.Context, tx *store.Tx, user int64) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE user_id = ?`, user)
	return err
}
