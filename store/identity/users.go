package identity

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// User is a person who may sign in.
type User struct {
	ID           int64
	Name         string
	Role         string
	Password     string // hash, as a PHC string
	LongPassword bool   // it is long enough for admins and traders
	TOTP         []byte // sealed; nil: no codes
	TOTPStep     int64  // of the newest code used
	Recovery     int    // recovery codes left
	Created      affiliate.Millis
	SignedIn     affiliate.Millis
	Disabled     affiliate.Millis // known: the user has been disabled since
	Updated      affiliate.Millis // time of an admin's last change; identifies the version
	Bound        affiliate.Bound  // to whom the user is bound
	Changed      affiliate.Millis // stamp of the newest change of what gives the user its rights

	mac    []byte
	folded string // by which it is found
}

// adminRole is the role that at least one enabled user must keep.
const adminRole = "admin"

const userColumns = `u.id, u.name, u.role, u.password, u.long_password, u.totp, u.totp_step,
	(SELECT count(*) FROM recovery_codes c WHERE c.user_id = u.id), u.created_ms, u.signed_in_ms, u.disabled_ms, u.updated_ms, u.bound, u.changed_ms, u.mac, u.folded`

func (u *User) columns() []any {
	return []any{&u.ID, &u.Name, &u.Role, &u.Password, &u.LongPassword, &u.TOTP, &u.TOTPStep,
		&u.Recovery, &u.Created, &u.SignedIn, &u.Disabled, &u.Updated, (*boundText)(&u.Bound), &u.Changed, &u.mac, &u.folded}
}

// boundText reads what a user is bound to.
type boundText affiliate.Bound

// Scan implements sql.Scanner.
func (b *boundText) Scan(value any) error {
	text, ok := value.(string)
	if !ok {
		return fmt.Errorf("what a user is bound to is %T, not text", value)
	}
	*b = boundText(affiliate.ParseBound(text))
	return nil
}

// UserNamed finds a user by name, ignoring letter case. A user who does not exist is a
// *RuleError that is Missing, and so is one whose row was forged, a *[ForgedError]: without an audit
// key, see [store.Store.UseAuditKey], that is not known.
func UserNamed(ctx context.Context, s *store.Store, name string) (User, error) {
	if strings.ContainsRune(name, 0) { // no name has it, and PostgreSQL refuses the question
		return User{}, errNoUser
	}
	return userWhere(ctx, s.AuditKey(), s.Readers(), `u.folded = ?`, affiliate.Folded(name))
}

// UserByID finds a user by ID, with the errors of [UserNamed].
func UserByID(ctx context.Context, s *store.Store, id int64) (User, error) {
	return userWhere(ctx, s.AuditKey(), s.Readers(), `u.id = ?`, id)
}

var errNoUser = &store.RuleError{Problem: "There is no such user.", Missing: true}

// userWhere finds a user that this program wrote.
func userWhere(ctx context.Context, key []byte, from store.Asker, condition string, arg any) (u User, err error) {
	if u, err = readUser(ctx, from, condition, arg); err == nil && key != nil {
		err = u.authentic(key)
	}
	return u, err
}

// readUser finds a user, whoever wrote it.
func readUser(ctx context.Context, from store.Asker, condition string, arg any) (u User, err error) {
	err = from.QueryRowContext(ctx, `SELECT `+userColumns+` FROM users u WHERE `+condition, arg).Scan(u.columns()...)
	if errors.Is(err, sql.ErrNoRows) {
		return u, errNoUser
	}
	if err != nil {
		return u, fmt.Errorf("reading a user: %w", err)
	}
	return u, nil
}

// Users lists all users by name.
func Users(ctx context.Context, s *store.Store) ([]User, error) { return UsersIn(ctx, s.Readers()) }

// UsersIn lists all users of a state by name, whoever wrote them.
func UsersIn(ctx context.Context, from store.Asker) ([]User, error) {
	rows, err := from.QueryContext(ctx, `SELECT `+userColumns+` FROM users u ORDER BY u.folded`)
	if err != nil {
		return nil, fmt.Errorf("reading users: %w", err)
	}
	defer rows.Close()
	var users []User
	for rows.Next() {
		var u User
		if err := rows.Scan(u.columns()...); err != nil {
			return nil, fmt.Errorf("reading users: %w", err)
		}
		users = append(users, u)
	}
	return users, rows.Err()
}

