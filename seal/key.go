package seal

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

// KeySize is the length of a master key and of what is derived from it, in
// bytes.
const KeySize = 32

// ErrNoKey is returned for what is not a master key. It does not repeat it.
var ErrNoKey = errors.New("is not a master key: 32 bytes in base64")

// MasterKey is a master key. It prints, logs and encodes as "[redacted]". The zero
// MasterKey is none, see [Key.Given].
type MasterKey struct {
	// In a function, because fmt prints what unexported fields hold without
	// asking methods, behind pointers too.
	raw func() [KeySize]byte
}

func keyOf(raw [KeySize]byte) MasterKey {
	return MasterKey{func() [KeySize]byte { return raw }}
}

// bytes are those of the key.
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

// KeyOf takes the bytes of a key.
func KeyOf(raw []byte) (MasterKey, error) {
	if len(raw) != KeySize {
		return MasterKey{}, ErrNoKey
	}
	return keyOf([KeySize]byte(raw)), nil
}

// ParseKey reads a key as [Key.Text] writes it.
func ParseKey(text string) (MasterKey, error) {
	raw, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil {
		return MasterKey{}, ErrNoKey
	}
	return KeyOf(raw)
}

// Given reports whether there is a key.
func (k MasterKey) Given() bool { return k.raw != nil }

// Text is the key itself in base64, to be kept where nobody else reads it.
func (k MasterKey) Text() string { return base64.StdEncoding.EncodeToString(k.bytes()) }

// Derive is the key for one purpose, 32 bytes: who has it knows neither the
// master key nor the key of another label.
func (k MasterKey) Derive(label string) []byte {
	derived, err := hkdf.Key(sha256.New, k.bytes(), nil, "rebatedesk "+label, KeySize)
	if err != nil {
		panic("seal: 32 bytes cannot be derived: " + err.Error()) // only lengths far beyond can fail
	}
	return derived
}

// idSize is the length of a key's name in bytes.
const idSize = 8

// ID names the key without giving anything of it away, in 16 hexadecimal
// digits.
func (k MasterKey) ID() string { return hex.EncodeToString(k.id()) }

func (k MasterKey) id() []byte { return k.Derive("key id")[:idSize] }

const redacted = "[redacted]"

// String is "[redacted]".
func (k MasterKey) String() string { return redacted }

// Format writes "[redacted]" for every verb.
func (k MasterKey) Format(w fmt.State, _ rune) {
	_, _ = io.WriteString(w, redacted) // a fmt.State keeps the error of its writer itself
}

// LogValue is "[redacted]".
func (k MasterKey) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText encodes [redacted].
func (k MasterKey) MarshalText() ([]byte, error) { return []byte(redacted), nil }
