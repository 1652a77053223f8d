package identity_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/identity"
	"rebatedesk/store/storetest"
)

// withUser returns a store with a viewer named Ann, and her row.
func withUser(t *testing.T) (*store.Store, identity.User) {
	t.Helper()
	s := storetest.Open(t, store.Options{AuditKey: storetest.AuditKey})
	storetest.Done(t, identity.AddUser(context.Background(), s, audit.Line{Action: "user added", Detail: "viewer"}, identity.User{Name: "Ann", Role: "viewer", Password: "hash"}, true))
	u, err := identity.UserNamed(context.Background(), s, "aNN")
	storetest.Done(t, err)
	return s, u
}

func opening(u identity.User, hash string, device string) identity.Opening {
	return identity.Opening{Session: identity.Session{Hash: []byte(hash), Whole: true, Created: 1000}, Of: u, Device: []byte(device)}
}

// A change is not stored without its audit line.
func TestUsersAreNotChangedWithoutTheirLine(t *testing.T) {
	storetest.Engines(t, "the write as a whole is undone", testUsersAreNotChangedWithoutTheirLine)
}

func testUsersAreNotChangedWithoutTheirLine(t *testing.T) {
	s, u := withUser(t)
	before, err := storetest.Lines(s, `SELECT * FROM users`)
	storetest.Done(t, err)
	storetest.Done(t, storetest.Corrupt(s, `UPDATE audit_head SET rows = rows + 1, seal = unhex('00')`))
	ctx, by := context.Background(), audit.Line{Action: "changed"}
	_, opened := identity.OpenSession(ctx, s, by, opening(u, "a", "d"))
	_, token := identity.AddToken(ctx, s, by, "Ann", identity.Token{Name: "x", Scopes: "read"}, []byte("h"))
	for what, err := range map[string]error{
		"add": identity.AddUser(ctx, s, by, identity.User{Name: "Bob", Role: "viewer"}, false), "role": identity.SetRole(ctx, s, by, "Ann", store.AnyVersion, "admin"),
		"password": identity.SetPassword(ctx, s, by, "Ann", store.AnyVersion, "other", true), "disable": identity.DisableUser(ctx, s, by, "Ann", store.AnyVersion),
		"authenticator": identity.ResetTOTP(ctx, s, by, "Ann", store.AnyVersion), "session": opened, "token": token,
	} {
		if !errors.Is(err, audit.ErrBroken) {
			t.Errorf("%s: %v", what, err)
		}
	}
	after, err := storetest.Lines(s, `SELECT * FROM users`)
	if err != nil || fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("%v became %v, %v", before, after, err)
	}
	for _, table := range []string{"sessions", "devices", "tokens"} {
		if rows, err := storetest.Lines(s, `SELECT 1 FROM `+table); err != nil || len(rows) != 0 {
			t.Errorf("%s has %d rows, %v", table, len(rows), err)
		}
	}
}

func TestSessionsNeedAnEnabledUser(t *testing.T) {
	storetest.Engines(t, "statements about sessions", testSessionsNeedAnEnabledUser)
}

func testSessionsNeedAnEnabledUser(t *testing.T) {
	s, u := withUser(t)
	ctx := context.Background()
	id, err := identity.OpenSession(ctx, s, audit.Line{}, opening(u, "a", "d"))
	storetest.Done(t, err)
	replacing := opening(u, "b", "d")
	replacing.Replaces = id
	_, err = identity.OpenSession(ctx, s, audit.Line{}, replacing)
	storetest.Done(t, err)
	replacing.Hash = []byte("c")
	if _, err = identity.OpenSession(ctx, s, audit.Line{}, replacing); !storetest.Broken(t, err).Missing {
		t.Error("an expired session was replaced")
	}
	storetest.Done(t, identity.DisableUser(ctx, s, audit.Line{Action: "user disabled"}, "Ann", store.AnyVersion))
	if _, err = identity.SessionByHash(ctx, s, []byte("b")); !storetest.Broken(t, err).Missing {
		t.Error("a disabled user has a session")
	}
	if _, err = identity.OpenSession(ctx, s, audit.Line{}, opening(u, "d", "d")); !storetest.Broken(t, err).Missing {
		t.Error("a disabled user can sign in")
	}
}

// A user's latest browsers are known, and those of other users are kept.
func TestDevicesAreBounded(t *testing.T) {
	storetest.Engines(t, "the deletion of what is beyond a bound", testDevicesAreBounded)
}

func testDevicesAreBounded(t *testing.T) {
	s, u := withUser(t)
	ctx := context.Background()
	storetest.Done(t, identity.AddUser(ctx, s, audit.Line{}, identity.User{Name: "Bob", Role: "viewer", Password: "hash"}, false))
	bob, err := identity.UserNamed(ctx, s, "Bob")
	storetest.Done(t, err)
	_, err = identity.OpenSession(ctx, s, audit.Line{}, opening(bob, "bob", "device 0"))
	storetest.Done(t, err)
	for i := range 25 {
		o := opening(u, fmt.Sprint("session ", i), fmt.Sprint("device ", i))
		o.Session.Created += affiliate.Millis(i)
		_, err := identity.OpenSession(ctx, s, audit.Line{}, o)
		storetest.Done(t, err)
	}
	for i := range 25 {
		if known, err := identity.KnownDevice(ctx, s, u.ID, fmt.Append(nil, "device ", i)); err != nil || known != (i >= 5) {
			t.Errorf("device %d is known: %v, %v", i, known, err)
		}
	}
	if known, err := identity.KnownDevice(ctx, s, bob.ID, []byte("device 0")); err != nil || !known {
		t.Error("the browser of another user was forgotten", err)
	}
}

func TestTokensAreBounded(t *testing.T) {
	storetest.Engines(t, "the deletion of what is beyond a bound", testTokensAreBounded)
}

func testTokensAreBounded(t *testing.T) {
	s, _ := withUser(t)
	ctx := context.Background()
	add := func(i int) error {
		_, err := identity.AddToken(ctx, s, audit.Line{}, "Ann", identity.Token{Name: fmt.Sprint("token ", i), Scopes: "read"}, fmt.Append(nil, i))
		return err
	}
	for i := range identity.MaxTokens {
		storetest.Done(t, add(i))
	}
	storetest.Broken(t, add(1000))
	list, err := identity.Tokens(ctx, s, "ann")
	storetest.Done(t, err)
	for i, token := range list { // newest first
		if want := fmt.Sprint("token ", identity.MaxTokens-1-i); token.Token.Name != want || token.Token.ID < 1e8 || token.Token.ID >= 1e9 {
			t.Errorf("%q with the number %d, want %q with nine digits", token.Token.Name, token.Token.ID, want)
		}
	}
	storetest.Done(t, identity.RevokeToken(ctx, s, audit.Line{}, list[7].Token.ID))
	storetest.Done(t, add(1001))
}
