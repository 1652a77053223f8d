package acceptance_test

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

	"rebatedesk/access"
	"rebatedesk/store/audit"
	"rebatedesk/web"
)

// Creating a token needs a fresh proof with every scope, because a token is another way
// to sign in, and a token that trades needs no code for its orders. A token cannot have a
// scope that its role does not allow.
func TestTokenNeedsProof(t *testing.T) {
	t.Parallel()
	o := openSite(t, web.Options{})
	o.addUser("tom", access.Trader)
	v := o.signedInAs("tom")
	key, _ := o.enrol(v)
	if a := v.post("/account/tokens", "name", "fresh", "scope-trade", "yes"); a.StatusCode != 200 {
		t.Errorf("just after a code: status %d", a.StatusCode)
	}
	o.pass(5 * time.Minute)
	for _, scope := range []string{"trade", "export", "read"} {
		before := o.written()
		if a := v.post("/account/tokens", "name", scope, "scope-"+scope, "yes"); a.StatusCode != 403 || strings.Contains(a.body, "rbd_") || !strings.Contains(a.body, "Confirm it is you") || o.written() != before {
			t.Errorf("a token to %s after the proof has expired: status %d", scope, a.StatusCode)
		}
	}
	v.post("/account/totp", "present", "yes", "totp", o.code(key))
	if a := v.post("/account/tokens", "name", "again", "scope-trade", "yes"); a.StatusCode != 200 {
		t.Errorf("after another code: status %d", a.StatusCode)
	}
	o.addUser("vera", access.Viewer)
	viewer := o.signedInAs("vera")
	viewer.get("/account")
	for _, scope := range []string{"export", "console", "trade"} {
		if a := viewer.post("/account/tokens", "name", scope, "scope-"+scope, "yes"); a.StatusCode != 400 || strings.Contains(a.body, "rbd_") {
			t.Errorf("a viewer's token to %s: status %d", scope, a.StatusCode)
		}
	}
	o.pass(5 * time.Minute)
	page := viewer.post("/account/tokens", "name", "mine", "scope-read", "yes")
	if page.StatusCode != 403 || !strings.Contains(page.body, `type="password"`) {
		t.Errorf("a user without an authenticator: status %d", page.StatusCode)
	}
	if a := viewer.post("/account/tokens", "kept", keptIn(page.body), "password", longWord); a.StatusCode != 200 || !strings.Contains(a.body, "rbd_") {
		t.Errorf("after the password: status %d", a.StatusCode)
	}
}

