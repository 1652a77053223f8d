package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"rebatedesk/access"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/storetest"
)

// anchorHarness is a database with an administrator, whose audit log has an anchor beside it.
func anchorHarness(t *testing.T) *accessHarness {
	t.Helper()
	g := newAccessHarness(t)
	g.works(goodPassword, "user", "add", "--name", "ann", "--role", "admin", "--password-stdin")
	g.works(goodPassword, "user", "add", "--name", "bob", "--role", "manager", "--password-stdin")
	return g
}

// unguarded runs statements as a process does that may write the file and has no key, with all
// triggers out of the way, and puts these back.
func (g *accessHarness) unguarded(statement string) {
	g.t.Helper()
	st, err := store.Open(g.t.Context(), g.db, store.Options{})
	if err != nil {
		g.t.Fatal(err)
	}
	rows, err := st.Readers().QueryContext(g.t.Context(), `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`)
	if err != nil {
		g.t.Fatal(err)
	}
	var drop, create []string
	for rows.Next() {
		var name, text string
		if err := rows.Scan(&name, &text); err != nil {
			g.t.Fatal(err)
		}
		drop, create = append(drop, `DROP TRIGGER `+name), append(create, text)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		g.t.Fatal(err)
	}
	if len(drop) == 0 {
		g.t.Fatal("there are no triggers")
	}
	for _, one := range append(append(drop, statement), create...) {
		if err := storetest.Corrupt(st, one); err != nil {
			g.t.Fatal(err)
		}
	}
	if err := st.Close(); err != nil {
		g.t.Fatal(err)
	}
}

// kept copies a file and returns its copy.
func (g *accessHarness) kept(path string) string {
	g.t.Helper()
	copied := filepath.Join(g.t.TempDir(), filepath.Base(path))
	if err := os.WriteFile(copied, []byte(contents(g.t, path)), 0o600); err != nil {
		g.t.Fatal(err)
	}
	return copied
}

func (g *accessHarness) putBack(from, to string) {
	g.t.Helper()
	if err := os.WriteFile(to, []byte(contents(g.t, from)), 0o600); err != nil {
		g.t.Fatal(err)
	}
}

// verified runs webapp verify and returns whether it found nothing, and what it said.
func (g *accessHarness) verified(args ...string) (sound bool, said string) {
	g.t.Helper()
	status, stdout, stderr := g.run("", append([]string{"verify"}, args...)...)
	if status != statusDone && status != statusFailed {
		g.t.Fatalf("status %d: %s", status, stderr)
	}
	return status == statusDone, stdout + stderr
}

