package secret

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
)

// KeySize is the length of a master key and of the keys derived from it, in bytes.
const KeySize = 32

// ErrNoKey is returned for text that is not a master key. The error does not repeat the
// text.
var ErrNoKey = errors.New("is not a master key: 32 bytes in base64")

// MasterKey is a master key. It prints, logs and encodes as "[redacted]". The zero
// MasterKey is no key, see [MasterKey.Given].
type MasterKey struct {
	// The key is in a function, because fmt prints the content of unexported fields without
	// calling their methods, even behind pointers.
	raw func() [KeySize]byte
}

func keyOf(raw [KeySize]byte) MasterKey {
	return MasterKey{func() [KeySize]byte { return raw }}
}

// bytes returns the bytes of the key.
func (k MasterKey) bytes() []byte {
	raw := k.raw()
	return raw[:]
}

// NewKey makes a random key.
func NewKey() MasterKey {
	var raw [KeySize]byte
	rand.Read(raw[:]) // never fails: it ends the process instead
	return keyOf(raw)
}

// KeyOf returns the key with the given bytes.
func KeyOf(raw []byte) (MasterKey, error) {
	if len(raw) != KeySize {
		return MasterKey{}, ErrNoKey
	}
	return keyOf([KeySize]byte(raw)), nil
}

// ParseKey parses a key in the form of [MasterKey.Text].
func ParseKey(text string) (MasterKey, error) {
	raw, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil {
		return MasterKey{}, ErrNoKey
	}
	return KeyOf(raw)
}

// Given reports whether k is a key.
func (k MasterKey) Given() bool { return k.raw != nil }

// Text returns the key itself in base64. It must be kept where no other user can read it.
func (k MasterKey) Text() string { return base64.StdEncoding.EncodeToString(k.bytes()) }

// Derive returns the key for one purpose, 32 bytes: it reveals neither the master key nor
// the key of another label.
func (k MasterKey) Derive(label string) []byte {
	derived, err := hkdf.Key(sha256.New, k.bytes(), nil, "rebatedesk "+label, KeySize)
	if err != nil {
		panic("seal: 32 bytes cannot be derived: " + err.Error()) // only far greater lengths can fail
	}
	return derived
}

// idSize is the length of a key's ID in bytes.
const idSize = 8

// ID returns an identifier of the key that reveals nothing about it, in 16 hexadecimal
// digits.
func (k MasterKey) ID() string { return hex.EncodeToString(k.id()) }

func (k MasterKey) id() []byte { return k.Derive("key id")[:idSize] }

const redacted = "[redacted]"

// String returns "[redacted]".
func (k MasterKey) String() string { return redacted }

// Format writes "[redacted]" for every verb.
func (k MasterKey) Format(w fmt.State, _ rune) {
	_, _ = io.WriteString(w, redacted) // a fmt.State keeps the error of its writer
}

// LogValue returns "[redacted]".
func (k MasterKey) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText returns [redacted].
func (k MasterKey) MarshalText() ([]byte, error) { return []byte(redacted), nil }
