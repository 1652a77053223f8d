package acceptance_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/access"
	"rebatedesk/web"
	"rebatedesk/web/route"
)

// written returns a fingerprint of everything that the store ever wrote. Every write
// changes it.
func (o *site) written() string {
	o.Helper()
	hash := sha256.New()
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(o.path + suffix)
		if err != nil {
			o.Fatal(err)
		}
		fmt.Fprintf(hash, "%d %s", len(content), content)
	}
	return fmt.Sprintf("%x", hash.Sum(nil))
}

// fieldsOf returns fields with which a form would be accepted.
func fieldsOf(route string) []string {
	for _, w := range writes {
		if concrete(route) == strings.NewReplacer("/1/", "/999999/").Replace(w.path) {
			return w.fields
		}
	}
	switch route {
	case "/login":
		return []string{"username", "adam", "password", longWord}
	case "/account/password":
		return []string{"current", longWord, "password", otherWord, "repeated", otherWord}
	case "/account/tokens":
		return []string{"name", "script", "scope-read", "yes"}
	}
	return nil
}

// Every form of the route table is refused without a token of the same session and from
// another site. A refusal writes nothing.
func TestEveryFormIsGuarded(t *testing.T) {
	t.Parallel()
	o := openSite(t, everything())
	o.addUser("adam", access.Admin)
	o.addUser("theo", access.Trader)
	o.addUser("mia", access.Manager)
	admin, trader, other := o.signedInAs("adam"), o.signedInAs("theo"), o.signedInAs("mia")
	o.enrol(admin)
	o.enrol(trader)
	admin.get("/account")
	old := admin.token // token of the session before the password change
	admin.post("/account/password", "current", longWord, "password", longWord+"s", "repeated", longWord+"s")
	for _, v := range []*visitor{admin, trader, other} {
		v.get("/account")
	}
	stranger, another := o.visitor(), o.visitor()
	stranger.get("/login")
	another.get("/login")
	before, forms := o.written(), 0
	for _, r := range o.server.Routes() {
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
		own, fields := who.token, fieldsOf(r.Path)
		if r.Need == route.Holder { // the link contains the token
			own = ""
		}
		for name, token := range map[string]string{"none": "", "nonsense": "x", "another session's": elsewhere.token, "of before": old, "a stranger's": another.token, "of others": trader.token + other.token} {
			if token == own || own == "" {
				continue
			}
			if a := who.post(concrete(r.Path), append(slices.Clone(fields), "token", token)...); a.StatusCode != 403 || !strings.Contains(a.body, "nothing was changed") {
				t.Errorf("%s with a token that is %s: status %d", r.Path, name, a.StatusCode)
			}
			who.token = own
		}
		for _, headers := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example"}, {"Origin", "null"}} {
			if a := who.postWith(headers, concrete(r.Path), fields...); a.StatusCode != 403 {
				t.Errorf("%s with %v: status %d, want 403", r.Path, headers, a.StatusCode)
			}
			who.token = own
		}
	}
	if o.written() != before || forms < 20 {
		t.Errorf("%d forms were refused, but the store was written", forms)
	}
	if !admin.in() || !trader.in() || !other.in() {
		t.Error("a refused form signed a user out")
	}
}

// No user writes anything by opening a page. Each download is recorded once.
func TestReadingWritesNothing(t *testing.T) {
	t.Parallel()
	o := openSite(t, everything())
	o.addUser("adam", access.Admin)
	o.addUser("theo", access.Trader)
	o.addUser("vera", access.Viewer)
	everybody := []*visitor{o.signedInAs("adam"), o.signedInAs("theo"), o.signedInAs("vera"), o.visitor()}
	for _, v := range everybody[:2] {
		o.enrol(v)
	}
	text, _, err := o.access.CreateToken(t.Context(), command, access.NewToken{User: "adam", Name: "all", Scopes: []access.Scope{access.ScopeExport}})
	if err != nil {
		t.Fatal(err)
	}
	everybody = append(everybody, o.visitor("Authorization", "Bearer "+text))
	before := o.written()
	for i, v := range everybody {
		for _, r := range o.server.Routes() {
			if r.Method == "GET" && path.Ext(r.Path) == "" {
				o.pass(time.Second)
				v.get(concrete(r.Path))
				if i == 0 { // the same handlers answer
					v.send("HEAD", concrete(r.Path), "")
				}
				if o.written() != before {
					t.Fatalf("GET %s wrote to the store", r.Path)
				}
			}
		}
	}
	lines := len(o.audit())
	if a := everybody[0].get("/commissions.csv?range=7d&coin=BTC"); a.StatusCode != 200 {
		t.Fatalf("a file: status %d", a.StatusCode)
	}
	log := o.audit()
	if line := log[0]; len(log) != lines+1 || line.Action != "export" || line.Actor != "adam" || line.Object != "commissions as csv" || line.Detail != "/commissions.csv?range=7d&coin=BTC" || line.Via != access.ViaSession {
		t.Errorf("the download is recorded as %+v", log[0])
	}
}

// Viewers are not offered actions that only managers may perform.
func TestViewersAreOfferedLess(t *testing.T) {
	t.Parallel()
	o := openSite(t, web.Options{})
	o.addUser("vera", access.Viewer)
	o.addUser("mia", access.Manager)
	viewer, manager := o.signedInAs("vera"), o.signedInAs("mia")
	manager.get("/account")
	manager.post("/views", "name", "Spot", "path", "/commissions", "query", "product=SPOT&range=7d")
	for _, page := range []string{"/?range=7d", "/commissions?range=7d", "/codes?range=7d", "/collection", "/views"} {
		for _, offer := range []string{`id="export-menu"`, `action="/collection/collect"`, `action="/views`, ".csv", ".xlsx"} {
			less, more := viewer.get(page).body, manager.get(page).body
			if strings.Contains(less, offer) {
				t.Errorf("%s offers a viewer %s", page, offer)
			}
			if page == "/commissions?range=7d" && !strings.Contains(offer, "collect") && !strings.Contains(more, offer) {
				t.Errorf("%s does not offer a manager %s", page, offer)
			}
		}
	}
	if strings.Contains(viewer.get("/views").body, "Spot") || !strings.Contains(manager.get("/views").body, "Spot") {
		t.Error("another user sees a private view, or its owner does not")
	}
	if strings.Contains(manager.get("/").body, "/settings/") {
		t.Error("a manager sees the settings")
	}
}
