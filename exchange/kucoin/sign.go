package kucoin

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"

	"rebatedesk/exchange"
)

// sign returns the value of KC-API-SIGN over the bytes that are sent: query is without "?".
func sign(secret exchange.Secret, timestamp, method, path, query, body string) string {
	if query != "" {
		query = "?" + query
	}
	return digest(secret, timestamp+method+path+query+body)
}

// passphrase returns the value of KC-API-PASSPHRASE.
func passphrase(secret, phrase exchange.Secret) string { return digest(secret, phrase.Reveal()) }

// digest is the Base64 of the HMAC-SHA256 of a text.
func digest(secret exchange.Secret, text string) string {
	mac := hmac.New(sha256.New, []byte(secret.Reveal()))
	mac.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
