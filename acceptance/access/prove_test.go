package access_test

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/store/audit"
	"rebatedesk/web"
)

// Creating a token needs a fresh proof with every scope, because a token is another way
// to sign in, and a token that trades needs no code for its orders. A token cannot have a
// scope that its role does not allow.
func TestTokenNeedsProof(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, web.Options{})
	o.AddUser("tom", access.Trader)
	v := o.SignedInAs("tom")
	key, _ := o.Enrol(v)
	if a := v.Post("/account/tokens", "name", "fresh", "scope-trade", "yes"); a.StatusCode != 200 {
		t.Errorf("just after a code: status %d", a.StatusCode)
	}
	o.Pass(5 * time.Minute)
	for _, scope := range []string{"trade", "export", "read"} {
		before := o.Written()
		if a := v.Post("/account/tokens", "name", scope, "scope-"+scope, "yes"); a.StatusCode != 403 || strings.Contains(a.Body, "rbd_") || !strings.Contains(a.Body, "Confirm it is you") || o.Written() != before {
			t.Errorf("a token to %s after the proof has expired: status %d", scope, a.StatusCode)
		}
	}
	v.Post("/account/totp", "present", "yes", "totp", o.Code(key))
	if a := v.Post("/account/tokens", "name", "again", "scope-trade", "yes"); a.StatusCode != 200 {
		t.Errorf("after another code: status %d", a.StatusCode)
	}
	o.AddUser("vera", access.Viewer)
	viewer := o.SignedInAs("vera")
	viewer.Get("/account")
	for _, scope := range []string{"export", "console", "trade"} {
		if a := viewer.Post("/account/tokens", "name", scope, "scope-"+scope, "yes"); a.StatusCode != 400 || strings.Contains(a.Body, "rbd_") {
			t.Errorf("a viewer's token to %s: status %d", scope, a.StatusCode)
		}
	}
	o.Pass(5 * time.Minute)
	page := viewer.Post("/account/tokens", "name", "mine", "scope-read", "yes")
	if page.StatusCode != 403 || !strings.Contains(page.Body, `type="password"`) {
		t.Errorf("a user without an authenticator: status %d", page.StatusCode)
	}
	if a := viewer.Post("/account/tokens", "kept", site.KeptIn(page.Body), "password", site.LongWord); a.StatusCode != 200 || !strings.Contains(a.Body, "rbd_") {
		t.Errorf("after the password: status %d", a.StatusCode)
	}
}

