package mail

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"rebatedesk/store/outbox"
)

// StopPath is the path at which the application accepts requests to end mails; the
// token follows.
const StopPath = "/unsubscribe/"

// stopToken identifies a subscription and a recipient in a way that cannot be forged,
// because it works without signing in.
func stopToken(key []byte, of outbox.Ref, address string) string {
	said := fmt.Appendf(nil, "%s %d %s", of.Kind, of.Number, strings.ToLower(address))
	return base64.RawURLEncoding.EncodeToString(append(said, stopCode(key, said)...))
}

// openStop returns the content of a token, and false if it was not made with the key.
func openStop(key []byte, token string) (of outbox.Ref, address string, ok bool) {
	text, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(text) <= sha256.Size {
		return of, "", false
	}
	said, code := text[:len(text)-sha256.Size], text[len(text)-sha256.Size:]
	if !hmac.Equal(code, stopCode(key, said)) {
		return of, "", false
	}
	kind, rest, _ := strings.Cut(string(said), " ")
	of.Kind = outbox.SubscriptionKind(kind)
	number, address, _ := strings.Cut(rest, " ")
	if of.Kind != outbox.KindSchedule && of.Kind != outbox.KindAlert {
		// Mails sent by older versions name no kind, and mark alerts by a minus.
		of.Kind, number, address = outbox.KindSchedule, kind, rest
		if positive, alert := strings.CutPrefix(number, "-"); alert {
			of.Kind, number = outbox.KindAlert, positive
		}
	}
	of.Number, err = strconv.ParseInt(number, 10, 64)
	return of, address, err == nil
}

func stopCode(key, said []byte) []byte {
	code := hmac.New(sha256.New, key)
	code.Write([]byte("stop mails\x00")) // a hash never fails
	code.Write(said)
	return code.Sum(nil)
}
