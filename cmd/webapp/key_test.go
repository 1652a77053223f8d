package main

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"rebatedesk/access"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/evidence"
	"rebatedesk/evidence/keyring"
	"rebatedesk/mail"
	"rebatedesk/reports"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/storetest"
)

// keyHarness is a database with something sealed in each place where something can be.
type keyHarness struct {
	*harness
	t             *testing.T
	authenticator string // its secret
	signer        evidence.PublicKey
	posted        *atomic.Int64 // requests to the receiver of the channel
	codes         int           // of the authenticator that were given
}

// sealed is how many values a keyHarness has.
const sealed = 8

// newKeyHarness fills the database at a place, whose master key is key.
func newKeyHarness(t *testing.T, d *harness, key func() secret.MasterKey) *keyHarness {
	t.Helper()
	k := &keyHarness{harness: d, t: t, posted: &atomic.Int64{}}
	d.env = append(d.env, "REBATEDESK_ALLOW_PRIVATE_URLS=on")
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { k.posted.Add(1) }))
	t.Cleanup(receiver.Close)
	d.add("stored")
	k.does(d.keys()+"trading-key\ntrading-secret\ntrading-phrase\n", "account", "rotate", "stored", "--keys-stdin")
	k.does("correct horse battery", "user", "add", "--name", "ann", "--role", "admin", "--password-stdin")
	k.authenticator = enrolledAt(t, d.db, key(), d.now())
	address := filepath.Join(t.TempDir(), "address")
	if err := os.WriteFile(address, []byte(receiver.URL+"/canary-path"), 0o600); err != nil {
		t.Fatal(err)
	}
	k.does("", "channel", "add", "--name", "ops", "--kind", "webhook", "--url-file", address)
	k.does("", "channel", "rotate", "--name", "ops")
	k.opened(key(), func(st *store.Store) {
		made, err := keyring.New(st, key().Box()).Key(t.Context(), audit.Line{Via: "command"})
		if err != nil {
			t.Fatal(err)
		}
		k.signer = made.Public()
		mails := mail.New(mail.Options{Store: st, Reports: reports.New(st, k.now), Box: key().Box(), Now: k.now})
		err = mails.EnterServer(t.Context(), mail.NewServer{Host: "127.0.0.1", Port: "25", Security: "none", User: "desk", Password: "canary-mail", From: "desk@example.com"}, 0, audit.Line{Actor: "ann", Via: access.ViaSession})
		if err != nil {
			t.Fatal(err)
		}
	})
	if sound, said := k.verified(); !sound {
		t.Fatalf("before anything: %s", said)
	}
	return k
}

// does runs a command that must succeed, and returns what it printed.
func (k *keyHarness) does(stdin string, args ...string) string {
	k.t.Helper()
	status, out := k.typed(stdin, args...)
	if status != statusDone {
		k.t.Fatalf("%v: status %d, %s", args, status, out)
	}
	return out
}

func (k *keyHarness) verified() (sound bool, said string) {
	k.t.Helper()
	status, said := k.typed("", "verify")
	return status == statusDone, said
}

func (k *keyHarness) opened(key secret.MasterKey, f func(*store.Store)) {
	k.t.Helper()
	st, err := store.Open(k.t.Context(), k.db, store.Options{AuditKey: key.Derive(database.AuditLabel), Now: k.now})
	if err != nil {
		k.t.Fatal(err)
	}
	defer st.Close()
	f(st)
}

