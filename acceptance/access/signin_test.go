package access_test

import (
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/store"
	"rebatedesk/store/identity"
	"rebatedesk/web"
	"rebatedesk/web/signin"
)

// After the sign-in the user arrives at the requested page, if it is on this site.
func TestSignInLeadsToTheRequestedPage(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, web.Options{})
	o.AddUser("mia", access.Manager)
	if a := o.Visitor().Get("/codes?range=7d"); a.StatusCode != 303 || a.Header.Get("Location") != "/login?next=%2Fcodes%3Frange%3D7d" {
		t.Errorf("a page redirects to %s (status %d)", a.Header.Get("Location"), a.StatusCode)
	}
	v := o.SignedInAs("mia")
	for next, want := range map[string]string{
		"/": "/", "": "/", "/codes?range=7d": "/codes?range=7d", "/invitees/7?as_of=2026-01-01T00%3A00%3A00Z": "/invitees/7?as_of=2026-01-01T00%3A00%3A00Z",
		"//evil.example": "/", "///evil.example": "/", `/\evil.example`: "/", `/\/evil.example`: "/", `\\evil.example`: "/", "/%5cevil.example": "/", "/%2fevil.example": "/",
		"https://evil.example/": "/", "http:evil.example": "/", "javascript:alert(1)": "/", "data:text/html,x": "/", "evil.example": "/",
		"/\tevil.example": "/", "/\r\nSet-Cookie:x": "/", "/%0d%0aSet-Cookie:x": "/", "/\x00": "/", " /codes": "/", "/ü": "/",
		"/login": "/", "/login?next=/login": "/", "/logout": "/", "/setup": "/", "/" + strings.Repeat("x", 5000): "/",
	} {
		if a := v.Get("/login?" + url.Values{"next": {next}}.Encode()); a.StatusCode != 303 || a.Header.Get("Location") != want {
			t.Errorf("next %.40q redirects to %q (status %d), want %q", next, a.Header.Get("Location"), a.StatusCode, want)
		}
	}
	if a := o.Visitor().Get("/login?next=//evil.example"); strings.Contains(a.Body, "evil") {
		t.Error("the form of the sign-in leads to another site")
	}
}

// API clients receive a 401 in their format, and htmx loads the sign-in as a whole page.
func TestNotSignedIn(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, web.Options{})
	o.AddUser("mia", access.Manager)
	v := o.Visitor()
	for _, path := range []string{"/overview.json", "/commissions.csv", "/invitees.xlsx"} {
		if a := v.Get(path); a.StatusCode != 401 || a.Header.Get("WWW-Authenticate") == "" || !strings.HasPrefix(a.Header.Get("Content-Type"), "application/problem+json") {
			t.Errorf("%s: status %d, %v", path, a.StatusCode, a.Header)
		}
	}
	for _, authorization := range []string{"Bearer", "Bearer x", "Bearer rbd_" + strings.Repeat("A", 43), "Basic bWlhOng=", "x"} {
		if a := v.Get("/", "Authorization", authorization); a.StatusCode != 401 || !strings.Contains(a.Body, `"error"`) {
			t.Errorf("Authorization %q: status %d", authorization, a.StatusCode)
		}
	}
	in := o.SignedInAs("mia")
	if a := in.Get("/", "Authorization", "Bearer x"); a.StatusCode != 401 {
		t.Errorf("an invalid token with a valid cookie: status %d", a.StatusCode)
	}
	part := v.Get("/collection/progress", "HX-Request", "true", "HX-Current-URL", v.Address+"/codes?range=7d")
	if part.StatusCode != 401 || part.Header.Get("HX-Redirect") != "/login?next=%2Fcodes%3Frange%3D7d" {
		t.Errorf("htmx: status %d, redirected to %q", part.StatusCode, part.Header.Get("HX-Redirect"))
	}
	for _, path := range []string{"/", "/nowhere", "/collection/progress"} {
		if a := v.Get(path); strings.Contains(a.Body, "Overview") || strings.Contains(a.Body, "collect") {
			t.Errorf("%s shows content without a sign-in: %s", path, a.Body)
		}
	}
}

