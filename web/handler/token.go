package handler

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// A form carries a token that only a page of the same session can have held: a nonce
// and its MAC under the secret of that session. So it expires with the secret, at the
// next sign-in at the latest.

const tokenNonce = 16

// tokenLabel separates these MACs from all others made with a session's secret.
const tokenLabel = "form token\x00"

// issueToken makes a token for the holder of a secret, and none if the secret is empty.
// No two tokens have anything in common, so that the size of a compressed page does not
// reveal them.
func issueToken(secret string) string {
	if secret == "" {
		return ""
	}
	nonce := make([]byte, tokenNonce)
	_, _ = rand.Read(nonce) // never fails; it ends the program instead
	return base64.RawURLEncoding.EncodeToString(append(nonce, signToken(secret, nonce)...))
}

// validToken reports whether a token was made for the holder of a secret.
func validToken(secret, token string) bool {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) != tokenNonce+sha256.Size || secret == "" {
		return false
	}
	return hmac.Equal(raw[tokenNonce:], signToken(secret, raw[:tokenNonce]))
}

func signToken(secret string, nonce []byte) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(tokenLabel))
	mac.Write(nonce)
	return mac.Sum(nil)
}
