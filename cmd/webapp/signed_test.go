package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/cookiejar"
	"os"
	"slices"
	"strings"
	"testing"

	"rebatedesk/access"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/identity"
	"rebatedesk/store/storetest"
)

// signedSite is a database that a program of before signing left, with bob, who has a session and an
// API token, and eve, and the server on it.
type signedSite struct {
	*testing.T
	place   string
	env     []string
	key     secret.MasterKey
	st      *store.Store // without the master key
	server  *server
	session string // secret of bob's
	token   string // of bob
}

const bobsPassword, evesPassword = "seven lanterns uphill", "nine kettles in autumn"

func newSignedSite(t *testing.T) *signedSite {
	t.Helper()
	raw := []byte(strings.Repeat("k", 32))
	key, err := secret.KeyOf(raw)
	if err != nil {
		t.Fatal(err)
	}
	s := &signedSite{T: t, place: storetest.Empty(t), key: key}
	s.env = []string{"REBATEDESK_DB=" + s.place, "REBATEDESK_MASTER_KEY=" + base64.StdEncoding.EncodeToString(raw), "REBATEDESK_BACKUP_KEEP=0", "REBATEDESK_PUBLIC_URL=http://127.0.0.1", "REBATEDESK_LOG_LEVEL=warn"}
	st := storetest.OpenAt(t, s.place, store.Options{AuditKey: key.Derive(database.AuditLabel)})
	who := access.NewForTests(access.Options{Store: st, Box: key.Box()})
	ctx := t.Context()
	storetest.Done(t, who.AddUser(ctx, operator(), access.NewUser{Name: "bob", Role: access.Manager, Password: bobsPassword}))
	storetest.Done(t, who.AddUser(ctx, operator(), access.NewUser{Name: "eve", Role: access.Viewer, Password: evesPassword}))
	entry, err := who.SignIn(ctx, "bob", bobsPassword, access.Origin{})
	storetest.Done(t, err)
	s.session = entry.Secret
	for _, name := range []string{"one", "ended"} {
		text, token, err := who.CreateToken(ctx, operator(), access.NewToken{User: "bob", Name: name, Scopes: []access.Scope{access.ScopeRead}})
		storetest.Done(t, err)
		if name == "one" {
			s.token = text
		} else {
			storetest.Done(t, who.RevokeToken(ctx, operator(), token.ID))
		}
	}
	s.st = storetest.OpenAt(t, s.place, store.Options{})
	for _, table := range []string{"users", "sessions", "tokens", "recovery_codes"} {
		s.write(`UPDATE ` + table + ` SET mac = NULL`)
	}
	s.write(`UPDATE users SET changed_ms = 0`)
	return s
}

// write changes the database as an attacker does who has no key.
func (s *signedSite) write(statement string, args ...any) {
	s.Helper()
	if _, err := s.st.Writer().ExecContext(s.Context(), statement, args...); err != nil {
		s.Fatal(statement, err)
	}
}

