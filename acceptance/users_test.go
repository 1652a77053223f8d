package acceptance_test

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

// passwordOf returns the password of the shared user of a role.
func passwordOf(role access.Role) string { return "seven lanterns for the " + string(role[:2]) }

// sharedAccess returns access control with the shared users.
func sharedAccess(t testing.TB) *access.Service {
	t.Helper()
	sharedUsers.mutex.Lock()
	defer sharedUsers.mutex.Unlock()
	if sharedUsers.service != nil {
		return sharedUsers.service
	}
	all := lasting{t}
	st, service := newAccess(t, filepath.Join(all.TempDir(), "users.db"), access.Options{SecondFactor: access.OfNobody})
	all.Cleanup(func() {
		if err := st.Close(); err != nil {
			all.Error(err)
		}
	})
	sharedUsers.service, sharedUsers.secrets = service, map[access.Role]string{}
	return service
}

// newAccess returns access control without users on a separate database.
func newAccess(t testing.TB, path string, o access.Options) (*store.Store, *access.Service) {
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

// addUser adds a user.
func addUser(t testing.TB, to *access.Service, name string, role access.Role, password string) {
	t.Helper()
	if err := to.AddUser(context.Background(), access.Actor{Name: "test", Via: access.ViaCommand}, access.NewUser{Name: name, Role: role, Password: password}); err != nil {
		t.Fatal(err)
	}
}

// signedIn returns the Cookie header of the shared user of a role, under both names of
// the cookie: with and without https.
func signedIn(t testing.TB, role access.Role) string {
	t.Helper()
	service := sharedAccess(t)
	sharedUsers.mutex.Lock()
	defer sharedUsers.mutex.Unlock()
	if sharedUsers.secrets[role] == "" {
		addUser(t, service, string(role), role, passwordOf(role))
		entry, err := service.SignIn(context.Background(), string(role), passwordOf(role), access.Origin{Address: netip.MustParseAddr("127.0.0.1")})
		if err != nil {
			t.Fatal(err)
		}
		sharedUsers.secrets[role] = entry.Secret
	}
	return cookies(sharedUsers.secrets[role])
}

func cookies(secret string) string { return "session=" + secret + "; __Host-session=" + secret }

// clock is a time that tests set.
type clock struct {
	mutex sync.Mutex
	at    time.Time
}

func (c *clock) now() time.Time {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.at = c.at.Add(d)
}