// A form that is sent after the session ended keeps its text.
func TestFormAfterTheSession(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, web.Options{})
	o.AddUser("mia", access.Manager)
	v := o.SignedInAs("mia")
	v.Get("/account")
	o.Pass(9 * time.Hour)
	a := v.PostWith([]string{"Referer", v.Address + "/invitees/4667776811?range=7d"}, "/invitees/4667776811/notes", "account", "main", "text", "Called about <the> rate", "password", "canary", "key", "canary")
	if a.StatusCode != 403 || !strings.Contains(a.Body, "Sign in again") || !strings.Contains(a.Body, "Called about &lt;the&gt; rate") {
		t.Errorf("status %d: %s", a.StatusCode, a.Body)
	}
	if !strings.Contains(a.Body, `href="/login?next=%2Finvitees%2F4667776811%3Frange%3D7d"`) || strings.Contains(a.Body, "canary") {
		t.Errorf("the link back is missing, or the page shows a secret: %s", a.Body)
	}
}

// A form that is refused, because it is of another session or of none, shows what was written into it,
// and no secret.
func TestRefusedFormKeepsItsText(t *testing.T) {
	t.Parallel()
	o := site.OpenPaid(t)
	for name, v := range map[string]*site.Visitor{"another session": o.As("mia", access.Manager), "none": site.Visit(t, o.Address)} {
		for path, fields := range map[string][]string{
			"/invitees/4667776811/notes":  {"text"},
			"/worklist/4667776811":        {"note", "owner"},
			"/invitees/4667776811/person": {"name", "owner"},
			"/payments/notes":             {"text"},
			"/annotations":                {"words"},
			"/statements":                 {"reason"},
			"/statements/payees/7":        {"name", "address", "payment"},
			"/segments":                   {"name"},
			"/summaries":                  {"name", "recipients"},
		} {
			form := []string{"token", "of another page", "password", "canary", "code", "canary"}
			for _, field := range fields {
				form = append(form, field, "Wrote <"+field+"> here\nand below")
			}
			a := v.Post(path, form...)
			if a.StatusCode != 403 || !strings.Contains(a.Body, "nothing was changed") || strings.Contains(a.Body, "canary") {
				t.Errorf("%s, %s: status %d, or a secret is shown", name, path, a.StatusCode)
			}
			for _, field := range fields {
				if !strings.Contains(a.Body, "Wrote &lt;"+field+"&gt; here\nand below</textarea>") {
					t.Errorf("%s, %s: %s is lost", name, path, field)
				}
			}
		}
		if a := v.Post("/channels", "token", "of another page", "name", "Team", "address", "https://canary.example.com/secret"); a.StatusCode != 403 || strings.Contains(a.Body, "canary") || !strings.Contains(a.Body, "Team</textarea>") {
			t.Errorf("%s: the form of a channel: status %d", name, a.StatusCode)
		}
	}
}

// Only a form signs a user out.
func TestSignOut(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, web.Options{})
	o.AddUser("mia", access.Manager)
	v := o.SignedInAs("mia")
	for _, method := range []string{"GET", "HEAD"} {
		if a := v.Send(method, "/logout", ""); a.StatusCode != 303 || a.Header.Get("Location") != "/" || !v.In() {
			t.Errorf("%s /logout: status %d, still signed in: %v", method, a.StatusCode, v.In())
		}
	}
	v.Get("/account")
	if a := v.Post("/logout"); a.StatusCode != 303 || a.Header.Get("Location") != "/login" || v.In() || v.Secret() != "" {
		t.Errorf("status %d, still signed in: %v", a.StatusCode, v.In())
	}
}

// One form takes the name, the password and the code. The second step asks only for the
// code.
func TestSignInWithCodeInOneForm(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, web.Options{})
	o.AddUser("tom", access.Trader)
	key, recovery := o.Enrol(o.SignedInAs("tom"))
	v := o.Visitor()
	v.Get("/login?next=/codes")
	code := o.Code(key)
	if a := v.Post("/login?next=/codes", "username", "tom", "password", site.LongWord, "totp", code); a.Header.Get("Location") != "/codes" || !v.In() {
		t.Errorf("redirected to %q", a.Header.Get("Location"))
	}
	again := o.Visitor()
	again.Get("/login")
	if a := again.Post("/login", "username", "tom", "password", site.LongWord, "totp", code); a.StatusCode != 401 || again.In() || !strings.Contains(a.Body, `name="totp"`) {
		t.Errorf("the same code works twice: status %d", a.StatusCode)
	}
	if a := again.Post("/login", "totp", recovery[3]); a.StatusCode != 303 || !again.In() {
		t.Errorf("a recovery code: status %d", a.StatusCode)
	}
}

