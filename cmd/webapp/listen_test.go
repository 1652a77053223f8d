package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"rebatedesk/access"
)

// Other machines are let in only where people come over https, or where it was
// said that they need not.
func TestMayListen(t *testing.T) {
	const named, secure = "http://desk.example.com", "https://desk.example.com"
	for _, c := range []struct {
		listen, public string
		insecure       bool
		says           string // empty: it may
	}{
		{"127.0.0.1:8080", "", false, ""},
		{"localhost:8080", named, false, ""},
		{"[::1]:8080", secure, false, ""},
		{":8080", "", false, "PUBLIC_URL is not set"},
		{":8080", "", true, "PUBLIC_URL is not set"},
		{"0.0.0.0:8080", named, false, "PUBLIC_URL is not https"},
		{"0.0.0.0:8080", named, true, ""},
		{"0.0.0.0:8080", secure, false, ""},
		{"192.0.2.1:8080", secure, true, ""},
		{"localhost.example.com:80", named, false, "PUBLIC_URL is not https"},
	} {
		err := mayListen(Config{Listen: c.listen, PublicURL: c.public, Insecure: c.insecure})
		switch {
		case c.says == "" && err != nil:
			t.Errorf("%+v: %v", c, err)
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says) || statusOf(err) != statusUsage):
			t.Errorf("%+v: %v, want status 2 and %q", c, err, c.says)
		}
	}
}

// Whoever comes first must not be able to become the administrator.
func TestNeedsAdmin(t *testing.T) {
	admin := access.User{Name: "ann", Role: access.Admin}
	gone := access.User{Name: "bob", Role: access.Admin, Disabled: true}
	manager := access.User{Name: "cy", Role: access.Manager}
	broken := errors.New("the database is broken")
	for _, c := range []struct {
		name   string
		listen string
		users  []access.User
		err    error
		status int
	}{
		{"nobody, this machine", "127.0.0.1:0", nil, nil, statusDone},
		{"nobody", ":0", nil, nil, statusUsage},
		{"no admin", ":0", []access.User{manager}, nil, statusUsage},
		{"a disabled admin", ":0", []access.User{gone, manager}, nil, statusUsage},
		{"an admin", ":0", []access.User{manager, gone, admin}, nil, statusDone},
		{"who knows", ":0", nil, broken, statusFailed},
	} {
		err := needsAdmin(t.Context(), Config{Listen: c.listen}, func(context.Context) ([]access.User, error) { return c.users, c.err })
		if statusOf(err) != c.status {
			t.Errorf("%s: %v, want status %d", c.name, err, c.status)
		}
		if c.status == statusUsage && !strings.Contains(err.Error(), "webapp user add") {
			t.Errorf("%s: no mend in %v", c.name, err)
		}
	}
}

// The command itself refuses, before anything listens.
func TestServeRefusesToBeOpen(t *testing.T) {
	d := newExchangeDesk(t, nil)
	for _, args := range [][]string{
		{"serve", "--listen", "0.0.0.0:0"},
		{"serve", "--listen", "0.0.0.0:0", "--public-url", "http://desk.example.com"},
		{"serve", "--listen", "0.0.0.0:0", "--public-url", "https://desk.example.com"}, // nobody to sign in
		{"demo", "--listen", "0.0.0.0:0", "--public-url", "http://desk.example.com"},
	} {
		status, stdout, stderr := d.run(t.Context(), nil, args...)
		if status != statusUsage || stdout != "" || !strings.Contains(stderr, "open to other machines") {
			t.Errorf("%v: status %d, stdout %q, stderr %q", args, status, stdout, stderr)
		}
	}
}
