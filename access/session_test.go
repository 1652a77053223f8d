package access

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"rebatedesk/store"
	"rebatedesk/store/identity"
	"rebatedesk/store/storetest"
)

// transitions are the ways from one session to the next, or to none. Each receives a first
// session and returns the secrets before and after; after is empty if no session is left.
var transitions = []struct {
	name string
	run  func(d *fixture) (before, after string)
}{
	{"anonymous to signed in", func(d *fixture) (string, string) {
		planted := newSecret() // put into the browser by an attacker
		d.add("ann", Viewer)
		return planted, d.enter("ann").Secret
	}},
	{"signed in again", func(d *fixture) (string, string) {
		d.add("ann", Viewer)
		first := d.enter("ann").Secret
		done(d.t, d.SignOut(d.t.Context(), first, home))
		return first, d.enter("ann").Secret
	}},
	{"half to whole by a code", func(d *fixture) (string, string) {
		_, secret, _ := d.enrolled("ann", Admin)
		half := d.enter("ann").Secret
		e, err := d.Confirm(d.t.Context(), half, d.later(secret), home)
		done(d.t, err)
		return half, e.Secret
	}},
	{"half to whole by a recovery code", func(d *fixture) (string, string) {
		_, _, recovery := d.enrolled("ann", Admin)
		half := d.enter("ann").Secret
		e, err := d.Confirm(d.t.Context(), half, recovery[3], home)
		done(d.t, err)
		return half, e.Secret
	}},
	{"half to whole by enrolment", func(d *fixture) (string, string) {
		d.add("ann", Admin)
		half := d.enter("ann")
		begun, err := d.Enrol(d.t.Context(), half.Principal)
		done(d.t, err)
		_, e, err := d.ConfirmEnrolment(d.t.Context(), half.Principal, "", d.code(begun.Secret), home)
		done(d.t, err)
		return half.Secret, e.Secret
	}},
	{"password changed by oneself", func(d *fixture) (string, string) {
		d.add("ann", Viewer)
		before := d.enter("ann")
		e, err := d.ChangePassword(d.t.Context(), before.Principal, rightPassword, otherPassword, home)
		done(d.t, err)
		return before.Secret, e.Secret
	}},
	{"password changed by oneself elsewhere", func(d *fixture) (string, string) {
		d.add("ann", Viewer)
		elsewhere := d.enter("ann")
		e, err := d.ChangePassword(d.t.Context(), d.enter("ann").Principal, rightPassword, otherPassword, home)
		done(d.t, err)
		return elsewhere.Secret, e.Secret
	}},
	{"password set by somebody else", func(d *fixture) (string, string) {
		d.add("ann", Viewer)
		before := d.enter("ann").Secret
		done(d.t, d.SetPassword(d.t.Context(), console, "ann", store.AnyVersion, otherPassword))
		return before, ""
	}},
	{"role changed", func(d *fixture) (string, string) {
		d.add("ann", Viewer)
		before := d.enter("ann").Secret
		done(d.t, d.SetRole(d.t.Context(), console, "ann", store.AnyVersion, Manager))
		return before, ""
	}},
	{"disabled", func(d *fixture) (string, string) {
		d.add("ann", Viewer)
		before := d.enter("ann").Secret
		done(d.t, d.Disable(d.t.Context(), console, "ann", store.AnyVersion))
		if d.alive(before) {
			d.t.Error("a disabled user has a session")
		}
		done(d.t, d.Enable(d.t.Context(), console, "ann", store.AnyVersion))
		return before, ""
	}},
	{"authenticator reset", func(d *fixture) (string, string) {
		e, _, _ := d.enrolled("ann", Trader)
		done(d.t, d.ResetTOTP(d.t.Context(), console, "ann", store.AnyVersion))
		return e.Secret, ""
	}},
	{"signed out", func(d *fixture) (string, string) {
		d.add("ann", Viewer)
		before := d.enter("ann").Secret
		done(d.t, d.SignOut(d.t.Context(), before, home))
		return before, ""
	}},
	{"revoked", func(d *fixture) (string, string) {
		d.add("ann", Viewer)
		before := d.enter("ann")
		done(d.t, d.RevokeSession(d.t.Context(), console, before.Principal.SessionID))
		return before.Secret, ""
	}},
	{"idle", func(d *fixture) (string, string) {
		d.add("ann", Viewer)
		before := d.enter("ann").Secret
		d.clock.add(8*time.Hour - time.Second)
		if !d.alive(before) {
			d.t.Error("ended before it was idle for long")
		}
		d.clock.add(8 * time.Hour)
		return before, ""
	}},
	{"too old though used", func(d *fixture) (string, string) {
		d.add("ann", Viewer)
		before := d.enter("ann").Secret
		for range 7*24 - 1 {
			d.clock.add(time.Hour)
			if !d.alive(before) {
				d.t.Fatal("ended though used")
			}
		}
		d.clock.add(time.Hour)
		return before, ""
	}},
	{"half for too long", func(d *fixture) (string, string) {
		d.add("ann", Admin)
		before := d.enter("ann").Secret
		d.clock.add(halfLife)
		return before, ""
	}},
}

