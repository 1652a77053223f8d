package access

import (
	"errors"
	"strings"
	"testing"

	"rebatedesk/store"
	"rebatedesk/store/identity"
)

// A refused sign-in does not reveal which part was wrong, and each answer costs one
// computation.
func TestUnknownAndKnownUsersAreAnsweredAlike(t *testing.T) {
	d := newFixture(t)
	d.add("ann", Viewer)
	d.add("off", Viewer)
	d.enrolled("cleo", Admin)
	done(t, d.Disable(t.Context(), console, "off", store.AnyVersion))
	for _, c := range []struct{ name, password string }{
		{"ann", "wrong"}, {"nobody", "wrong"}, {"nobody", rightPassword}, {"off", rightPassword}, {"off", "wrong"}, {"cleo", "wrong"},
		{"", ""}, {"ann", ""}, {"ann", strings.Repeat("x", 60_000)}, {strings.Repeat("x", 60_000), "x"}, {"ann\x00", rightPassword}, {"\xff", "\xff"},
	} {
		before := d.hasher.computed.Load()
		e, err := d.SignIn(t.Context(), c.name, c.password, at("198.51.100."+string('1'+rune(len(c.name)%9))))
		if err != ErrWrong || e.Secret+e.Device != "" || e.Principal.User != "" {
			t.Errorf("%.20q with %.20q: %v", c.name, c.password, err)
		}
		if n := d.hasher.computed.Load() - before; n != 1 {
			t.Errorf("%.20q with %.20q: %d computations", c.name, c.password, n)
		}
	}
	// The wait is the same as well.
	var waits []string
	for _, name := range []string{"ann", "nobody", "off"} {
		for range 7 {
			_, err := d.SignIn(t.Context(), name, "wrong", at("203.0.113.5"))
			waits = append(waits, err.Error())
		}
	}
	if a, b, c := waits[:7], waits[7:14], waits[14:]; strings.Join(a, ";") != strings.Join(b, ";") || strings.Join(a, ";") != strings.Join(c, ";") {
		t.Errorf("answers differ: %q %q %q", a, b, c)
	}
}

func TestUserNames(t *testing.T) {
	d := newFixture(t)
	for _, name := range []string{"", " ", "a b", "a/b", "ann\n", "<b>", "a:b", strings.Repeat("x", 65), "\xff", "a\u200bb", "'"} {
		refused(t, d.AddUser(t.Context(), console, NewUser{Name: name, Role: Viewer, Password: rightPassword}))
	}
	for _, name := range []string{"a", "Ann.B_c-d@example.com", strings.Repeat("x", 64), "Zoë"} {
		d.add(name, Viewer)
	}
	for _, name := range []string{"A", "ann.b_C-d@EXAMPLE.com", "ZOË", "Zoe\u0308"} {
		refused(t, d.AddUser(t.Context(), console, NewUser{Name: name, Role: Viewer, Password: rightPassword}))
		e, err := d.SignIn(t.Context(), name, rightPassword, home)
		if err != nil || e.Principal.User == name {
			t.Errorf("%q: %q, %v", name, e.Principal.User, err)
		}
	}
}

func TestLastAdmin(t *testing.T) {
	d := newFixture(t)
	d.add("ann", Admin)
	d.add("bob", Viewer)
	refused(t, d.Disable(t.Context(), console, "ann", store.AnyVersion))
	for _, role := range []Role{Viewer, Manager, Trader} {
		refused(t, d.SetRole(t.Context(), console, "ann", store.AnyVersion, role))
	}
	d.add("cleo", Admin)
	done(t, d.Disable(t.Context(), console, "cleo", store.AnyVersion))
	refused(t, d.Disable(t.Context(), console, "ANN", store.AnyVersion))
	done(t, d.Enable(t.Context(), console, "cleo", store.AnyVersion))
	done(t, d.SetRole(t.Context(), console, "ann", store.AnyVersion, Viewer))
	refused(t, d.Disable(t.Context(), console, "cleo", store.AnyVersion))
	done(t, d.Disable(t.Context(), console, "bob", store.AnyVersion))
}

