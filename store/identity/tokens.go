package identity

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// Limits of tokens.
const (
	MaxTokens    = 50 // working tokens per user
	MaxTokenName = 80 // characters
)

// Token is the credential of a program.
type Token struct {
	ID      int64
	UserID  int64
	Name    string
	Scopes  string // separated by spaces
	Created affiliate.Millis
	Used    affiliate.Millis
	Address string           // of that use
	Revoked affiliate.Millis // known: it no longer works
	Expires affiliate.Millis // it works until then; unknown: forever

	hash, mac []byte
}

// TokenUser is a token with its user.
type TokenUser struct {
	Token
	User
}

const tokenColumns = `t.id, t.user_id, t.name, t.scopes, t.created_ms, t.used_ms, t.address, t.revoked_ms, t.expires_ms, t.hash, t.mac`

func (x *TokenUser) columns() []any {
	t := &x.Token
	return append([]any{&t.ID, &t.UserID, &t.Name, &t.Scopes, &t.Created, &t.Used, &t.Address, &t.Revoked, &t.Expires, &t.hash, &t.mac}, x.User.columns()...)
}

// AddToken stores a token of a user, its Name, Scopes and Expires and the hash of its text,
// and returns it with its user. A broken rule is a *RuleError.
func AddToken(ctx context.Context, s *store.Store, by audit.Line, user string, t Token, hash []byte) (added TokenUser, err error) {
	if t.Name, err = store.CheckLabel("The name of the token", t.Name, MaxTokenName); err != nil {
		return added, err
	}
	err = s.UpdateAside(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		u, err := userWhere(ctx, s.AuditKey(), tx, `u.folded = ?`, affiliate.Folded(user))
		if err != nil {
			return err
		}
		if u.Disabled.Known() {
			return store.Refuse("“%s” is disabled.", u.Name)
		}
		t.UserID, t.Created = u.ID, stamp
		if err := t.checkPlace(ctx, tx); err != nil {
			return err
		}
		if t.ID, err = store.ShortID(ctx, tx, "tokens"); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			INSERT INTO tokens (id, hash, user_id, name, scopes, created_ms, expires_ms) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			t.ID, hash, t.UserID, t.Name, t.Scopes, t.Created, store.Opt(&t.Expires))
		if err != nil {
			return err
		}
		if err := signToken(ctx, tx, t.ID); err != nil {
			return err
		}
		added = TokenUser{t, u}
		by.Object, by.Detail = u.Name, t.Name+": "+t.Scopes+", "+t.Until()
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return TokenUser{}, fmt.Errorf("adding a token: %w", err)
	}
	return added, nil
}

// Until says how long the token works, as its line of the audit log does.
func (t Token) Until() string {
	if !t.Expires.Known() {
		return "never expires"
	}
	return "expires " + t.Expires.Time().Format("2006-01-02 15:04 MST")
}

// checkPlace refuses a token above the limit and a second token with the same name: the two
// could not be told apart when one has to be revoked.
func (t Token) checkPlace(ctx context.Context, tx *store.Tx) error {
	var n, same int
	err := tx.QueryRowContext(ctx, `
		SELECT count(*), count(*) FILTER (WHERE name = ?) FROM tokens
		WHERE user_id = ? AND revoked_ms IS NULL AND (expires_ms IS NULL OR expires_ms > ?)`, t.Name, t.UserID, t.Created).Scan(&n, &same)
	switch {
	case err != nil:
		return err
	case same > 0:
		return store.Refuse("There is a token called “%s” already: choose another name, or revoke that token first.", t.Name)
	case n >= MaxTokens:
		return store.Refuse("There are %d tokens, which is as many as there can be: revoke one first.", MaxTokens)
	}
	return nil
}

