package secret_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"rebatedesk/secret"
)

// A sealed secret opens unchanged for its row with its key, and reveals nothing.
func TestSealedOpens(t *testing.T) {
	box := secret.NewKey().Box()
	rapid.Check(t, func(t *rapid.T) {
		plain := rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "plain")
		row := secret.Row(rapid.SliceOf(rapid.String()).Draw(t, "row")...)
		sealed, again := box.Seal(plain, row), box.Seal(plain, row)
		opened, err := box.Open(sealed, row)
		if err != nil || !bytes.Equal(opened, plain) {
			t.Fatalf("%q: %v", opened, err)
		}
		if bytes.Equal(sealed, again) || len(plain) > 8 && bytes.Contains(sealed, plain) {
			t.Fatal("the sealed form says what it holds")
		}
	})
}

// No part of a sealed secret can be changed, cut off or added.
func TestDamagedDoesNotOpen(t *testing.T) {
	key := secret.NewKey()
	box, row := key.Box(), secret.Row("accounts", "keys", "main")
	sealed := box.Seal([]byte("secret"), row)
	for i := range sealed {
		for bit := range 8 {
			changed := bytes.Clone(sealed)
			changed[i] ^= 1 << bit
			if _, err := box.Open(changed, row); !errors.Is(err, secret.ErrDamaged) && !errors.Is(err, secret.ErrOtherKey) {
				t.Fatalf("byte %d, bit %d: %v", i, bit, err)
			}
		}
		if _, err := box.Open(sealed[:i], row); !errors.Is(err, secret.ErrDamaged) {
			t.Fatalf("cut after %d: %v", i, err)
		}
	}
	for _, other := range [][]byte{append(bytes.Clone(sealed), 0), nil, []byte("secret"), bytes.Repeat([]byte{1}, 500)} {
		if _, err := box.Open(other, row); err == nil {
			t.Errorf("%x opens", other)
		}
	}
	if _, err := secret.NewKey().Box().Open(sealed, row); !errors.Is(err, secret.ErrOtherKey) {
		t.Errorf("another key: %v", err)
	}
}

// A secret opens in its own row and column only. Parts that look alike when
// they are put together are different rows.
func TestMovedDoesNotOpen(t *testing.T) {
	box := secret.NewKey().Box()
	rows := [][]string{{"accounts", "keys", "main"}, {"accounts", "keys", "second"}, {"accounts", "trading_keys", "main"}, {"accountskeys", "main"}, {"accounts", "keysmain"}, {"accounts", "keys", "main", ""}, {"users", "keys", "main"}, {}, {""}}
	for i, from := range rows {
		sealed := box.Seal([]byte("secret"), secret.Row(from...))
		for j, to := range rows {
			_, err := box.Open(sealed, secret.Row(to...))
			if i != j && !errors.Is(err, secret.ErrDamaged) || i == j && err != nil {
				t.Errorf("%s to %s: %v", strings.Join(from, "/"), strings.Join(to, "/"), err)
			}
		}
	}
}

// The secret of a row is always the same, and no other row or key has it.
func TestDerive(t *testing.T) {
	box, other := secret.NewKey(), secret.NewKey()
	again, err := secret.ParseKey(box.Text())
	if err != nil {
		t.Fatal(err)
	}
	derived := box.Box().Derive(secret.Row("sessions", "1"))
	if len(derived) != 32 || !bytes.Equal(derived, again.Box().Derive(secret.Row("sessions", "1"))) {
		t.Errorf("%x is not the secret of the row after a restart", derived)
	}
	for name, x := range map[string][]byte{
		"another row": box.Box().Derive(secret.Row("sessions", "2")), "other parts": box.Box().Derive(secret.Row("sessions1", "")),
		"another key": other.Box().Derive(secret.Row("sessions", "1")), "a key for sealing": box.Derive("sealing"),
	} {
		if bytes.Equal(x, derived) {
			t.Errorf("%s has the same secret", name)
		}
	}
}
