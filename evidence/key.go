package evidence

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
)

// SeedSize is the length of the secret of a signing key, in bytes.
const SeedSize = ed25519.SeedSize

// NewSeed returns the secret of a new signing key.
func NewSeed() []byte {
	seed := make([]byte, SeedSize)
	rand.Read(seed) // never fails: it ends the process instead
	return seed
}

// SigningKey signs packs. It prints nothing of its secret.
type SigningKey struct {
	// A function, because fmt prints the content of unexported fields.
	private func() ed25519.PrivateKey
}

// SigningKeyOf returns the key of a secret.
func SigningKeyOf(seed []byte) (SigningKey, error) {
	if len(seed) != SeedSize {
		return SigningKey{}, fmt.Errorf("the secret of a signing key has %d bytes instead of %d", len(seed), SeedSize)
	}
	key := ed25519.NewKeyFromSeed(seed)
	return SigningKey{func() ed25519.PrivateKey { return key }}, nil
}

// Public returns the key with which signatures are checked.
func (k SigningKey) Public() PublicKey {
	return PublicKey(k.private()[SeedSize:])
}

func (k SigningKey) sign(message []byte) []byte { return ed25519.Sign(k.private(), message) }

// PublicKey checks signatures. It is 32 bytes.
type PublicKey string

// ParsePublicKey parses what [PublicKey.Text] returns.
func ParsePublicKey(text string) (PublicKey, error) {
	raw, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) != ed25519.PublicKeySize {
		return "", errors.New("is not a public key: 32 bytes in base64")
	}
	return PublicKey(raw), nil
}

// Text returns the key in base64.
func (k PublicKey) Text() string { return base64.StdEncoding.EncodeToString([]byte(k)) }

func (k PublicKey) verify(message, signature []byte) bool {
	return len(k) == ed25519.PublicKeySize && len(signature) == ed25519.SignatureSize && ed25519.Verify(ed25519.PublicKey(k), message, signature)
}

// der returns the key as a SubjectPublicKeyInfo, the form that other programs read.
func (k PublicKey) der() []byte {
	der, err := x509.MarshalPKIXPublicKey(ed25519.PublicKey(k))
	if err != nil {
		panic("evidence: a key of Ed25519 has no standard form: " + err.Error()) // only other kinds of keys can fail
	}
	return der
}

// PEM returns the key as a PEM file.
func (k PublicKey) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: k.der()})
}

// Fingerprint returns the fingerprint of the key.
func (k PublicKey) Fingerprint() Fingerprint {
	sum := sha256.Sum256(k.der())
	return Fingerprint(hex.EncodeToString(sum[:]))
}

// Fingerprint is the SHA-256 of a public key in its standard form, in 64 lower-case
// hexadecimal digits.
type Fingerprint string

// ParseFingerprint parses a fingerprint as people copy it: letters of any case, in groups
// with spaces, colons or dashes between them.
func ParseFingerprint(text string) (Fingerprint, error) {
	f := strings.ToLower(strings.NewReplacer(" ", "", ":", "", "-", "").Replace(text))
	if raw, err := hex.DecodeString(f); err != nil || len(raw) != sha256.Size {
		return "", errors.New("is not a fingerprint: 64 hexadecimal digits, as the page of closed months shows it")
	}
	return Fingerprint(f), nil
}

// Groups returns the fingerprint in groups of eight digits, for people who compare it.
func (f Fingerprint) Groups() string {
	var groups []string
	for s := string(f); s != ""; {
		n := min(8, len(s))
		groups, s = append(groups, s[:n]), s[n:]
	}
	return strings.Join(groups, " ")
}
