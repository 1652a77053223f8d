package site

import (
	"strings"
	"testing"
)

// Policy is the exact content security policy that every response must have.
var Policy = map[string]string{
	"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
		"connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; object-src 'none'; manifest-src 'self'",
	"X-Content-Type-Options":       "nosniff",
	"X-Frame-Options":              "DENY",
	"Referrer-Policy":              "same-origin",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Permissions-Policy":           "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
	"Cache-Control":                "no-store",
	"Server":                       "",
	"Strict-Transport-Security":    "",
}

func CheckPolicy(t *testing.T, a Answer) {
	t.Helper()
	for name, want := range Policy {
		if got := strings.Join(a.Header.Values(name), " and "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
