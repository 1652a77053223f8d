package access

import (
	"errors"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// An invitation gives its holder the password of one user, once. It ends with time, with the user, and
// with any other password; nobody without the master key makes one.
func TestInvitation(t *testing.T) {
	d := newFixture(t)
	invite := func(name string) string {
		t.Helper()
		token, i, err := d.Invite(t.Context(), console, name, Manager)
		if err != nil || i.User != name || !i.Until.Equal(d.clock.Now().Add(InvitationLasts)) {
			t.Fatalf("%s: %+v, %v", name, i, err)
		}
		return token
	}
	holds := func(what, token string, want bool) {
		t.Helper()
		_, err := d.Invited(t.Context(), token)
		if want != (err == nil) || err != nil && !errors.Is(err, ErrInvitation) {
			t.Errorf("%s: %v", what, err)
		}
		if !want {
			if err := d.AcceptInvitation(t.Context(), token, rightPassword, home); !errors.Is(err, ErrInvitation) {
				t.Errorf("%s: it is accepted: %v", what, err)
			}
		}
	}

	token := invite("mia")
	holds("a fresh one", token, true)
	for what, other := range map[string]string{"none": "", "nonsense": "x y", "cut": token[:len(token)-2], "another": strings.Repeat("A", len(token))} {
		holds(what, other, false)
	}
	if _, err := d.SignIn(t.Context(), "mia", rightPassword, home); !errors.Is(err, ErrWrong) {
		t.Errorf("mia signs in before a password was chosen: %v", err)
	}
	refused(t, d.AcceptInvitation(t.Context(), token, "short", home))
	holds("one whose password was refused", token, true)
	done(t, Bind(t.Context(), d.Service, console, "mia", store.AnyVersion, []affiliate.Binding{{By: affiliate.BoundByCode, Name: "vip"}}))
	holds("one whose user was bound meanwhile", token, true)
	done(t, d.AcceptInvitation(t.Context(), token, rightPassword, home))
	if e, err := d.SignIn(t.Context(), "mia", rightPassword, home); err != nil || e.Principal.Role != Manager {
		t.Errorf("mia does not sign in with the password that was chosen: %v", err)
	}
	holds("an accepted one", token, false)

	token = invite("bob")
	done(t, d.Disable(t.Context(), console, "bob", store.AnyVersion))
	holds("one of a disabled user", token, false)

	token = invite("cleo")
	done(t, d.SetPassword(t.Context(), console, "cleo", store.AnyVersion, rightPassword))
	holds("one of a user with another password", token, false)

	token = invite("dan")
	d.clock.add(InvitationLasts - time.Minute)
	holds("one shortly before its end", token, true)
	d.clock.add(time.Minute)
	holds("one after its end", token, false)

	if _, _, err := d.Invite(t.Context(), Actor{Name: "mia", Via: ViaSession}, "eve", Admin); !errors.Is(err, ErrForbidden) {
		t.Errorf("a manager invites: %v", err)
	}
}
