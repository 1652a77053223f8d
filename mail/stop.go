package mail

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"

	"rebatedesk/store/outbox"
)

// StopPath is where the application takes the wish to get no more mails; the
// token follows.
const StopPath = "/unsubscribe/"

// listOf is the number by which links name what a message is sent by: that of its
// schedule, or the negative of that of its alert.
func listOf(m outbox.Summary) int64 {
	if m.Alert != 0 {
		return -m.Alert
	}
	return m.Schedule
}

// stopToken names a schedule and a recipient, so that nobody can make one for
// somebody else: it works without signing in.
func stopToken(key []byte, schedule int64, address string) string {
	said := []byte(strconv.FormatInt(schedule, 10) + " " + strings.ToLower(address))
	return base64.RawURLEncoding.EncodeToString(append(said, stopCode(key, said)...))
}

// openStop is what a token names; false where it was not made with the key.
func openStop(key []byte, token string) (schedule int64, address string, ok bool) {
	text, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(text) <= sha256.Size {
		return 0, "", false
	}
	said, code := text[:len(text)-sha256.Size], text[len(text)-sha256.Size:]
	if !hmac.Equal(code, stopCode(key, said)) {
		return 0, "", false
	}
	number, address, _ := strings.Cut(string(said), " ")
	schedule, err = strconv.ParseInt(number, 10, 64)
	return schedule, address, err == nil
}

func stopCode(key, said []byte) []byte {
	code := hmac.New(sha256.New, key)
	code.Write([]byte("stop mails\x00")) // a hash never fails
	code.Write(said)
	return code.Sum(nil)
}
