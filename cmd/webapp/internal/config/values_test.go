package config

import (
	"strings"
	"testing"
	"time"
)

func TestHistory(t *testing.T) {
	for text, want := range map[string]int{"365d": 365, "400d": 400, "52w": 364, "24h": 1, "36h": 2, "1m": 1, "3650d": 3650} {
		if got, p := parseHistory(text); p != nil || got != time.Duration(want)*OneDay {
			t.Errorf("parseHistory(%q) = %v, %v; want %d days", text, got, p, want)
		}
	}
}

func TestCollectEvery(t *testing.T) {
	for text, want := range map[string]time.Duration{"10s": 10 * time.Second, "15m": 15 * time.Minute, "1h30m": 90 * time.Minute, "1d": OneDay} {
		if got, p := parseCollectEvery(text); p != nil || got != want {
			t.Errorf("parseCollectEvery(%q) = %v, %v; want %v", text, got, p, want)
		}
	}
}

func TestLocalOnly(t *testing.T) {
	for _, text := range []string{"127.0.0.1:8080", "127.1.2.3:0", "[::1]:443", "localhost:80", "LocalHost:80", "[::ffff:127.0.0.1]:80"} {
		if _, p := ParseListen(text); p != nil || !LocalOnly(text) {
			t.Errorf("%s counts as open to other machines: %v", text, p)
		}
	}
	for _, text := range []string{":8080", "0.0.0.0:8080", "[::]:8080", "192.0.2.1:80", "localhost.example.com:80", "127.0.0.1.example:80"} {
		if _, p := ParseListen(text); p != nil || LocalOnly(text) {
			t.Errorf("%s counts as this machine only: %v", text, p)
		}
	}
}

// Metrics go to other machines only where an address says so.
func TestMetricsListen(t *testing.T) {
	for text, want := range map[string]string{
		"off": "", ":9090": "127.0.0.1:9090", "127.0.0.1:9090": "127.0.0.1:9090", "0.0.0.0:9090": "0.0.0.0:9090",
	} {
		if got, p := parseMetricsListen(text); p != nil || got != want {
			t.Errorf("parseMetricsListen(%q) = %q, %v; want %q", text, got, p, want)
		}
	}
}

func TestTrustedProxies(t *testing.T) {
	for text, want := range map[string]string{
		"127.0.0.1": "127.0.0.1/32", "10.1.2.3/8": "10.0.0.0/8", " 10.0.0.1 , ::1 ": "10.0.0.1/32 ::1/128",
		"::ffff:10.0.0.0/104": "10.0.0.0/8", "::ffff:10.0.0.1": "10.0.0.1/32",
	} {
		got, p := parsePrefixes(text)
		var words []string
		for _, prefix := range got {
			words = append(words, prefix.String())
		}
		if p != nil || strings.Join(words, " ") != want {
			t.Errorf("parsePrefixes(%q) = %v, %v; want %s", text, words, p, want)
		}
	}
}

func TestBaseURL(t *testing.T) {
	for text, want := range map[string]string{
		"https://api.example.com":       "https://api.example.com",
		"https://api.example.com/":      "https://api.example.com",
		"https://api.example.com:8443/": "https://api.example.com:8443",
		"http://127.0.0.1:8090":         "http://127.0.0.1:8090",
		"http://LocalHost":              "http://localhost",
		"http://[::1]:1":                "http://[::1]:1",
	} {
		if got, p := ParseBaseURL(text); p != nil || got != want {
			t.Errorf("parseBaseURL(%q) = %q, %v; want %q", text, got, p, want)
		}
	}
}

func TestSMTP(t *testing.T) {
	for text, want := range map[string]SMTP{
		"smtp://host":                               {Host: "host", Port: 587, TLS: "mandatory"},
		"smtp://host:25?tls=none":                   {Host: "host", Port: 25, TLS: "none"},
		"smtp://u:p%40ss@host/?tls=opportunistic":   {Host: "host", Port: 587, TLS: "opportunistic", User: "u", Password: "p@ss"},
		"smtps://u%40example.com:p@[::1]":           {Host: "::1", Port: 465, Implicit: true, User: "u@example.com", Password: "p"},
		"smtps://u:p@mail.example.com:2465":         {Host: "mail.example.com", Port: 2465, Implicit: true, User: "u", Password: "p"},
		"smtp://u:p@mail.example.com?tls=mandatory": {Host: "mail.example.com", Port: 587, TLS: "mandatory", User: "u", Password: "p"},
	} {
		if got, p := parseSMTP(text); p != nil || got != want {
			t.Errorf("parseSMTP(%q) = %+v, %v; want %+v", text, got, p, want)
		}
	}
}
