package web_test

import (
	"context"
	"fmt"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/access"
	"rebatedesk/web"
	"rebatedesk/web/signin"
)

// everything is a server with all its parts.
func everything() web.Options {
	return web.Options{Console: &counter{}, Demo: true, DemoLogin: &signin.Login{User: "nobody", Password: longWord}}
}

// The matrix and the routes are the same, both ways.
func TestMatrixIsTheWholeServer(t *testing.T) {
	o := openOffice(t, everything())
	var listed, registered []string
	for _, r := range web.Matrix() {
		listed = append(listed, r.Method+" "+r.Path)
		if r.Method == http.MethodGet {
			listed = append(listed, http.MethodHead+" "+r.Path)
		}
	}
	for _, r := range o.server.App().GetRoutes(true) {
		registered = append(registered, r.Method+" "+r.Path)
	}
	for _, route := range registered {
		if !slices.Contains(listed, route) {
			t.Errorf("%s is registered, and the matrix does not say for whom", route)
		}
	}
	for _, route := range listed {
		if !slices.Contains(registered, route) {
			t.Errorf("%s stands in the matrix, and there is no such route", route)
		}
	}
	slices.Sort(listed)
	if unique := slices.Compact(slices.Clone(listed)); len(unique) != len(listed) {
		t.Errorf("of %d lines of the matrix %d are there twice", len(listed), len(listed)-len(unique))
	}
}

// forEverybody are the only addresses that take no sign-in.
var forEverybody = []string{"GET /healthz", "GET /readyz", "GET /static/*", "GET /setup", "POST /setup", "GET /login", "POST /login", "POST /login/demo"}

// The agreed rules for groups of routes, whatever the route table says of each.
func TestMatrixKeepsTheRules(t *testing.T) {
	for _, r := range web.Matrix() {
		line := r.Method + " " + r.Path
		if everybody := slices.Contains(forEverybody, line); everybody != (r.Need == web.Everybody) {
			t.Errorf("%s needs %s", line, r.Need)
		}
		if (r.Need == web.Holder) != strings.HasPrefix(r.Path, "/unsubscribe/") {
			t.Errorf("%s needs %s", line, r.Need)
		}
		if r.Method != http.MethodGet && r.Method != http.MethodPost {
			t.Errorf("%s is neither read nor a form", line)
		}
		proxy := strings.HasPrefix(r.Path, "/console/proxy/")
		if r.Tokens && (r.Method != http.MethodGet && !proxy || strings.HasPrefix(r.Path, "/account") || strings.HasPrefix(r.Path, "/settings")) {
			t.Errorf("%s takes API tokens", line)
		}
		proved := r.Method == http.MethodPost && (r.Path == "/account/tokens" || strings.HasPrefix(r.Path, "/settings/users") || strings.HasPrefix(r.Path, "/settings/accounts"))
		if r.Fresh != proved {
			t.Errorf("%s wants a fresh proof: %v", line, r.Fresh)
		}
		want := r.Need
		switch ext := path.Ext(r.Path); {
		case strings.HasPrefix(r.Path, "/settings/"):
			want = web.Need(access.MayAdminister)
		case r.Method == http.MethodPost && (strings.HasPrefix(r.Path, "/console/trade") || strings.HasPrefix(r.Path, "/console/intents")):
			want = web.Need(access.MayTrade)
		case strings.HasPrefix(r.Path, "/console"):
			want = web.Need(access.MayConsole)
		case ext == ".csv" || ext == ".xlsx" || ext == ".eml":
			want = web.Need(access.MayExport)
		case ext == ".json":
			want = web.Need(access.MayRead)
		}
		if r.Need != want {
			t.Errorf("%s needs %s, want %s", line, r.Need, want)
		}
	}
}

// allows repeats, independently of the program, what roles and scopes permit.
var (
	allows = map[access.Role]string{
		access.Viewer: "read", access.Manager: "read export edit",
		access.Admin: "read export edit administer console", access.Trader: "read export edit console trade",
	}
	covers = map[access.Scope]string{
		access.ScopeRead: "read", access.ScopeExport: "read export", access.ScopeConsole: "console", access.ScopeTrade: "console trade",
	}
)

// caller is a client that tries every route.
type caller struct {
	name  string
	role  access.Role
	half  bool
	scope access.Scope // empty: by a session
	codes string       // the secret of the authenticator, where there is one
	*visitor
}

// may returns what the route table allows a caller.
func (c caller) may(r web.Route) bool {
	byToken, full := c.scope != "", c.role != "" && !c.half
	switch r.Need {
	case web.Holder:
		return true
	case web.Everybody:
		return !byToken || r.Method == http.MethodGet
	case web.Half:
		return !byToken && (full || c.half)
	case web.SignedIn:
		return !byToken && full
	}
	granted := full && slices.Contains(strings.Fields(allows[c.role]), string(r.Need))
	return granted && (!byToken || r.Tokens && slices.Contains(strings.Fields(covers[c.scope]), string(r.Need)))
}