// Only admins by a session, and the command line, change users.
func TestWhoMayChangeUsers(t *testing.T) {
	d := newFixture(t)
	d.add("vic", Viewer)
	d.add("max", Manager)
	admin, _, _ := d.enrolled("ann", Admin)
	trader, _, _ := d.enrolled("tom", Trader)
	half := d.enter("ann")
	byToken := admin.Principal
	byToken.TokenID, byToken.SessionID, byToken.Scopes = 1, 0, Scopes
	for name, by := range map[string]Actor{
		"viewer": d.enter("vic").Principal.Actor(), "manager": d.enter("max").Principal.Actor(), "trader": trader.Principal.Actor(),
		"half": half.Principal.Actor(), "token": byToken.Actor(), "nobody": {}, "made up": {Name: "ann", Via: ViaSession},
	} {
		for what, err := range map[string]error{
			"add":      d.AddUser(t.Context(), by, NewUser{"new", Admin, rightPassword}),
			"role":     d.SetRole(t.Context(), by, "vic", store.AnyVersion, Admin),
			"password": d.SetPassword(t.Context(), by, "vic", store.AnyVersion, otherPassword),
			"disable":  d.Disable(t.Context(), by, "vic", store.AnyVersion),
			"enable":   d.Enable(t.Context(), by, "vic", store.AnyVersion),
			"reset":    d.ResetTOTP(t.Context(), by, "tom", store.AnyVersion),
		} {
			if err != ErrForbidden {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
	}
	done(t, d.SetRole(t.Context(), admin.Principal.Actor(), "vic", store.AnyVersion, Manager))
}

// A password that was long enough for a viewer is not for an admin.
func TestShortPasswordBarsARole(t *testing.T) {
	d := newFixture(t)
	const short = "gravel-otter"
	done(t, d.AddUser(t.Context(), console, NewUser{Name: "ann", Role: Viewer, Password: short}))
	refused(t, d.AddUser(t.Context(), console, NewUser{Name: "bob", Role: Admin, Password: short}))
	refused(t, d.SetRole(t.Context(), console, "ann", store.AnyVersion, Admin))
	done(t, d.SetRole(t.Context(), console, "ann", store.AnyVersion, Manager))
	done(t, d.SetPassword(t.Context(), console, "ann", store.AnyVersion, rightPassword))
	done(t, d.SetRole(t.Context(), console, "ann", store.AnyVersion, Admin))
	refused(t, d.SetPassword(t.Context(), console, "ann", store.AnyVersion, short))
}

func TestChangePassword(t *testing.T) {
	d := newFixture(t)
	d.add("ann", Viewer)
	e := d.enter("ann")
	_, err := d.ChangePassword(t.Context(), e.Principal, "wrong", otherPassword, home)
	wants(t, err, ErrWrong)
	_, err = d.ChangePassword(t.Context(), e.Principal, rightPassword, "short", home)
	refused(t, err)
	if !d.alive(e.Secret) {
		t.Fatal("the session ended for nothing")
	}
	_, err = d.ChangePassword(t.Context(), e.Principal, rightPassword, otherPassword, home)
	done(t, err)
	_, err = d.ChangePassword(t.Context(), e.Principal, otherPassword, rightPassword, home)
	wants(t, err, ErrNoSession)
	_, err = d.SignIn(t.Context(), "ann", rightPassword, home)
	wants(t, err, ErrWrong)
	_, err = d.SignIn(t.Context(), "ann", otherPassword, home)
	done(t, err)
	var looked int
	for range 50 {
		if _, err := d.ChangePassword(t.Context(), e.Principal, "wrong", otherPassword, home); err == ErrWrong {
			looked++
		}
	}
	if looked > int(byUser.free) {
		t.Errorf("%d passwords were computed for a session", looked)
	}
}

func TestSetup(t *testing.T) {
	d := newFixture(t)
	token := d.SetupToken()
	needed, err := d.NeedsSetup(t.Context())
	if err != nil || !needed || len(token) != 43 {
		t.Fatal(needed, token, err)
	}
	for _, wrong := range []string{"", "x", newSecret()} {
		_, err := d.Setup(t.Context(), wrong, "ann", rightPassword, home)
		wants(t, err, ErrWrong)
	}
	_, err = d.Setup(t.Context(), token, "ann", "short", home)
	refused(t, err)
	results := make(chan error, 2)
	for _, name := range []string{"ann", "eve"} {
		go func() {
			e, err := d.Setup(t.Context(), token, name, rightPassword, home)
			if err == nil && (e.Principal.State != NeedsEnrolment || e.Principal.Role != Admin) {
				t.Errorf("%+v", e.Principal)
			}
			results <- err
		}()
	}
	if a, b := <-results, <-results; (a == nil) == (b == nil) {
		t.Error("there is one first admin:", a, b)
	}
	_, err = d.Setup(t.Context(), token, "zed", rightPassword, home)
	wants(t, err, ErrSetUp)
	if needed, err := d.NeedsSetup(t.Context()); needed || err != nil {
		t.Error("still needed", err)
	}
	d.restart()
	if needed, err := d.NeedsSetup(t.Context()); needed || err != nil || d.SetupToken() == token {
		t.Error("needed after a restart, or with the same token", err)
	}
}

// Every change has its line in the audit log, and where that cannot be written
// nothing is changed.
func TestChangesAreAudited(t *testing.T) {
	d := newFixture(t)
	e, _, _ := d.enrolled("ann", Admin)
	by := e.Principal.Actor()
	done(t, d.AddUser(t.Context(), by, NewUser{"bob", Viewer, rightPassword}))
	done(t, d.SetRole(t.Context(), by, "bob", store.AnyVersion, Manager))
	done(t, d.SetPassword(t.Context(), by, "bob", store.AnyVersion, otherPassword))
	_, err := d.SignIn(t.Context(), "bob", rightPassword, home)
	wants(t, err, ErrWrong)
	_, err = d.SignIn(t.Context(), otherPassword, rightPassword, home)
	wants(t, err, ErrWrong)
	text, token, err := d.CreateToken(t.Context(), by, NewToken{User: "ann", Name: "robot", Scopes: []Scope{ScopeRead}})
	done(t, err)
	_, err = d.ByToken(t.Context(), text, at("203.0.113.77"))
	done(t, err)
	done(t, d.Flush(t.Context()))
	done(t, d.RevokeToken(t.Context(), by, token.ID))
	done(t, d.Disable(t.Context(), by, "bob", store.AnyVersion))
	done(t, d.ResetTOTP(t.Context(), by, "ann", store.AnyVersion))
	got := audited(t, d.st)
	want := []string{
		"operator command user added ann", "ann session authenticator set up ann", "ann session user added bob", "ann session role changed bob",
		"ann session password set bob", " session sign-in failed bob", " session sign-in failed ", "ann session token created ann",
		"ann token token used robot", "ann session token revoked ann", "ann session user disabled bob", "ann session authenticator reset ann",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the log has:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}

	bare, err := store.Open(t.Context(), d.path, store.Options{})
	done(t, err)
	defer bare.Close()
	blind := NewForTests(Options{Store: bare, Box: d.box, Now: d.clock.Now})
	if err := blind.Enable(t.Context(), console, "bob", store.AnyVersion); !errors.Is(err, store.ErrNoAuditKey) {
		t.Error("changed without a line:", err)
	}
	if u, err := identity.UserNamed(t.Context(), d.st, "bob"); err != nil || !u.Disabled.Known() {
		t.Error("bob is enabled", err)
	}
}