var secretsOfForms = regexp.MustCompile(`value="[A-Za-z0-9_-]{60,}"`)

// Where everybody needs a code, viewers and managers set up an authenticator at the first sign-in, and
// can do nothing before.
func TestSecondFactorOfViewers(t *testing.T) {
	t.Parallel()
	o := site.OpenSiteWith(t, web.Options{}, access.Options{SecondFactor: access.OfAll})
	for _, role := range []access.Role{access.Viewer, access.Manager} {
		name := "new" + string(role)
		o.AddUser(name, role)
		v := o.SignedInAs(name)
		for from, to := range map[string]string{"/commissions": "/login?next=%2Fcommissions", "/login?next=%2Fcommissions": "/account/totp?next=%2Fcommissions"} {
			if a := v.Get(from); a.StatusCode != 303 || a.Header.Get("Location") != to || v.In() {
				t.Errorf("%s without an authenticator, %s: status %d, redirected to %q", role, from, a.StatusCode, a.Header.Get("Location"))
			}
		}
		key, _ := o.Enrol(v)
		if !v.In() {
			t.Errorf("%s is not signed in with an authenticator", role)
		}
		again := o.SignedInAs(name)
		if again.In() {
			t.Errorf("%s is signed in without a code", role)
		}
		again.Get("/login")
		if a := again.Post("/login", "totp", o.Code(key)); a.StatusCode != 303 || !again.In() {
			t.Errorf("%s with a code: status %d", role, a.StatusCode)
		}
	}
	o.AddUser("ada", access.Admin)
	ada := o.SignedInAs("ada")
	o.Enrol(ada)
	o.AddUser("vic", access.Viewer)
	vic, err := identity.UserNamed(t.Context(), o.Store, "vic")
	if err != nil {
		t.Fatal(err)
	}
	if page := ada.Get(fmt.Sprint("/settings/users/", vic.ID)).Body; !strings.Contains(page, "the next sign-in asks for it") {
		t.Error("the page of a viewer does not say that an authenticator is to be set up")
	}
	if page := ada.Get("/settings/users").Body; !strings.Contains(page, "They set up an authenticator at their first sign-in.") {
		t.Error("the page of users does not say that everybody sets up an authenticator")
	}
}

// A wrong password, an unknown user and a disabled user are answered alike.
func TestSignInDoesNotRevealUsers(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, web.Options{})
	o.AddUser("mia", access.Manager)
	o.AddUser("off", access.Manager)
	if err := o.Access.Disable(t.Context(), site.Command, "off", store.AnyVersion); err != nil {
		t.Fatal(err)
	}
	answerTo := func(user, password string) string {
		v := o.Visitor()
		a := v.SignIn(user, password)
		for _, name := range []string{"Date", "Set-Cookie"} {
			a.Header.Del(name)
		}
		body := strings.Replace(secretsOfForms.ReplaceAllString(a.Body, ""), `value="`+user+`"`, "", 1)
		return fmt.Sprint(a.StatusCode, a.Header, v.Cookies["session"], len(v.Cookies), body)
	}
	want := answerTo("mia", "not the password")
	if !strings.HasPrefix(want, "401 ") {
		t.Fatalf("a wrong password: %.80s", want)
	}
	for _, c := range [][2]string{{"xia", "not the password"}, {"off", "not the password"}, {"off", site.LongWord}, {"xia", site.LongWord}} {
		if got := answerTo(c[0], c[1]); got != want {
			t.Errorf("%v is answered with\n%s\nand a wrong password with\n%s", c, got, want)
		}
	}
}

