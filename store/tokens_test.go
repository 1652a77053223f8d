package store_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/identity"
	"rebatedesk/store/storetest"
	"rebatedesk/store/upkeep"
)

// Tokens of a database from before expiry still work, for as long after the upgrade as a
// new token. A revoked token stays revoked.
func TestOldTokensExpireAfterTheUpgrade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.db")
	err := store.MakeOld(t.Context(), path, 15, `
		INSERT INTO users (id, name, folded, role, password, long_password, created_ms) VALUES (1, 'ann', 'ann', 'viewer', 'x', 1, 1);
		INSERT INTO tokens (hash, user_id, name, scopes, created_ms, revoked_ms) VALUES (x'01', 1, 'works', 'read', 1, 0), (x'02', 1, 'ended', 'read', 1, 5)`)
	if err != nil {
		t.Fatal(err)
	}
	before := time.Now()
	s := storetest.OpenAt(t, path, store.Options{AuditKey: storetest.AuditKey})
	storetest.Done(t, audit.Write(t.Context(), s, audit.Line{Action: "user added", Object: "ann"}))
	// Its line in the audit log does not say when it expires, as that of a new token does.
	storetest.Done(t, audit.Write(t.Context(), s, audit.Line{Action: "token created", Object: "ann", Detail: "works: read"}))
	_, err = s.Writer().ExecContext(t.Context(), `UPDATE tokens SET created_ms = (SELECT at_ms FROM audit WHERE action = 'token created')`)
	storetest.Done(t, err)
	storetest.Done(t, identity.SignOnce(t.Context(), s, audit.Line{Via: "server"}, func() []audit.Anchor { return nil }))
	after := time.Now()
	list, err := identity.Tokens(t.Context(), s, "ann")
	if err != nil || len(list) != 2 || list[0].Revoked != 5 || list[0].Expires.Known() {
		t.Fatalf("%+v (%v)", list, err)
	}
	const life = 90 * 24 * time.Hour
	least, most := affiliate.MillisOf(before.Add(life-time.Second)), affiliate.MillisOf(after.Add(life))
	if got := list[1].Expires; list[1].Revoked.Known() || got < least || got > most {
		t.Errorf("the valid token expires at %s, want %s to %s", got, least, most)
	}
	if _, err := identity.TokenByHash(t.Context(), s, []byte{1}); err != nil {
		t.Error("the token no longer works:", err)
	}
	for result, err := range upkeep.Verify(t.Context(), s) {
		storetest.Done(t, err)
		for _, fault := range result.Faults {
			if strings.Contains(fault, `the token "works"`) {
				t.Error(fault)
			}
		}
	}
}
