package identity_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/identity"
	"rebatedesk/store/storetest"
)

func write(t *testing.T, s *store.Store, statement string, args ...any) {
	t.Helper()
	_, err := s.Writer().ExecContext(context.Background(), statement, args...)
	storetest.Done(t, err)
}

func isForged(err error) bool {
	_, forged := errors.AsType[*identity.ForgedError](err)
	rule, ok := errors.AsType[*store.RuleError](err)
	return forged && ok && rule.Missing
}

// Every right of a user is in the code of its row, and a change of the user does not sign what someone
// wrote.
func TestForgedUsers(t *testing.T) {
	storetest.Engines(t, "bytes of signatures, statements that an attacker writes", testForgedUsers)
}

func testForgedUsers(t *testing.T) {
	s, u := withUser(t)
	ctx := context.Background()
	for _, change := range []string{
		`role = 'admin'`, `password = 'other'`, `long_password = 1 - long_password`, `totp = mac`, `disabled_ms = 5`, `bound = 'code x'`, `changed_ms = changed_ms + 1`, `mac = NULL`, `name = 'Eve'`,
	} {
		write(t, s, `UPDATE users SET `+change+` WHERE id = ?`, u.ID)
		if _, err := identity.UserByID(ctx, s, u.ID); !isForged(err) {
			t.Errorf("%s: %v", change, err)
		}
		if err := identity.BindUser(ctx, s, audit.Line{}, "Ann", store.AnyVersion, func(b affiliate.Bound) (affiliate.Bound, error) { return b, nil }); !isForged(err) {
			t.Errorf("%s: a change signs it: %v", change, err)
		}
		write(t, s, `UPDATE users SET name = ?, role = ?, password = ?, long_password = ?, totp = NULL, disabled_ms = NULL, bound = '', changed_ms = ? WHERE id = ?`,
			u.Name, u.Role, u.Password, u.LongPassword, u.Changed, u.ID)
		if change == `mac = NULL` { // by a new password, since the rest is as the audit log says
			storetest.Done(t, identity.SetPassword(ctx, s, audit.Line{Action: "password set"}, "Ann", store.AnyVersion, u.Password, u.LongPassword))
		}
		var err error
		if u, err = identity.UserByID(ctx, s, u.ID); err != nil {
			t.Fatalf("%s: undone: %v", change, err)
		}
	}
}

// A session or a token from before a new password, another role or, of a session, another authenticator
// cannot be put back, even as it was.
func TestSignInOfBeforeIsForged(t *testing.T) {
	storetest.Engines(t, "bytes of signatures", testSignInOfBeforeIsForged)
}

