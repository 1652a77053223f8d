package access_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
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
	change func(o *site.Site, v *site.Visitor, key string, recovery []string) (in *site.Visitor)
}{
	{"a cookie that was planted, and a password", access.Manager, false, false, func(o *site.Site, v *site.Visitor, _ string, _ []string) *site.Visitor {
		planted := o.Visitor()
		planted.Cookies["session"] = v.Secret()
		v.Get("/account")
		v.Post("/logout")
		planted.SignIn("pat", site.LongWord)
		return planted
	}},
	{"the code after the password", access.Trader, true, true, func(o *site.Site, v *site.Visitor, key string, _ []string) *site.Visitor {
		v.Get("/login")
		v.Post("/login", "totp", o.Code(key))
		return v
	}},
	{"a recovery code after the password", access.Trader, true, true, func(_ *site.Site, v *site.Visitor, _ string, recovery []string) *site.Visitor {
		v.Get("/login")
		v.Post("/login", "totp", recovery[0])
		return v
	}},
	{"the first authenticator, where the role takes one", access.Admin, false, true, func(o *site.Site, v *site.Visitor, _ string, _ []string) *site.Visitor {
		o.Enrol(v)
		return v
	}},
	{"the first authenticator, of one's own will", access.Manager, false, false, func(o *site.Site, v *site.Visitor, _ string, _ []string) *site.Visitor {
		o.Enrol(v)
		return v
	}},
	{"another authenticator", access.Manager, true, false, func(o *site.Site, v *site.Visitor, _ string, _ []string) *site.Visitor {
		o.Enrol(v)
		return v
	}},
	{"another password", access.Manager, false, false, func(_ *site.Site, v *site.Visitor, _ string, _ []string) *site.Visitor {
		v.Get("/account")
		v.Post("/account/password", "current", site.LongWord, "password", otherWord, "repeated", otherWord)
		return v
	}},
	{"signing in once more", access.Manager, false, false, func(_ *site.Site, v *site.Visitor, _ string, _ []string) *site.Visitor {
		v.Get("/account")
		v.Post("/login", "username", "pat", "password", site.LongWord)
		return v
	}},
	{"signing in as somebody else", access.Manager, false, false, func(o *site.Site, v *site.Visitor, _ string, _ []string) *site.Visitor {
		o.AddUser("someoneelse", access.Viewer)
		v.Get("/account")
		v.Post("/login", "username", "someoneelse", "password", site.LongWord)
		return v
	}},
	{"signing out", access.Manager, false, false, func(_ *site.Site, v *site.Visitor, _ string, _ []string) *site.Visitor {
		v.Get("/account")
		v.Post("/logout")
		return nil
	}},
	{"signing out with half a session", access.Trader, true, true, func(_ *site.Site, v *site.Visitor, _ string, _ []string) *site.Visitor {
		v.Get("/login")
		v.Post("/logout")
		return nil
	}},
	{"a password set by somebody else", access.Manager, false, false, byCommand(func(ctx context.Context, s *access.Service) error {
		return s.SetPassword(ctx, site.Command, "pat", store.AnyVersion, otherWord)
	})},
	{"another role", access.Manager, false, false, byCommand(func(ctx context.Context, s *access.Service) error {
		return s.SetRole(ctx, site.Command, "pat", store.AnyVersion, access.Viewer)
	})},
	{"being disabled", access.Manager, false, false, byCommand(func(ctx context.Context, s *access.Service) error {
		return s.Disable(ctx, site.Command, "pat", store.AnyVersion)
	})},
	{"the authenticator taken away", access.Trader, true, false, byCommand(func(ctx context.Context, s *access.Service) error {
		return s.ResetTOTP(ctx, site.Command, "pat", store.AnyVersion)
	})},
	{"ended from the list of another session", access.Manager, false, false, func(o *site.Site, _ *site.Visitor, _ string, _ []string) *site.Visitor {
		other := o.SignedInAs("pat")
		for _, action := range revokeForms(other.Get("/account").Body) {
			other.Post(action)
		}
		return other
	}},
	{"not used for too long", access.Manager, false, false, func(o *site.Site, _ *site.Visitor, _ string, _ []string) *site.Visitor {
		o.Pass(8*time.Hour + time.Second)
		return nil
	}},
	{"used for too long", access.Trader, true, false, func(o *site.Site, v *site.Visitor, _ string, _ []string) *site.Visitor {
		for range 12 * 6 {
			o.Pass(10 * time.Minute)
			v.Get("/collection/progress")
		}
		return nil
	}},
	{"half a session that takes too long", access.Trader, true, true, func(o *site.Site, _ *site.Visitor, _ string, _ []string) *site.Visitor {
		o.Pass(16 * time.Minute)
		return nil
	}},
}

// byCommand makes a change on the command line, without the user.
func byCommand(change func(context.Context, *access.Service) error) func(*site.Site, *site.Visitor, string, []string) *site.Visitor {
	return func(o *site.Site, _ *site.Visitor, _ string, _ []string) *site.Visitor {
		o.Helper()
		if err := change(context.Background(), o.Access); err != nil {
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
			o := site.OpenSite(t, web.Options{})
			o.AddUser("pat", c.role)
			v := o.SignedInAs("pat")
			var key string
			var recovery []string
			if c.enrols {
				key, recovery = o.Enrol(v)
			}
			if c.enrols && c.half {
				v = o.SignedInAs("pat")
			}
			before, copied := v.Secret(), o.Visitor()
			copied.Cookies["session"] = before
			if before == "" || copied.In() == c.half {
				t.Fatalf("before the event, the cookie %q opens pages: %v", before, copied.In())
			}
			in := c.change(o, v, key, recovery)
			if in != nil && (!in.In() || in.Secret() == before) {
				t.Errorf("after the event, the pages are open: %v, with the old cookie: %v", in.In(), in.Secret() == before)
			}
			copied.Cookies = map[string]string{"session": before}
			for _, path := range []string{"/collection", "/account", "/account/totp", "/"} {
				if a := copied.Get(path); a.StatusCode != 303 || !strings.HasPrefix(a.Header.Get("Location"), "/login") {
					t.Errorf("the old cookie opens %s: status %d", path, a.StatusCode)
				}
			}
		})
	}
}