// After every transition of a session the previous secret opens nothing, even for a process
// that starts later.
func TestSessionFixation(t *testing.T) {
	for _, c := range transitions {
		t.Run(c.name, func(t *testing.T) {
			d := newFixture(t)
			before, after := c.run(d)
			for range 2 {
				if d.alive(before) {
					t.Error("the old secret still works")
				}
				if after != "" && (!d.alive(after) || before == after) {
					t.Error("the new secret does not work, or is the old one")
				}
				if _, err := d.Confirm(t.Context(), before, "000000", home); err == nil {
					t.Error("the old secret still works")
				}
				d.restart()
			}
		})
	}
}

// The files of the database contain nothing that lets anyone in, and no text that users
// typed.
func TestDatabaseHoldsNoSecrets(t *testing.T) {
	d := newFixture(t)
	e, secret, recovery := d.enrolled("ann", Admin)
	half := d.enter("ann")
	text, _, err := d.CreateToken(t.Context(), e.Principal.Actor(), NewToken{User: "ann", Name: "reader", Scopes: []Scope{ScopeRead}})
	done(t, err)
	_, err = d.SignIn(t.Context(), otherPassword, "x", home)
	wants(t, err, ErrWrong)
	_, err = d.SignIn(t.Context(), "ann", "typed-and-wrong", home)
	wants(t, err, ErrWrong)
	done(t, d.Flush(t.Context()))
	canaries := append([]string{
		e.Secret, e.Device, half.Secret, secret, rightPassword, otherPassword, "typed-and-wrong", d.SetupToken(),
		strings.TrimPrefix(text, tokenMark),
	}, recovery...)
	for _, code := range recovery {
		canaries = append(canaries, plainCode(code))
	}
	var files int
	for _, suffix := range []string{"", "-wal"} {
		content := d.content(suffix)
		files += len(content)
		if (suffix == "-wal" || storetest.Postgres(t)) && !bytes.Contains(content, []byte("test browser")) {
			t.Error("the search does not find what is there")
		}
		for _, canary := range canaries {
			raw, _ := secretText.DecodeString(canary)
			if bytes.Contains(content, []byte(canary)) || len(raw) > 8 && bytes.Contains(content, raw) {
				t.Errorf("%.6s… is stored in the database%s", canary, suffix)
			}
		}
	}
	if files < 4_000 {
		t.Errorf("only %d bytes were searched", files)
	}
}

// content returns the bytes of a file of the database, or all values of its tables.
func (d *fixture) content(suffix string) []byte {
	d.t.Helper()
	if !storetest.Postgres(d.t) {
		content, err := os.ReadFile(d.path + suffix)
		done(d.t, err)
		return content
	}
	r := storetest.Reader(d.t, d.st)
	tables, err := r.Tables(context.Background())
	done(d.t, errors.Join(err, r.Close()))
	var content []byte
	for _, table := range tables {
		rows, err := storetest.Lines(d.st, `SELECT * FROM `+table)
		done(d.t, err)
		content = append(content, strings.Join(rows, "\n")...)
	}
	return content
}

// While a writer is at work, pages and programs are let in.
func TestNobodyWaitsForAWriter(t *testing.T) {
	d := newFixture(t)
	d.add("ann", Viewer)
	e := d.enter("ann")
	text, _, err := d.CreateToken(t.Context(), console, NewToken{User: "ann", Name: "reader", Scopes: []Scope{ScopeRead}})
	done(t, err)
	err = identity.ChangeThrottles(t.Context(), d.st, nil, func([]identity.Throttle) bool { // holds the write transaction
		answered := make(chan error, 1)
		go func() {
			for range 20 {
				d.clock.add(time.Second)
				if _, err := d.BySession(t.Context(), e.Secret, home); err != nil {
					answered <- err
					return
				}
				if _, err := d.ByToken(t.Context(), text, home); err != nil {
					answered <- err
					return
				}
			}
			_, err := d.Sessions(t.Context(), "ann")
			answered <- err
		}()
		select {
		case err := <-answered:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(time.Minute):
			t.Error("they wait")
		}
		return false
	})
	done(t, err)
	if list, err := d.Sessions(t.Context(), "ann"); err != nil || !list[0].Seen.Equal(d.clock.Now()) {
		t.Error("the use is not shown", list, err)
	}
	done(t, d.Flush(t.Context()))
	d.restart()
	if list, err := d.Sessions(t.Context(), "ann"); err != nil || len(list) != 1 || !list[0].Seen.Equal(d.clock.Now()) {
		t.Error("the use was not kept", list, err)
	}
}

