package weex

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"

	"rebatedesk/exchange"
)

// Sign returns the value of ACCESS-SIGN: the standard Base64 of the HMAC-SHA256 of
// timestamp, method, path, "?" and query if there is a query, and body.
//
// timestamp is the text sent in ACCESS-TIMESTAMP (13 digits of Unix milliseconds); query
// and body are the bytes sent. The exchange does not sort parameters, so they must be sent
// in the order in which they were signed.
func Sign(secret exchange.Secret, timestamp, method, path, query, body string) string {
	if query != "" {
		query = "?" + query
	}
	mac := hmac.New(sha256.New, []byte(secret.Reveal()))
	mac.Write([]byte(timestamp + method + path + query + body))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
