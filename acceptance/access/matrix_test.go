package access_test

import (
	"context"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/web/route"
)

// Nothing answers that is not among the routes, and no route is there twice.
func TestRoutesAreComplete(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, site.Everything())
	var listed, registered []string
	for _, r := range o.Server.Routes() {
		listed = append(listed, r.Method+" "+r.Path)
		if r.Method == http.MethodGet {
			listed = append(listed, http.MethodHead+" "+r.Path)
		}
	}
	for _, r := range o.Server.App().GetRoutes(true) {
		registered = append(registered, r.Method+" "+r.Path)
	}
	for _, route := range registered {
		if !slices.Contains(listed, route) {
			t.Errorf("%s is registered, and is not among the routes", route)
		}
	}
	for _, route := range listed {
		if !slices.Contains(registered, route) {
			t.Errorf("%s is among the routes, and is not registered", route)
		}
	}
	slices.Sort(listed)
	if unique := slices.Compact(slices.Clone(listed)); len(unique) != len(listed) {
		t.Errorf("of the %d routes %d are there twice", len(listed), len(listed)-len(unique))
	}
}

// forEverybody lists the only routes without a sign-in.
var forEverybody = []string{"GET /invite/:token", "POST /invite/:token", "GET /healthz", "GET /readyz", "GET /static/*", "GET /favicon.ico", "GET /setup", "POST /setup", "GET /login", "POST /login", "POST /login/demo"}

// The route table follows the agreed rules for groups of routes.
func TestMatrixFollowsTheRules(t *testing.T) {
	t.Parallel()
	for _, r := range site.OpenSite(t, site.Everything()).Server.Routes() {
		line := r.Method + " " + r.Path
		if everybody := slices.Contains(forEverybody, line); everybody != (r.Need == route.Everybody) {
			t.Errorf("%s needs %s", line, r.Need)
		}
		if (r.Need == route.Holder) != (strings.HasPrefix(r.Path, "/unsubscribe/") || r.Path == "/calendar.ics" || r.Path == "/changes.atom") {
			t.Errorf("%s needs %s", line, r.Need)
		}
		if r.Method != http.MethodGet && r.Method != http.MethodPost {
			t.Errorf("%s is neither a GET nor a form", line)
		}
		proxy := strings.HasPrefix(r.Path, "/console/proxy/")
		if r.Tokens && (r.Method != http.MethodGet && !proxy || strings.HasPrefix(r.Path, "/account") || strings.HasPrefix(r.Path, "/settings")) {
			t.Errorf("%s takes API tokens", line)
		}
		proved := r.Method == http.MethodPost && (r.Path == "/account/tokens" || r.Path == "/account/feeds" || strings.HasPrefix(r.Path, "/settings/users") || strings.HasPrefix(r.Path, "/settings/accounts") || r.Path == "/settings/mail" || r.Path == "/settings/mail/remove" || strings.HasPrefix(r.Path, "/payments/rule") || r.Path == "/channels" || r.Path == "/channels/:id/rotate" || r.Path == "/deliveries" || r.Path == "/deliveries/:id")
		if r.Fresh != proved {
			t.Errorf("%s needs a fresh proof: %v", line, r.Fresh)
		}
		want := r.Need
		switch ext := path.Ext(r.Path); {
		case strings.HasPrefix(r.Path, "/settings/"):
			want = access.MayAdminister
		case r.Method == http.MethodPost && (strings.HasPrefix(r.Path, "/console/trade") || strings.HasPrefix(r.Path, "/console/intents")):
			want = access.MayTrade
		case strings.HasPrefix(r.Path, "/console"):
			want = access.MayConsole
		case strings.HasPrefix(r.Path, "/payments/bills."):
			want = access.MayReadBills
		case ext == ".csv" || ext == ".xlsx" || ext == ".eml" || ext == ".pdf":
			want = access.MayExport
		case ext == ".json":
			want = access.MayRead
		}
		if r.Need != want {
			t.Errorf("%s needs %s, want %s", line, r.Need, want)
		}
	}
}

// dividedForms are the forms by which bound callers change something. Other tests show that it is
// theirs.
var dividedForms = []string{"/invitees/:uid/notes", "/invitees/:uid/notes/:id/delete", "/invitees/:uid/tags", "/invitees/:uid/tags/delete", "/invitees/:uid/person",
	"/worklist/:uid", "/worklist/:uid/undo/:id", "/annotations", "/annotations/:id", "/annotations/:id/remove",
	"/segments", "/segments/:id", "/segments/:id/freeze", "/segments/:id/thaw", "/segments/:id/remove"}

