package transport

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
)

const redacted = "[redacted]"

// Secret is text that must not be shown: a key, a secret or a passphrase. It
// prints, formats, logs and encodes as "[redacted]", inside other values too. Only
// [Secret.Reveal] returns the text.
type Secret string

// Reveal returns the text itself, for signing and for request headers.
func (s Secret) Reveal() string { return string(s) }

// String returns "[redacted]".
func (s Secret) String() string { return redacted }

// GoString returns "[redacted]".
func (s Secret) GoString() string { return redacted }

// Format writes "[redacted]" for every verb: %x and %q would otherwise print the text
// without calling String.
func (s Secret) Format(w fmt.State, _ rune) {
	// A fmt.State keeps its writer's error itself.
	_, _ = io.WriteString(w, redacted)
}

// MarshalJSON encodes "[redacted]".
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }

// MarshalText encodes [redacted], for TOML and XML. It does not protect a Secret used as a
// map key, because encoding/json takes the text itself there.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// LogValue returns "[redacted]".
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// fingerprint identifies a key without revealing it.
func fingerprint(s Secret) string {
	sum := sha256.Sum256([]byte(s.Reveal()))
	return "key " + hex.EncodeToString(sum[:4])
}
