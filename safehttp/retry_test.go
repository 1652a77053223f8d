package safehttp

import (
	"net/http"
	"testing"
	"time"
)

// Seconds and the three forms of a date are read, whatever the clock of the other side says.
func TestPauseAsked(t *testing.T) {
	now := time.Date(2026, time.November, 29, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		header, date string
		want         time.Duration
	}{
		{"", "", 0}, {"20", "", 20 * time.Second}, {" 20 ", "", 20 * time.Second}, {"1.5", "", 1500 * time.Millisecond}, {"0", "", 0}, {"-5", "", 0}, {"soon", "", 0}, {"1h", "", 0}, {"1e3", "", 0},
		{"99999999999999999999", "", longest}, {"9223372036854775807", "", longest},
		{"Sun, 29 Nov 2026 12:00:20 GMT", "", 20 * time.Second}, {"Sunday, 29-Nov-26 12:00:20 GMT", "", 20 * time.Second}, {"Sun Nov 29 12:00:20 2026", "", 20 * time.Second},
		{"Sun, 29 Nov 2026 11:59:59 GMT", "", 0}, {"Sun, 29 Nov 9999 12:00:00 GMT", "", longest},
		{"Sun, 29 Nov 2026 13:00:20 GMT", "Sun, 29 Nov 2026 13:00:00 GMT", 20 * time.Second}, // its clock is an hour ahead
		{"20", "Sun, 29 Nov 2026 13:00:00 GMT", 20 * time.Second}, {"Sun, 29 Nov 2026 12:00:20 GMT", "yesterday", 20 * time.Second},
	} {
		h := http.Header{}
		if h.Set("Retry-After", c.header); c.date != "" {
			h.Set("Date", c.date)
		}
		if got := PauseAsked(h, now); got != c.want {
			t.Errorf("%q at %q: %s, want %s", c.header, c.date, got, c.want)
		}
	}
}
