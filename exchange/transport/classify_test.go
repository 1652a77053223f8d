package transport

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Seconds and dates lengthen the ban, and a pause that is longer than the limit is named.
func TestRetryAfterLengthensTheBan(t *testing.T) {
	var log bytes.Buffer
	c, err := NewSender(Config{BaseURL: "http://127.0.0.1:1", BanWait: 10 * time.Second, Log: slog.New(slog.NewTextHandler(&log, nil)),
		Now: func() time.Time { return time.Date(2026, time.November, 29, 12, 0, 0, 0, time.UTC) }}, Protocol{})
	if err != nil {
		t.Fatal(err)
	}
	for header, want := range map[string]time.Duration{
		"": 10500 * time.Millisecond, "3": 10500 * time.Millisecond, "60": time.Minute, "99999": 5 * time.Minute, "9223372036854775807": 5 * time.Minute, "soon": 10500 * time.Millisecond, "Sun, 29 Nov 2026 12:00:20 GMT": 20 * time.Second, "Sunday, 29-Nov-26 12:00:20 GMT": 20 * time.Second, "Sun Nov 29 12:00:20 2026": 20 * time.Second, "Sun, 29 Nov 2026 11:00:00 GMT": 10500 * time.Millisecond, "-5": 10500 * time.Millisecond,
	} {
		if got := c.banOf(http.Header{"Retry-After": {header}}); got != want {
			t.Errorf("Retry-After %q: %v, want %v", header, got, want)
		}
	}
	if !strings.Contains(log.String(), "asked=27h46m39s kept=5m0s") {
		t.Errorf("the log says %s", log.String())
	}
}
