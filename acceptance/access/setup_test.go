package access_test

import (
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/web"
)

// While no user exists, every address leads to the page that creates the first
// administrator with the token from the console. Afterwards this page does not exist.
func TestFirstRun(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, web.Options{})
	v := o.Visitor()
	for _, path := range []string{"/", "/codes?range=7d", "/login", "/account"} {
		if a := v.Get(path); a.StatusCode != 303 || a.Header.Get("Location") != "/setup" {
			t.Errorf("%s: status %d, redirected to %q", path, a.StatusCode, a.Header.Get("Location"))
		}
	}
	if a := v.Get("/overview.json"); a.StatusCode != 401 {
		t.Errorf("a program: status %d", a.StatusCode)
	}
	v.Get("/setup")
	for name, c := range map[string]struct {
		setup, password, repeated string
		status                    int
	}{
		"without a token":      {"", site.LongWord, site.LongWord, 401},
		"with a wrong token":   {o.Access.SetupToken() + "x", site.LongWord, site.LongWord, 401},
		"two passwords":        {o.Access.SetupToken(), site.LongWord, otherWord, 400},
		"a password too short": {o.Access.SetupToken(), "short", "short", 400},
	} {
		if a := v.Post("/setup", "setup", c.setup, "username", "ada", "password", c.password, "repeated", c.repeated); a.StatusCode != c.status || !strings.Contains(a.Body, `role="alert"`) {
			t.Errorf("%s: status %d", name, a.StatusCode)
		}
	}
	made := v.Post("/setup", "setup", o.Access.SetupToken(), "username", "ada", "password", site.LongWord, "repeated", site.LongWord)
	if made.StatusCode != 303 || !strings.HasPrefix(made.Header.Get("Location"), "/account/totp") || v.Secret() == "" {
		t.Fatalf("status %d, redirected to %q", made.StatusCode, made.Header.Get("Location"))
	}
	o.Enrol(v)
	if a := v.Get("/settings/users"); a.StatusCode != 200 {
		t.Errorf("the first user is not an administrator: status %d", a.StatusCode)
	}
	late := o.Visitor()
	late.Get("/login")
	for _, a := range []site.Answer{late.Get("/setup"), late.Post("/setup", "setup", o.Access.SetupToken(), "username", "eve", "password", otherWord, "repeated", otherWord)} {
		if a.StatusCode != 404 {
			t.Errorf("after the setup its page still exists: status %d", a.StatusCode)
		}
	}
}

// Adding a user on the command line also removes the page.
func TestFirstRunByCommand(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, web.Options{})
	v := o.Visitor()
	if a := v.Get("/setup"); a.StatusCode != 200 {
		t.Fatalf("status %d", a.StatusCode)
	}
	o.AddUser("ada", access.Admin)
	if a := v.Get("/setup"); a.StatusCode != 404 {
		t.Errorf("status %d, want 404", a.StatusCode)
	}
	if a := v.Get("/"); a.Header.Get("Location") != "/login" {
		t.Errorf("the overview redirects to %q", a.Header.Get("Location"))
	}
}

func TestBrowserFirstRun(t *testing.T) {
	t.Parallel()
	b := site.OpenApart(t, site.OpenSite(t, web.Options{}).Address, site.Desktop)
	b.Arrives(`location.pathname === "/setup"`)
	b.Looks("setup")
}
