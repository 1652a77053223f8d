package acceptance_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"rebatedesk/access"
	"rebatedesk/store"
	"rebatedesk/web"
)

// transitions lists all events that create, extend or end a session. Each change receives
// a user with a cookie and returns that user's new state; the old cookie must be invalid
// afterwards.
var transitions = []struct {
	name   string
	role   access.Role
	enrols bool // has an authenticator before the event
	half   bool // the old cookie belongs to a half session
	change func(o *site, v *visitor, key string, recovery []string) (in *visitor)
}{
	{"a cookie that was planted, and a password", access.Manager, false, false, func(o *site, v *visitor, _ string, _ []string) *visitor {
		planted := o.visitor()
		planted.cookies["session"] = v.secret()
		v.get("/account")
		v.post("/logout")
		planted.signIn("pat", longWord)
		return planted
	}},
	{"the code after the password", access.Trader, true, true, func(o *site, v *visitor, key string, _ []string) *visitor {
		v.get("/login")
		v.post("/login", "totp", o.code(key))
		return v
	}},
	{"a recovery code after the password", access.Trader, true, true, func(_ *site, v *visitor, _ string, recovery []string) *visitor {
		v.get("/login")
		v.post("/login", "totp", recovery[0])
		return v
	}},
	{"the first authenticator, where the role takes one", access.Admin, false, true, func(o *site, v *visitor, _ string, _ []string) *visitor {
		o.enrol(v)
		return v
	}},
	{"the first authenticator, of one's own will", access.Manager, false, false, func(o *site, v *visitor, _ string, _ []string) *visitor {
		o.enrol(v)
		return v
	}},
	{"another authenticator", access.Manager, true, false, func(o *site, v *visitor, _ string, _ []string) *visitor {
		o.enrol(v)
		return v
	}},
	{"another password", access.Manager, false, false, func(_ *site, v *visitor, _ string, _ []string) *visitor {
		v.get("/account")
		v.post("/account/password", "current", longWord, "password", otherWord, "repeated", otherWord)
		return v
	}},
	{"signing in once more", access.Manager, false, false, func(_ *site, v *visitor, _ string, _ []string) *visitor {
		v.get("/account")
		v.post("/login", "username", "pat", "password", longWord)
		return v
	}},
	{"signing in as somebody else", access.Manager, false, false, func(o *site, v *visitor, _ string, _ []string) *visitor {
		o.addUser("someoneelse", access.Viewer)
		v.get("/account")
		v.post("/login", "username", "someoneelse", "password", longWord)
		return v
	}},
	{"signing out", access.Manager, false, false, func(_ *site, v *visitor, _ string, _ []string) *visitor {
		v.get("/account")
		v.post("/logout")
		return nil
	}},
	{"signing out with half a session", access.Trader, true, true, func(_ *site, v *visitor, _ string, _ []string) *visitor {
		v.get("/login")
		v.post("/logout")
		return nil
	}},
	{"a password set by somebody else", access.Manager, false, false, byCommand(func(ctx context.Context, s *access.Service) error {
		return s.SetPassword(ctx, command, "pat", store.AnyVersion, otherWord)
	})},
	{"another role", access.Manager, false, false, byCommand(func(ctx context.Context, s *access.Service) error {
		return s.SetRole(ctx, command, "pat", store.AnyVersion, access.Viewer)
	})},
	{"being disabled", access.Manager, false, false, byCommand(func(ctx context.Context, s *access.Service) error {
		return s.Disable(ctx, command, "pat", store.AnyVersion)
	})},
	{"the authenticator taken away", access.Trader, true, false, byCommand(func(ctx context.Context, s *access.Service) error {
		return s.ResetTOTP(ctx, command, "pat", store.AnyVersion)
	})},
	{"ended from the list of another session", access.Manager, false, false, func(o *site, _ *visitor, _ string, _ []string) *visitor {
		other := o.signedInAs("pat")
		for _, action := range revokeForms(other.get("/account").body) {
			other.post(action)
		}
		return other
	}},
	{"not used for too long", access.Manager, false, false, func(o *site, _ *visitor, _ string, _ []string) *visitor {
		o.pass(8*time.Hour + time.Second)
		return nil
	}},
	{"used for too long", access.Trader, true, false, func(o *site, v *visitor, _ string, _ []string) *visitor {
		for range 12 * 6 {
			o.pass(10 * time.Minute)
			v.get("/collection/progress")
		}
		return nil
	}},
	{"half a session that takes too long", access.Trader, true, true, func(o *site, _ *visitor, _ string, _ []string) *visitor {
		o.pass(16 * time.Minute)
		return nil
	}},
}

// byCommand makes a change on the command line, without the user.
func byCommand(change func(context.Context, *access.Service) error) func(*site, *visitor, string, []string) *visitor {
	return func(o *site, _ *visitor, _ string, _ []string) *visitor {
		o.Helper()
		if err := change(context.Background(), o.access); err != nil {
			o.Fatal(err)
		}
		return nil
	}
}

// revokeForms returns the addresses of the forms on a page that end other sessions.
func revokeForms(page string) []string {
	var actions []string
	for _, part := range strings.Split(page, `action="`)[1:] {
		if action, _, _ := strings.Cut(part, `"`); strings.HasPrefix(action, "/account/sessions/") {
			actions = append(actions, action)
		}
	}
	return actions
}

// Every change of a session makes its previous cookie invalid.
func TestSessionFixation(t *testing.T) {
	t.Parallel()
	for _, c := range transitions {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := openSite(t, web.Options{})
			o.addUser("pat", c.role)
			v := o.signedInAs("pat")
			var key string
			var recovery []string
			if c.enrols {
				key, recovery = o.enrol(v)
			}
			if c.enrols && c.half {
				v = o.signedInAs("pat")
			}
			before, copied := v.secret(), o.visitor()
			copied.cookies["session"] = before
			if before == "" || copied.in() == c.half {
				t.Fatalf("before the event, the cookie %q opens pages: %v", before, copied.in())
			}
			in := c.change(o, v, key, recovery)
			if in != nil && (!in.in() || in.secret() == before) {
				t.Errorf("after the event, the pages are open: %v, with the old cookie: %v", in.in(), in.secret() == before)
			}
			copied.cookies = map[string]string{"session": before}
			for _, path := range []string{"/collection", "/account", "/account/totp", "/"} {
				if a := copied.get(path); a.StatusCode != 303 || !strings.HasPrefix(a.Header.Get("Location"), "/login") {
					t.Errorf("the old cookie opens %s: status %d", path, a.StatusCode)
				}
			}
		})
	}
}
