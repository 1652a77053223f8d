package identity_test

import (
	"context"
	"errors"
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

// A session from before a new password cannot be put back, even as it was.
func TestSessionOfBeforeIsForged(t *testing.T) {
	storetest.Engines(t, "bytes of signatures", testSessionOfBeforeIsForged)
}

func testSessionOfBeforeIsForged(t *testing.T) {
	s, u := withUser(t)
	ctx := context.Background()
	id, err := identity.OpenSession(ctx, s, audit.Line{}, opening(u, "a", "d"))
	storetest.Done(t, err)
	var mac []byte
	storetest.Done(t, s.Readers().QueryRowContext(ctx, `SELECT mac FROM sessions WHERE id = ?`, id).Scan(&mac))
	x, err := identity.SessionByHash(ctx, s, []byte("a"))
	storetest.Done(t, err)
	put := func() {
		write(t, s, `INSERT INTO sessions (id, hash, user_id, whole, agent, address, created_ms, seen_ms, mac) VALUES (?, ?, ?, ?, '', '', ?, ?, ?)`,
			id, x.Hash, x.UserID, x.Whole, x.Session.Created, x.Seen, mac)
	}
	write(t, s, `DELETE FROM sessions`)
	put()
	if _, err := identity.SessionByHash(ctx, s, []byte("a")); err != nil {
		t.Fatalf("the row as it was: %v", err)
	}
	storetest.Done(t, identity.SetPassword(ctx, s, audit.Line{}, "Ann", store.AnyVersion, "another hash", true))
	put()
	if _, err := identity.SessionByHash(ctx, s, []byte("a")); !isForged(err) {
		t.Errorf("a session of before the new password: %v", err)
	}
	if err := identity.NoteProof(ctx, s, audit.Line{}, id, 7); !isForged(err) {
		t.Errorf("a proof of presence signs it: %v", err)
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