func testSignInOfBeforeIsForged(t *testing.T) {
	ctx := context.Background()
	for name, change := range map[string]struct {
		of    func(*store.Store, identity.User) error
		token bool // it ends tokens as well
	}{
		"a new password": {func(s *store.Store, _ identity.User) error {
			return identity.SetPassword(ctx, s, audit.Line{}, "Ann", store.AnyVersion, "another hash", true)
		}, true},
		"another role": {func(s *store.Store, _ identity.User) error {
			return identity.SetRole(ctx, s, audit.Line{}, "Ann", store.AnyVersion, "manager")
		}, true},
		"an authenticator": {func(s *store.Store, u identity.User) error {
			o := opening(u, "b", "d")
			o.TOTP, o.Alone = []byte("sealed"), true
			_, err := identity.OpenSession(ctx, s, audit.Line{}, o)
			return err
		}, false},
	} {
		s, u := withUser(t)
		id, err := identity.OpenSession(ctx, s, audit.Line{}, opening(u, "a", "d"))
		storetest.Done(t, err)
		token, err := identity.AddToken(ctx, s, audit.Line{}, "Ann", identity.Token{Name: "x", Scopes: "read"}, []byte("h"))
		storetest.Done(t, err)
		x, err := identity.SessionByHash(ctx, s, []byte("a"))
		storetest.Done(t, err)
		var mac, tokenMAC []byte
		storetest.Done(t, s.Readers().QueryRowContext(ctx, `SELECT s.mac, t.mac FROM sessions s, tokens t`).Scan(&mac, &tokenMAC))
		put := func() {
			write(t, s, `DELETE FROM sessions`)
			write(t, s, `INSERT INTO sessions (id, hash, user_id, whole, agent, address, created_ms, seen_ms, mac) VALUES (?, ?, ?, ?, '', '', ?, ?, ?)`,
				id, x.Hash, x.UserID, x.Whole, x.Session.Created, x.Seen, mac)
			write(t, s, `UPDATE tokens SET revoked_ms = NULL, mac = ? WHERE id = ?`, tokenMAC, token.Token.ID)
		}
		put()
		if _, err := identity.SessionByHash(ctx, s, []byte("a")); err != nil {
			t.Fatalf("the session as it was: %v", err)
		}
		if _, err := identity.TokenByHash(ctx, s, []byte("h")); err != nil {
			t.Fatalf("the token as it was: %v", err)
		}
		storetest.Done(t, change.of(s, u))
		put()
		if _, err := identity.SessionByHash(ctx, s, []byte("a")); !isForged(err) {
			t.Errorf("a session of before %s: %v", name, err)
		}
		if err := identity.NoteProof(ctx, s, audit.Line{}, id, 7); !isForged(err) {
			t.Errorf("a proof of presence signs a session of before %s: %v", name, err)
		}
		if _, err := identity.TokenByHash(ctx, s, []byte("h")); isForged(err) != change.token {
			t.Errorf("a token of before %s: %v", name, err)
		}
	}
}

// A recovery code that someone wrote is none, and stays for the check.
func TestForgedRecoveryCode(t *testing.T) {
	storetest.Engines(t, "bytes of signatures", testForgedRecoveryCode)
}

func testForgedRecoveryCode(t *testing.T) {
	s, u := withUser(t)
	ctx := context.Background()
	o := opening(u, "a", "d")
	o.TOTP, o.Recovery = []byte("sealed"), [][]byte{[]byte("real")}
	_, err := identity.OpenSession(ctx, s, audit.Line{Action: "authenticator set up", Object: "Ann"}, o)
	storetest.Done(t, err)
	write(t, s, `INSERT INTO recovery_codes (user_id, hash, mac) SELECT user_id, ?, mac FROM recovery_codes`, []byte("false"))
	if fresh, err := identity.UseRecoveryCode(ctx, s, u.ID, []byte("false")); fresh || !isForged(err) {
		t.Errorf("used: %v, %v", fresh, err)
	}
	r := storetest.Reader(t, s)
	found, err := identity.VerifySigned(ctx, r, s.AuditKey())
	storetest.Done(t, errors.Join(err, r.Close()))
	// How many codes are left is in the code of the user.
	if found.Count() != 2 || found.Faults[1] != `a recovery code of "Ann" was written or changed by somebody who does not have the master key` {
		t.Errorf("found %q", found.Faults)
	}
	write(t, s, `DELETE FROM recovery_codes WHERE hash = ?`, []byte("false"))
	var kept []byte
	storetest.Done(t, s.Readers().QueryRowContext(ctx, `SELECT mac FROM recovery_codes`).Scan(&kept))
	for _, want := range []bool{true, false} {
		if fresh, err := identity.UseRecoveryCode(ctx, s, u.ID, []byte("real")); fresh != want || err != nil {
			t.Errorf("the real one: %v, %v", fresh, err)
		}
	}
	write(t, s, `INSERT INTO recovery_codes (user_id, hash, mac) VALUES (?, ?, ?)`, u.ID, []byte("real"), kept)
	if fresh, err := identity.UseRecoveryCode(ctx, s, u.ID, []byte("real")); fresh || !isForged(err) {
		t.Errorf("put back: %v, %v", fresh, err)
	}
}