// works checks that everything opens with a key.
func (k *keyHarness) works(key secret.MasterKey) {
	k.t.Helper()
	if sound, said := k.verified(); !sound || strings.Contains(said, "warning") {
		k.t.Errorf("verify: %s", said)
	}
	k.does("", "account", "test", "stored")
	before := k.posted.Load()
	k.does("", "channel", "test", "--name", "ops")
	if k.posted.Load() != before+1 {
		k.t.Errorf("the test of the channel made %d requests", k.posted.Load()-before)
	}
	k.opened(key, func(st *store.Store) {
		signing, err := keyring.New(st, key.Box()).Key(k.t.Context(), audit.Line{})
		if err != nil || signing.Public() != k.signer {
			k.t.Errorf("the signing key: %v", err)
		}
		mails := mail.New(mail.Options{Store: st, Reports: reports.New(st, k.now), Box: key.Box(), Now: k.now})
		if via, err := mails.ServerState(k.t.Context()); err != nil || via.Failed != nil || via.Server.Password != "canary-mail" {
			k.t.Errorf("the password of the mail server: %v, %v", err, via.Failed)
		}
		k.codes++
		now := k.now().Add(time.Duration(k.codes) * 5 * time.Minute) // no code is taken twice
		s := access.NewForTests(access.Options{Store: st, Box: key.Box(), Now: func() time.Time { return now }})
		entry, err := s.SignIn(k.t.Context(), "ann", "correct horse battery", access.Origin{})
		if err != nil {
			k.t.Fatal(err)
		}
		code, err := totp.GenerateCode(k.authenticator, now)
		if err != nil {
			k.t.Fatal(err)
		}
		if _, err := s.Confirm(k.t.Context(), entry.Secret, code, access.Origin{}); err != nil {
			k.t.Errorf("the code of the authenticator: %v", err)
		}
	})
}

// sealedBy lists the columns with values that were sealed with a key, in whichever table.
func (k *keyHarness) sealedBy(key, opens secret.MasterKey) (found []string) {
	k.t.Helper()
	id, err := hex.DecodeString(key.ID())
	if err != nil {
		k.t.Fatal(err)
	}
	k.opened(opens, func(st *store.Store) {
		r, err := st.Read(k.t.Context())
		if err != nil {
			k.t.Fatal(err)
		}
		defer r.Close()
		tables, err := r.Tables(k.t.Context())
		if err != nil || len(tables) < 20 {
			k.t.Fatal(len(tables), err)
		}
		for _, table := range tables {
			rows, err := r.QueryContext(k.t.Context(), `SELECT * FROM `+table)
			if err != nil {
				k.t.Fatal(err)
			}
			names, err := rows.Columns()
			if err != nil {
				k.t.Fatal(err)
			}
			values, targets := make([]any, len(names)), make([]any, len(names))
			for i := range values {
				targets[i] = &values[i]
			}
			for rows.Next() {
				if err := rows.Scan(targets...); err != nil {
					k.t.Fatal(err)
				}
				for i, value := range values {
					raw, binary := value.([]byte)
					if text, ok := value.(string); ok {
						raw, binary = []byte(text), true
					}
					if binary && (bytes.Contains(raw, id) || bytes.Contains(raw, []byte(key.ID())) && table != "audit") {
						found = append(found, table+"."+names[i])
					}
				}
			}
			if err := errors.Join(rows.Err(), rows.Close()); err != nil {
				k.t.Fatal(err)
			}
		}
	})
	return found
}