// callers are all kinds of callers: an anonymous one, half signed in both ways, each
// role, and each scope of a token of each role.
func callers(t *testing.T, o *office) []caller {
	t.Helper()
	list := []caller{{name: "nobody", visitor: o.visitor()}}
	for _, role := range access.Roles {
		name := "u" + string(role)
		o.hire(name, role)
		if role.NeedsTOTP() { // a different user: an authenticator ends all sessions that were begun without
			o.hire("new"+name, role)
			list = append(list, caller{name: name + " without an authenticator", role: role, half: true, visitor: o.enter("new" + name)})
		}
	}
	for _, role := range access.Roles {
		name := "u" + string(role)
		v, codes := o.enter(name), ""
		if role.NeedsTOTP() {
			codes, _ = o.enrol(v)
			list = append(list, caller{name: name + " without the code", role: role, half: true, visitor: o.enter(name)})
		}
		list = append(list, caller{name: name, role: role, codes: codes, visitor: v})
		for _, scope := range access.Scopes {
			text, _, err := o.access.CreateToken(context.Background(), command, access.NewToken{User: name, Name: string(scope), Scopes: []access.Scope{scope}})
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, caller{name: fmt.Sprintf("%s by a token to %s", name, scope), role: role, scope: scope, visitor: o.visitor("Authorization", "Bearer "+text)})
		}
	}
	return list
}

// concrete is an address of a route.
func concrete(route string) string {
	return strings.NewReplacer(":uid", "4667776811", ":id", "999999", "*", "nothing.css").Replace(route)
}

// refusal returns how a route refused a caller, and an empty string if it did not.
func refusal(a answer) string {
	switch location := a.Header.Get("Location"); {
	case a.StatusCode == http.StatusForbidden, a.StatusCode == http.StatusUnauthorized && a.Header.Get("WWW-Authenticate") != "":
		return fmt.Sprint(a.StatusCode)
	case a.Request.Method != http.MethodPost && a.StatusCode == http.StatusSeeOther && strings.HasPrefix(location, "/login"):
		return "to the sign-in"
	}
	return ""
}

// refusalOf is how a route has to turn a caller away.
func refusalOf(r web.Route, c caller) string {
	proxy := strings.HasPrefix(r.Path, "/console/proxy/")
	switch {
	case c.role != "" && !c.half, r.Method == http.MethodPost && c.scope == "" && !proxy:
		return "403"
	case path.Ext(r.Path) != "", proxy:
		return "401"
	}
	return "to the sign-in"
}

// Every caller is admitted to every route or refused, as the route table says. A route
// that needs a fresh proof refuses callers without one, and changes nothing.
func TestMatrix(t *testing.T) {
	o := openOffice(t, everything())
	routes := web.Matrix()
	// The sign-out comes last, because it ends the session.
	slices.SortStableFunc(routes, func(a, b web.Route) int { return strings.Compare(last(a), last(b)) })
	everybody := callers(t, o)
	o.pass(5 * time.Minute) // no sign-in is a fresh proof any more
	for _, c := range everybody {
		t.Run(c.name, func(t *testing.T) {
			if c.scope == "" && c.role != "" && !c.half {
				c.unproved(t, o, routes)
				c.prove(o)
			}
			for _, r := range routes {
				for _, method := range methodsOf(r) {
					if c.scope != "" {
						o.pass(100 * time.Millisecond) // as fast as a token may ask
					}
					a := c.ask(method, concrete(r.Path))
					got, want := refusal(a), ""
					if !c.may(r) {
						want = refusalOf(r, c)
					}
					if got != want {
						t.Errorf("%s %s: refused %q (status %d), want %q", method, r.Path, got, a.StatusCode, want)
					}
					if want == "403" && r.Method == http.MethodGet && method != http.MethodHead && c.scope == "" && !strings.Contains(a.body, " can do this. You are signed in as ") {
						t.Errorf("%s %s does not say which role it takes", method, r.Path)
					}
				}
			}
		})
	}
}

// unproved tries the routes that need a fresh proof without one.
func (c caller) unproved(t *testing.T, o *office, routes []web.Route) {
	t.Helper()
	before := o.written()
	for _, r := range routes {
		if !r.Fresh || !c.may(r) {
			continue
		}
		if a := c.ask(r.Method, concrete(r.Path)); a.StatusCode != 403 || !strings.Contains(a.body, "Confirm it is you") {
			t.Errorf("%s without a fresh proof: status %d", r.Path, a.StatusCode)
		}
	}
	if o.written() != before {
		t.Error("something was written without a fresh proof")
	}
}

// prove gives a fresh proof: a code, or the password if there is no authenticator.
func (c caller) prove(o *office) {
	o.Helper()
	field, proof := "password", longWord
	if c.codes != "" {
		field, proof = "totp", o.code(c.codes)
	}
	c.get("/account")
	page := c.post("/account/tokens")
	if a := c.post("/account/tokens", "kept", keptIn(page.body), field, proof); a.StatusCode != 400 || !strings.Contains(a.body, "A token needs a scope") {
		o.Errorf("%s gives a proof: status %d", c.name, a.StatusCode)
	}
}

var keptForm = regexp.MustCompile(`name="kept" value="([^"]*)"`)

// keptIn is the form that a page holds until its reader has proved to be there.
func keptIn(page string) string {
	if found := keptForm.FindStringSubmatch(page); found != nil {
		return found[1]
	}
	return ""
}

func last(r web.Route) string {
	if r.Path == "/logout" {
		return "last"
	}
	return ""
}

func methodsOf(r web.Route) []string {
	if r.Method == http.MethodGet {
		return []string{http.MethodGet, http.MethodHead}
	}
	return []string{r.Method}
}

// ask opens a route, or sends it a form that is not filled in.
func (c caller) ask(method, path string) answer {
	if method != http.MethodPost {
		return c.send(method, path, "")
	}
	if c.scope == "" {
		c.get("/login") // a page with a token, for a user who is not completely signed in
		switch {
		case c.half:
			c.get("/account/totp")
		case c.role != "":
			c.get("/account")
		}
	}
	return c.postWith([]string{"X-CSRF-Token", c.token}, path)
}