// Of ten thousand guesses from one address, one every second, few are checked. The right
// password is refused among them, and the user can sign in from another address.
func TestTenThousandGuesses(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, web.Options{})
	o.AddUser("mia", access.Manager)
	guesser := o.Visitor()
	guesser.Get("/login")
	n := 10_000
	if testing.Short() {
		n = 500 // enough to show a race
	}
	looked := map[int]int{}
	for range n {
		a := guesser.Post("/login", "username", "mia", "password", "not the password")
		looked[a.StatusCode]++
		if a.StatusCode == 429 && (a.Header.Get("Retry-After") == "" || !strings.Contains(a.Body, "Try again in")) {
			t.Fatalf("the answer does not say how long to wait: %v", a.Header)
		}
		o.Pass(time.Second)
	}
	if looked[401] > 40 || looked[401]+looked[429] != n {
		t.Errorf("answers by status: %v", looked)
	}
	if a := guesser.Post("/login", "username", "mia", "password", site.LongWord); a.StatusCode != 429 {
		t.Errorf("the right password among the guesses: status %d", a.StatusCode)
	}
}

// A client cannot change its address by a header, unless a trusted proxy sends it. Then
// only the guessing client is slowed down.
func TestForgedAddresses(t *testing.T) {
	t.Parallel()
	guess := func(t *testing.T, options web.Options, hops func(i int) string) (refused int) {
		o := site.OpenSite(t, options)
		o.AddUser("mia", access.Manager)
		v := o.Visitor()
		v.Get("/login")
		for i := range 9 {
			a := v.PostWith([]string{"X-Forwarded-For", hops(i), "X-Real-IP", fmt.Sprintf("198.51.100.%d", i), "Forwarded", fmt.Sprintf("for=198.51.100.%d", i)},
				"/login", "username", "mia", "password", "not the password")
			if a.StatusCode == 429 {
				refused++
			}
		}
		for _, line := range o.Audit() {
			if line.Action == "sign-in failed" && strings.HasPrefix(line.Address, "198.51.100.") {
				t.Errorf("the log contains %s", line.Address)
			}
		}
		return refused
	}
	behind := web.Options{TrustedProxies: prefixes("127.0.0.0/8", "10.0.0.0/8")}
	forged := func(i int) string { return fmt.Sprintf("198.51.100.%d", i) }
	through := func(i int) string { return fmt.Sprintf("198.51.100.%d, 203.0.113.9, 10.0.0.1", i) }
	for name, refused := range map[string]int{
		"without a proxy": guess(t, web.Options{}, forged),
		"behind a proxy, forged to the left of the true address": guess(t, behind, through),
	} {
		if refused != 4 {
			t.Errorf("%s: %d of 9 guesses were refused, want 4", name, refused)
		}
	}
}

// Session cookies have the right attributes with and without https.
func TestCookies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ public, prefix, secure string }{{"", "", ""}, {"https://desk.example", "__Host-", "; secure"}} {
		o := site.OpenSite(t, web.Options{PublicURL: c.public})
		o.AddUser("mia", access.Manager)
		v := o.Visitor()
		seen := map[string]string{}
		for _, a := range []site.Answer{v.Get("/login"), v.Post("/login", "username", "mia", "password", site.LongWord)} {
			for _, line := range a.Header.Values("Set-Cookie") {
				name, rest, _ := strings.Cut(line, "=")
				_, attributes, _ := strings.Cut(rest, "; ")
				if rest[0] != ';' {
					seen[name] = attributes
				}
			}
		}
		for _, name := range []string{"session", "pre", "device"} {
			got, ok := seen[c.prefix+name]
			want := "path=/; HttpOnly" + c.secure + "; SameSite=Lax"
			if kept, found := strings.CutPrefix(got, "max-age=31536000; "); found && name == "device" {
				got = kept
			}
			if !ok || got != want {
				t.Errorf("%s%s: %q, want %q", c.prefix, name, got, want)
			}
		}
		if len(seen) != 3 {
			t.Errorf("the cookies are %v", seen)
		}
	}
}