func readKey(t *testing.T, path string) secret.MasterKey {
	t.Helper()
	key, err := secret.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// With another master key everything opens that opened before, nothing is left of the former one, and
// backups of before open with the former one.
func TestChangeOfKey(t *testing.T) {
	t.Parallel()
	d := newStoredHarness(t)
	path := d.db + database.KeySuffix
	k := newKeyHarness(t, d, func() secret.MasterKey { return readKey(t, path) })
	old := readKey(t, path)
	backups := d.db[:len(d.db)-len(".db")] + ".db.backups"
	if err := os.Mkdir(backups, 0o700); err != nil {
		t.Fatal(err)
	}
	backup := filepath.Join(backups, "desk-20261101T000000Z.db")
	k.does("", "backup", backup)
	if list := k.sealedBy(old, old); len(list) != sealed {
		t.Fatalf("sealed are %q", list)
	}
	anchor := filepath.Join(t.TempDir(), "anchor")
	if err := os.WriteFile(anchor, []byte(contents(t, d.db+".audit")), 0o600); err != nil {
		t.Fatal(err)
	}
	said := k.does("", "key", "change")
	next := readKey(t, path)
	for _, want := range []string{fmt.Sprintf("sealed again: %d\n", sealed), "2 of 2 anchors outside the database compared", path + ".former-" + old.ID(), "backups made before need the former key", "links that end mails"} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q: %s", want, said)
		}
	}
	if next.ID() == old.ID() || readKey(t, path+".former-"+old.ID()).ID() != old.ID() || strings.Contains(said, next.Text()) || strings.Contains(said, old.Text()) {
		t.Error("the files of the keys are not the former and another one, or a key is printed")
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v: %v", info.Mode(), err)
	}
	if names := strings.Join(storetest.Names(t, filepath.Dir(path)), " "); strings.Contains(names, ".key.new") || strings.Contains(names, ".key-") {
		t.Errorf("left behind: %s", names)
	}
	if list := k.sealedBy(old, next); list != nil {
		t.Errorf("of the former key are %q", list)
	}
	k.works(next)
	if list := k.log(next); list[0].Action != audit.ActionRekeyed || list[0].Via != "command" || !strings.Contains(list[0].Detail, "from "+old.ID()+" to "+next.ID()+", audit log before: ") {
		t.Errorf("the line of the change is %+v", list[0])
	}

	// Anchors of before, with their time, are no alarm, and a database that is put back afterwards is found.
	k.does("", "verify", "--anchor", anchor)
	older := contents(t, d.db)
	k.does("correct horse battery", "user", "add", "--name", "bob", "--role", "viewer", "--password-stdin")
	if err := os.WriteFile(d.db, []byte(older), 0o600); err != nil {
		t.Fatal(err)
	}
	if sound, said := k.verified(); sound || !strings.Contains(said, "it was put back to an earlier state") {
		t.Errorf("put back after the change: %s", said)
	}
	k.does("", "verify", "--restored", "a test")

	// The former key opens nothing, and is not the one of the database.
	d.env = append(d.env, "REBATEDESK_MASTER_KEY="+old.Text())
	if status, said := k.typed("", "account", "test", "stored"); status != statusUsage || !strings.Contains(said, "is not the key that the database") {
		t.Errorf("with the former key: status %d, %s", status, said)
	}
	if status, said := k.typed("", "verify"); status != statusFailed || !strings.Contains(said, "cannot be proved without the master key") {
		t.Errorf("verify with the former key: status %d, %s", status, said)
	}
	again := d.db + ".again"
	now := d.db
	d.env = append(d.env, "REBATEDESK_DB="+again)
	k.does("", "restore", backup)
	d.db = again
	k.works(old)
	d.env, d.db = append(d.env[:len(d.env)-2], "REBATEDESK_DB="+now), now

	// A second change, to a key of one's own, which the program is given.
	own := secret.NewKey()
	k.does(own.Text()+"\n", "key", "change", "--new-key-stdin")
	k.works(own)
	if status, said := k.typed(own.Text(), "key", "change", "--new-key-stdin"); status != statusUsage || !strings.Contains(said, "is the present one") {
		t.Errorf("the same key again: status %d, %s", status, said)
	}
}

