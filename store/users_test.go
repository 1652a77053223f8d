package store_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// withUser is a store with a viewer called Ann, and her row.
func withUser(t *testing.T) (*store.Store, store.User) {
	t.Helper()
	s := openStore(t, store.Options{AuditKey: auditKey})
	done(t, s.AddUser(context.Background(), store.Audit{Action: "user added"}, store.User{Name: "Ann", Role: "viewer", Password: "hash"}, true))
	u, err := s.UserNamed(context.Background(), "aNN")
	done(t, err)
	return s, u
}

func opening(u store.User, hash string, device string) store.Opening {
	return store.Opening{Session: store.Session{Hash: []byte(hash), Whole: true, Created: 1000}, Of: u, Device: []byte(device)}
}

// A change without a line in the audit log is no change.
func TestUsersAreNotChangedWithoutTheirLine(t *testing.T) {
	s, u := withUser(t)
	before, err := store.Lines(s, `SELECT * FROM users`)
	done(t, err)
	done(t, store.Corrupt(s, `UPDATE audit_head SET rows = rows + 1, seal = x'00'`))
	ctx, by := context.Background(), store.Audit{Action: "changed"}
	_, opened := s.OpenSession(ctx, by, opening(u, "a", "d"))
	_, token := s.AddToken(ctx, by, "Ann", store.Token{Name: "x", Scopes: "read"}, []byte("h"))
	for what, err := range map[string]error{
		"add": s.AddUser(ctx, by, store.User{Name: "Bob", Role: "viewer"}, false), "role": s.SetRole(ctx, by, "Ann", store.AnyVersion, "admin"),
		"password": s.SetPassword(ctx, by, "Ann", store.AnyVersion, "other", true), "disable": s.DisableUser(ctx, by, "Ann", store.AnyVersion),
		"authenticator": s.ResetTOTP(ctx, by, "Ann", store.AnyVersion), "session": opened, "token": token,
	} {
		if !errors.Is(err, store.ErrAuditBroken) {
			t.Errorf("%s: %v", what, err)
		}
	}
	after, err := store.Lines(s, `SELECT * FROM users`)
	if err != nil || fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("%v became %v, %v", before, after, err)
	}
	for _, table := range []string{"sessions", "devices", "tokens"} {
		if rows, err := store.Lines(s, `SELECT 1 FROM `+table); err != nil || len(rows) != 0 {
			t.Errorf("%s has %d rows, %v", table, len(rows), err)
		}
	}
}

func TestSessionsNeedAnEnabledUser(t *testing.T) {
	s, u := withUser(t)
	ctx := context.Background()
	id, err := s.OpenSession(ctx, store.Audit{}, opening(u, "a", "d"))
	done(t, err)
	replacing := opening(u, "b", "d")
	replacing.Replaces = id
	_, err = s.OpenSession(ctx, store.Audit{}, replacing)
	done(t, err)
	replacing.Hash = []byte("c")
	if _, err = s.OpenSession(ctx, store.Audit{}, replacing); !broken(t, err).Missing {
		t.Error("a session that has ended was replaced")
	}
	done(t, s.DisableUser(ctx, store.Audit{Action: "user disabled"}, "Ann", store.AnyVersion))
	if _, err = s.SessionByHash(ctx, []byte("b")); !broken(t, err).Missing {
		t.Error("a disabled user has a session")
	}
	if _, err = s.OpenSession(ctx, store.Audit{}, opening(u, "d", "d")); !broken(t, err).Missing {
		t.Error("a disabled user signs in")
	}
}

// Of a user the latest browsers are known; those of others stay.
func TestDevicesAreBounded(t *testing.T) {
	s, u := withUser(t)
	ctx := context.Background()
	done(t, s.AddUser(ctx, store.Audit{}, store.User{Name: "Bob", Role: "viewer", Password: "hash"}, false))
	bob, err := s.UserNamed(ctx, "Bob")
	done(t, err)
	_, err = s.OpenSession(ctx, store.Audit{}, opening(bob, "bob", "device 0"))
	done(t, err)
	for i := range 25 {
		o := opening(u, fmt.Sprint("session ", i), fmt.Sprint("device ", i))
		o.Session.Created += affiliate.Millis(i)
		_, err := s.OpenSession(ctx, store.Audit{}, o)
		done(t, err)
	}
	for i := range 25 {
		if known, err := s.KnownDevice(ctx, u.ID, fmt.Append(nil, "device ", i)); err != nil || known != (i >= 5) {
			t.Errorf("device %d is known: %v, %v", i, known, err)
		}
	}
	if known, err := s.KnownDevice(ctx, bob.ID, []byte("device 0")); err != nil || !known {
		t.Error("the browser of somebody else was forgotten", err)
	}
}

func TestTokensAreBounded(t *testing.T) {
	s, _ := withUser(t)
	ctx := context.Background()
	add := func(i int) error {
		_, err := s.AddToken(ctx, store.Audit{}, "Ann", store.Token{Name: fmt.Sprint("token ", i), Scopes: "read"}, fmt.Append(nil, i))
		return err
	}
	for i := range store.MaxTokens {
		done(t, add(i))
	}
	broken(t, add(1000))
	done(t, s.RevokeToken(ctx, store.Audit{}, 7))
	done(t, add(1001))
}
