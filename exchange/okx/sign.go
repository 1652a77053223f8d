package okx

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"

	"rebatedesk/exchange"
)

// sign returns the value of OK-ACCESS-SIGN over the bytes that are sent: query is without "?".
func sign(secret exchange.Secret, timestamp, method, path, query, body string) string {
	if query != "" {
		query = "?" + query
	}
	mac := hmac.New(sha256.New, []byte(secret.Reveal()))
	mac.Write([]byte(timestamp + method + path + query + body))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