// A file at the place of the next key is taken only if the database has that key already, and one at the
// place of the former key is not taken for it.
func TestPlantedKeys(t *testing.T) {
	t.Parallel()
	d := newStoredHarness(t)
	path := d.db + database.KeySuffix
	k := newKeyHarness(t, d, func() secret.MasterKey { return readKey(t, path) })
	old, planted := readKey(t, path), secret.NewKey()
	if err := os.WriteFile(path+".new", []byte(planted.Text()), 0o666); err != nil {
		t.Fatal(err)
	}
	former := path + ".former-" + old.ID()
	if err := os.WriteFile(former, []byte("junk"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, said := k.typed("", "key", "change"); status != statusFailed || !strings.Contains(said, "move that file away") {
		t.Errorf("with a file at the place of the former key: status %d, %s", status, said)
	}
	if readKey(t, path).ID() != old.ID() {
		t.Fatal("the former key was replaced and is nowhere")
	}
	if err := os.Remove(former); err != nil {
		t.Fatal(err)
	}
	k.does("", "key", "change")
	if next := readKey(t, path); next.ID() == old.ID() || next.ID() == planted.ID() || readKey(t, former).ID() != old.ID() {
		t.Error("the key is the former or the planted one, or the former one was not kept")
	}
	if sound, said := k.verified(); !sound {
		t.Error(said)
	}
}

// log returns the lines of the audit log about keys, newest first.
func (k *keyHarness) log(key secret.MasterKey) (list []audit.Line) {
	k.t.Helper()
	k.opened(key, func(st *store.Store) {
		r, err := st.Read(k.t.Context())
		if err != nil {
			k.t.Fatal(err)
		}
		defer r.Close()
		page, err := audit.ReadPage(k.t.Context(), r, audit.LogQuery{Action: audit.ActionRekeyed})
		if err != nil || len(page.Lines) == 0 {
			k.t.Fatal(page, err)
		}
		list = page.Lines
	})
	return list
}

// A key is not changed while something works on the database, if the audit log is not sound, or if a
// value does not open: then everything is as it was.
func TestChangeOfKeyIsRefused(t *testing.T) {
	t.Parallel()
	d := newStoredHarness(t)
	path := d.db + database.KeySuffix
	k := newKeyHarness(t, d, func() secret.MasterKey { return readKey(t, path) })
	old := readKey(t, path)
	refused := func(name, words string, status int, args ...string) {
		t.Helper()
		is, said := k.typed("", append([]string{"key", "change"}, args...)...)
		if is != status || !strings.Contains(said, words) || readKey(t, path).ID() != old.ID() || len(k.sealedBy(old, old)) != sealed {
			t.Errorf("%s: status %d, %s", name, is, said)
		}
	}
	server := serving(t, []string{"REBATEDESK_DB=" + d.db, "REBATEDESK_COLLECT_EVERY=1h"})
	refused("a server", "a server works on this database: stop it first", statusFailed)
	if _, err := server.terminated(); err != nil {
		t.Fatal(err)
	}
	release, err := store.LockCollectorAt(d.db)
	if err != nil {
		t.Fatal(err)
	}
	refused("a collector", "a collector works on this database", statusFailed)
	if err := release(); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(t.TempDir(), "broken")
	if err := os.WriteFile(broken, []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused("no key", "32 bytes in base64", statusUsage, "--new-key-file", broken)
	refused("two keys", "", statusUsage, "--new-key-file", broken, "--new-key-stdin")
	refused("the present key", "is the present one", statusUsage, "--new-key-file", path)

	corrupted := func(statement string) {
		t.Helper()
		g := &accessHarness{t, d.db}
		g.unguarded(statement)
	}
	corrupted(`UPDATE channels SET address = secret`)
	refused("a value that does not open", `the address of the channel "ops" was changed since it was sealed`, statusFailed)
	k.does("", "channel", "remove", "--name", "ops")
	if is, said := k.typed("", "verify"); is != statusDone {
		t.Fatalf("status %d, %s", is, said)
	}
	corrupted(`UPDATE audit SET detail = 'x' WHERE id = 2`)
	is, said := k.typed("", "key", "change")
	if is != statusFailed || !strings.Contains(said, "the audit log is not sound, and new codes would hide it") || readKey(t, path).ID() != old.ID() {
		t.Errorf("a line that was changed: status %d, %s", is, said)
	}
}

// A process that is killed anywhere leaves a database whose key is the former or the new one, in whole,
// and the command finishes what it began.
func TestKilledChangeOfKey(t *testing.T) {
	t.Parallel()
	d := newStoredHarness(t)
	path := d.db + database.KeySuffix
	k := newKeyHarness(t, d, func() secret.MasterKey { return readKey(t, path) })
	old := readKey(t, path)
	var former, renewed int
	for n := int64(1); ; n += 3 {
		child := process(t, append(d.env, fmt.Sprint(killedAt, "=", n)), "key", "change")
		said, err := child.CombinedOutput()
		if err == nil {
			break
		}
		if child.ProcessState.ExitCode() != -1 { // -1: by a signal
			t.Fatalf("killed at step %d: %v, %s", n, err, said)
		}
		next := readKey(t, path+".new")
		if is, _ := k.typed("", "account", "list"); is == statusDone {
			former++
			if len(k.sealedBy(old, old)) != sealed || k.sealedBy(next, old) != nil {
				t.Fatalf("killed at step %d: values are of both keys", n)
			}
			continue
		}
		renewed++
		if k.sealedBy(old, next) != nil {
			t.Fatalf("killed at step %d: values are of both keys", n)
		}
		break
	}
	if former < 5 {
		t.Errorf("killed %d times before the change, and %d times after it", former, renewed)
	}
	if renewed > 0 {
		if said := k.does("", "key", "change"); !strings.Contains(said, "is the new one already") {
			t.Errorf("the second command: %s", said)
		}
	}
	k.works(readKey(t, path))

	// After the commit, before the files are in their places.
	k.does("", "key", "change")
	next := readKey(t, path)
	id := strings.Fields(k.log(next)[0].Detail)[1]
	if err := errors.Join(os.Rename(path, path+".new"), os.Rename(path+".former-"+id, path)); err != nil {
		t.Fatal(err)
	}
	if is, said := k.typed("", "account", "list"); is != statusUsage || !strings.Contains(said, "webapp key change") {
		t.Errorf("in between: status %d, %s", is, said)
	}
	if said := k.does("", "key", "change"); !strings.Contains(said, "is the new one already") {
		t.Errorf("the command that finishes: %s", said)
	}
	k.works(next)
}

// On a server the key is changed while no node runs, and each node gets it then.
func TestChangeOfKeyOnPostgres(t *testing.T) {
	storetest.PostgresOnly(t)
	d := newStoredHarness(t)
	dir := t.TempDir()
	t.Chdir(dir)
	first, second := filepath.Join(dir, "first"), filepath.Join(dir, "second")
	old, err := secret.MakeFile(first)
	if err != nil {
		t.Fatal(err)
	}
	d.db = storetest.Empty(t)
	d.env = append(d.env, "REBATEDESK_DB="+d.db, "REBATEDESK_MASTER_KEY_FILE="+first)
	k := newKeyHarness(t, d, func() secret.MasterKey { return old })
	if list := k.sealedBy(old, old); len(list) != sealed {
		t.Fatalf("sealed are %q", list)
	}
	if is, said := k.typed("", "key", "change"); is != statusUsage || !strings.Contains(said, "REBATEDESK_MASTER_KEY_FILE") {
		t.Errorf("without a place for the new key: status %d, %s", is, said)
	}
	server := serving(t, []string{"REBATEDESK_DB=" + d.db, "REBATEDESK_MASTER_KEY_FILE=" + first, "REBATEDESK_NODE=far", "REBATEDESK_BACKUP_KEEP=0"})
	if is, said := k.typed("", "key", "change", "--new-key-file", second); is != statusFailed || !strings.Contains(said, "the node far works on this database") {
		t.Errorf("while a node runs: status %d, %s", is, said)
	}
	if _, err := server.terminated(); err != nil {
		t.Fatal(err)
	}
	said := k.does("", "key", "change", "--new-key-file", second)
	next := readKey(t, second)
	for _, want := range []string{fmt.Sprintf("sealed again: %d\n", sealed), "let REBATEDESK_MASTER_KEY_FILE give the key in " + second, "every other node needs the new key"} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q: %s", want, said)
		}
	}
	if k.sealedBy(old, next) != nil || readKey(t, first).ID() != old.ID() {
		t.Error("values are of the former key, or its file was changed")
	}
	if is, said := k.typed("", "account", "test", "stored"); is != statusUsage || !strings.Contains(said, "is not the key that the database") {
		t.Errorf("with the former key: status %d, %s", is, said)
	}
	d.env = append(d.env, "REBATEDESK_MASTER_KEY_FILE="+second)
	k.works(next)
}
