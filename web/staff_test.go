package web_test

import (
	"context"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"rebatedesk/access"
	"rebatedesk/seal"
	"rebatedesk/store"
	"rebatedesk/store/storetest"
)

// team holds the users that all tests share that are not about signing in. There is one
// user of each role, named after it, and none needs a code.
var team struct {
	mutex   sync.Mutex
	folder  string
	store   *store.Store
	service *access.Service
	secrets map[access.Role]string
}

// passwordOf is the password of the user that a role is named after.
func passwordOf(role access.Role) string { return "seven lanterns for the " + string(role[:2]) }

// staff is access control with those people.
func staff(t testing.TB) *access.Service {
	t.Helper()
	team.mutex.Lock()
	defer team.mutex.Unlock()
	if team.service != nil {
		return team.service
	}
	folder, err := os.MkdirTemp("", "rebatedesk-web-")
	if err != nil {
		t.Fatal(err)
	}
	team.folder, team.secrets = folder, map[access.Role]string{}
	team.store, team.service = newAccess(t, filepath.Join(folder, "team.db"), access.Options{TOTPOptional: true})
	return team.service
}

// newAccess returns access control without users, on a separate database.
func newAccess(t testing.TB, path string, o access.Options) (*store.Store, *access.Service) {
	t.Helper()
	key := seal.NewKey()
	storetest.Place(t, path)
	st, err := store.Open(context.Background(), path, store.Options{AuditKey: key.Derive("audit"), Now: o.Now})
	if err != nil {
		t.Fatal(err)
	}
	o.Store, o.Box = st, key.Box()
	return st, access.NewForTests(o)
}

// hire adds a user.
func hire(t testing.TB, to *access.Service, name string, role access.Role, password string) {
	t.Helper()
	if err := to.AddUser(context.Background(), access.Actor{Name: "test", Via: access.ViaCommand}, access.NewUser{Name: name, Role: role, Password: password}); err != nil {
		t.Fatal(err)
	}
}

// signedIn is the Cookie header of the shared user of a role, under the names
// that cookies have with and without https.
func signedIn(t testing.TB, role access.Role) string {
	t.Helper()
	service := staff(t)
	team.mutex.Lock()
	defer team.mutex.Unlock()
	if team.secrets[role] == "" {
		hire(t, service, string(role), role, passwordOf(role))
		entry, err := service.SignIn(context.Background(), string(role), passwordOf(role), access.Origin{Address: netip.MustParseAddr("127.0.0.1")})
		if err != nil {
			t.Fatal(err)
		}
		team.secrets[role] = entry.Secret
	}
	return cookies(team.secrets[role])
}

func cookies(secret string) string { return "session=" + secret + "; __Host-session=" + secret }

// disband closes the shared fixtures.
func disband() error {
	team.mutex.Lock()
	defer team.mutex.Unlock()
	if team.service == nil {
		return nil
	}
	if err := team.store.Close(); err != nil {
		return err
	}
	return os.RemoveAll(team.folder)
}

// clock is a time that tests move.
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