// status asks for a page with the cookie of a session, or with a token.
func (s *signedSite) status(session, token string) int {
	s.Helper()
	ask, err := http.NewRequestWithContext(s.Context(), http.MethodGet, s.server.url+"/commissions.json", nil)
	storetest.Done(s, err)
	if session != "" {
		ask.AddCookie(&http.Cookie{Name: "session", Value: session})
	} else {
		ask.Header.Set("Authorization", "Bearer "+token)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(ask)
	storetest.Done(s, err)
	storetest.Done(s, answer.Body.Close())
	return answer.StatusCode
}

// signsIn reports whether the form of the sign-in takes a password.
func (s *signedSite) signsIn(name, password string) bool {
	s.Helper()
	jar, err := cookiejar.New(nil)
	storetest.Done(s, err)
	b := &formBrowser{T: s.T, address: s.server.url, Client: http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	token := found(s.T, b.open("/login"), `name="token" value="([^"]+)"`)
	answer, err := b.PostForm(b.address+"/login", map[string][]string{"token": {token}, "username": {name}, "password": {password}})
	storetest.Done(s, err)
	storetest.Done(s, answer.Body.Close())
	return answer.StatusCode == http.StatusSeeOther
}

// verified returns whether webapp verify finds nothing, and what it says.
func (s *signedSite) verified() (sound bool, said string) {
	s.Helper()
	out, err := process(s, s.env, "verify").CombinedOutput()
	return err == nil, string(out)
}

// one reads one value of the database.
func one[T any](s *signedSite, query string, args ...any) (value T) {
	s.Helper()
	if err := s.st.Readers().QueryRowContext(s.Context(), query, args...).Scan(&value); err != nil {
		s.Fatal(query, err)
	}
	return value
}

func secretAndHash(fill byte) (secret string, hash []byte) {
	raw := bytes.Repeat([]byte{fill}, 32)
	sum := sha256.Sum256(raw)
	return base64.RawURLEncoding.EncodeToString(raw), sum[:]
}

// Whoever can write the database but has no master key can make nothing that signs in: no session, no
// API token, no password, no right. verify names each. What an earlier version stored goes on signing
// in, is signed once, and cannot be signed again by taking back the line that says so.
func TestNodeTakesNothingForged(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "signatures in a database that others write, and how a node reads it", testNodeTakesNothingForged)
}

func testNodeTakesNothingForged(t *testing.T) {
	s := newSignedSite(t)
	if sound, said := s.verified(); !sound || !strings.Contains(said, "warning: sign-ins: 4 users, sessions, API tokens and recovery codes are of an earlier version") {
		t.Errorf("before the first start: sound %v, %s", sound, said)
	}
	s.server = serving(t, s.env)
	right := func(when string) {
		t.Helper()
		if got := []int{s.status(s.session, ""), s.status("", s.token)}; !slices.Equal(got, []int{http.StatusOK, http.StatusOK}) {
			t.Errorf("%s: session and token answer %v", when, got)
		}
	}
	right("after the update")
	if !s.signsIn("eve", evesPassword) {
		t.Error("eve cannot sign in after the update")
	}
	if sound, said := s.verified(); !sound || strings.Contains(said, "earlier version") {
		t.Errorf("after the update: %s", said)
	}
	if lines := one[int](s, `SELECT count(*) FROM audit WHERE action = ? AND detail = '2 users, 1 sessions, 1 API tokens and 0 recovery codes of before'`, identity.ActionSigned); lines != 1 {
		t.Errorf("%d lines say that it was signed", lines)
	}

	bob, eve := one[int64](s, `SELECT id FROM users WHERE name = 'bob'`), one[int64](s, `SELECT id FROM users WHERE name = 'eve'`)
	now := one[int64](s, `SELECT created_ms FROM sessions WHERE user_id = ? AND whole = 1 ORDER BY created_ms LIMIT 1`, bob)
	mac := one[[]byte](s, `SELECT mac FROM sessions WHERE user_id = ? ORDER BY created_ms LIMIT 1`, bob)
	hash := one[[]byte](s, `SELECT hash FROM tokens WHERE name = 'one'`)
	ending := one[int64](s, `SELECT expires_ms FROM tokens WHERE name = 'one'`)
	tokenMAC := one[[]byte](s, `SELECT mac FROM tokens WHERE name = 'one'`)
	evesHash, evesMAC := one[string](s, `SELECT password FROM users WHERE name = 'eve'`), one[[]byte](s, `SELECT mac FROM users WHERE name = 'eve'`)
	forged, forgedHash := secretAndHash(7)
	refusedSession := func() bool { return s.status(forged, "") != http.StatusOK }
	refusedToken := func() bool { return s.status("", "rbd_"+forged) == http.StatusUnauthorized }
	bobsToken := func() bool { return s.status("", s.token) == http.StatusUnauthorized }
	for _, attack := range []struct {
		name, write string
		args        []any
		refused     func() bool
		undo        string
		undoArgs    []any
		says        string
	}{
		{"a session without a code", `INSERT INTO sessions (id, hash, user_id, whole, agent, address, created_ms, seen_ms) VALUES (7, ?, ?, 1, '', '', ?, ?)`, []any{forgedHash, bob, now, now}, refusedSession,
			`DELETE FROM sessions WHERE id = 7`, nil, `the session 7 of "bob"`},
		{"a session with the code of another", `INSERT INTO sessions (id, hash, user_id, whole, agent, address, created_ms, seen_ms, mac) VALUES (7, ?, ?, 1, '', '', ?, ?, ?)`, []any{forgedHash, bob, now, now, mac}, refusedSession,
			`DELETE FROM sessions WHERE id = 7`, nil, `the session 7 of "bob"`},
		{"a session of another user", `UPDATE sessions SET user_id = ? WHERE mac = ?`, []any{eve, mac}, func() bool { return s.status(s.session, "") != http.StatusOK },
			`UPDATE sessions SET user_id = ? WHERE mac = ?`, []any{bob, mac}, `of "eve" was written or changed`},
		{"a proof of presence", `UPDATE sessions SET proved_ms = ? WHERE mac = ?`, []any{now + 9, mac}, func() bool { return s.status(s.session, "") != http.StatusOK },
			`UPDATE sessions SET proved_ms = ? WHERE mac = ?`, []any{now, mac}, `of "bob" was written or changed`},
		{"a token without a code", `INSERT INTO tokens (id, hash, user_id, name, scopes, created_ms) VALUES (7, ?, ?, 'x', 'read', ?)`, []any{forgedHash, bob, now}, refusedToken,
			`DELETE FROM tokens WHERE id = 7`, nil, `the API token "x" of "bob"`},
		{"a token with the code of another", `INSERT INTO tokens (id, hash, user_id, name, scopes, created_ms, mac) VALUES (7, ?, ?, 'x', 'read', ?, ?)`, []any{forgedHash, bob, now, tokenMAC}, refusedToken,
			`DELETE FROM tokens WHERE id = 7`, nil, `the API token "x" of "bob"`},
		{"another secret of a token", `UPDATE tokens SET hash = ? WHERE name = 'one'`, []any{forgedHash}, refusedToken,
			`UPDATE tokens SET hash = ? WHERE name = 'one'`, []any{hash}, `the API token "one" of "bob"`},
		{"wider scopes", `UPDATE tokens SET scopes = 'read export' WHERE name = 'one'`, nil, bobsToken,
			`UPDATE tokens SET scopes = 'read' WHERE name = 'one'`, nil, `the API token "one" of "bob"`},
		{"a later expiry", `UPDATE tokens SET expires_ms = expires_ms + 1 WHERE name = 'one'`, nil, bobsToken,
			`UPDATE tokens SET expires_ms = ? WHERE name = 'one'`, []any{ending}, `the API token "one" of "bob"`},
		{"a token revoked no more", `UPDATE tokens SET revoked_ms = NULL, hash = ? WHERE name = 'ended'`, []any{forgedHash}, refusedToken,
			`UPDATE tokens SET revoked_ms = (SELECT at_ms FROM audit WHERE action = 'token revoked') WHERE name = 'ended'`, nil, `the API token "ended" of "bob"`},
		{"a password", `UPDATE users SET password = (SELECT b.password FROM users b WHERE b.name = 'bob') WHERE name = 'eve'`, nil, func() bool { return !s.signsIn("eve", bobsPassword) },
			`UPDATE users SET password = ? WHERE name = 'eve'`, []any{evesHash}, `the user "eve"`},
		{"a password with its code", `UPDATE users SET password = (SELECT b.password FROM users b WHERE b.name = 'bob'), mac = (SELECT b.mac FROM users b WHERE b.name = 'bob') WHERE name = 'eve'`, nil, func() bool { return !s.signsIn("eve", bobsPassword) },
			`UPDATE users SET password = ?, mac = ? WHERE name = 'eve'`, []any{evesHash, evesMAC}, `the user "eve"`},
		{"a role", `UPDATE users SET role = 'manager' WHERE name = 'eve'`, nil, func() bool { return !s.signsIn("eve", evesPassword) },
			`UPDATE users SET role = 'viewer' WHERE name = 'eve'`, nil, `the user "eve"`},
	} {
		s.write(attack.write, attack.args...)
		if !attack.refused() {
			t.Errorf("%s signs in", attack.name)
		}
		if sound, said := s.verified(); sound || !strings.Contains(said, "sign-ins: ") || !strings.Contains(said, attack.says) {
			t.Errorf("%s: sound %v, without %q: %s", attack.name, sound, attack.says, said)
		}
		s.write(attack.undo, attack.undoArgs...)
		right("after " + attack.name)
	}
	if sound, said := s.verified(); !sound {
		t.Errorf("after the attacks: %s", said)
	}

	if said := s.server.stderr.String(); strings.Count(said, `without the master key: nobody signs in with it; webapp verify tells more" row="the session 7 of \"bob\""`) != 1 || !strings.Contains(said, `row="the user \"eve\""`) {
		t.Errorf("the server warns %s", said)
	}

	// The row of a user whose password an attacker replaced is put right by a new password, and one with more
	// rights is not.
	s.write(`UPDATE users SET password = 'x' WHERE name = 'eve'`)
	again := process(t, s.env, "user", "password", "eve", "--password-stdin")
	again.Stdin = strings.NewReader("three owls by the canal")
	if said, err := again.CombinedOutput(); err != nil || !s.signsIn("eve", "three owls by the canal") {
		t.Errorf("a new password for eve: %v, %s", err, said)
	}
	s.write(`UPDATE users SET role = 'manager' WHERE name = 'eve'`)
	again = process(t, s.env, "user", "password", "eve", "--password-stdin")
	again.Stdin = strings.NewReader("four owls by the canal")
	if said, err := again.CombinedOutput(); err == nil || s.signsIn("eve", "four owls by the canal") {
		t.Errorf("a new password signs the role that somebody wrote: %s", said)
	}
	s.write(`UPDATE users SET role = 'viewer' WHERE name = 'eve'`)

	// The line that says that it was signed is taken back, and the rows look as before the update.
	if _, err := s.server.terminated(); err != nil {
		t.Fatal(err)
	}
	s.takeBackLine()
	s.write(`UPDATE sessions SET mac = NULL`)
	s.write(`UPDATE tokens SET mac = NULL`)
	written, writtenHash := secretAndHash(8)
	s.write(`INSERT INTO tokens (id, hash, user_id, name, scopes, created_ms) VALUES (8, ?, ?, 'y', 'read', ?)`, writtenHash, bob, now)
	s.server = serving(t, s.env)
	if s.status("", "rbd_"+written) != http.StatusUnauthorized || s.status(s.session, "") == http.StatusOK {
		t.Error("what was taken back is signed again")
	}
	if said := s.server.stderr.String(); !strings.Contains(said, "are not signed and do not sign in, because the audit log is not sound") {
		t.Errorf("the server says %q", said)
	}
	if sound, said := s.verified(); sound || !strings.Contains(said, "audit log: ") {
		t.Errorf("a log without the line: %s", said)
	}
}

// takeBackLine removes the line about the signing, with every guard out of the way.
func (s *signedSite) takeBackLine() {
	s.Helper()
	statement := `DELETE FROM audit WHERE action = '` + identity.ActionSigned + `'`
	if storetest.Postgres(s) {
		storetest.Done(s, storetest.Corrupt(s.st, statement))
		return
	}
	names, err := store.ReadColumn[string](s.Context(), s.st.Readers(), `SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY name`)
	storetest.Done(s, err)
	texts, err := store.ReadColumn[string](s.Context(), s.st.Readers(), `SELECT sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name`)
	storetest.Done(s, err)
	for _, name := range names {
		s.write(`DROP TRIGGER ` + name)
	}
	s.write(statement)
	for _, text := range texts {
		s.write(text)
	}
}

// A log that was put back to before the signing is not signed a second time as long as the file beside
// the database tells.
func TestSignedOnceDespiteOlderLog(t *testing.T) {
	t.Parallel()
	g := newAccessHarness(t)
	key := secret.NewKey()
	storetest.Done(t, os.WriteFile(g.db+database.KeySuffix, []byte(key.Text()+"\n"), 0o600))
	st, err := store.Open(t.Context(), g.db, store.Options{AuditKey: key.Derive(database.AuditLabel)})
	storetest.Done(t, err)
	storetest.Done(t, audit.Write(context.Background(), st, audit.Line{Action: "of an earlier version"}))
	storetest.Done(t, st.Close())
	older := g.kept(g.db)
	g.works(goodPassword, "user", "add", "--name", "ann", "--role", "admin", "--password-stdin")
	g.putBack(older, g.db)
	g.unguarded(`INSERT INTO users (id, name, folded, role, password, long_password, created_ms) VALUES (1, 'eve', 'eve', 'admin', 'x', 1, 1)`)
	status, _, said := g.run(goodPassword, "user", "add", "--name", "bob", "--role", "viewer", "--password-stdin")
	if status != statusDone || !strings.Contains(said, "1 users, sessions, API tokens and recovery codes are not signed") {
		t.Errorf("status %d: %s", status, said)
	}
	late := g.keyed()
	if _, err := identity.UserNamed(t.Context(), late, "eve"); err == nil {
		t.Error("the user of a log that was put back was signed")
	} else if _, forged := errors.AsType[*identity.ForgedError](err); !forged {
		t.Error(err)
	}
}
