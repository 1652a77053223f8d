package listen

import (
	"context"
	"errors"
	"strings"
	"testing"

	"rebatedesk/access"
	"rebatedesk/cmd/webapp/internal/config"
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
		err := Allowed(config.Config{Listen: c.listen, PublicURL: c.public, Insecure: c.insecure})
		switch {
		case c.says == "" && err != nil:
			t.Errorf("%+v: %v", c, err)
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says) || !faulty(err)):
			t.Errorf("%+v: %v, want a fault of the settings and %q", c, err, c.says)
		}
	}
}

// The first visitor must not be able to become the administrator.
func TestNeedsAdmin(t *testing.T) {
	admin := access.User{Name: "ann", Role: access.Admin}
	gone := access.User{Name: "bob", Role: access.Admin, Disabled: true}
	manager := access.User{Name: "cy", Role: access.Manager}
	broken := errors.New("the database is broken")
	for _, c := range []struct {
		name    string
		listen  string
		users   []access.User
		err     error
		refused bool
	}{
		{"nobody, this machine", "127.0.0.1:0", nil, nil, false},
		{"nobody", ":0", nil, nil, true},
		{"no admin", ":0", []access.User{manager}, nil, true},
		{"a disabled admin", ":0", []access.User{gone, manager}, nil, true},
		{"an admin", ":0", []access.User{manager, gone, admin}, nil, false},
		{"who knows", ":0", nil, broken, false},
	} {
		err := NeedAdmin(t.Context(), config.Config{Listen: c.listen}, func(context.Context) ([]access.User, error) { return c.users, c.err })
		if faulty(err) != c.refused || !errors.Is(err, c.err) && c.err != nil {
			t.Errorf("%s: %v, refused by the settings: %t", c.name, err, c.refused)
		}
		if c.refused && !strings.Contains(err.Error(), "webapp user add") {
			t.Errorf("%s: no hint in %v", c.name, err)
		}
	}
}

// faulty reports whether an error is one of the settings.
func faulty(err error) bool {
	_, is := errors.AsType[config.SettingFaults](err)
	return is
}
