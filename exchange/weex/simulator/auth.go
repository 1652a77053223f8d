package simulator

import (
	"crypto/hmac"
	"mime"
	"net/http"
	"slices"
	"strconv"

	"rebatedesk/exchange/weex"
)

// timestampTolerance is how far a call's timestamp may be from the exchange's
// clock, in milliseconds.
const timestampTolerance = 30_000

// authenticate checks the headers of a signed call (section 5). The signature is checked
// over the path, the query and the body as received.
func (s *Simulator) authenticate(route route, r *http.Request, body string) *refusal {
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
	if refused := checkTimestamp(timestamp, s.now()); refused != nil {
		return refused
	}
	user := s.user(key)
	if user == "" {
		return errKeyInvalid
	}
	keys := s.credentials[user]
	switch {
	case !same(sign, weex.Sign(keys.APISecret, timestamp, r.Method, r.URL.EscapedPath(), r.URL.RawQuery, body)):
		return errSignInvalid
	case !same(passphrase, keys.APIPassphrase.Reveal()):
		return errPassphraseInvalid
	}
	return s.authorize(user, route)
}

// The accepted keys, by purpose.
const (
	mainUser    = "main"
	tradingUser = "trading"
)

// user returns the owner of the key in a call: the owner's budget is counted in addition to
// that of the address. It is empty if the key is not ours.
func (s *Simulator) user(key string) string {
	for _, user := range []string{mainUser, tradingUser} {
		if same(key, s.credentials[user].APIKey.Reveal()) {
			return user
		}
	}
	return ""
}

// authorize refuses calls that are forbidden, or that a key is not for if the two keys are
// separate.
func (s *Simulator) authorize(user string, route route) *refusal {
	if user == mainUser && slices.Contains(s.options.Forbidden, route.Section) {
		return errPermission
	}
	if !s.options.SeparateTrading {
		return nil
	}
	if user == mainUser && route.trades || user == tradingUser && route.Affiliate {
		return errPermission
	}
	return nil
}

func checkTimestamp(timestamp string, now int64) *refusal {
	at, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || len(timestamp) != 13 {
		return errTimestampInvalid
	}
	if off := now - at; off > timestampTolerance || off < -timestampTolerance {
		return errTimestampExpired
	}
	return nil
}

func same(a, b string) bool { return hmac.Equal([]byte(a), []byte(b)) }

func isJSON(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && kind == "application/json"
}
