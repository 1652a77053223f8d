package keyring_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/evidence/keyring"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/identity"
	"rebatedesk/store/storetest"
)

func opened(t *testing.T, key secret.MasterKey) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "db"), store.Options{AuditKey: key.Derive("audit log")})
	storetest.Done(t, err)
	t.Cleanup(func() { storetest.Done(t, s.Close()) })
	return s
}

// The key is made once, whoever asks first, and is written down once.
func TestKeyIsMadeOnce(t *testing.T) {
	master := secret.NewKey()
	s := opened(t, master)
	signer := keyring.New(s, master.Box())
	if _, known, err := signer.Public(t.Context()); known || err != nil {
		t.Fatalf("before the first use: known %v, %v", known, err)
	}
	prints := make([]string, 4)
	var group sync.WaitGroup
	for i := range prints {
		group.Go(func() {
			key, err := keyring.New(s, master.Box()).Key(t.Context(), audit.Line{Actor: "ada"})
			if err != nil {
				t.Error(err)
				return
			}
			prints[i] = string(key.Public().Fingerprint())
		})
	}
	group.Wait()
	public, known, err := signer.Public(t.Context())
	if err != nil || !known {
		t.Fatalf("known %v, %v", known, err)
	}
	for _, print := range prints {
		if print != string(public.Fingerprint()) {
			t.Errorf("%s was used, and %s is shown", print, public.Fingerprint())
		}
	}
	lines, err := store.ReadColumn[string](t.Context(), s.Readers(), `SELECT actor || ' ' || action || ' ' || object FROM audit WHERE action = ?`, "signing key made")
	if err != nil || len(lines) != 1 || lines[0] != "ada signing key made "+string(public.Fingerprint()) {
		t.Errorf("the audit log says %q, %v", lines, err)
	}
}

// The secret is not in the database, and opens with its master key and its public key only.
func TestKeyIsSealed(t *testing.T) {
	master := secret.NewKey()
	s := opened(t, master)
	if _, err := keyring.New(s, master.Box()).Key(t.Context(), audit.Line{}); err != nil {
		t.Fatal(err)
	}
	if _, err := keyring.New(s, secret.NewKey().Box()).Key(t.Context(), audit.Line{}); !errors.Is(err, secret.ErrOtherKey) {
		t.Errorf("with another master key: %v", err)
	}
	r, err := s.Read(t.Context())
	storetest.Done(t, err)
	stored, _, err := identity.NewestSigningKey(t.Context(), r)
	r.Close()
	if err != nil || bytes.Equal(stored.Public, stored.Sealed) || len(stored.Sealed) < 60 {
		t.Fatalf("%x is stored, %v", stored.Sealed, err)
	}
	err = s.Update(t.Context(), func(tx *store.Tx, _ affiliate.Millis) error {
		_, err := tx.ExecContext(context.Background(), `UPDATE signing_keys SET public_key = ?`, bytes.Repeat([]byte{1}, 32))
		return err
	})
	storetest.Done(t, err)
	if _, err := keyring.New(s, master.Box()).Key(t.Context(), audit.Line{}); !errors.Is(err, secret.ErrDamaged) {
		t.Errorf("next to another public key: %v", err)
	}
}
