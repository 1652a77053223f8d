package identity

import (
	"bytes"
	"context"
	"crypto/hmac"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// Whatever signs in has a code over all that gives it its rights, made with the key of the audit log:
// users, sessions, API tokens and recovery codes. A row that someone wrote without the key has none,
// and none can be taken from another row, because each code is over the number of its row.

// ForgedError is the error for a row that was written or changed without the master key. It is a
// *[store.RuleError] that is Missing: such a row is as if it did not exist.
type ForgedError struct {
	Row string // for people: `the user "ann"`
}

func (e *ForgedError) Error() string {
	return e.Row + " was written or changed by somebody who does not have the master key"
}

// Unwrap makes it a rule that is missing.
func (e *ForgedError) Unwrap() error { return &store.RuleError{Problem: e.Error(), Missing: true} }

// flag returns a truth value for a code.
func flag(set bool) []byte {
	if set {
		return []byte{1}
	}
	return []byte{0}
}

func (u *User) code(key []byte) []byte {
	return store.AuditCode(key, []byte("user"), store.EncodeNumber(u.ID), []byte(u.Name), []byte(u.Role), []byte(u.Password), flag(u.LongPassword),
		flag(u.TOTP != nil), u.TOTP, flag(u.Disabled.Known()), []byte(u.Bound.Text()), store.EncodeNumber(int64(u.Changed)), []byte(u.folded), store.EncodeNumber(int64(u.Recovery)))
}

func (u *User) authentic(key []byte) error {
	if hmac.Equal(u.mac, u.code(key)) && u.folded == affiliate.Folded(u.Name) {
		return nil
	}
	return &ForgedError{fmt.Sprintf("the user %q", u.Name)}
}

// code is also over what ends all sessions of a user when it changes, so that an earlier session
// cannot be put back.
func (x *SessionUser) code(key []byte) []byte {
	return store.AuditCode(key, []byte("session"), store.EncodeNumber(x.Session.ID), x.Hash, store.EncodeNumber(x.UserID), flag(x.Whole),
		store.EncodeNumber(int64(x.Session.Created)), store.EncodeNumber(int64(x.proved)), []byte(x.Role), []byte(x.Password), x.TOTP)
}

// authentic checks the session, and not its user.
func (x *SessionUser) authentic(key []byte) error {
	if hmac.Equal(x.Session.mac, x.code(key)) {
		return nil
	}
	return &ForgedError{fmt.Sprintf("the session %d of %q", x.Session.ID, x.Name)}
}

// code is also over what ends all tokens of a user when it changes, see [SessionUser.code].
func (x *TokenUser) code(key []byte) []byte {
	t := &x.Token
	return store.AuditCode(key, []byte("token"), store.EncodeNumber(t.ID), t.hash, store.EncodeNumber(t.UserID), []byte(t.Name), []byte(t.Scopes),
		store.EncodeNumber(int64(t.Created)), store.EncodeNumber(int64(t.Expires)), []byte(x.Role), []byte(x.Password))
}

// authentic checks the token, and not its user.
func (x *TokenUser) authentic(key []byte) error {
	if hmac.Equal(x.Token.mac, x.code(key)) {
		return nil
	}
	return &ForgedError{fmt.Sprintf("the API token %q of %q", x.Token.Name, x.User.Name)}
}

// recoveryCode is a code for a lost authenticator, as stored.
type recoveryCode struct {
	user      int64
	hash, mac []byte
	totp      []byte // the authenticator in whose place it is
}

func (r recoveryCode) code(key []byte) []byte {
	return store.AuditCode(key, []byte("recovery code"), store.EncodeNumber(r.user), r.hash, r.totp)
}

func (r recoveryCode) authentic(key []byte, name string) error {
	if hmac.Equal(r.mac, r.code(key)) {
		return nil
	}
	return &ForgedError{fmt.Sprintf("a recovery code of %q", name)}
}

// signUser signs the row of a user after a change, at whose stamp the audit log gets a line, and
// returns it. An unknown stamp is that of the change before.
func signUser(ctx context.Context, tx *store.Tx, id int64, stamp affiliate.Millis) (User, error) {
	key := tx.Store().AuditKey()
	if key == nil {
		return User{}, store.ErrNoAuditKey
	}
	if err := tx.RefuseTriggers(ctx); err != nil {
		return User{}, err
	}
	u, err := readUser(ctx, tx, `u.id = ?`, id)
	if err != nil {
		return u, err
	}
	if stamp.Known() {
		u.Changed = stamp
	}
	u.mac = u.code(key)
	_, err = tx.ExecContext(ctx, `UPDATE users SET changed_ms = ?, mac = ? WHERE id = ?`, u.Changed, u.mac, id)
	return u, err
}

// signSession signs the row of a session of which only the code is missing.
func signSession(ctx context.Context, tx *store.Tx, id int64) error {
	key := tx.Store().AuditKey()
	if key == nil {
		return store.ErrNoAuditKey
	}
	if err := tx.RefuseTriggers(ctx); err != nil {
		return err
	}
	x, err := readSession(ctx, tx, `s.id = ?`, id)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE sessions SET mac = ? WHERE id = ?`, x.code(key), id)
	return err
}

// signToken signs the row of a token of which only the code is missing.
func signToken(ctx context.Context, tx *store.Tx, id int64) error {
	key := tx.Store().AuditKey()
	if key == nil {
		return store.ErrNoAuditKey
	}
	if err := tx.RefuseTriggers(ctx); err != nil {
		return err
	}
	x, err := readToken(ctx, tx, `t.id = ?`, id)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE tokens SET mac = ? WHERE id = ?`, x.code(key), id)
	return err
}