// TokenByHash finds a token that was not revoked, of a user who is not disabled; it may
// have expired. One that does not exist is a *RuleError that is Missing, and so is one that was
// forged, a *[ForgedError]. It does not wait for a writer.
func TokenByHash(ctx context.Context, s *store.Store, hash []byte) (x TokenUser, err error) {
	if s.AuditKey() == nil {
		return x, store.ErrNoAuditKey
	}
	if x, err = readToken(ctx, s.Readers(), `t.hash = ? AND t.revoked_ms IS NULL AND u.disabled_ms IS NULL`, hash); err != nil {
		return x, err
	}
	if err = x.User.authentic(s.AuditKey()); err == nil {
		err = x.authentic(s.AuditKey())
	}
	return x, err
}

// TokenByID finds a token whether it works or not. One that does not exist is a *RuleError
// that is Missing.
func TokenByID(ctx context.Context, s *store.Store, id int64) (TokenUser, error) {
	return readToken(ctx, s.Readers(), `t.id = ?`, id)
}

// readToken finds a token, whoever wrote it.
func readToken(ctx context.Context, from store.Asker, condition string, arg any) (x TokenUser, err error) {
	err = from.QueryRowContext(ctx, `
		SELECT `+tokenColumns+`, `+userColumns+` FROM tokens t JOIN users u ON u.id = t.user_id
		WHERE `+condition, arg).Scan(x.columns()...)
	if errors.Is(err, sql.ErrNoRows) {
		return x, &store.RuleError{Problem: "There is no such token.", Missing: true}
	}
	if err != nil {
		return x, fmt.Errorf("reading a token: %w", err)
	}
	return x, nil
}

// Tokens lists the tokens of a user, or of all users if the name is empty, latest first.
func Tokens(ctx context.Context, s *store.Store, user string) ([]TokenUser, error) {
	rows, err := s.Readers().QueryContext(ctx, `
		SELECT `+tokenColumns+`, `+userColumns+` FROM tokens t JOIN users u ON u.id = t.user_id
		WHERE ? = '' OR u.folded = ? ORDER BY t.created_ms DESC, t.id DESC`, user, affiliate.Folded(user))
	if err != nil {
		return nil, fmt.Errorf("reading tokens: %w", err)
	}
	defer rows.Close()
	var list []TokenUser
	for rows.Next() {
		var x TokenUser
		if err := rows.Scan(x.columns()...); err != nil {
			return nil, fmt.Errorf("reading tokens: %w", err)
		}
		list = append(list, x)
	}
	return list, rows.Err()
}

// RevokeToken ends a token for good. A token that was already revoked is no error and adds
// no line to the audit log; one that never existed is a *RuleError.
func RevokeToken(ctx context.Context, s *store.Store, by audit.Line, id int64) error {
	err := s.UpdateAside(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		t, err := readToken(ctx, tx, `t.id = ?`, id)
		if err != nil || t.Revoked.Known() {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE tokens SET revoked_ms = ?, mac = NULL WHERE id = ?`, stamp, id); err != nil {
			return err
		}
		by.Object, by.Detail = t.User.Name, t.Token.Name
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return fmt.Errorf("revoking a token: %w", err)
	}
	return nil
}

// TokensEnded comes before the number of tokens that a change ended, in the detail of its line in the
// audit log.
const TokensEnded = "API tokens ended: "

// endTokens ends all tokens of a user for good, and notes their number in the line of the
// audit log.
func endTokens(ctx context.Context, tx *store.Tx, by *audit.Line, user int64, stamp affiliate.Millis) error {
	result, err := tx.ExecContext(ctx, `
		UPDATE tokens SET revoked_ms = ?, mac = NULL WHERE user_id = ? AND revoked_ms IS NULL AND (expires_ms IS NULL OR expires_ms > ?)`, stamp, user, stamp)
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	if err != nil || n == 0 {
		return err
	}
	if by.Detail != "" {
		by.Detail += "; "
	}
	by.Detail += TokensEnded + strconv.FormatInt(n, 10)
	return nil
}