// A form of an administrator waits for the code and then continues unchanged. Meanwhile
// the page shows nothing of it, and it is invalid for other users and other addresses.
func TestFormWaitsForTheProof(t *testing.T) {
	t.Parallel()
	b := openAdminSite(t)
	b.addUser("bea", access.Admin)
	bea := b.signedInAs("bea")
	b.enrol(bea)
	bea.get("/account")
	b.pass(5 * time.Minute)
	b.ada.get("/settings/users")
	before := b.written()
	page := b.ada.post("/settings/users", "name", "zoe", "role", "manager", "password", otherWord, "repeated", otherWord)
	kept := keptIn(page.body)
	if page.StatusCode != 403 || kept == "" || !strings.Contains(page.body, `action="/settings/users"`) || b.written() != before {
		t.Fatalf("status %d", page.StatusCode)
	}
	if strings.Contains(page.body, otherWord) || strings.Contains(page.body, "zoe") {
		t.Error("the page shows the form that it holds")
	}
	for name, c := range map[string]struct {
		who    *visitor
		path   string
		fields []string
		status int
	}{
		"a wrong code":            {b.ada, "/settings/users", []string{"kept", kept, "totp", "000000"}, 401},
		"the password":            {b.ada, "/settings/users", []string{"kept", kept, "password", longWord}, 401},
		"no code":                 {b.ada, "/settings/users", []string{"kept", kept}, 401},
		"of another session":      {bea, "/settings/users", []string{"kept", kept, "totp", "000000"}, 403},
		"for another address":     {b.ada, b.page("bea") + "/role", []string{"kept", kept, "totp", b.code(b.secret)}, 403},
		"changed on the way":      {b.ada, "/settings/users", []string{"kept", kept[:40] + flipped(kept[40:41]) + kept[41:], "totp", "000000"}, 403},
		"the form without a code": {b.ada, "/settings/users", []string{"name", "zoe", "role", "manager", "password", otherWord, "repeated", otherWord}, 403},
	} {
		if a := c.who.post(c.path, c.fields...); a.StatusCode != c.status {
			t.Errorf("%s: status %d, want %d", name, a.StatusCode, c.status)
		}
	}
	if users, err := b.access.Users(context.Background()); err != nil || len(users) != 2 {
		t.Fatalf("there are %d users (%v)", len(users), err)
	}
	page = b.ada.post("/settings/users", "kept", kept, "totp", "000000")
	a := b.ada.post("/settings/users", "kept", keptIn(page.body), "totp", b.code(b.secret))
	if a.StatusCode != 303 || a.Header.Get("Location") != "/settings/users?done=added" || b.user("zoe").Role != access.Manager {
		t.Fatalf("with the code: status %d, redirected to %q", a.StatusCode, a.Header.Get("Location"))
	}
	if a := b.change("zoe", "role", "role", "viewer"); a.StatusCode != 303 {
		t.Errorf("the next change needs another proof: status %d", a.StatusCode)
	}
	b.pass(5 * time.Minute)
	if a := b.change("zoe", "disable"); a.StatusCode != 403 || b.user("zoe").Disabled {
		t.Errorf("five minutes later: status %d", a.StatusCode)
	}
	b.ada.get("/settings/accounts")
	if a := b.ada.post("/settings/accounts/test", "account", "asia"); a.StatusCode != 403 || len(b.accounts.asked) != 0 {
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
	b := openAdminSite(t)
	b.addUser("mia", access.Manager)
	mia := b.signedInAs("mia")
	mia.get("/account")
	if a := mia.post("/account/tokens", "name", "night", "scope-export", "yes", "expires", "soon"); a.StatusCode != 400 || !strings.Contains(a.body, "says no end of a token") {
		t.Errorf("an invalid expiry date: status %d", a.StatusCode)
	}
	made := map[string]string{}
	for name, fields := range map[string][]string{"usual": nil, "month": {"expires", "30d"}, "ever": {"expires", "never"}, "week": {"expires", "90d", "until", "2026-11-26"}} {
		a := mia.post("/account/tokens", append([]string{"name", name, "scope-export", "yes"}, fields...)...)
		_, text, _ := strings.Cut(a.body, "select-all\">rbd_")
		if a.StatusCode != 200 || len(text) < 43 {
			t.Fatalf("%s: status %d", name, a.StatusCode)
		}
		made[name] = "rbd_" + text[:43]
	}
	admins, own := b.ada.get("/settings/tokens").body, mia.get("/account").body
	for _, page := range []string{admins, b.ada.get(b.page("mia")).body} {
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
		if page := b.ada.get(b.page("mia")).body; !strings.Contains(page, "All API tokens end for good: 4"+"\u00a0tokens now.") && !strings.Contains(page, "All API tokens end for good: 4 tokens now.") {
			t.Errorf("the page does not say that a change of the %s ends tokens", form)
		}
	}
	program := b.visitor("Authorization", "Bearer "+made["week"])
	if !program.in() {
		t.Fatal("the token does not work")
	}
	b.pass(7 * 24 * time.Hour)
	a := program.get("/commissions.json")
	if a.StatusCode != 401 || !strings.Contains(a.body, "expired on 27 Nov 2026 00:00 UTC") || !strings.Contains(a.Header.Get("WWW-Authenticate"), `error="invalid_token"`) {
		t.Errorf("after its expiry: status %d, %s", a.StatusCode, a.body)
	}
	if other := b.visitor("Authorization", "Bearer "+made["usual"]); !other.in() {
		t.Error("another token ended too")
	}
	b.comeBack()
	b.change("mia", "role", "role", "viewer")
	if other := b.visitor("Authorization", "Bearer "+made["usual"]); other.in() {
		t.Error("a token still works after the role changed")
	}
}

// An administrator can also end sessions and tokens on the page of their user.
func TestUserPageEndsSessionsAndTokens(t *testing.T) {
	t.Parallel()
	b := openAdminSite(t)
	b.addUser("mia", access.Manager)
	mia := b.signedInAs("mia")
	mia.get("/account")
	mia.post("/account/tokens", "name", "night", "scope-export", "yes")
	page := b.ada.get(b.page("mia")).body
	for _, form := range []string{"sessions", "tokens"} {
		_, rest, found := strings.Cut(page, `action="/settings/`+form+`/`)
		id, _, _ := strings.Cut(rest, "/")
		if !found {
			t.Fatalf("the page does not offer to end a %s", form)
		}
		a := b.ada.postWith([]string{"Referer", b.address + b.page("mia")}, fmt.Sprintf("/settings/%s/%s/revoke", form, id))
		if a.StatusCode != 303 || !strings.HasPrefix(a.Header.Get("Location"), b.page("mia")+"?done=") {
			t.Errorf("%s: status %d to %q", form, a.StatusCode, a.Header.Get("Location"))
		}
	}
	if mia.in() || b.user("mia").Disabled {
		t.Error("the session still works")
	}
}

// A sign-in from a new browser appears on the account page.
func TestNewBrowserIsReported(t *testing.T) {
	t.Parallel()
	o := openSite(t, web.Options{})
	o.addUser("mia", access.Manager)
	mia := o.signedInAs("mia")
	if strings.Contains(mia.get("/account").body, "Was it you?") {
		t.Error("the first browser is reported as new")
	}
	o.pass(time.Minute)
	thief := o.visitor("User-Agent", "Mozilla/5.0 (Windows NT 10.0) Firefox/140.0")
	thief.signIn("mia", longWord)
	thief.get("/account")
	thief.post("/logout")
	if page := mia.get("/account").body; !strings.Contains(page, "Was it you?") || strings.Count(page, "Firefox on Windows") != 1 {
		t.Error("a new browser is not reported")
	}
}

// The audit log counts refused requests by user and kind, and the log line of each names
// the user.
func TestRefusedRequestsAreReported(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	o := openSite(t, web.Options{Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	o.addUser("vera", access.Viewer)
	vera := o.signedInAs("vera")
	text, _, err := o.access.CreateToken(t.Context(), command, access.NewToken{User: "vera", Name: "robot", Scopes: []access.Scope{access.ScopeConsole}})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		vera.get("/settings/users")
		vera.send(http.MethodPost, "/account/password", "token=x", "Content-Type", "application/x-www-form-urlencoded")
		o.visitor("Authorization", "Bearer "+text).get("/account")
	}
	if err := o.access.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := map[string]audit.Line{}
	for _, line := range o.audit() {
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
	if err := o.server.Shutdown(t.Context()); err != nil {
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
	o := openSite(t, web.Options{Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	o.addUser("vera", access.Viewer)
	vera := o.signedInAs("vera")
	const uid = "4667776811"
	for _, path := range []string{"/invitees/" + uid, "/invitees/" + uid + ".csv", "/invitees/" + uid + "/" + uid, "/sub-affiliates/" + uid, "/" + uid, "/invitees?q=" + uid} {
		vera.get(path)
	}
	vera.get("/account")
	vera.post("/invitees/"+uid+"/notes", "text", "x")
	if err := o.server.Shutdown(t.Context()); err != nil {
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
		o := openSite(t, web.Options{PublicURL: public, Hosts: []string{"desk.example.com"}})
		o.addUser("mia", access.Manager)
		for _, scheme := range []string{"http", "https", "ftp"} {
			v := o.visitor("Host", "desk.example.com")
			v.get("/login")
			a := v.postWith([]string{"Origin", scheme + "://desk.example.com"}, "/login", "username", "nobody", "password", "x")
			if let := a.StatusCode == 401; let != (scheme == allowed) {
				t.Errorf("%s: a form from %s: status %d", public, scheme, a.StatusCode)
			}
		}
		v := o.visitor()
		v.get("/login")
		if a := v.postWith([]string{"Origin", o.address}, "/login", "username", "nobody", "password", "x"); a.StatusCode != 401 {
			t.Errorf("%s: a form from this machine: status %d", public, a.StatusCode)
		}
	}
}

// Many guesses from many addresses do not prevent a user from signing in with a new
// browser.
func TestGuessesDoNotLockOut(t *testing.T) {
	t.Parallel()
	o := openSite(t, web.Options{TrustedProxies: prefixes("127.0.0.0/8")})
	o.addUser("mia", access.Manager)
	computed := 0
	for i := range 600 {
		guesser := o.visitor("X-Forwarded-For", fmt.Sprintf("198.51.%d.%d", i/250, i%250))
		if guesser.signIn("mia", fmt.Sprint("guess ", i)).StatusCode == 401 {
			computed++
		}
	}
	t.Logf("%d of 600 guesses were looked at", computed)
	if computed > 150 {
		t.Errorf("%d of 600 guesses were checked", computed)
	}
	mia := o.visitor("X-Forwarded-For", "203.0.113.9")
	if a := mia.signIn("mia", longWord); a.StatusCode != 303 || !mia.in() {
		t.Errorf("with a new browser: status %d, %s", a.StatusCode, html.UnescapeString(a.body))
	}
}