// A user is found by the own name only.
func TestSwappedNames(t *testing.T) { storetest.Engines(t, "bytes of signatures", testSwappedNames) }

func testSwappedNames(t *testing.T) {
	s, u := withUser(t)
	write(t, s, `UPDATE users SET folded = 'bob' WHERE id = ?`, u.ID)
	if err := identity.SetRole(context.Background(), s, audit.Line{}, "bob", store.AnyVersion, "admin"); !isForged(err) {
		t.Errorf("by another name: %v", err)
	}
}

// Nothing is signed while a trigger could change it in between.
func TestNothingIsSignedUnderATrigger(t *testing.T) {
	s, u := withUser(t)
	ctx := context.Background()
	for _, table := range []string{"sessions", "users", "devices"} {
		write(t, s, `CREATE TRIGGER strange AFTER INSERT ON `+table+` BEGIN UPDATE sessions SET proved_ms = 1; END`)
		_, err := identity.OpenSession(ctx, s, audit.Line{}, opening(u, table, table))
		if foreign, ok := errors.AsType[*store.ForeignTriggerError](err); !ok || foreign.Table != table {
			t.Errorf("a trigger on %s: %v", table, err)
		}
		write(t, s, `DROP TRIGGER strange`)
	}
	_, err := identity.OpenSession(ctx, s, audit.Line{}, opening(u, "a", "d"))
	storetest.Done(t, err)
}

// A log that was removed and begun anew signs nobody.
func TestUsersWithoutTheirLines(t *testing.T) {
	s, _ := withUser(t)
	ctx := context.Background()
	for _, guard := range []string{"audit_keep_all", "audit_head_keep"} {
		var table, text string
		storetest.Done(t, s.Readers().QueryRowContext(ctx, `SELECT tbl_name, sql FROM sqlite_schema WHERE name = ?`, guard).Scan(&table, &text))
		write(t, s, `DROP TRIGGER `+guard)
		write(t, s, `DELETE FROM `+table)
		write(t, s, text)
	}
	write(t, s, `UPDATE users SET mac = NULL`)
	storetest.Done(t, audit.Write(ctx, s, audit.Line{Action: "sign-in"}))
	err := identity.SignOnce(ctx, s, audit.Line{Via: "server"}, func() []audit.Anchor { return nil })
	if unsigned, ok := errors.AsType[*identity.UnsignedError](err); !ok || unsigned.Fault != `no line says that the user "Ann" was added` {
		t.Errorf("%v", err)
	}
}

// Another key goes to what was signed, and to nothing that someone wrote.
func TestSignAgain(t *testing.T) {
	storetest.Engines(t, "bytes of signatures, numbers of rows", testSignAgain)
}

func testSignAgain(t *testing.T) {
	s, u := withUser(t)
	ctx := context.Background()
	for _, hash := range []string{"a", "b"} {
		_, err := identity.OpenSession(ctx, s, audit.Line{}, opening(u, hash, hash))
		storetest.Done(t, err)
	}
	write(t, s, `UPDATE sessions SET created_ms = created_ms + 1 WHERE hash = ?`, []byte("b"))
	next := make([]byte, 32)
	storetest.Done(t, s.Update(ctx, func(tx *store.Tx, _ affiliate.Millis) error {
		signed, err := identity.ReadSigned(ctx, tx, s.AuditKey())
		if err != nil {
			return err
		}
		return signed.SignAgain(ctx, tx, next)
	}))
	if _, err := identity.SessionByHash(ctx, s, []byte("a")); !isForged(err) {
		t.Errorf("with the former key: %v", err)
	}
	storetest.Done(t, s.Update(ctx, func(tx *store.Tx, _ affiliate.Millis) error {
		v, err := identity.VerifySigned(ctx, tx, next)
		if err == nil && (len(v.Faults) != 1 || v.Seen == "") {
			t.Errorf("with the next key: %+v", v)
		}
		return err
	}))
}

