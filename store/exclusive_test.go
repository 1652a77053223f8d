package store_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/storetest"
)

// A database is taken for one piece of work only while no server, collector or backup works on it, and
// none begins until the work ends.
func TestAlone(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "locks of a whole database", testAlone)
}

func testAlone(t *testing.T) {
	place := storetest.Empty(t)
	if !store.IsURL(place) {
		place = filepath.Join(t.TempDir(), "desk.db")
	}
	one, other := storetest.OpenAt(t, place, nodeOptions("one")), storetest.OpenAt(t, place, nodeOptions("other"))
	refused := func(by string) {
		t.Helper()
		for end := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) { // a server shows itself after a moment
			_, release, err := one.Alone(t.Context())
			if errors.Is(err, store.ErrInUse) && strings.Contains(err.Error(), "works on this database: stop it first") {
				return
			}
			if err == nil {
				err = release()
			}
			if err != nil || time.Now().After(end) {
				t.Fatalf("while %s works: %v", by, err)
			}
		}
	}
	free := func() {
		t.Helper()
		ctx, release, err := one.Alone(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := one.Update(ctx, func(*store.Tx, affiliate.Millis) error { return nil }); err != nil {
			t.Error(err)
		}
		if _, _, err := other.Lock(t.Context(), store.CollectorLease); !errors.Is(err, store.ErrLocked) {
			t.Errorf("a collector begins meanwhile: %v", err)
		}
		if err := release(); err != nil {
			t.Error(err)
		}
	}
	free()
	for range 2 {
		leave, err := other.Attend(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		again, err := storetest.OpenAt(t, place, nodeOptions("third")).Attend(t.Context())
		if err != nil {
			t.Fatalf("a second server: %v", err)
		}
		refused("two servers")
		leave()
		refused("a server")
		again()
		free()
	}
	for _, lease := range []store.Lease{store.CollectorLease, store.BackupLease} {
		_, release, err := other.Lock(t.Context(), lease)
		if err != nil {
			t.Fatal(err)
		}
		refused(string(lease))
		if err := release(); err != nil {
			t.Fatal(err)
		}
		free()
	}
}

// The codes of a log are made again with another key in the transaction, or not at all. The store
// refuses lines until it has that key.
func TestRekey(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "locks of a whole database, bytes of seals", testRekey)
}

func testRekey(t *testing.T) {
	st := storetest.OpenAt(t, storetest.Empty(t), store.Options{AuditKey: []byte(strings.Repeat("a", 32))})
	next := []byte(strings.Repeat("b", 32))
	for range 1100 { // several pages
		if err := audit.Write(t.Context(), st, audit.Line{Actor: "ann", Action: "export"}); err != nil {
			t.Fatal(err)
		}
	}
	rekey := func(fails error, anchors ...audit.Anchor) error {
		return st.Update(t.Context(), func(tx *store.Tx, stamp affiliate.Millis) error {
			_, err := audit.Rekey(t.Context(), st, tx, stamp, next, audit.Line{Via: "command", Detail: "from a to b"}, anchors...)
			return errors.Join(err, fails)
		})
	}
	proved := func(lines string) {
		t.Helper()
		found, err := audit.VerifyChain(t.Context(), st)
		if err != nil || !found.Sound() || !strings.HasPrefix(found.Seen, lines) {
			t.Fatalf("%+v, %v", found, err)
		}
	}
	stopped := errors.New("stopped")
	if err := rekey(stopped); !errors.Is(err, stopped) {
		t.Fatal(err)
	}
	proved("1100 lines")
	if err := rekey(nil, audit.Anchor{Lines: 7, MAC: strings.Repeat("0", 64), Place: "a file"}); !errors.Is(err, audit.ErrNotSound) || !strings.Contains(err.Error(), "line 7 is another one than a file says") {
		t.Errorf("with an anchor that does not hold: %v", err)
	}
	proved("1100 lines")
	if err := rekey(nil); err != nil {
		t.Fatal(err)
	}
	if err := audit.Write(t.Context(), st, audit.Line{Action: "export"}); !errors.Is(err, store.ErrAuditKey) {
		t.Errorf("a line with the former key: %v", err)
	}
	if err := st.UseAuditKey(t.Context(), next); err != nil {
		t.Fatal(err)
	}
	proved("1101 lines")
	if err := audit.Write(t.Context(), st, audit.Line{Action: "export"}); err != nil {
		t.Error(err)
	}
	proved("1102 lines")
}