// ActionSigned is the action of the line that a log gets when its database begins to sign what signs
// in. What an earlier version stored was signed at that moment, and is at no other.
const ActionSigned = "sign-ins signed"

// UnsignedError means that what an earlier version stored cannot be taken over, because the audit log
// is not sound: someone may have removed the line that says that it was.
type UnsignedError struct {
	Rows  int    // that do not sign in
	Fault string // of the audit log
}

func (e *UnsignedError) Error() string {
	return fmt.Sprintf("%d users, sessions, API tokens and recovery codes are not signed and do not sign in, because the audit log is not sound, so that it is not known who wrote them: %s", e.Rows, e.Fault)
}

// isSigned reports whether a database signs what signs in.
func isSigned(ctx context.Context, from store.Asker) (is bool, err error) {
	err = from.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM audit WHERE action = ?)`, ActionSigned).Scan(&is)
	if err != nil {
		return false, fmt.Errorf("reading the audit log: %w", err)
	}
	return is, nil
}

// SignOnce signs what an earlier version stored: users, sessions, API tokens and recovery codes, all in
// one step with its line of the audit log. It does so once in the life of a database, and only if the
// log is sound and contains the anchors that are kept outside: without its line the log is that of an
// earlier version. If it is not, the error is an *[UnsignedError]. A database without such rows gets its
// line at once, so that nothing is ever signed in it.
func SignOnce(ctx context.Context, s *store.Store, by audit.Line, anchors func() []audit.Anchor) error {
	if is, err := isSigned(ctx, s.Readers()); err != nil || is {
		return err
	}
	kept := anchors() // before the state that they are compared with is opened
	err := s.UpdateAside(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		if is, err := isSigned(ctx, tx); err != nil || is {
			return err
		}
		e, err := readEarlier(ctx, tx)
		if err != nil {
			return err
		}
		if e.rows() > 0 { // a line that nothing was signed is true whatever the log is
			log, err := audit.VerifyState(ctx, tx, s.AuditKey(), kept...)
			if err != nil {
				return err
			}
			if !log.Sound() {
				return &UnsignedError{e.rows(), log.Faults[0]}
			}
			// A log that was removed and begun anew is sound, and knows no user.
			if fault, err := unlogged(ctx, tx); err != nil || fault != "" {
				if err != nil {
					return err
				}
				return &UnsignedError{e.rows(), fault}
			}
		}
		if err := e.sign(ctx, tx, stamp); err != nil {
			return err
		}
		by.Action = ActionSigned
		by.Detail = fmt.Sprintf("%d users, %d sessions, %d API tokens and %d recovery codes of before", len(e.users), len(e.sessions), len(e.tokens), len(e.recovery))
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if errors.Is(err, audit.ErrBroken) {
		return nil // whatever writes a line says so
	}
	if err != nil {
		return fmt.Errorf("signing what signs in: %w", err)
	}
	return nil
}

// unlogged says of which user no line of the audit log says that it was added, empty: of none. Other
// differences do not matter here: a log from before all of them were noted is no reason to sign
// everybody out.
func unlogged(ctx context.Context, tx *store.Tx) (string, error) {
	all, err := LoggedUsers(ctx, tx)
	if err != nil {
		return "", err
	}
	users, err := UsersIn(ctx, tx)
	if err != nil {
		return "", err
	}
	for _, u := range users {
		if all[affiliate.Folded(audit.CutText(u.Name, 300))] == nil {
			return Contradictions(all, u)[0], nil
		}
	}
	return "", nil
}

// earlier are the rows that an earlier version stored.
type earlier struct {
	users, sessions, tokens []int64 // ids
	recovery                []recoveryCode
}

func (e earlier) rows() int {
	return len(e.users) + len(e.sessions) + len(e.tokens) + len(e.recovery)
}

func readEarlier(ctx context.Context, tx *store.Tx) (e earlier, err error) {
	for _, list := range []struct {
		of    *[]int64
		query string
	}{
		{&e.users, `SELECT id FROM users WHERE mac IS NULL ORDER BY id`},
		{&e.sessions, `SELECT id FROM sessions WHERE mac IS NULL ORDER BY id`},
		{&e.tokens, `SELECT id FROM tokens WHERE mac IS NULL AND revoked_ms IS NULL ORDER BY id`},
	} {
		*list.of, err = store.Scanned(ctx, tx, func(rows *sql.Rows) (id int64, err error) {
			err = rows.Scan(&id)
			return id, err
		}, list.query)
		if err != nil {
			return e, err
		}
	}
	all, err := recoveryCodes(ctx, tx)
	e.recovery = slices.DeleteFunc(all, func(r recoveryCode) bool { return r.mac != nil })
	return e, err
}

func recoveryCodes(ctx context.Context, r *store.Tx) ([]recoveryCode, error) {
	return store.Scanned(ctx, r, func(rows *sql.Rows) (c recoveryCode, err error) {
		err = rows.Scan(&c.user, &c.hash, &c.mac, &c.totp)
		return c, err
	}, `SELECT c.user_id, c.hash, c.mac, u.totp FROM recovery_codes c JOIN users u ON u.id = c.user_id ORDER BY c.user_id`)
}

func (e earlier) sign(ctx context.Context, tx *store.Tx, stamp affiliate.Millis) error {
	for _, id := range e.users {
		if _, err := signUser(ctx, tx, id, stamp); err != nil {
			return err
		}
	}
	for _, id := range e.sessions {
		if err := signSession(ctx, tx, id); err != nil {
			return err
		}
	}
	for _, id := range e.tokens {
		if err := signToken(ctx, tx, id); err != nil {
			return err
		}
	}
	for _, r := range e.recovery {
		_, err := tx.ExecContext(ctx, `UPDATE recovery_codes SET mac = ? WHERE user_id = ? AND hash = ?`, r.code(tx.Store().AuditKey()), r.user, r.hash)
		if err != nil {
			return err
		}
	}
	return nil
}

// VerifySigned checks that whatever signs in was written by this program. A nil key proves nothing,
// which is a fault if there is something to prove. What an earlier version stored is a warning as long
// as it was not signed.
func VerifySigned(ctx context.Context, r *store.Tx, key []byte) (store.VerifyResult, error) {
	v := store.VerifyResult{Check: "sign-ins", Remedy: "somebody wrote to the database without the master key: keep a copy of it as evidence, and restore the newest sound backup; webapp user password gives a user whose role and rights are those of the audit log a new password, which puts the row right"}
	is, err := isSigned(ctx, r)
	if err != nil {
		return v, err
	}
	before := 0 // rows of an earlier version
	check := func(mac []byte, err error) {
		switch {
		case err == nil:
		case mac == nil && !is:
			before++
		default:
			v.Fault("%v", err)
		}
	}
	users, err := UsersIn(ctx, r)
	if err != nil {
		return v, err
	}
	sessions, err := signedSessions(ctx, r)
	if err != nil {
		return v, err
	}
	tokens, err := signedTokens(ctx, r)
	if err != nil {
		return v, err
	}
	recovery, err := recoveryCodes(ctx, r)
	if err != nil {
		return v, err
	}
	v.Seen = fmt.Sprintf("%d users, %d sessions, %d API tokens and %d recovery codes were written with the master key", len(users), len(sessions), len(tokens), len(recovery))
	if key == nil {
		if len(users) > 0 {
			v.Fault("they cannot be proved without the master key that the database was begun with")
			v.Unproved = true
		}
		return v, nil
	}
	names := map[int64]string{}
	for _, u := range users {
		names[u.ID] = u.Name
		check(u.mac, u.authentic(key))
	}
	for _, x := range sessions {
		check(x.Session.mac, x.authentic(key))
	}
	for _, x := range tokens {
		check(x.Token.mac, x.authentic(key))
	}
	for _, c := range recovery {
		check(c.mac, c.authentic(key, names[c.user]))
	}
	if before > 0 {
		v.Warnings = append(v.Warnings, fmt.Sprintf("%d users, sessions, API tokens and recovery codes are of an earlier version: the next start of the server signs them, and until then they prove nothing", before))
	}
	return v, nil
}

// Signed are the rows whose codes hold.
type Signed struct {
	users, sessions, tokens []int64
	recovery                []recoveryCode
}

// ReadSigned returns the rows whose codes hold with a key, for [Signed.SignAgain].
func ReadSigned(ctx context.Context, r *store.Tx, key []byte) (s Signed, err error) {
	if err := r.RefuseTriggers(ctx); err != nil {
		return s, err
	}
	users, err := UsersIn(ctx, r)
	if err != nil {
		return s, err
	}
	for _, u := range users {
		if u.authentic(key) == nil {
			s.users = append(s.users, u.ID)
		}
	}
	sessions, err := signedSessions(ctx, r)
	if err != nil {
		return s, err
	}
	for _, x := range sessions {
		if x.authentic(key) == nil {
			s.sessions = append(s.sessions, x.Session.ID)
		}
	}
	tokens, err := signedTokens(ctx, r)
	if err != nil {
		return s, err
	}
	for _, x := range tokens {
		if x.authentic(key) == nil {
			s.tokens = append(s.tokens, x.Token.ID)
		}
	}
	all, err := recoveryCodes(ctx, r)
	s.recovery = slices.DeleteFunc(all, func(c recoveryCode) bool { return !hmac.Equal(c.mac, c.code(key)) })
	return s, err
}

// SignAgain gives the rows codes made with another key. All other rows keep theirs, which that key does
// not make: none that was forged becomes sound. The rows may have been sealed again meanwhile.
func (s Signed) SignAgain(ctx context.Context, tx *store.Tx, key []byte) error {
	for _, id := range s.users {
		u, err := readUser(ctx, tx, `u.id = ?`, id)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE users SET mac = ? WHERE id = ?`, u.code(key), id); err != nil {
			return err
		}
	}
	for _, id := range s.sessions {
		x, err := readSession(ctx, tx, `s.id = ?`, id)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE sessions SET mac = ? WHERE id = ?`, x.code(key), id); err != nil {
			return err
		}
	}
	for _, id := range s.tokens {
		x, err := readToken(ctx, tx, `t.id = ?`, id)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE tokens SET mac = ? WHERE id = ?`, x.code(key), id); err != nil {
			return err
		}
	}
	again, err := recoveryCodes(ctx, tx) // with the authenticators as they are sealed now
	if err != nil {
		return err
	}
	for _, c := range again {
		if !slices.ContainsFunc(s.recovery, func(signed recoveryCode) bool {
			return signed.user == c.user && bytes.Equal(signed.hash, c.hash)
		}) {
			continue
		}
		if _, err := tx.ExecContext(ctx, `UPDATE recovery_codes SET mac = ? WHERE user_id = ? AND hash = ?`, c.code(key), c.user, c.hash); err != nil {
			return err
		}
	}
	return nil
}

func signedSessions(ctx context.Context, r *store.Tx) ([]SessionUser, error) {
	return store.Scanned(ctx, r, func(rows *sql.Rows) (x SessionUser, err error) {
		err = rows.Scan(x.columns()...)
		return x, err
	}, `SELECT `+sessionColumns+`, `+userColumns+` FROM sessions s JOIN users u ON u.id = s.user_id ORDER BY s.id`)
}

// signedTokens returns the tokens that are not revoked.
func signedTokens(ctx context.Context, r *store.Tx) ([]TokenUser, error) {
	return store.Scanned(ctx, r, func(rows *sql.Rows) (x TokenUser, err error) {
		err = rows.Scan(x.columns()...)
		return x, err
	}, `SELECT `+tokenColumns+`, `+userColumns+` FROM tokens t JOIN users u ON u.id = t.user_id WHERE t.revoked_ms IS NULL ORDER BY t.id`)
}
