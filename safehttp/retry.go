package safehttp

import (
	"net/http"
	"strings"
	"time"
)

// longest is a pause that no receiver means: what is longer is read as this.
const longest = 365 * 24 * time.Hour

// PauseAsked reads the header Retry-After (RFC 9110, 10.2.3): seconds, or a date in one of the three
// forms of HTTP, which counts from the date of the answer, or else from now. It is 0 without the
// header, if it cannot be read, and for a time that has passed; a fraction of a second is read too.
func PauseAsked(h http.Header, now time.Time) time.Duration {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if at, err := http.ParseTime(text); err == nil {
		if sent, err := http.ParseTime(h.Get("Date")); err == nil {
			now = sent
		}
		return min(max(at.Sub(now), 0), longest)
	}
	return Seconds(text)
}

// Seconds reads a number of seconds, with a fraction or without; 0 if it is none, or negative.
func Seconds(text string) time.Duration {
	if text == "" || strings.Trim(text, "0123456789.") != "" {
		return 0
	}
	if whole, _, _ := strings.Cut(text, "."); len(whole) > len("31536000") {
		return longest
	}
	wait, err := time.ParseDuration(text + "s")
	if err != nil {
		return 0
	}
	return min(wait, longest)
}