// HasUsers reports whether any user exists, disabled or not.
func HasUsers(ctx context.Context, s *store.Store) (has bool, err error) {
	if err = s.Readers().QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM users)`).Scan(&has); err != nil {
		return false, fmt.Errorf("reading users: %w", err)
	}
	return has, nil
}

// AddUser stores a user: Name, Role, Password and LongPassword. A name that is taken is a
// *RuleError, and so is any existing user if first is true.
func AddUser(ctx context.Context, s *store.Store, by audit.Line, u User, first bool) error {
	return changeUsers(ctx, s, "adding a user", func(tx *store.Tx, stamp affiliate.Millis) error {
		var others, taken bool
		err := tx.QueryRowContext(ctx, `
			SELECT EXISTS (SELECT 1 FROM users), EXISTS (SELECT 1 FROM users WHERE folded = ?)`, affiliate.Folded(u.Name)).Scan(&others, &taken)
		switch {
		case err != nil:
			return err
		case first && others:
			return store.Refuse("There is a user already: sign in instead.")
		case taken:
			return store.Refuse("There is a user called “%s” already.", u.Name)
		}
		var id int64
		err = tx.QueryRowContext(ctx, `
			INSERT INTO users (name, folded, role, password, long_password, created_ms, updated_ms) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id`,
			u.Name, affiliate.Folded(u.Name), u.Role, u.Password, u.LongPassword, stamp, stamp).Scan(&id)
		if err != nil {
			return err
		}
		if _, err := signUser(ctx, tx, id, stamp); err != nil {
			return err
		}
		by.Object = u.Name
		return audit.Append(ctx, s, tx, stamp, by)
	})
}

// SetRole gives a user another role and ends all the user's sessions and tokens. Like every
// change of a user it names the version seen: a user whom an admin changed since is a
// *RuleError that is Stale; an unknown version changes the user in any version.
func SetRole(ctx context.Context, s *store.Store, by audit.Line, name string, seen affiliate.Millis, role string) error {
	return changeUser(ctx, s, by, name, seen, func(tx *store.Tx, u User, by *audit.Line, stamp affiliate.Millis) error {
		if _, err := tx.ExecContext(ctx, `UPDATE users SET role = ? WHERE id = ?`, role, u.ID); err != nil {
			return err
		}
		return endAll(ctx, tx, by, u.ID, stamp)
	})
}

// BindUser replaces what a user is bound to: from the next request on the user sees nobody else. The
// version seen is checked as by [SetRole]. change gets the present bindings.
func BindUser(ctx context.Context, s *store.Store, by audit.Line, name string, seen affiliate.Millis, change func(affiliate.Bound) (affiliate.Bound, error)) error {
	return changeUser(ctx, s, by, name, seen, func(tx *store.Tx, u User, by *audit.Line, _ affiliate.Millis) error {
		bound, err := change(u.Bound)
		if err != nil {
			return err
		}
		by.Detail = BoundWords(u.Bound) + " to " + BoundWords(bound)
		_, err = tx.ExecContext(ctx, `UPDATE users SET bound = ? WHERE id = ?`, bound.Text(), u.ID)
		return err
	})
}

// BoundWords says for the audit log what a user is bound to.
func BoundWords(b affiliate.Bound) string {
	if b.Everything() {
		return "everything"
	}
	var words []string
	for _, one := range b.Bindings() {
		words = append(words, string(one.By)+" "+strconv.Quote(one.Name))
	}
	return strings.Join(words, ", ")
}

// SetPassword gives a user another password and ends all the user's sessions and tokens.
// The user's known browsers are forgotten. It puts right a row that was forged, if everything but the
// password is as the audit log says.
func SetPassword(ctx context.Context, s *store.Store, by audit.Line, name string, seen affiliate.Millis, password string, long bool) error {
	return changeUserIf(ctx, s, by, name, seen, logged, func(tx *store.Tx, u User, by *audit.Line, stamp affiliate.Millis) error {
		return setPassword(ctx, tx, by, u.ID, password, long, stamp)
	})
}

func setPassword(ctx context.Context, tx *store.Tx, by *audit.Line, user int64, password string, long bool, stamp affiliate.Millis) error {
	_, err := tx.ExecContext(ctx, `UPDATE users SET password = ?, long_password = ? WHERE id = ?`, password, long, user)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM devices WHERE user_id = ?`, user); err != nil {
		return err
	}
	return endAll(ctx, tx, by, user, stamp)
}

// endAll ends all sessions and tokens of a user, including those that someone else opened
// in the user's name.
func endAll(ctx context.Context, tx *store.Tx, by *audit.Line, user int64, stamp affiliate.Millis) error {
	if err := endTokens(ctx, tx, by, user, stamp); err != nil {
		return err
	}
	return endSessions(ctx, tx, user)
}

