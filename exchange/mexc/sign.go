package mexc

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"

	"rebatedesk/exchange"
)

// receiveWindow is how old a call may be when it arrives, in milliseconds.
const receiveWindow = "5000"

// sign returns the lower-case hexadecimal HMAC-SHA256 of a query.
func sign(secret exchange.Secret, query string) string {
	mac := hmac.New(sha256.New, []byte(secret.Reveal()))
	mac.Write([]byte(query))
	return hex.EncodeToString(mac.Sum(nil))
}

// signed returns a query as it is sent: with its time, and the signature last.
func signed(secret exchange.Secret, query string, at time.Time) string {
	if query != "" {
		query += "&"
	}
	query += "recvWindow=" + receiveWindow + "&timestamp=" + strconv.FormatInt(at.UnixMilli(), 10)
	return query + "&signature=" + sign(secret, query)
}