// Every column that gives a right is in the code of its row, so that a session without its code, as an
// example, cannot be made whole. A column that is added later is decided here.
func TestForgedColumns(t *testing.T) {
	type change struct {
		column, value string
		forged        bool // it gives a right
	}
	for table, changes := range map[string][]change{
		"users": {
			{"id", "id + 1", true}, {"name", "'Eve'", true}, {"folded", "'eve'", true}, {"role", "'admin'", true}, {"password", "'other'", true},
			{"long_password", "1 - long_password", true}, {"totp", "x'01'", true}, {"disabled_ms", "5", true}, {"bound", "'code x'", true},
			{"changed_ms", "changed_ms + 1", true}, {"mac", "NULL", true},
			{"totp_step", "totp_step + 1", false}, {"created_ms", "5", false}, {"updated_ms", "5", false}, {"signed_in_ms", "5", false},
		},
		"sessions": {
			{"id", "id + 1", true}, {"hash", "x'01'", true}, {"user_id", "(SELECT id FROM users WHERE name = 'Bob')", true}, {"whole", "1", true},
			{"created_ms", "created_ms + 1", true}, {"proved_ms", "5", true}, {"mac", "NULL", true},
			{"agent", "'other'", false}, {"address", "'other'", false}, {"seen_ms", "seen_ms + 1", false},
		},
		"tokens": {
			{"id", "id + 1", true}, {"hash", "x'01'", true}, {"user_id", "(SELECT id FROM users WHERE name = 'Bob')", true}, {"name", "'other'", true},
			{"scopes", "'read export'", true}, {"created_ms", "created_ms + 1", true}, {"expires_ms", "NULL", true}, {"mac", "NULL", true},
			{"address", "'other'", false}, {"used_ms", "5", false}, {"revoked_ms", "NULL", false}, // a token that is revoked has no code
		},
	} {
		var listed []string
		for _, c := range changes {
			listed = append(listed, c.column)
			s, u := withUser(t)
			ctx := context.Background()
			if table != "users" { // else Ann is the only one
				storetest.Done(t, identity.AddUser(ctx, s, audit.Line{Action: "user added", Detail: "viewer"}, identity.User{Name: "Bob", Role: "viewer", Password: "hash"}, false))
				o := opening(u, "a", "d")
				o.Whole = false
				_, err := identity.OpenSession(ctx, s, audit.Line{}, o)
				storetest.Done(t, err)
				_, err = identity.AddToken(ctx, s, audit.Line{}, "Ann", identity.Token{Name: "x", Scopes: "read", Expires: 1 << 50}, []byte("h"))
				storetest.Done(t, err)
			}
			which := ""
			if table == "users" {
				which = ` WHERE name = 'Ann'`
			}
			write(t, s, `UPDATE `+table+` SET `+c.column+` = `+c.value+which)
			if err := signsIn(t, s, table); isForged(err) != c.forged || !c.forged && err != nil {
				t.Errorf("another %s of %s: %v, want forged: %v", c.column, table, err, c.forged)
			}
		}
		s, _ := withUser(t)
		columns, err := storetest.Lines(s, `SELECT name FROM pragma_table_info('`+table+`')`)
		storetest.Done(t, err)
		slices.Sort(columns)
		if slices.Sort(listed); !slices.Equal(columns, listed) {
			t.Errorf("%s has the columns %q, and %q are known here", table, columns, listed)
		}
	}
}

// signsIn finds the only row of a table as a sign-in does.
func signsIn(t *testing.T, s *store.Store, table string) (err error) {
	t.Helper()
	ctx := context.Background()
	column := "hash"
	if table == "users" {
		column = "folded"
	}
	var key []byte
	storetest.Done(t, s.Readers().QueryRowContext(ctx, `SELECT `+column+` FROM `+table).Scan(&key))
	switch table {
	case "users":
		_, err = identity.UserNamed(ctx, s, string(key))
	case "sessions":
		_, err = identity.SessionByHash(ctx, s, key)
	default:
		_, err = identity.TokenByHash(ctx, s, key)
	}
	return err
}
