package web_test

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
)

// written is a fingerprint of all that the store ever wrote. It changes with
// every write, whatever is written.
func (o *office) written() string {
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

// fieldsOf are fields with which a form would be accepted.
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

// No form of the whole route table is accepted without a token of the same session, or
// from another site; and a refusal writes nothing.
func TestEveryFormIsGuarded(t *testing.T) {
	o := openOffice(t, everything())
	o.hire("adam", access.Admin)
	o.hire("theo", access.Trader)
	o.hire("mia", access.Manager)
	admin, trader, other := o.enter("adam"), o.enter("theo"), o.enter("mia")
	o.enrol(admin)
	o.enrol(trader)
	admin.get("/account")
	old := admin.token // of the session before its password was changed
	admin.post("/account/password", "current", longWord, "password", longWord+"s", "repeated", longWord+"s")
	for _, v := range []*visitor{admin, trader, other} {
		v.get("/account")
	}
	stranger, another := o.visitor(), o.visitor()
	stranger.get("/login")
	another.get("/login")
	before, forms := o.written(), 0
	for _, r := range web.Matrix() {
		if r.Method != "POST" {
			continue
		}
		forms++
		who, elsewhere := admin, other
		switch r.Need {
		case web.Everybody:
			who, elsewhere = stranger, another
		case web.Need(access.MayTrade):
			who = trader
		}
		own, fields := who.token, fieldsOf(r.Path)
		if r.Need == web.Holder { // the link is the token
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
		t.Errorf("%d forms were refused, and something was written", forms)
	}
	if !admin.in() || !trader.in() || !other.in() {
		t.Error("somebody was signed out by a form that was refused")
	}
}

// Opening a page writes nothing, whoever opens it; only downloads are recorded, once
// each.
func TestReadingWritesNothing(t *testing.T) {
	o := openOffice(t, everything())
	o.hire("adam", access.Admin)
	o.hire("theo", access.Trader)
	o.hire("vera", access.Viewer)
	everybody := []*visitor{o.enter("adam"), o.enter("theo"), o.enter("vera"), o.visitor()}
	for _, v := range everybody[:2] {
		o.enrol(v)
	}
	text, _, err := o.access.CreateToken(t.Context(), command, access.NewToken{User: "adam", Name: "all", Scopes: []access.Scope{access.ScopeExport}})
	if err != nil {
		t.Fatal(err)
	}
	everybody = append(everybody, o.visitor("Authorization", "Bearer "+text))
	before := o.written()
	for _, v := range everybody {
		for _, r := range web.Matrix() {
			if r.Method == "GET" && path.Ext(r.Path) == "" {
				o.pass(time.Second)
				v.get(concrete(r.Path))
				v.send("HEAD", concrete(r.Path), "")
				if o.written() != before {
					t.Fatalf("GET %s wrote something", r.Path)
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
		t.Errorf("the file is noted as %+v", log[0])
	}
}

// Actions that a reader may not perform are not offered, unlike to a manager.
func TestViewersAreOfferedLess(t *testing.T) {
	o := openOffice(t, web.Options{})
	o.hire("vera", access.Viewer)
	o.hire("mia", access.Manager)
	viewer, manager := o.enter("vera"), o.enter("mia")
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
		t.Error("a view that is somebody's own is seen by others, or not by its owner")
	}
	if strings.Contains(manager.get("/").body, "/settings/") {
		t.Error("a manager is offered the settings")
	}
}
