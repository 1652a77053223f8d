package access_test

import (
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/web"
	"rebatedesk/web/route"
)

// fieldsOf returns fields with which a form would be accepted.
func fieldsOf(route string) []string {
	for _, w := range writes {
		if concrete(route) == strings.NewReplacer("/1/", "/999999/").Replace(w.path) {
			return w.fields
		}
	}
	switch route {
	case "/login":
		return []string{"username", "adam", "password", site.LongWord}
	case "/account/password":
		return []string{"current", site.LongWord, "password", otherWord, "repeated", otherWord}
	case "/account/tokens":
		return []string{"name", "script", "scope-read", "yes"}
	}
	return nil
}

// Every form of the route table is refused without a token of the same session and from
// another site. A refusal writes nothing.
func TestEveryFormIsGuarded(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, site.Everything())
	o.AddUser("adam", access.Admin)
	o.AddUser("theo", access.Trader)
	o.AddUser("mia", access.Manager)
	admin, trader, other := o.SignedInAs("adam"), o.SignedInAs("theo"), o.SignedInAs("mia")
	o.Enrol(admin)
	o.Enrol(trader)
	admin.Get("/account")
	old := admin.Token // token of the session before the password change
	admin.Post("/account/password", "current", site.LongWord, "password", site.LongWord+"s", "repeated", site.LongWord+"s")
	for _, v := range []*site.Visitor{admin, trader, other} {
		v.Get("/account")
	}
	stranger, another := o.Visitor(), o.Visitor()
	stranger.Get("/login")
	another.Get("/login")
	before, forms := o.Written(), 0
	for _, r := range o.Server.Routes() {
		if r.Method != "POST" {
			continue
		}
		forms++
		who, elsewhere := admin, other
		switch r.Need {
		case route.Everybody:
			who, elsewhere = stranger, another
		case access.MayTrade:
			who = trader
		}
		own, fields := who.Token, fieldsOf(r.Path)
		if r.Need == route.Holder { // the link contains the token
			own = ""
		}
		for name, token := range map[string]string{"none": "", "nonsense": "x", "another session's": elsewhere.Token, "of before": old, "a stranger's": another.Token, "of others": trader.Token + other.Token} {
			if token == own || own == "" {
				continue
			}
			if a := who.Post(concrete(r.Path), append(slices.Clone(fields), "token", token)...); a.StatusCode != 403 || !strings.Contains(a.Body, "nothing was changed") {
				t.Errorf("%s with a token that is %s: status %d", r.Path, name, a.StatusCode)
			}
			who.Token = own
		}
		for _, headers := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example"}, {"Origin", "null"}} {
			if a := who.PostWith(headers, concrete(r.Path), fields...); a.StatusCode != 403 {
				t.Errorf("%s with %v: status %d, want 403", r.Path, headers, a.StatusCode)
			}
			who.Token = own
		}
	}
	if o.Written() != before || forms < 20 {
		t.Errorf("%d forms were refused, but the store was written", forms)
	}
	if !admin.In() || !trader.In() || !other.In() {
		t.Error("a refused form signed a user out")
	}
}

// No user writes anything by opening a page. Each download is recorded once.
func TestReadingWritesNothing(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, site.Everything())
	o.AddUser("adam", access.Admin)
	o.AddUser("theo", access.Trader)
	o.AddUser("vera", access.Viewer)
	everybody := []*site.Visitor{o.SignedInAs("adam"), o.SignedInAs("theo"), o.SignedInAs("vera"), o.Visitor()}
	for _, v := range everybody[:2] {
		o.Enrol(v)
	}
	text, _, err := o.Access.CreateToken(t.Context(), site.Command, access.NewToken{User: "adam", Name: "all", Scopes: []access.Scope{access.ScopeExport}})
	if err != nil {
		t.Fatal(err)
	}
	everybody = append(everybody, o.Visitor("Authorization", "Bearer "+text))
	before := o.Written()
	for i, v := range everybody {
		for _, r := range o.Server.Routes() {
			if r.Method == "GET" && path.Ext(r.Path) == "" {
				o.Pass(time.Second)
				v.Get(concrete(r.Path))
				if i == 0 { // the same handlers answer
					v.Send("HEAD", concrete(r.Path), "")
				}
				if o.Written() != before {
					t.Fatalf("GET %s wrote to the store", r.Path)
				}
			}
		}
	}
	lines := len(o.Audit())
	if a := everybody[0].Get("/commissions.csv?range=7d&coin=BTC"); a.StatusCode != 200 {
		t.Fatalf("a file: status %d", a.StatusCode)
	}
	log := o.Audit()
	if line := log[0]; len(log) != lines+1 || line.Action != "export" || line.Actor != "adam" || line.Object != "commissions as csv" || line.Detail != "/commissions.csv?range=7d&coin=BTC" || line.Via != access.ViaSession {
		t.Errorf("the download is recorded as %+v", log[0])
	}
}

// Viewers are not offered actions that only managers may perform.
func TestViewersAreOfferedLess(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, web.Options{})
	o.AddUser("vera", access.Viewer)
	o.AddUser("mia", access.Manager)
	viewer, manager := o.SignedInAs("vera"), o.SignedInAs("mia")
	manager.Get("/account")
	manager.Post("/views", "name", "Spot", "path", "/commissions", "query", "product=SPOT&range=7d")
	for _, page := range []string{"/?range=7d", "/commissions?range=7d", "/codes?range=7d", "/collection", "/views"} {
		for _, offer := range []string{`id="export-menu"`, `action="/collection/collect"`, `action="/views`, ".csv", ".xlsx"} {
			less, more := viewer.Get(page).Body, manager.Get(page).Body
			if strings.Contains(less, offer) {
				t.Errorf("%s offers a viewer %s", page, offer)
			}
			if page == "/commissions?range=7d" && !strings.Contains(offer, "collect") && !strings.Contains(more, offer) {
				t.Errorf("%s does not offer a manager %s", page, offer)
			}
		}
	}
	if strings.Contains(viewer.Get("/views").Body, "Spot") || !strings.Contains(manager.Get("/views").Body, "Spot") {
		t.Error("another user sees a private view, or its owner does not")
	}
	if strings.Contains(manager.Get("/").Body, "/settings/") {
		t.Error("a manager sees the settings")
	}
}
