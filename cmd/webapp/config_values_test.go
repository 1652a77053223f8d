package main

import (
	"testing"
	"time"
)

func TestHistory(t *testing.T) {
	for text, want := range map[string]int{"365d": 365, "400d": 400, "52w": 364, "24h": 1, "36h": 2, "1m": 1, "3650d": 3650} {
		if got, p := parseHistory(text); p != nil || got != time.Duration(want)*day {
			t.Errorf("parseHistory(%q) = %v, %v; want %d days", text, got, p, want)
		}
	}
}

func TestCollectEvery(t *testing.T) {
	for text, want := range map[string]time.Duration{"10s": 10 * time.Second, "15m": 15 * time.Minute, "1h30m": 90 * time.Minute, "1d": day} {
		if got, p := parseCollectEvery(text); p != nil || got != want {
			t.Errorf("parseCollectEvery(%q) = %v, %v; want %v", text, got, p, want)
		}
	}
}

func TestLoopbackListen(t *testing.T) {
	for _, text := range []string{"127.0.0.1:8080", "127.1.2.3:0", "[::1]:443", "localhost:80", "LocalHost:80"} {
		if _, p := parseLoopbackListen(text); p != nil {
			t.Errorf("%s: %s", text, p.wrong)
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
		if got, p := parseBaseURL(text); p != nil || got != want {
			t.Errorf("parseBaseURL(%q) = %q, %v; want %q", text, got, p, want)
		}
	}
}

func TestSMTP(t *testing.T) {
	for text, want := range map[string]SMTPConfig{
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
