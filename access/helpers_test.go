package access

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/storetest"
)

// clock is a time that does not advance until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// fixture is a service with a separate database.
type fixture struct {
	*Service
	t     *testing.T
	path  string
	key   secret.MasterKey
	clock *clock
	st    *store.Store
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	d := &fixture{
		t: t, path: storetest.Empty(t), key: secret.NewKey(),
		clock: &clock{now: time.Date(2026, time.September, 7, 12, 0, 0, 0, time.UTC)},
	}
	d.start()
	t.Cleanup(d.stop)
	return d
}

func (d *fixture) start() {
	d.t.Helper()
	st, err := store.Open(context.Background(), d.path, store.Options{Now: d.clock.Now, AuditKey: d.key.Derive("audit")})
	done(d.t, err)
	d.st = st
	d.Service = NewForTests(Options{Store: st, Box: d.key.Box(), Now: d.clock.Now})
}

func (d *fixture) stop() {
	d.t.Helper()
	done(d.t, d.st.Close())
}

// restart starts a new service with the content of the database.
func (d *fixture) restart() {
	d.t.Helper()
	d.stop()
	d.start()
}

func done(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wants checks for an error of the package.
func wants(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("got the error %v, want %v", err, want)
	}
}

// refused checks that a rule was broken.
func refused(t *testing.T, err error) {
	t.Helper()
	if _, ok := errors.AsType[*store.RuleError](err); !ok {
		t.Fatalf("not refused by a rule: %v", err)
	}
}

var console = Actor{Name: "operator", Via: ViaCommand}

const (
	rightPassword = "plum-gravel-otter-57"
	otherPassword = "velvet-anchor-moss-83"
)

func (d *fixture) add(name string, role Role) {
	d.t.Helper()
	done(d.t, d.AddUser(d.t.Context(), console, NewUser{Name: name, Role: role, Password: rightPassword}))
}

func at(address string) Origin {
	return Origin{Address: netip.MustParseAddr(address), Agent: "test browser"}
}

var home = at("192.0.2.10")

// enter signs in with the right password.
func (d *fixture) enter(name string) Entry {
	d.t.Helper()
	e, err := d.SignIn(d.t.Context(), name, rightPassword, home)
	done(d.t, err)
	return e
}

// enrolled signs a new user in with an authenticator and returns its secret.
func (d *fixture) enrolled(name string, role Role) (Entry, string, []string) {
	d.t.Helper()
	d.add(name, role)
	return d.enrol(d.enter(name))
}

// enrol sets up an authenticator for the signed-in user.
func (d *fixture) enrol(e Entry) (Entry, string, []string) {
	d.t.Helper()
	begun, err := d.Enrol(d.t.Context(), e.Principal)
	done(d.t, err)
	recovery, e, err := d.ConfirmEnrolment(d.t.Context(), e.Principal, rightPassword, d.later(begun.Secret), home)
	done(d.t, err)
	return e, begun.Secret, recovery
}

// steppedUp reports whether the user of a session proved to be present within a time.
func (d *fixture) steppedUp(p Principal, within time.Duration) bool {
	d.t.Helper()
	proved, err := d.SteppedUp(d.t.Context(), p, within)
	done(d.t, err)
	return proved
}

// code returns the current code of an authenticator.
func (d *fixture) code(secret string) string {
	d.t.Helper()
	code, err := totp.GenerateCode(secret, d.clock.Now())
	done(d.t, err)
	return code
}

// later moves the clock to the next period and returns its code.
func (d *fixture) later(secret string) string {
	d.t.Helper()
	d.clock.add(period)
	return d.code(secret)
}

// whole returns a whole session of a user with an authenticator.
func (d *fixture) whole(name, secret string) Entry {
	d.t.Helper()
	e, err := d.Confirm(d.t.Context(), d.enter(name).Secret, d.later(secret), home)
	done(d.t, err)
	return e
}

// alive reports whether a secret still belongs to a session.
func (d *fixture) alive(secret string) bool {
	d.t.Helper()
	_, err := d.BySession(d.t.Context(), secret, home)
	if err != nil && !errors.Is(err, ErrNoSession) {
		d.t.Fatal(err)
	}
	return err == nil
}

// audited returns the audit log, oldest first, without the lines of successful sign-ins.
func audited(t *testing.T, st *store.Store) []string {
	t.Helper()
	r, err := st.Read(t.Context())
	done(t, err)
	defer r.Close()
	var list []string
	for line, err := range audit.Lines(t.Context(), r, audit.LogQuery{}) {
		done(t, err)
		if line.Action != "sign-in" {
			list = append(list, strings.Join([]string{line.Actor, line.Via, line.Action, line.Object}, " "))
		}
	}
	return list
}