// An automatic request of a page does not keep its session alive: a browser left open
// overnight is signed out.
func TestBackgroundDoesNotKeepASessionAlive(t *testing.T) {
	d := newFixture(t)
	d.add("ann", Viewer)
	e := d.enter("ann")
	idle, _ := Viewer.Limits()
	page := home
	page.Background = true
	for range 3 {
		d.clock.add(idle/3 - time.Second)
		_, err := d.BySession(t.Context(), e.Secret, page)
		done(t, err)
	}
	d.clock.add(3 * time.Second)
	_, err := d.BySession(t.Context(), e.Secret, page)
	wants(t, err, ErrNoSession)
}

func TestTidyRemovesWhatHasEnded(t *testing.T) {
	d := newFixture(t)
	d.add("ann", Viewer)
	e := d.enter("ann")
	_, err := d.SignIn(t.Context(), "nobody", "x", home)
	wants(t, err, ErrWrong)
	d.clock.add(7 * 24 * time.Hour)
	second := d.enter("ann")
	done(t, d.tidy(t.Context()))
	list, err := identity.Sessions(t.Context(), d.st, "")
	if err != nil || len(list) != 1 || list[0].Session.ID != second.Principal.SessionID {
		t.Error("stored sessions", list, err)
	}
	d.clock.add(longestOf + time.Second)
	done(t, d.tidy(t.Context()))
	g := attempt{counts: append(placeCounts("nobody", home), byClean.keyed(false, keySize, account("nobody")))}
	if counts, err := identity.Throttles(t.Context(), d.st, g.keys()); err != nil || counts[0].Count+counts[1].Count+counts[2].Count != 0 {
		t.Error("old guesses are kept", counts, err)
	}
	if d.alive(e.Secret) || d.alive(second.Secret) {
		t.Error("a session outlived its time")
	}
}

// Sessions are one's own business, and that of admins.
func TestWhoMayRevoke(t *testing.T) {
	d := newFixture(t)
	d.add("ann", Viewer)
	d.add("bob", Manager)
	admin, _, _ := d.enrolled("cleo", Admin)
	ann, bob := d.enter("ann"), d.enter("bob")
	wants(t, d.RevokeSession(t.Context(), bob.Principal.Actor(), ann.Principal.SessionID), ErrForbidden)
	program := ann.Principal
	program.TokenID = 1
	wants(t, d.RevokeSession(t.Context(), program.Actor(), ann.Principal.SessionID), ErrForbidden)
	if !d.alive(ann.Secret) {
		t.Fatal("another user revoked it")
	}
	done(t, d.RevokeSession(t.Context(), ann.Principal.Actor(), ann.Principal.SessionID))
	done(t, d.RevokeSession(t.Context(), admin.Principal.Actor(), bob.Principal.SessionID))
	done(t, d.RevokeSession(t.Context(), admin.Principal.Actor(), bob.Principal.SessionID))
	if d.alive(ann.Secret) || d.alive(bob.Secret) || !d.alive(admin.Secret) {
		t.Error("the wrong sessions ended")
	}
}

// A sign-in that was checked against outdated credentials opens no session: it cannot slip
// past a new password, role or authenticator by being in progress at that moment.
func TestSignInIsJudgedByWhatHolds(t *testing.T) {
	for what, change := range map[string]func(*fixture) error{
		"password": func(d *fixture) error {
			return identity.SetPassword(d.t.Context(), d.st, console.line("password set"), "ann", store.AnyVersion, d.hasher.unknown, true)
		},
		"role": func(d *fixture) error {
			return identity.SetRole(d.t.Context(), d.st, console.line("role changed"), "ann", store.AnyVersion, string(Manager))
		},
		"authenticator": func(d *fixture) error {
			u, err := identity.UserNamed(d.t.Context(), d.st, "ann")
			done(d.t, err)
			_, err = d.open(d.t.Context(), console.line("authenticator set up"), u, home, identity.Opening{TOTP: []byte("sealed"), Alone: true})
			return err
		},
	} {
		t.Run(what, func(t *testing.T) {
			d := newFixture(t)
			d.add("ann", Viewer)
			for range computations { // the computation has to wait
				d.hasher.running <- struct{}{}
			}
			result := make(chan error, 1)
			go func() {
				_, err := d.SignIn(t.Context(), "ann", rightPassword, home)
				result <- err
			}()
			for len(d.hasher.places) == 0 {
				time.Sleep(time.Millisecond)
			}
			done(t, change(d))
			for range computations {
				<-d.hasher.running
			}
			wants(t, <-result, ErrNoSession)
		})
	}
}