// Routes that the roles of bound callers do not open are closed to them.
func TestRoutesForBoundCallers(t *testing.T) {
	t.Parallel()
	for _, r := range site.OpenSite(t, site.Everything()).Server.Routes() {
		reach := r.Need == route.Everybody || r.Need == route.Half || r.Need == route.SignedIn || r.Need == route.Holder || access.Viewer.May(r.Need) || access.Manager.May(r.Need)
		if !reach && r.Bound != route.Closed {
			t.Errorf("%s %s is open to bound callers, whose role does not open it", r.Method, r.Path)
		}
		if r.Bound == route.Divided && r.Method == http.MethodPost && !slices.Contains(dividedForms, r.Path) {
			t.Errorf("%s changes something for a bound caller: a test must show that it is theirs", r.Path)
		}
	}
}

// allows and covers repeat the permissions of roles and scopes, independently of the
// program.
var (
	allows = map[access.Role]string{
		access.Viewer: "read", access.Manager: "read export bills edit",
		access.Admin: "read export bills edit administer console", access.Trader: "read export bills edit console trade",
	}
	covers = map[access.Scope]string{
		access.ScopeCalendar: "", access.ScopeFeed: "", access.ScopeRead: "read", access.ScopeExport: "read export bills", access.ScopeConsole: "console", access.ScopeTrade: "console trade",
	}
)

// caller is one kind of client, which tries every route.
type caller struct {
	name  string
	role  access.Role
	half  bool
	scope access.Scope // empty: a session
	codes string       // secret of the authenticator; empty if the user has none
	*site.Visitor
}

// may reports whether the route table admits the caller.
func (c caller) may(r route.Route) bool {
	byToken, full := c.scope != "", c.role != "" && !c.half
	switch r.Need {
	case route.Holder:
		return true
	case route.Everybody:
		return !byToken || r.Method == http.MethodGet
	case route.Half:
		return !byToken && (full || c.half)
	case route.SignedIn:
		return !byToken && full
	}
	granted := full && slices.Contains(strings.Fields(allows[c.role]), string(r.Need))
	return granted && (!byToken || r.Tokens && slices.Contains(strings.Fields(covers[c.scope]), string(r.Need)))
}

// callers returns every kind of caller: anonymous, half signed in in both ways, each
// role, and a token of each role with each scope.
func callers(t *testing.T, o *site.Site) []caller {
	t.Helper()
	list := []caller{{name: "nobody", Visitor: o.Visitor()}}
	for _, role := range access.Roles {
		name := "u" + string(role)
		o.AddUser(name, role)
		if role.NeedsTOTP() { // a separate user, because enrolling an authenticator ends the sessions from before
			o.AddUser("new"+name, role)
			list = append(list, caller{name: name + " without an authenticator", role: role, half: true, Visitor: o.SignedInAs("new" + name)})
		}
	}
	for _, role := range access.Roles {
		name := "u" + string(role)
		v, codes := o.SignedInAs(name), ""
		if role.NeedsTOTP() {
			codes, _ = o.Enrol(v)
			list = append(list, caller{name: name + " without the code", role: role, half: true, Visitor: o.SignedInAs(name)})
		}
		list = append(list, caller{name: name, role: role, codes: codes, Visitor: v})
		for _, scope := range access.Scopes {
			text, _, err := o.Access.CreateToken(context.Background(), site.Command, access.NewToken{User: name, Name: string(scope), Scopes: []access.Scope{scope}})
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, caller{name: fmt.Sprintf("%s by a token to %s", name, scope), role: role, scope: scope, Visitor: o.Visitor("Authorization", "Bearer "+text)})
		}
	}
	return list
}

// concrete returns an address that matches a route.
func concrete(route string) string {
	return strings.NewReplacer(":uid", "4667776811", ":id", "999999", "*", "nothing.css").Replace(route)
}

// refusal returns how a route refused a caller, or an empty text if it did not.
func refusal(a site.Answer) string {
	switch location := a.Header.Get("Location"); {
	case a.StatusCode == http.StatusForbidden, a.StatusCode == http.StatusUnauthorized && a.Header.Get("WWW-Authenticate") != "":
		return fmt.Sprint(a.StatusCode)
	case a.Request.Method != http.MethodPost && a.StatusCode == http.StatusSeeOther && strings.HasPrefix(location, "/login"):
		return "to the sign-in"
	}
	return ""
}

