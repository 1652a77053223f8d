package transport

import (
	"net/http"
	"strings"
	"testing"
)

func TestNewRefuses(t *testing.T) {
	const good = "https://api.example.com"
	for name, test := range map[string]struct {
		cfg  Config
		want string // part of the error
	}{
		"nothing":             {Config{}, "BASE_URL: is not set"},
		"no scheme":           {Config{BaseURL: "api.example.com"}, "BASE_URL: is not an address"},
		"other scheme":        {Config{BaseURL: "ftp://api.example.com"}, "BASE_URL: is not an address"},
		"unreadable":          {Config{BaseURL: "https://[::1"}, "BASE_URL: is not an address"},
		"user and password":   {Config{BaseURL: "https://u:canary-secret-93ab@api.example.com"}, "user name or password"},
		"path":                {Config{BaseURL: good + "/api"}, "without a path"},
		"query":               {Config{BaseURL: good + "?a=b"}, "without a path"},
		"plain http":          {Config{BaseURL: "http://api.example.com"}, "plain http"},
		"looks like loopback": {Config{BaseURL: "http://127.0.0.1.example.com"}, "plain http"},
		"contract address":    {Config{BaseURL: good, ContractBaseURL: "http://10.0.0.1"}, "CONTRACT_BASE_URL: plain http"},
		"version":             {Config{BaseURL: good, APIVersion: "v4"}, "API_VERSION"},
		"key":                 {Config{BaseURL: good, Key: canaryKey + "\n"}, "API_KEY: contains a line break"},
		"secret":              {Config{BaseURL: good, Secret: canarySecret + "\r\n"}, "API_SECRET: contains a line break"},
		"passphrase":          {Config{BaseURL: good, Passphrase: canaryPassphrase + "\x00"}, "API_PASSPHRASE: contains"},
		"locale":              {Config{BaseURL: good, Locale: "en\nX: y"}, "LOCALE"},
		"user agent":          {Config{BaseURL: good, UserAgent: "a\rb"}, "user agent"},
		"negative":            {Config{BaseURL: good, Tries: -1}, "negative"},
	} {
		_, err := NewSender(test.cfg, Protocol{})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
			continue
		}
		assertNoCanary(t, err.Error())
	}
}

func TestNewNamesEveryFault(t *testing.T) {
	_, err := NewSender(Config{BaseURL: "http://example.com", APIVersion: "v1", Key: "a\n"}, Protocol{})
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("three faults, but: %v", err)
	}
}

func TestNewAccepts(t *testing.T) {
	for _, base := range []string{"https://api.example.com", "https://api.example.com/", "http://127.0.0.1:80", "http://localhost:1", "http://[::1]:9"} {
		if _, err := NewSender(Config{BaseURL: base, Secret: "пароль"}, Protocol{}); err != nil {
			t.Errorf("%s: %v", base, err)
		}
	}
}

func TestTransportIgnoresTheEnvironment(t *testing.T) {
	// The variables themselves cannot be tested: net/http reads them once and never uses
	// them for this machine.
	if newHTTPClient(Config{}).Transport.(*http.Transport).Proxy != nil {
		t.Error("a proxy of the environment would see the credentials")
	}
}