// A form of an administrator waits for the code and then continues unchanged. Meanwhile
// the page shows nothing of it, and it is invalid for other users and other addresses.
func TestFormWaitsForTheProof(t *testing.T) {
	t.Parallel()
	b := site.OpenAdminSite(t)
	b.AddUser("bea", access.Admin)
	bea := b.SignedInAs("bea")
	b.Enrol(bea)
	bea.Get("/account")
	b.Pass(5 * time.Minute)
	b.Ada.Get("/settings/users")
	before := b.Written()
	page := b.Ada.Post("/settings/users", "name", "zoe", "role", "manager", "password", otherWord, "repeated", otherWord)
	kept := site.KeptIn(page.Body)
	if page.StatusCode != 403 || kept == "" || !strings.Contains(page.Body, `action="/settings/users"`) || b.Written() != before {
		t.Fatalf("status %d", page.StatusCode)
	}
	if strings.Contains(page.Body, otherWord) || strings.Contains(page.Body, "zoe") {
		t.Error("the page shows the form that it holds")
	}
	for name, c := range map[string]struct {
		who    *site.Visitor
		path   string
		fields []string
		status int
	}{
		"a wrong code":            {b.Ada, "/settings/users", []string{"kept", kept, "totp", "000000"}, 401},
		"the password":            {b.Ada, "/settings/users", []string{"kept", kept, "password", site.LongWord}, 401},
		"no code":                 {b.Ada, "/settings/users", []string{"kept", kept}, 401},
		"of another session":      {bea, "/settings/users", []string{"kept", kept, "totp", "000000"}, 403},
		"for another address":     {b.Ada, b.Page("bea") + "/role", []string{"kept", kept, "totp", b.Code(b.Secret)}, 403},
		"changed on the way":      {b.Ada, "/settings/users", []string{"kept", kept[:40] + flipped(kept[40:41]) + kept[41:], "totp", "000000"}, 403},
		"the form without a code": {b.Ada, "/settings/users", []string{"name", "zoe", "role", "manager", "password", otherWord, "repeated", otherWord}, 403},
	} {
		if a := c.who.Post(c.path, c.fields...); a.StatusCode != c.status {
			t.Errorf("%s: status %d, want %d", name, a.StatusCode, c.status)
		}
	}
	if users, err := b.Access.Users(context.Background()); err != nil || len(users) != 2 {
		t.Fatalf("there are %d users (%v)", len(users), err)
	}
	page = b.Ada.Post("/settings/users", "kept", kept, "totp", "000000")
	a := b.Ada.Post("/settings/users", "kept", site.KeptIn(page.Body), "totp", b.Code(b.Secret))
	if a.StatusCode != 303 || a.Header.Get("Location") != "/settings/users?done=added" || b.User("zoe").Role != access.Manager {
		t.Fatalf("with the code: status %d, redirected to %q", a.StatusCode, a.Header.Get("Location"))
	}
	if a := b.Change("zoe", "role", "role", "viewer"); a.StatusCode != 303 {
		t.Errorf("the next change needs another proof: status %d", a.StatusCode)
	}
	b.Pass(5 * time.Minute)
	if a := b.Change("zoe", "disable"); a.StatusCode != 403 || b.User("zoe").Disabled {
		t.Errorf("five minutes later: status %d", a.StatusCode)
	}
	b.Ada.Get("/settings/accounts")
	if a := b.Ada.Post("/settings/accounts/test", "account", "asia"); a.StatusCode != 403 || len(b.Accounts.Asked) != 0 {
		t.Errorf("the accounts: status %d", a.StatusCode)
	}
}

// flipped returns a different letter.
func flipped(letter string) string {
	if letter == "A" {
		return "B"
	}
	return "A"
}

// A page shows until when a token is valid and why it ended. The program receives an
// error that its token has expired.
func TestTokensOnPages(t *testing.T) {
	t.Parallel()
	b := site.OpenAdminSite(t)
	b.AddUser("mia", access.Manager)
	mia := b.SignedInAs("mia")
	mia.Get("/account")
	if a := mia.Post("/account/tokens", "name", "night", "scope-export", "yes", "expires", "soon"); a.StatusCode != 400 || !strings.Contains(a.Body, "says no end of a token") {
		t.Errorf("an invalid expiry date: status %d", a.StatusCode)
	}
	made := map[string]string{}
	for name, fields := range map[string][]string{"usual": nil, "month": {"expires", "30d"}, "ever": {"expires", "never"}, "week": {"expires", "90d", "until", "2026-11-26"}} {
		a := mia.Post("/account/tokens", append([]string{"name", name, "scope-export", "yes"}, fields...)...)
		_, text, _ := strings.Cut(a.Body, "select-all\">rbd_")
		if a.StatusCode != 200 || len(text) < 43 {
			t.Fatalf("%s: status %d", name, a.StatusCode)
		}
		made[name] = "rbd_" + text[:43]
	}
	admins, own := b.Ada.Get("/settings/tokens").Body, mia.Get("/account").Body
	for _, page := range []string{admins, b.Ada.Get(b.Page("mia")).Body} {
		for _, said := range []string{">18 Feb 2027 14:", ">20 Dec 2026 14:", ">27 Nov 2026 00:00<", ">never<", "expires soon"} {
			if !strings.Contains(page, said) {
				t.Errorf("the page of the user does not say %q", said)
			}
		}
	}
	if !strings.Contains(admins, "1 token expires within 14 days") || !strings.Contains(own, "expires 27 Nov 2026 00:00") || !strings.Contains(own, "expires soon") {
		t.Error("a token that expires soon is not marked")
	}
	for _, form := range []string{"role", "password"} {
		if page := b.Ada.Get(b.Page("mia")).Body; !strings.Contains(page, "All API tokens end for good: 4"+"\u00a0tokens now.") && !strings.Contains(page, "All API tokens end for good: 4 tokens now.") {
			t.Errorf("the page does not say that a change of the %s ends tokens", form)
		}
	}
	program := b.Visitor("Authorization", "Bearer "+made["week"])
	if !program.In() {
		t.Fatal("the token does not work")
	}
	b.Pass(7 * 24 * time.Hour)
	a := program.Get("/commissions.json")
	if a.StatusCode != 401 || !strings.Contains(a.Body, "expired on 27 Nov 2026 00:00 UTC") || !strings.Contains(a.Header.Get("WWW-Authenticate"), `error="invalid_token"`) {
		t.Errorf("after its expiry: status %d, %s", a.StatusCode, a.Body)
	}
	if other := b.Visitor("Authorization", "Bearer "+made["usual"]); !other.In() {
		t.Error("another token ended too")
	}
	b.ComeBack()
	b.Change("mia", "role", "role", "viewer")
	if other := b.Visitor("Authorization", "Bearer "+made["usual"]); other.In() {
		t.Error("a token still works after the role changed")
	}
}