// DisableUser bars a user from signing in. Sessions end and tokens are revoked for good:
// enabling the user restores neither.
func DisableUser(ctx context.Context, s *store.Store, by audit.Line, name string, seen affiliate.Millis) error {
	return changeUser(ctx, s, by, name, seen, func(tx *store.Tx, u User, by *audit.Line, stamp affiliate.Millis) error {
		if _, err := tx.ExecContext(ctx, `UPDATE users SET disabled_ms = ? WHERE id = ? AND disabled_ms IS NULL`, stamp, u.ID); err != nil {
			return err
		}
		return endAll(ctx, tx, by, u.ID, stamp)
	})
}

// EnableUser lets a user sign in again.
func EnableUser(ctx context.Context, s *store.Store, by audit.Line, name string, seen affiliate.Millis) error {
	return changeUser(ctx, s, by, name, seen, func(tx *store.Tx, u User, _ *audit.Line, _ affiliate.Millis) error {
		_, err := tx.ExecContext(ctx, `UPDATE users SET disabled_ms = NULL WHERE id = ?`, u.ID)
		return err
	})
}

// ResetTOTP removes a user's authenticator and recovery codes and ends all the user's
// sessions and tokens.
func ResetTOTP(ctx context.Context, s *store.Store, by audit.Line, name string, seen affiliate.Millis) error {
	return changeUser(ctx, s, by, name, seen, func(tx *store.Tx, u User, by *audit.Line, stamp affiliate.Millis) error {
		// The step stays: a new authenticator never repeats it.
		if _, err := tx.ExecContext(ctx, `UPDATE users SET totp = NULL WHERE id = ?`, u.ID); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM recovery_codes WHERE user_id = ?`, u.ID); err != nil {
			return err
		}
		return endAll(ctx, tx, by, u.ID, stamp)
	})
}

// changeUser runs every change of one user, with its line in the audit log, which the
// change may extend. It refuses a change that would leave no enabled admin, and one of a
// user in another version than the one seen. A user who does not exist is a *RuleError that
// is Missing.
func changeUser(ctx context.Context, s *store.Store, by audit.Line, name string, seen affiliate.Millis, change func(*store.Tx, User, *audit.Line, affiliate.Millis) error) error {
	return changeUserIf(ctx, s, by, name, seen, func(_ context.Context, _ *store.Tx, _ User, forged error) error { return forged }, change)
}

// changeUserIf is [changeUser] where forgive decides about a row that was forged: it would be signed
// with whatever someone wrote into it.
func changeUserIf(ctx context.Context, s *store.Store, by audit.Line, name string, seen affiliate.Millis, forgive func(context.Context, *store.Tx, User, error) error, change func(*store.Tx, User, *audit.Line, affiliate.Millis) error) error {
	return changeUsers(ctx, s, "changing a user", func(tx *store.Tx, stamp affiliate.Millis) error {
		u, err := readUser(ctx, tx, `u.folded = ?`, affiliate.Folded(name))
		if err != nil {
			return err
		}
		if s.AuditKey() == nil {
			return store.ErrNoAuditKey
		}
		if forged := u.authentic(s.AuditKey()); forged != nil {
			if err := forgive(ctx, tx, u, forged); err != nil {
				return err
			}
		}
		if err := store.SameVersion("user", seen, u.Updated); err != nil {
			return err
		}
		before, err := admins(ctx, tx)
		if err != nil {
			return err
		}
		if err := change(tx, u, &by, stamp); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE users SET updated_ms = ? WHERE id = ?`, stamp, u.ID); err != nil {
			return err
		}
		if _, err := signUser(ctx, tx, u.ID, stamp); err != nil {
			return err
		}
		after, err := admins(ctx, tx)
		if err != nil {
			return err
		}
		if before > 0 && after == 0 {
			return store.Refuse("“%s” is the last admin who can sign in: make another one first.", u.Name)
		}
		by.Object = u.Name
		return audit.Append(ctx, s, tx, stamp, by)
	})
}

// admins counts the admins who are not disabled.
func admins(ctx context.Context, tx *store.Tx) (n int, err error) {
	err = tx.QueryRowContext(ctx, `SELECT count(*) FROM users WHERE role = ? AND disabled_ms IS NULL`, adminRole).Scan(&n)
	return n, err
}

func changeUsers(ctx context.Context, s *store.Store, what string, change func(*store.Tx, affiliate.Millis) error) error {
	if err := s.Update(ctx, change); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
