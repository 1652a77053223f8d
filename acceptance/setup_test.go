package acceptance_test

import (
	"strings"
	"testing"

	"rebatedesk/access"
	"rebatedesk/web"
)

// While no user exists, every address leads to the page that creates the first
// administrator with the token from the console. Afterwards this page does not exist.
func TestFirstRun(t *testing.T) {
	t.Parallel()
	o := openSite(t, web.Options{})
	v := o.visitor()
	for _, path := range []string{"/", "/codes?range=7d", "/login", "/account"} {
		if a := v.get(path); a.StatusCode != 303 || a.Header.Get("Location") != "/setup" {
			t.Errorf("%s: status %d, redirected to %q", path, a.StatusCode, a.Header.Get("Location"))
		}
	}
	if a := v.get("/overview.json"); a.StatusCode != 401 {
		t.Errorf("a program: status %d", a.StatusCode)
	}
	v.get("/setup")
	for name, c := range map[string]struct {
		setup, password, repeated string
		status                    int
	}{
		"without a token":      {"", longWord, longWord, 401},
		"with a wrong token":   {o.access.SetupToken() + "x", longWord, longWord, 401},
		"two passwords":        {o.access.SetupToken(), longWord, otherWord, 400},
		"a password too short": {o.access.SetupToken(), "short", "short", 400},
	} {
		if a := v.post("/setup", "setup", c.setup, "username", "ada", "password", c.password, "repeated", c.repeated); a.StatusCode != c.status || !strings.Contains(a.body, `role="alert"`) {
			t.Errorf("%s: status %d", name, a.StatusCode)
		}
	}
	made := v.post("/setup", "setup", o.access.SetupToken(), "username", "ada", "password", longWord, "repeated", longWord)
	if made.StatusCode != 303 || !strings.HasPrefix(made.Header.Get("Location"), "/account/totp") || v.secret() == "" {
		t.Fatalf("status %d, redirected to %q", made.StatusCode, made.Header.Get("Location"))
	}
	o.enrol(v)
	if a := v.get("/settings/users"); a.StatusCode != 200 {
		t.Errorf("the first user is not an administrator: status %d", a.StatusCode)
	}
	late := o.visitor()
	late.get("/login")
	for _, a := range []answer{late.get("/setup"), late.post("/setup", "setup", o.access.SetupToken(), "username", "eve", "password", otherWord, "repeated", otherWord)} {
		if a.StatusCode != 404 {
			t.Errorf("after the setup its page still exists: status %d", a.StatusCode)
		}
	}
}

// Adding a user on the command line also removes the page.
func TestFirstRunByCommand(t *testing.T) {
	t.Parallel()
	o := openSite(t, web.Options{})
	v := o.visitor()
	if a := v.get("/setup"); a.StatusCode != 200 {
		t.Fatalf("status %d", a.StatusCode)
	}
	o.addUser("ada", access.Admin)
	if a := v.get("/setup"); a.StatusCode != 404 {
		t.Errorf("status %d, want 404", a.StatusCode)
	}
	if a := v.get("/"); a.Header.Get("Location") != "/login" {
		t.Errorf("the overview redirects to %q", a.Header.Get("Location"))
	}
}

func TestBrowserFirstRun(t *testing.T) {
	t.Parallel()
	for _, s := range bothWays {
		t.Run(s.name, func(t *testing.T) {
			b := openApart(t, openSite(t, web.Options{}).address, s)
			b.arrives(`location.pathname === "/setup"`)
			b.looksRight("setup-" + s.name)
		})
	}
}