// Secrets for signing in appear only where they are shown once.
func TestSecretsAppearOnce(t *testing.T) {
	t.Parallel()
	log := &site.LockedBuffer{}
	o := site.OpenSite(t, web.Options{Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	o.AddUser("tom", access.Trader)
	v := o.SignedInAs("tom")
	half := v.Secret()
	if a := v.Get("/account/totp", "Accept-Encoding", "gzip"); a.StatusCode != 200 || a.Header.Get("Content-Encoding") != "" {
		t.Errorf("a page with a secret is compressed (status %d)", a.StatusCode)
	}
	key, recovery := o.Enrol(v)
	v.Get("/account")
	made := v.Post("/account/tokens", "name", "script", "scope-export", "yes")
	token := regexp.MustCompile(`rbd_[A-Za-z0-9_-]{43}`).FindString(made.Body)
	if token == "" {
		t.Fatal("the token is not shown")
	}
	program := o.Visitor("Authorization", "Bearer "+token)
	var pages strings.Builder
	for _, r := range o.Server.Routes() {
		if r.Method != "GET" {
			continue
		}
		o.Pass(time.Second)
		for _, who := range []*site.Visitor{v, program} {
			a := who.Get(concrete(r.Path) + "?nonsense=" + url.QueryEscape("<x>"))
			b := who.Get(concrete(r.Path))
			fmt.Fprintln(&pages, a.Body, a.Header, b.Body, b.Header)
		}
	}
	v.SignIn("tom", "canary-in-the-password")
	v.SignIn("canary-as-the-name", "x")
	v.Post("/account/password", "current", "canary-in-the-password", "password", "y", "repeated", "y")
	places := map[string]string{"the pages": pages.String(), "the log": log.String()}
	if err := o.Access.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Dir(o.Path) + "/*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		places[filepath.Base(file)] = string(content)
	}
	for what, secret := range map[string]string{
		"half a session": half, "the session": v.Secret(), "the mark of the browser": v.Cookies["device"], "the token": token, "its secret": strings.TrimPrefix(token, "rbd_"),
		"the key of the authenticator": key, "a recovery code": recovery[0], "the same without dashes": strings.ReplaceAll(recovery[0], "-", ""),
		"the password": site.LongWord, "a typed password": "canary-in-the-password", "a typed name": "canary-as-the-name",
	} {
		for place, text := range places {
			if secret == "" || strings.Contains(text, secret) {
				t.Errorf("%s (%q) is in %s", what, secret, place)
			}
		}
	}
}

// One click signs in to the demo on the same machine, without a proxy.
func TestDemoLogin(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, web.Options{Demo: true, DemoLogin: &signin.Login{User: "demo", Password: site.LongWord}})
	o.AddUser("demo", access.Manager)
	v := o.Visitor()
	if a := v.Get("/login?next=/codes"); !strings.Contains(a.Body, `action="/login/demo?next=%2Fcodes"`) {
		t.Error("the demo sign-in is not offered")
	}
	for _, header := range []string{"X-Forwarded-For", "X-Real-IP", "Forwarded", "Via"} {
		far := o.Visitor(header, "127.0.0.1")
		if a := far.Get("/login"); strings.Contains(a.Body, "/login/demo") {
			t.Errorf("with %s the demo sign-in is offered", header)
		}
		if a := far.Post("/login/demo"); a.StatusCode != 403 || far.In() {
			t.Errorf("with %s the demo sign-in works: status %d", header, a.StatusCode)
		}
	}
	if a := v.Post("/login/demo?next=/codes"); a.Header.Get("Location") != "/codes" || !v.In() {
		t.Errorf("status %d, redirected to %q", a.StatusCode, a.Header.Get("Location"))
	}
}

// A token that sends too many requests is refused, and the answer says for how long.
func TestTokenRateLimit(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, web.Options{})
	o.AddUser("mia", access.Manager)
	text, _, err := o.Access.CreateToken(t.Context(), site.Command, access.NewToken{User: "mia", Name: "script", Scopes: []access.Scope{access.ScopeRead}})
	if err != nil {
		t.Fatal(err)
	}
	program := o.Visitor("Authorization", "Bearer "+text)
	for i := range 60 {
		a := program.Get("/collection/progress")
		if want := map[bool]int{true: 200, false: 429}[i < 50]; a.StatusCode != want || (want == 429) != (a.Header.Get("Retry-After") == "1") {
			t.Fatalf("request %d: status %d, Retry-After %q", i+1, a.StatusCode, a.Header.Get("Retry-After"))
		}
	}
	if !strings.Contains(program.Get("/overview.json").Body, `"error"`) {
		t.Error("the program does not receive JSON")
	}
	o.Pass(time.Second)
	if a := program.Get("/collection/progress"); a.StatusCode != 200 {
		t.Errorf("a second later: status %d", a.StatusCode)
	}
}