// refusalOf returns how a route has to refuse a caller.
func refusalOf(r route.Route, c caller) string {
	proxy := strings.HasPrefix(r.Path, "/console/proxy/")
	switch {
	case c.role != "" && !c.half, r.Method == http.MethodPost && c.scope == "" && !proxy:
		return "403"
	case path.Ext(r.Path) != "", proxy:
		return "401"
	}
	return "to the sign-in"
}

// Each route admits or refuses each caller as the route table says. A route that needs a
// fresh proof refuses callers without one and changes nothing.
func TestMatrixIsEnforced(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, site.Everything())
	routes := o.Server.Routes()
	// The sign-out comes last because it ends the session.
	slices.SortStableFunc(routes, func(a, b route.Route) int { return strings.Compare(last(a), last(b)) })
	everybody := callers(t, o)
	// Half sessions come first because they end soon.
	slices.SortStableFunc(everybody, func(a, b caller) int {
		switch {
		case a.half == b.half:
			return 0
		case a.half:
			return -1
		}
		return 1
	})
	o.Pass(5 * time.Minute) // the proof of the sign-in has expired
	for _, c := range everybody {
		t.Run(c.name, func(t *testing.T) {
			if c.scope == "" && c.role != "" && !c.half {
				c.unproved(t, o, routes)
				c.prove(o)
			}
			c.takeToken()
			for _, r := range routes {
				for _, method := range methodsOf(r) {
					if c.scope != "" {
						o.Pass(100 * time.Millisecond) // the highest rate that a token may use
					}
					a := c.ask(method, concrete(r.Path))
					got, want := refusal(a), ""
					if !c.may(r) {
						want = refusalOf(r, c)
					}
					if got != want {
						t.Errorf("%s %s: refused %q (status %d), want %q", method, r.Path, got, a.StatusCode, want)
					}
					if want == "403" && r.Method == http.MethodGet && method != http.MethodHead && c.scope == "" && !strings.Contains(a.Body, " can do this. You are signed in as ") {
						t.Errorf("%s %s does not name the roles that it admits", method, r.Path)
					}
				}
			}
		})
	}
}

// unproved requests the routes that need a fresh proof without giving one.
func (c caller) unproved(t *testing.T, o *site.Site, routes []route.Route) {
	t.Helper()
	c.takeToken()
	before := o.Written()
	for _, r := range routes {
		if !r.Fresh || !c.may(r) {
			continue
		}
		if a := c.ask(r.Method, concrete(r.Path)); a.StatusCode != 403 || !strings.Contains(a.Body, "Confirm it is you") {
			t.Errorf("%s without a fresh proof: status %d", r.Path, a.StatusCode)
		}
	}
	if o.Written() != before {
		t.Error("the store was written without a fresh proof")
	}
}

// prove gives a fresh proof: a code, or the password if the user has no authenticator.
func (c caller) prove(o *site.Site) {
	o.Helper()
	field, proof := "password", site.LongWord
	if c.codes != "" {
		field, proof = "totp", o.Code(c.codes)
	}
	c.Get("/account")
	page := c.Post("/account/tokens")
	if a := c.Post("/account/tokens", "kept", site.KeptIn(page.Body), field, proof); a.StatusCode != 400 || !strings.Contains(a.Body, "A token needs a scope") {
		o.Errorf("%s gives a proof: status %d", c.name, a.StatusCode)
	}
}

func last(r route.Route) string {
	if r.Path == "/logout" {
		return "last"
	}
	return ""
}

func methodsOf(r route.Route) []string {
	if r.Method == http.MethodGet {
		return []string{http.MethodGet, http.MethodHead}
	}
	return []string{r.Method}
}

// takeToken opens a page with a form token, which stays that of the session.
func (c caller) takeToken() {
	switch {
	case c.scope != "":
	case c.half:
		c.Get("/account/totp")
	case c.role != "":
		c.Get("/account")
	default:
		c.Get("/login")
	}
}

// ask requests a route; a POST sends an empty form.
func (c caller) ask(method, path string) site.Answer {
	if method != http.MethodPost {
		return c.Send(method, path, "")
	}
	return c.PostWith([]string{"X-CSRF-Token", c.Token}, path)
}
