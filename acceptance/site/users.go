package site

import (
	"context"
	"net/netip"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"rebatedesk/access"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/storetest"
)

// sharedUsers holds the users that all tests share which do not test signing in: one of each
// role, with the role's name, and without a code.
var sharedUsers struct {
	mutex   sync.Mutex
	service *access.Service
	secrets map[access.Role]string
}

// PasswordOf returns the password of the shared user of a role.
func PasswordOf(role access.Role) string { return "seven lanterns for the " + string(role[:2]) }

// SharedAccess returns access control with the shared users.
func SharedAccess(t testing.TB) *access.Service {
	t.Helper()
	sharedUsers.mutex.Lock()
	defer sharedUsers.mutex.Unlock()
	if sharedUsers.service != nil {
		return sharedUsers.service
	}
	all := lasting{t}
	st, service := NewAccess(t, filepath.Join(all.TempDir(), "users.db"), access.Options{SecondFactor: access.OfNobody})
	all.Cleanup(func() {
		if err := st.Close(); err != nil {
			all.Error(err)
		}
	})
	sharedUsers.service, sharedUsers.secrets = service, map[access.Role]string{}
	return service
}

// NewAccess returns access control without users on a separate database.
func NewAccess(t testing.TB, path string, o access.Options) (*store.Store, *access.Service) {
	t.Helper()
	key := secret.NewKey()
	storetest.Place(t, path)
	st, err := store.Open(context.Background(), path, store.Options{AuditKey: key.Derive("audit"), Now: o.Now})
	if err != nil {
		t.Fatal(err)
	}
	o.Store, o.Box = st, key.Box()
	return st, access.NewForTests(o)
}

// AddUser adds a user.
func AddUser(t testing.TB, to *access.Service, name string, role access.Role, password string) {
	t.Helper()
	if err := to.AddUser(context.Background(), access.Actor{Name: "test", Via: access.ViaCommand}, access.NewUser{Name: name, Role: role, Password: password}); err != nil {
		t.Fatal(err)
	}
}

// SignedIn returns the Cookie header of the shared user of a role, under both names of
// the cookie: with and without https.
func SignedIn(t testing.TB, role access.Role) string {
	t.Helper()
	service := SharedAccess(t)
	sharedUsers.mutex.Lock()
	defer sharedUsers.mutex.Unlock()
	if sharedUsers.secrets[role] == "" {
		AddUser(t, service, string(role), role, PasswordOf(role))
		entry, err := service.SignIn(context.Background(), string(role), PasswordOf(role), access.Origin{Address: netip.MustParseAddr("127.0.0.1")})
		if err != nil {
			t.Fatal(err)
		}
		sharedUsers.secrets[role] = entry.Secret
	}
	return cookies(sharedUsers.secrets[role])
}

func cookies(secret string) string { return "session=" + secret + "; __Host-session=" + secret }

// Clock is a time that tests set.
type Clock struct {
	mutex sync.Mutex
	At    time.Time
}

func (c *Clock) Now() time.Time {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.At
}

func (c *Clock) Pass(d time.Duration) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.At = c.At.Add(d)
}
