package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// secretSize is the length of every random credential in bytes. It is far too long to be
// guessed, so a plain hash is enough to store it.
const secretSize = 32

var secretText = base64.RawURLEncoding.Strict()

// newSecret returns a new secret as text of 43 characters.
func newSecret() string {
	return secretText.EncodeToString(random(secretSize))
}

func random(size int) []byte {
	raw := make([]byte, size)
	rand.Read(raw) // never fails: it ends the process instead
	return raw
}

// hashOf returns the stored hash of a secret, or false for text that cannot be a secret.
func hashOf(secret string) ([]byte, bool) {
	if len(secret) != secretText.EncodedLen(secretSize) {
		return nil, false
	}
	raw, err := secretText.DecodeString(secret)
	if err != nil {
		return nil, false
	}
	hash := sha256.Sum256(raw)
	return hash[:], true
}
