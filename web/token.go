package web

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// formTokens makes the tokens that forms carry, and knows its own again. What
// comes back with one was sent from a page of this server, of this session and
// since its start.
type formTokens struct{ key [sha256.Size]byte }

const tokenNonce = 16

func newFormTokens() *formTokens {
	var f formTokens
	_, _ = rand.Read(f.key[:]) // never fails; it ends the program instead
	return &f
}

// issue makes a token for a session; all who are not signed in are the empty
// one. No two tokens have anything in common, so that a compressed page does
// not tell them to who measures it.
func (f *formTokens) issue(session string) string {
	nonce := make([]byte, tokenNonce)
	_, _ = rand.Read(nonce)
	return base64.RawURLEncoding.EncodeToString(append(nonce, f.sign(session, nonce)...))
}

// valid reports whether a token was issued for a session.
func (f *formTokens) valid(session, token string) bool {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) != tokenNonce+sha256.Size {
		return false
	}
	return hmac.Equal(raw[tokenNonce:], f.sign(session, raw[:tokenNonce]))
}

func (f *formTokens) sign(session string, nonce []byte) []byte {
	mac := hmac.New(sha256.New, f.key[:])
	mac.Write(nonce)
	mac.Write([]byte(session))
	return mac.Sum(nil)
}