// An administrator can also end sessions and tokens on the page of their user.
func TestUserPageEndsSessionsAndTokens(t *testing.T) {
	t.Parallel()
	b := site.OpenAdminSite(t)
	b.AddUser("mia", access.Manager)
	mia := b.SignedInAs("mia")
	mia.Get("/account")
	mia.Post("/account/tokens", "name", "night", "scope-export", "yes")
	page := b.Ada.Get(b.Page("mia")).Body
	for _, form := range []string{"sessions", "tokens"} {
		_, rest, found := strings.Cut(page, `action="/settings/`+form+`/`)
		id, _, _ := strings.Cut(rest, "/")
		if !found {
			t.Fatalf("the page does not offer to end a %s", form)
		}
		a := b.Ada.PostWith([]string{"Referer", b.Address + b.Page("mia")}, fmt.Sprintf("/settings/%s/%s/revoke", form, id))
		if a.StatusCode != 303 || !strings.HasPrefix(a.Header.Get("Location"), b.Page("mia")+"?done=") {
			t.Errorf("%s: status %d to %q", form, a.StatusCode, a.Header.Get("Location"))
		}
	}
	if mia.In() || b.User("mia").Disabled {
		t.Error("the session still works")
	}
}

// A sign-in from a new browser appears on the account page.
func TestNewBrowserIsReported(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, web.Options{})
	o.AddUser("mia", access.Manager)
	mia := o.SignedInAs("mia")
	if strings.Contains(mia.Get("/account").Body, "Was it you?") {
		t.Error("the first browser is reported as new")
	}
	o.Pass(time.Minute)
	thief := o.Visitor("User-Agent", "Mozilla/5.0 (Windows NT 10.0) Firefox/140.0")
	thief.SignIn("mia", site.LongWord)
	thief.Get("/account")
	thief.Post("/logout")
	if page := mia.Get("/account").Body; !strings.Contains(page, "Was it you?") || strings.Count(page, "Firefox on Windows") != 1 {
		t.Error("a new browser is not reported")
	}
}

