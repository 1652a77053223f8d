package access

import (
	"bytes"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/store/audit"
	"rebatedesk/store/identity"
)

// proven lists for how long after something a session counts as proven.
func (d *fixture) proven(p Principal) time.Duration {
	d.t.Helper()
	began := d.clock.Now()
	for d.steppedUp(p, 5*time.Minute) {
		d.clock.add(time.Second)
	}
	return d.clock.Now().Sub(began)
}

// A user proves to be present with the means of the sign-in: by a code if the user has an
// authenticator, and by nothing less.
func TestProve(t *testing.T) {
	d := newFixture(t)
	d.add("vic", Viewer)
	vic := d.enter("vic")
	if got := d.proven(vic.Principal); got != 5*time.Minute {
		t.Errorf("a sign-in by the password counts for %s", got)
	}
	wants(t, d.Prove(t.Context(), vic.Principal, "wrong"), ErrWrong)
	if d.steppedUp(vic.Principal, 5*time.Minute) {
		t.Error("a wrong password proves")
	}
	done(t, d.Prove(t.Context(), vic.Principal, rightPassword))
	if got := d.proven(vic.Principal); got != 5*time.Minute {
		t.Errorf("a password counts for %s", got)
	}

	ann, secret, _ := d.enrolled("ann", Admin)
	d.clock.add(6 * time.Minute)
	wants(t, d.Prove(t.Context(), ann.Principal, rightPassword), ErrWrong)
	stale := ann.Principal
	stale.HasTOTP = false // as it was before the authenticator was set up
	wants(t, d.Prove(t.Context(), stale, rightPassword), ErrForbidden)
	done(t, d.Prove(t.Context(), ann.Principal, d.later(secret)))
	if got := d.proven(ann.Principal); got != 5*time.Minute {
		t.Errorf("a code counts for %s", got)
	}

	half := d.enter("ann")
	if d.steppedUp(half.Principal, 5*time.Minute) {
		t.Error("the password alone proves an administrator")
	}
	wants(t, d.Prove(t.Context(), half.Principal, d.later(secret)), ErrForbidden)
	d.add("new", Admin)
	if bare := d.enter("new"); d.steppedUp(bare.Principal, 5*time.Minute) {
		t.Error("an administrator without an authenticator is proven")
	}
	var looked int
	for range 30 {
		if err := d.Prove(t.Context(), vic.Principal, "wrong"); errors.Is(err, ErrWrong) {
			looked++
		}
	}
	if looked != int(byUser.free) {
		t.Errorf("%d wrong proofs were looked at", looked)
	}
}

// The number of sessions per user is limited; half sign-ins end no other session.
func TestSessionsAreLimited(t *testing.T) {
	d := newFixture(t)
	d.add("bob", Viewer)
	bob := d.enter("bob")
	ann, secret, _ := d.enrolled("ann", Admin)
	for range 2 * identity.MaxSessions {
		d.clock.add(time.Second)
		d.enter("ann") // half
	}
	if !d.alive(ann.Secret) {
		t.Fatal("half sessions have ended a whole one")
	}
	entries := []Entry{ann}
	for range identity.MaxSessions + 5 {
		entries = append(entries, d.whole("ann", secret))
	}
	for i, e := range entries {
		if alive, want := d.alive(e.Secret), i >= len(entries)-identity.MaxSessions; alive != want {
			t.Errorf("session %d of %d is alive: %v", i, len(entries), alive)
		}
	}
	if !d.alive(bob.Secret) {
		t.Error("the session of another user ended")
	}
	if line := d.newest("sign-in"); !strings.Contains(line.Detail, "the oldest of 20 sessions ended") {
		t.Errorf("the log says %+v", line)
	}
}

// newest is the newest line of the audit log about something.
func (d *fixture) newest(action string) audit.Line {
	d.t.Helper()
	r, err := d.st.Read(d.t.Context())
	done(d.t, err)
	defer r.Close()
	page, err := audit.ReadPage(d.t.Context(), r, audit.LogQuery{Action: action})
	done(d.t, err)
	if len(page.Lines) == 0 {
		return audit.Line{}
	}
	return page.Lines[0]
}

// A sign-in in an unknown browser is reported, in the log and to its user, for a month.
func TestNewBrowsers(t *testing.T) {
	d := newFixture(t)
	d.add("ann", Viewer)
	usual := home
	e := d.enter("ann")
	usual.Device = e.Device
	news := func() []Browser {
		t.Helper()
		list, err := d.NewBrowsers(t.Context(), e.Principal)
		done(t, err)
		return list
	}
	if list := news(); len(list) != 0 {
		t.Errorf("the first browser is news: %+v", list)
	}
	d.clock.add(time.Minute)
	_, err := d.SignIn(t.Context(), "ann", rightPassword, usual)
	done(t, err)
	if line := d.newest("sign-in"); line.Detail != "password" || len(news()) != 0 {
		t.Errorf("a browser that is known: %+v, %+v", line, news())
	}
	thief := Origin{Address: at("203.0.113.66").Address, Agent: "Firefox/1"}
	thiefs, err := d.SignIn(t.Context(), "ann", rightPassword, thief)
	done(t, err)
	done(t, d.SignOut(t.Context(), thiefs.Secret, thief))
	list := news()
	if len(list) != 1 || list[0].Address != "203.0.113.66" || list[0].Agent != "Firefox/1" || !list[0].First.Equal(d.clock.Now()) {
		t.Errorf("a new browser: %+v", list)
	}
	if line := d.newest("sign-in"); line.Detail != "password, in a new browser" || line.Address != "203.0.113.66" {
		t.Errorf("the log says %+v", line)
	}
	d.clock.add(newFor)
	if list := news(); len(list) != 0 {
		t.Errorf("after a month: %+v", list)
	}
}

