package main

import (
	"net/netip"
	"path/filepath"
	"testing"

	"rebatedesk/access"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/secret"
	"rebatedesk/store"
)

// signedIn returns access control with a signed-in manager, and the Cookie header of that
// session. It uses a separate database, not a measured one.
func signedIn(t testing.TB) (service *access.Service, cookie string) {
	t.Helper()
	const password = "three boats on a lake"
	key := secret.NewKey()
	st, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "people.db"), store.Options{AuditKey: key.Derive(database.AuditLabel)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	service = access.NewForTests(access.Options{Store: st, Box: key.Box()})
	if err := service.AddUser(t.Context(), access.Actor{Via: access.ViaCommand}, access.NewUser{Name: "mia", Role: access.Manager, Password: password}); err != nil {
		t.Fatal(err)
	}
	entry, err := service.SignIn(t.Context(), "mia", password, access.Origin{Address: netip.MustParseAddr("127.0.0.1")})
	if err != nil {
		t.Fatal(err)
	}
	return service, "session=" + entry.Secret
}
