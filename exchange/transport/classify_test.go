package transport

import (
	"net/http"
	"testing"
	"time"
)

func TestRetryAfterLengthensTheBan(t *testing.T) {
	c, err := NewSender(Config{BaseURL: "http://127.0.0.1:1", BanWait: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	for header, want := range map[string]time.Duration{
		"": 10500 * time.Millisecond, "3": 10500 * time.Millisecond, "60": time.Minute, "99999": 5 * time.Minute, "9223372036854775807": 5 * time.Minute, "soon": 10500 * time.Millisecond, "-5": 10500 * time.Millisecond,
	} {
		if got := c.banOf(http.Header{"Retry-After": {header}}); got != want {
			t.Errorf("Retry-After %q: %v, want %v", header, got, want)
		}
	}
}