// Refused requests are recorded in the audit log: soon, and then in one line an hour for
// each user and kind, with their number.
func TestRefusalsAreTold(t *testing.T) {
	d := newFixture(t)
	d.add("ann", Viewer)
	d.add("bob", Viewer)
	ann, bob := d.enter("ann").Principal, d.enter("bob").Principal
	before := len(audited(t, d.st))
	var told []string
	flush := func() {
		t.Helper()
		done(t, d.tidy(t.Context()))
		all := audited(t, d.st)
		told, before = all[before:], len(all)
	}
	for range 500 {
		d.NoteRefusal(ann, RefusedRole)
		d.NoteRefusal(ann, RefusedForm)
	}
	d.NoteRefusal(bob, RefusedRole)
	flush()
	if want := []string{"ann session requests refused by form token", "ann session requests refused by role", "bob session requests refused by role"}; !slices.Equal(told, want) {
		t.Errorf("reported is %q, want %q", told, want)
	}
	for range 59 {
		d.clock.add(time.Minute)
		d.NoteRefusal(ann, RefusedRole)
		flush()
		if len(told) != 0 {
			t.Fatalf("within the hour: %q", told)
		}
	}
	d.clock.add(time.Minute)
	flush()
	if line := d.newest("requests refused"); len(told) != 1 || line.Detail != "59 requests" || line.Outcome != "refused" || line.Address != "192.0.2.10" {
		t.Errorf("after an hour: %q, %+v", told, line)
	}
	d.clock.add(2 * time.Hour)
	flush()
	if len(told) != 0 || len(d.refusals) != 0 {
		t.Errorf("without anything new: %q, and %d are kept", told, len(d.refusals))
	}
}

// A person who guesses the setup token is slowed and recorded in the log; a person who has
// the token signs in from any address.
func TestSetupTokenGuesses(t *testing.T) {
	d := newFixture(t)
	var log bytes.Buffer
	d.Service = NewForTests(Options{Store: d.st, Box: d.key.Box(), Now: d.clock.Now, Log: slog.New(slog.NewTextHandler(&log, nil))})
	var looked int
	for range 200 {
		_, err := d.Setup(t.Context(), newSecret(), "eve", rightPassword, at("203.0.113.5"))
		if errors.Is(err, ErrWrong) {
			looked++
		} else if _, ok := errors.AsType[*Throttled](err); !ok {
			t.Fatal(err)
		}
	}
	if looked != int(bySetup.free) || strings.Count(log.String(), "a wrong setup token was given") != looked || !strings.Contains(log.String(), "address=203.0.113.5") {
		t.Errorf("%d guesses were looked at, and the log has\n%s", looked, log.String())
	}
	// The right one is taken from that address too: a proxy may be all that is seen of everybody.
	_, err := d.Setup(t.Context(), d.SetupToken(), "ann", "short", at("203.0.113.5"))
	refused(t, err)
	_, err = d.Setup(t.Context(), d.SetupToken(), "ann", rightPassword, home)
	done(t, err)
}

// A year after its last use nothing is kept of a browser but that there was one: another one is still
// new to the user.
func TestOldBrowsersAreForgotten(t *testing.T) {
	d := newFixture(t)
	d.add("ann", Viewer)
	origin := home
	origin.Agent = "Firefox/1"
	first, err := d.SignIn(t.Context(), "ann", rightPassword, origin)
	done(t, err)
	known := func() (agents []string) {
		t.Helper()
		list, err := identity.Devices(t.Context(), d.st, first.Principal.UserID)
		done(t, err)
		for _, one := range list {
			agents = append(agents, one.Agent+" "+one.Address)
		}
		return agents
	}
	d.clock.add(deviceKept)
	done(t, d.tidy(t.Context()))
	if list := known(); len(list) != 1 || list[0] != "Firefox/1 "+home.Address.String() {
		t.Errorf("after a year: %q", list)
	}
	d.clock.add(time.Minute)
	done(t, d.tidy(t.Context()))
	if list := known(); len(list) != 1 || list[0] != " " {
		t.Errorf("after more than a year: %q", list)
	}
	second, err := d.SignIn(t.Context(), "ann", rightPassword, Origin{Address: at("203.0.113.66").Address, Agent: "Opera/9"})
	done(t, err)
	done(t, d.tidy(t.Context()))
	if news, err := d.NewBrowsers(t.Context(), second.Principal); err != nil || len(news) != 1 || news[0].Agent != "Opera/9" {
		t.Errorf("a new browser: %+v, %v", news, err)
	}
}