// The audit log counts refused requests by user and kind, and the log line of each names
// the user.
func TestRefusedRequestsAreReported(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	o := site.OpenSite(t, web.Options{Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	o.AddUser("vera", access.Viewer)
	vera := o.SignedInAs("vera")
	text, _, err := o.Access.CreateToken(t.Context(), site.Command, access.NewToken{User: "vera", Name: "robot", Scopes: []access.Scope{access.ScopeConsole}})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		vera.Get("/settings/users")
		vera.Send(http.MethodPost, "/account/password", "token=x", "Content-Type", "application/x-www-form-urlencoded")
		o.Visitor("Authorization", "Bearer "+text).Get("/account")
	}
	if err := o.Access.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := map[string]audit.Line{}
	for _, line := range o.Audit() {
		if line.Action == "requests refused" {
			got[line.Via+" "+line.Object] = line
		}
	}
	for _, want := range []string{"session by role", "session by form token", "token by scope"} {
		if line := got[want]; line.Actor != "vera" || line.Detail != "3 requests" || line.Address != "127.0.0.1" || line.Outcome != "refused" {
			t.Errorf("%s: the log has %+v", want, line)
		}
	}
	if len(got) != 3 {
		t.Errorf("%d lines: %v", len(got), got)
	}
	if err := o.Server.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"route=/settings/users status=403", "user=vera\n", "user=vera token=robot"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not contain %q:\n%.2000s", want, log.String())
		}
	}
}

// The log contains no address with a UID, with any outcome of the request.
func TestLogNamesRoutes(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	o := site.OpenSite(t, web.Options{Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	o.AddUser("vera", access.Viewer)
	vera := o.SignedInAs("vera")
	const uid = "4667776811"
	for _, path := range []string{"/invitees/" + uid, "/invitees/" + uid + ".csv", "/invitees/" + uid + "/" + uid, "/sub-affiliates/" + uid, "/" + uid, "/invitees?q=" + uid} {
		vera.Get(path)
	}
	vera.Get("/account")
	vera.Post("/invitees/"+uid+"/notes", "text", "x")
	if err := o.Server.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(log.String(), uid) || !strings.Contains(log.String(), "route=/invitees/:uid ") || !strings.Contains(log.String(), "route=/invitees/:uid/notes") || !strings.Contains(log.String(), "route=none") {
		t.Errorf("the log contains\n%s", log.String())
	}
}

// Older browsers report the origin of a form in Origin. For an https site a plain http
// page is another site, because anyone on the network path can write it.
func TestOriginIncludesTheScheme(t *testing.T) {
	t.Parallel()
	for public, allowed := range map[string]string{"https://desk.example.com": "https", "http://desk.example.com": "http"} {
		o := site.OpenSite(t, web.Options{PublicURL: public, Hosts: []string{"desk.example.com"}})
		o.AddUser("mia", access.Manager)
		for _, scheme := range []string{"http", "https", "ftp"} {
			v := o.Visitor("Host", "desk.example.com")
			v.Get("/login")
			a := v.PostWith([]string{"Origin", scheme + "://desk.example.com"}, "/login", "username", "nobody", "password", "x")
			if let := a.StatusCode == 401; let != (scheme == allowed) {
				t.Errorf("%s: a form from %s: status %d", public, scheme, a.StatusCode)
			}
		}
		v := o.Visitor()
		v.Get("/login")
		if a := v.PostWith([]string{"Origin", o.Address}, "/login", "username", "nobody", "password", "x"); a.StatusCode != 401 {
			t.Errorf("%s: a form from this machine: status %d", public, a.StatusCode)
		}
	}
}

// Many guesses from many addresses do not prevent a user from signing in with a new
// browser.
func TestGuessesDoNotLockOut(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, web.Options{TrustedProxies: prefixes("127.0.0.0/8")})
	o.AddUser("mia", access.Manager)
	computed := 0
	for i := range 600 {
		guesser := o.Visitor("X-Forwarded-For", fmt.Sprintf("198.51.%d.%d", i/250, i%250))
		if guesser.SignIn("mia", fmt.Sprint("guess ", i)).StatusCode == 401 {
			computed++
		}
	}
	t.Logf("%d of 600 guesses were looked at", computed)
	if computed > 150 {
		t.Errorf("%d of 600 guesses were checked", computed)
	}
	mia := o.Visitor("X-Forwarded-For", "203.0.113.9")
	if a := mia.SignIn("mia", site.LongWord); a.StatusCode != 303 || !mia.In() {
		t.Errorf("with a new browser: status %d, %s", a.StatusCode, html.UnescapeString(a.Body))
	}
}