// An attacker who kept an older copy gives a user more rights and puts the audit log back, with its
// own triggers and without the master key. verify says so, from the file beside the database, from a
// backup, from an anchor given by hand, and from the user alone.
func TestVerifyFindsLogPutBack(t *testing.T) {
	t.Parallel()
	g := anchorHarness(t)
	older := g.kept(g.db)
	g.works("", "user", "role", "bob", "--role", "admin")
	backups := filepath.Join(filepath.Dir(g.db), "access.db.backups")
	if err := os.Mkdir(backups, 0o700); err != nil {
		t.Fatal(err)
	}
	g.works("", "backup", filepath.Join(backups, "access-20261101T000000Z.db"))
	if sound, said := g.verified(); !sound || !strings.Contains(said, "4 lines (2 of 2 anchors outside the database compared)") {
		t.Fatalf("before the attack: %s", said)
	}
	anchor := strings.TrimSpace(contents(t, g.db+".audit"))
	g.unguarded(`ATTACH '` + older + `' AS older; DELETE FROM audit WHERE id > (SELECT rows FROM older.audit_head);
		UPDATE audit_head SET rows = (SELECT rows FROM older.audit_head), mac = (SELECT mac FROM older.audit_head), seal = (SELECT seal FROM older.audit_head)`)
	role := `the user "bob" has the role admin, and the log says manager`
	put := "it was put back to an earlier state: it has 3 lines, and "
	check := func(name string, words []string, args ...string) {
		t.Helper()
		sound, said := g.verified(args...)
		for _, want := range words {
			if sound || !strings.Contains(said, want) {
				t.Errorf("%s: sound %v, without %q: %s", name, sound, want, said)
			}
		}
	}
	check("all anchors", []string{role, put + g.db + ".audit says that there were 4", put + backups, "access-20261101T000000Z.db.sha256 says that there were 4"})
	// Commands leave the evidence where it is, and say what they found.
	if _, _, said := g.run("", "token", "create", "--user", "ann", "--name", "x", "--scope", "read"); !strings.Contains(said, "the audit log is not what it was") {
		t.Errorf("a command says %q", said)
	}
	if after := strings.TrimSpace(contents(t, g.db+".audit")); after != anchor {
		t.Errorf("the anchor was written over: %s instead of %s", after, anchor)
	}
	check("as many lines as before", []string{"line 4 is another one than " + g.db + ".audit says"})
	if err := errors.Join(os.Remove(g.db+".audit"), os.RemoveAll(backups)); err != nil {
		t.Fatal(err)
	}
	check("an anchor by hand", []string{role, "line 4 is another one than --anchor says"}, "--anchor", strings.Fields(anchor)[0])
	file := filepath.Join(t.TempDir(), "anchor")
	if err := os.WriteFile(file, []byte(anchor+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	check("an anchor in a file", []string{role, "line 4 is another one than " + file + " says"}, "--anchor", file)
	check("no anchor at all", []string{role})
	// With the rights as they were, only an anchor can tell.
	g.putBack(older, g.db)
	check("the whole older file", []string{"it was put back to an earlier state"}, "--anchor", file)
}

// A restored backup is no alarm, whatever was known of the database before, and hides no later
// rollback.
func TestAnchorsAfterRestore(t *testing.T) {
	t.Parallel()
	g := anchorHarness(t)
	backup := filepath.Join(t.TempDir(), "copy.db")
	g.works("", "backup", backup)
	for _, role := range []string{"viewer", "manager", "viewer"} {
		g.works("", "user", "role", "bob", "--role", role)
	}
	later := strings.TrimSpace(contents(t, g.db+".audit"))
	if err := os.Remove(g.db); err != nil {
		t.Fatal(err)
	}
	g.works("", "restore", backup)
	file := filepath.Join(t.TempDir(), "later")
	if err := os.WriteFile(file, []byte(later), 0o600); err != nil {
		t.Fatal(err)
	}
	if sound, said := g.verified("--anchor", file); !sound || !strings.Contains(said, "ok: audit log: 4 lines") {
		t.Errorf("after the restore: %s", said)
	}
	restored := g.kept(g.db)
	g.works("", "user", "role", "bob", "--role", "viewer")
	if sound, said := g.verified(); !sound {
		t.Errorf("after work on the restored database: %s", said)
	}
	g.putBack(restored, g.db)
	if sound, said := g.verified(); sound || !strings.Contains(said, "it was put back to an earlier state: it has 4 lines") {
		t.Errorf("put back after the restore: sound %v, %s", sound, said)
	}

	// Without the key nothing can be written into the log: whoever restored says so later.
	key := contents(t, g.db+database.KeySuffix)
	if err := errors.Join(os.Remove(g.db), os.Remove(g.db+database.KeySuffix)); err != nil {
		t.Fatal(err)
	}
	g.works("", "restore", backup)
	if err := os.WriteFile(g.db+database.KeySuffix, []byte(key), 0o600); err != nil {
		t.Fatal(err)
	}
	if sound, said := g.verified(); sound || !strings.Contains(said, "webapp verify --restored WHY") {
		t.Errorf("restored without the key: sound %v, %s", sound, said)
	}
	if sound, said := g.verified("--restored", "the disk failed"); !sound {
		t.Errorf("after it was said: %s", said)
	}
	if sound, said := g.verified(); !sound {
		t.Errorf("afterwards: %s", said)
	}
}

// A new database in the place of another one is no alarm, nor is a process that ended before it had
// written the anchor.
func TestAnchorOfAnotherDatabase(t *testing.T) {
	t.Parallel()
	g := anchorHarness(t)
	before := g.kept(g.db + ".audit")
	g.works("", "user", "role", "bob", "--role", "viewer")
	g.putBack(before, g.db+".audit") // as after a crash between the line and the anchor
	if sound, said := g.verified(); !sound {
		t.Errorf("with an earlier anchor: %s", said)
	}
	if err := os.Remove(g.db); err != nil {
		t.Fatal(err)
	}
	old := contents(t, g.db+".audit")
	if _, _, said := g.run(goodPassword, "user", "add", "--name", "ann", "--role", "admin", "--password-stdin"); !strings.Contains(said, "if it belongs to another database that was here, move it away") {
		t.Errorf("a new database beside the anchor of another one: %s", said)
	}
	if sound, said := g.verified(); sound || !strings.Contains(said, "or that anchor is of another database") || contents(t, g.db+".audit") != old {
		t.Errorf("with a new database: sound %v, %s", sound, said)
	}
	if err := os.Rename(g.db+".audit", g.db+".audit-of-before"); err != nil {
		t.Fatal(err)
	}
	if sound, said := g.verified(); !sound || !strings.Contains(said, "warning: audit log: no anchor beside the database: there is no "+g.db+".audit") {
		t.Errorf("with the other anchor moved away: sound %v, %s", sound, said)
	}
	g.works("", "user", "role", "ann", "--role", "admin")
	if sound, said := g.verified(); !sound || strings.Contains(said, "warning") || !strings.Contains(said, "1 of 1 anchors") {
		t.Errorf("with an anchor of its own: sound %v, %s", sound, said)
	}
	// An anchor of another database given by hand is a fault, a backup of one is not.
	file := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(file, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	if sound, said := g.verified("--anchor", file); sound || !strings.Contains(said, "its first line is another one than "+file+" says") {
		t.Errorf("with the anchor of another database by hand: sound %v, %s", sound, said)
	}
	backups := filepath.Join(filepath.Dir(g.db), "access.db.backups")
	g.works("", "backup", filepath.Join(filepath.Dir(g.db), "one.db"))
	sum := contents(t, filepath.Join(filepath.Dir(g.db), "one.db.sha256"))
	sum = sum[:strings.Index(sum, "# audit log ")] + "# audit log " + old
	if err := errors.Join(os.Mkdir(backups, 0o700), os.WriteFile(filepath.Join(backups, "access-20261101T000000Z.db.sha256"), []byte(sum), 0o600)); err != nil {
		t.Fatal(err)
	}
	if sound, said := g.verified(); !sound || !strings.Contains(said, "(1 of 2 anchors outside the database compared; 1 of backups of another database)") {
		t.Errorf("with a backup of another database: sound %v, %s", sound, said)
	}
}

// An attacker deletes the audit log whole and a line begins it anew. The anchor of before stays, for the
// server too, and says so.
func TestVerifyFindsLogBegunAnew(t *testing.T) {
	t.Parallel()
	g := anchorHarness(t)
	anchor := contents(t, g.db+".audit")
	g.unguarded(`DELETE FROM audit; DELETE FROM audit_head`)
	if _, _, said := g.run("", "token", "create", "--user", "ann", "--name", "x", "--scope", "read"); !strings.Contains(said, "somebody has deleted the audit log and begun it anew") {
		t.Errorf("the command that begins it anew says %q", said)
	}
	st, err := store.OpenUnchanged(t.Context(), g.db, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	cfg := config.Config{DB: config.Database(g.db)}
	if _, _, err := database.KeepAnchor(t.Context(), cfg, st); err == nil || contents(t, g.db+".audit") != anchor {
		t.Errorf("a server writes the anchor over: %v", err)
	}
	sound, said := g.verified()
	for _, want := range []string{"its first line is another one than " + g.db + ".audit says", "either all its lines were deleted and it was begun anew", "webapp verify --restored WHY", "move its file away"} {
		if sound || !strings.Contains(said, want) {
			t.Errorf("sound %v, without %q: %s", sound, want, said)
		}
	}
	// A line about a restore counts only with its code.
	g.unguarded(`INSERT INTO audit SELECT max(id) + 1, 9999999999999, '', 'command', '', 'database restored', '', '', '', zeroblob(32) FROM audit`)
	if sound, said := g.verified(); sound || !strings.Contains(said, "its first line is another one than") {
		t.Errorf("with a forged restore: sound %v, %s", sound, said)
	}
	for _, st := range []*store.Store{st, g.keyed()} {
		if _, _, err := database.KeepAnchor(t.Context(), cfg, st); err == nil || contents(t, g.db+".audit") != anchor {
			t.Errorf("a forged restore: a server writes the anchor over: %v", err)
		}
	}
}

// A head that was set back for a moment does not set the anchor back.
func TestAnchorNeverGoesBack(t *testing.T) {
	t.Parallel()
	g := anchorHarness(t)
	anchor := contents(t, g.db+".audit")
	g.unguarded(`UPDATE audit_head SET rows = 1, mac = (SELECT mac FROM audit WHERE id = 1)`)
	if _, _, err := database.KeepAnchor(t.Context(), config.Config{DB: config.Database(g.db)}, g.keyed()); err == nil || contents(t, g.db+".audit") != anchor {
		t.Errorf("%v: the anchor is %s", err, contents(t, g.db+".audit"))
	}
}

// What is no anchor beside the database is a fault among the others, and holds nobody up.
func TestVerifyWithoutReadableAnchor(t *testing.T) {
	t.Parallel()
	g := anchorHarness(t)
	place := g.db + ".audit"
	anchor := contents(t, place)
	for name, c := range map[string]struct {
		make func() error
		want string
	}{
		"other text": {func() error { return os.WriteFile(place, []byte("nothing"), 0o600) }, "it is no anchor of an audit log"},
		"empty":      {func() error { return os.WriteFile(place, nil, 0o600) }, "it is no anchor of an audit log"},
		"large":      {func() error { return os.WriteFile(place, make([]byte, 1<<20), 0o600) }, "is too large for the file"},
		"folder":     {func() error { return os.Mkdir(place, 0o700) }, "is a folder or a pipe, and no file"},
		"pipe":       {func() error { return syscall.Mkfifo(place, 0o600) }, "is a folder or a pipe, and no file"},
	} {
		if err := errors.Join(os.Remove(place), c.make()); err != nil {
			t.Fatal(err)
		}
		sound, said := g.verified()
		for _, want := range []string{"audit log: it could not be compared with " + place, c.want, "put back the file that was there, or move it away", "ok: rights: 2 users", "ok: integrity"} {
			if sound || !strings.Contains(said, want) {
				t.Errorf("%s: sound %v, without %q: %s", name, sound, want, said)
			}
		}
		if strings.Contains(said, "behind this program's back") {
			t.Errorf("%s: somebody is blamed: %s", name, said)
		}
		if _, _, said := g.run("", "user", "role", "bob", "--role", "manager"); !strings.Contains(said, "put back the file that was there, or move it away") {
			t.Errorf("%s: a command says %s", name, said)
		}
	}
	if err := errors.Join(os.Remove(place), os.WriteFile(place, []byte(anchor), 0o600)); err != nil {
		t.Fatal(err)
	}
	if sound, said := g.verified(); !sound {
		t.Errorf("with the anchor again: %s", said)
	}
}

// keyed opens the database with the key of its audit log.
func (g *accessHarness) keyed() *store.Store {
	g.t.Helper()
	key, err := secret.ParseKey(strings.TrimSpace(contents(g.t, g.db+database.KeySuffix)))
	if err != nil {
		g.t.Fatal(err)
	}
	st, err := store.Open(g.t.Context(), g.db, store.Options{AuditKey: key.Derive(database.AuditLabel)})
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() {
		if err := st.Close(); err != nil {
			g.t.Error(err)
		}
	})
	return st
}

// Each right that an attacker writes into the database, and each that the log took away, is found.
func TestVerifyFindsForgedRights(t *testing.T) {
	t.Parallel()
	g := anchorHarness(t)
	g.works(goodPassword, "user", "add", "--name", "cid", "--role", "viewer", "--password-stdin")
	g.works("", "user", "disable", "cid")
	g.works("", "user", "bind", "bob", "--code", "vip")
	g.works("", "token", "create", "--user", "bob", "--name", "old", "--scope", "read")
	g.works("", "token", "create", "--user", "bob", "--name", "one", "--scope", "read")
	g.works("", "token", "revoke", g.tokenID("old"))
	g.works(goodPassword, "user", "add", "--name", "dan", "--role", "viewer", "--password-stdin")
	g.works("", "token", "create", "--user", "dan", "--name", "all", "--scope", "read")
	older := g.kept(g.db)
	g.works(otherPassword, "user", "password", "--name", "dan", "--password-stdin")
	if sound, said := g.verified(); !sound || !strings.Contains(said, "ok: rights: 4 users, 3 tokens, 0 stored accounts, 0 closings, 0 signing keys") {
		t.Fatalf("before: %s", said)
	}
	sane := g.kept(g.db)
	for statement, want := range map[string]string{
		`UPDATE users SET role = 'admin' WHERE name = 'bob'`:               `the user "bob" has the role admin, and the log says manager`,
		`UPDATE users SET bound = '' WHERE name = 'bob'`:                   `the user "bob" is bound to everything, and the log says code "vip"`,
		`UPDATE users SET disabled_ms = NULL WHERE name = 'cid'`:           `the user "cid" was disabled`,
		`UPDATE users SET totp = x'00' WHERE name = 'ann'`:                 `the authenticator of the user "ann"`,
		`UPDATE users SET name = 'eve', folded = 'eve' WHERE name = 'ann'`: `no line says that the user "eve" was added`,
		`UPDATE tokens SET revoked_ms = NULL WHERE name = 'old'`:           `the token "old" of "bob" was revoked`,
		`UPDATE tokens SET revoked_ms = NULL WHERE name = 'all'`:           `1 API tokens of "dan" ended on`,
		`ATTACH '` + older + `' AS older; UPDATE users SET (password, changed_ms, mac) = (SELECT o.password, o.changed_ms, o.mac FROM older.users o WHERE o.name = 'dan') WHERE name = 'dan'`: `the row of the user "dan" is of`,
		`UPDATE tokens SET scopes = 'read export' WHERE name = 'one'`:                                                                                                        `the token "one" of "bob"`,
		`UPDATE tokens SET expires_ms = NULL WHERE name = 'one'`:                                                                                                             `and never expires`,
		`UPDATE tokens SET user_id = (SELECT id FROM users WHERE name = 'ann') WHERE name = 'one'`:                                                                           `the token "one" of "ann"`,
		`INSERT INTO signing_keys (public_key, sealed, created_ms) VALUES (zeroblob(32), zeroblob(80), 1700000000000)`:                                                       `the signing key of 2023-11-14`,
		`INSERT INTO closings (month, zone, known_ms, closed_ms, actor, complete, proof, payout_rule) VALUES ('2026-08-01', 'UTC', 1, 1700000000000, 'ann', 1, 'x', 'auto')`: `no line says that 2026-08 was closed`,
		`INSERT INTO exchange_accounts (name, base_url, contract_base_url, api_version, locale, keys, trading_keys, created_ms, rotated_ms, updated_ms) VALUES ('other', 'https://evil.example', 'https://evil.example', 'v2', 'en-US', zeroblob(40), x'', 1, 1, 1)`: `the account "other" was added with the address "https://evil.example"`,
	} {
		g.unguarded(statement)
		if sound, said := g.verified(); sound || !strings.Contains(said, "rights: ") || !strings.Contains(said, want) {
			t.Errorf("%s: sound %v, without %q: %s", statement, sound, want, said)
		}
		g.putBack(sane, g.db)
	}
}

// A server keeps the anchor up to its last line, and writes it into its log.
func TestServerKeepsAnchor(t *testing.T) {
	t.Parallel()
	g := anchorHarness(t)
	if err := os.Remove(g.db + ".audit"); err != nil {
		t.Fatal(err)
	}
	who := g.service()
	st, err := store.OpenUnchanged(t.Context(), g.db, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	var log bytes.Buffer
	cfg := config.Config{DB: config.Database(g.db)}
	early := slog.New(slog.NewTextHandler(&log, nil))
	if err := database.WarnWithoutAnchor(t.Context(), cfg, st, early); err != nil || !strings.Contains(log.String(), "there was no anchor of the audit log beside the database") {
		t.Errorf("%v: %s", err, log.String())
	}
	log.Reset()
	ctx, stop := context.WithCancel(t.Context())
	var serving sync.WaitGroup
	serving.Go(func() {
		database.ServeAnchor(ctx, config.Config{DB: config.Database(g.db)}, st, slog.New(slog.NewTextHandler(&log, nil)))
	})
	if err := who.SetRole(ctx, operator(), "bob", store.AnyVersion, access.Viewer); err != nil {
		t.Error(err)
	}
	stop()
	serving.Wait()
	if strings.Contains(log.String(), "WARN") {
		t.Errorf("a first anchor is no news while it runs: %s", log.String())
	}
	kept := contents(t, g.db+".audit")
	if !strings.HasPrefix(kept, "4:") || !strings.Contains(log.String(), "msg=\"audit log\" anchor=") {
		t.Errorf("the anchor is %q, the log %s", kept, log.String())
	}
}
