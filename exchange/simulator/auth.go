package simulator

import (
	"crypto/hmac"
	"mime"
	"net/http"
	"strconv"

	"rebatedesk/exchange"
)

// timestampTolerance is how far a call's timestamp may be from the exchange's
// clock, in milliseconds.
const timestampTolerance = 30_000

// authorise checks the headers of a signed call (section 5). The signature is
// checked over the path, the query and the body as they were received.
func (s *Simulator) authorise(r *http.Request, body string) *refusal {
	key, sign := r.Header.Get("ACCESS-KEY"), r.Header.Get("ACCESS-SIGN")
	timestamp, passphrase := r.Header.Get("ACCESS-TIMESTAMP"), r.Header.Get("ACCESS-PASSPHRASE")
	switch {
	case key == "":
		return errKeyMissing
	case sign == "":
		return errSignMissing
	case timestamp == "":
		return errTimestampMissing
	case passphrase == "":
		return errPassphraseMissing
	}
	if r.Method == http.MethodPost && !isJSON(r.Header.Get("Content-Type")) {
		return errContentType
	}
	if refused := s.checkTimestamp(timestamp); refused != nil {
		return refused
	}
	wanted := exchange.Sign(s.credentials.APISecret, timestamp, r.Method, r.URL.EscapedPath(), r.URL.RawQuery, body)
	switch {
	case !same(key, s.credentials.APIKey.Reveal()):
		return errKeyInvalid
	case !same(sign, wanted):
		return errSignInvalid
	case !same(passphrase, s.credentials.APIPassphrase.Reveal()):
		return errPassphraseInvalid
	}
	return nil
}

func (s *Simulator) checkTimestamp(timestamp string) *refusal {
	at, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || len(timestamp) != 13 {
		return errTimestampInvalid
	}
	if off := s.now() - at; off > timestampTolerance || off < -timestampTolerance {
		return errTimestampExpired
	}
	return nil
}

func same(a, b string) bool { return hmac.Equal([]byte(a), []byte(b)) }

func isJSON(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && kind == "application/json"
}
