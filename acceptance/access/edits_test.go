package access_test

import (
	"fmt"
	"html"
	"net/http"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/store/identity"
)

// If two administrators change one user, the second sees the first change, of any kind,
// and then decides.
func TestConcurrentChangesOfUser(t *testing.T) {
	t.Parallel()
	b := site.OpenAdminSite(t)
	b.AddUser("vera", access.Viewer)
	b.AddUser("bea", access.Admin)
	bea := b.SignedInAs("bea")
	b.Enrol(bea)
	at := b.Page("vera")
	for _, c := range []struct {
		form          string
		first, second []string
		shows         []string
		after         func() bool
	}{
		{"role", []string{"role", "manager"}, []string{"role", "trader"}, []string{"<bdi>manager</bdi>", "<bdi>trader</bdi>", "ada: role changed, viewer to manager", `value="trader" checked`},
			func() bool { return b.User("vera").Role == access.Trader }},
		{"password", []string{"password", otherWord + otherWord, "repeated", otherWord + otherWord}, []string{"password", site.LongWord, "repeated", site.LongWord}, []string{"ada: password set", "Enter it once more"},
			func() bool { return b.Visitor().SignIn("vera", site.LongWord).StatusCode == 303 }},
		{"disable", nil, nil, []string{"ada: user disabled", "is the same as yours"}, nil},
	} {
		bea.Get(at)
		page := bea.Get(at).Body
		if a := b.Change("vera", c.form, c.first...); a.StatusCode != http.StatusSeeOther {
			t.Fatalf("%s, the first form: status %d", c.form, a.StatusCode)
		}
		a := bea.Post(at+"/"+c.form, append(c.second, "version", site.VersionOf(page, at+"/"+c.form))...)
		if c.after == nil {
			if said := html.UnescapeString(a.Body); a.StatusCode != http.StatusConflict || !strings.Contains(said, c.shows[0]) || !strings.Contains(said, c.shows[1]) {
				t.Errorf("%s, the second form: status %d", c.form, a.StatusCode)
			}
			continue
		}
		if c.after() {
			t.Errorf("%s: the second form was stored", c.form)
		}
		site.Conflicts(t, bea.Post, c.form, at+"/"+c.form, a, c.shows, c.second...)
		if !c.after() {
			t.Errorf("%s: the form that was sent again is not stored", c.form)
		}
		if strings.Contains(a.Body, site.LongWord) {
			t.Errorf("%s: the page shows a password", c.form)
		}
	}
	// A user's changes to their own account do not prevent an administrator's change.
	page := b.Ada.Get(at).Body
	if a := b.Ada.Post(at+"/enable", "version", site.VersionOf(page, at+"/enable")); a.StatusCode != http.StatusSeeOther {
		t.Fatalf("enabling: status %d", a.StatusCode)
	}
	page = b.Ada.Get(at).Body
	vera := b.Visitor()
	vera.SignIn("vera", site.LongWord)
	if a := b.Ada.Post(at+"/disable", "version", site.VersionOf(page, at+"/disable")); a.StatusCode != http.StatusSeeOther || vera.In() {
		t.Errorf("disabling a user who signed in meanwhile: status %d", a.StatusCode)
	}
}

// The same rule holds for the keys and the use of an account.
func TestConcurrentChangesOfAccount(t *testing.T) {
	t.Parallel()
	b := site.OpenAdminSite(t)
	keys := []string{"account", "asia", "api_key", "canary-a", "api_secret", "canary-b", "api_passphrase", "canary-c"}
	for _, c := range []struct {
		form   string
		fields []string
		shows  []string
	}{
		{"/settings/accounts/rotate", keys, []string{"stored since", "Enter it once more"}},
		{"/settings/accounts/disable", []string{"account", "asia"}, []string{"stored since", "Enter it once more"}},
	} {
		page := b.Ada.Get("/settings/accounts").Body
		version := site.VersionOf(page, c.form)
		if a := b.Ada.Post(c.form, append(c.fields, "version", version)...); a.StatusCode != http.StatusSeeOther {
			t.Fatalf("%s, the first form: status %d", c.form, a.StatusCode)
		}
		a := b.Ada.Post("/settings/accounts/rotate", append(keys, "version", version)...)
		if strings.Contains(a.Body, "canary") {
			t.Error("the page shows a key")
		}
		site.Conflicts(t, b.Ada.Post, c.form, "/settings/accounts/rotate", a, c.shows, keys...)
	}
	page := b.Ada.Get("/settings/accounts").Body
	version := site.VersionOf(page, "/settings/accounts/enable")
	if a := b.Ada.Post("/settings/accounts/rotate", append(keys, "version", version)...); a.StatusCode != http.StatusSeeOther {
		t.Fatalf("rotating: status %d", a.StatusCode)
	}
	a := b.Ada.Post("/settings/accounts/enable", "account", "asia", "version", version)
	site.Conflicts(t, b.Ada.Post, "enable", "/settings/accounts/enable", a, []string{"<bdi>disabled</bdi>", "<bdi>enabled</bdi>"}, "account", "asia")
}

// The same rule holds for renaming a view, making it the default, and deleting it.
func TestConcurrentChangesOfView(t *testing.T) {
	t.Parallel()
	address, service := site.ServeEditable(t)
	site.Done(t, service.SaveView(t.Context(), identity.View{Name: "old", Path: "/commissions", Query: "range=7d"}))
	token, id := site.TokenOf(t, address), site.ViewID(t, address, "name")
	for i, c := range []struct {
		form   string
		second []string
		shows  []string
	}{
		{"name", []string{"name", "second"}, []string{"<bdi>first 0</bdi>", "<bdi>second</bdi>", `name="name" value="second"`}},
		{"default", nil, []string{"<bdi>no</bdi>", "<bdi>yes</bdi>", "first 1", "Press the button once more"}},
		{"delete", nil, []string{"called “first 2”", "<bdi>deleted</bdi>"}},
	} {
		at := "/views/" + id + "/" + c.form
		version, first := site.ViewVersion(t, address, id), fmt.Sprint("first ", i)
		if a := site.Post(t, address+"/views/"+id+"/name", nil, "token", token, "name", first, "version", version); a.StatusCode != http.StatusSeeOther {
			t.Fatalf("%s, the first form: status %d", c.form, a.StatusCode)
		}
		a := site.Post(t, address+at, nil, append(c.second, "token", token, "version", version)...)
		if views, err := service.Views(t.Context(), string(access.Manager)); err != nil || len(views) != 1 || views[0].Name != first || views[0].Default {
			if c.form != "delete" || len(views) != 1 || views[0].Name != first { // it became the default before
				t.Errorf("%s: the stored views are %+v (%v)", c.form, views, err)
			}
		}
		site.Conflicts(t, func(path string, fields ...string) site.Answer {
			return site.Post(t, address+path, nil, append(fields, "token", token)...)
		}, c.form, at, a, c.shows, c.second...)
	}
	if views, err := service.Views(t.Context(), string(access.Manager)); err != nil || len(views) != 0 {
		t.Errorf("the remaining views are %+v (%v)", views, err)
	}
}

// A form about a view that is sent twice, as by a double click, is applied once and does
// not conflict with itself.
func TestViewFormsSentTwice(t *testing.T) {
	t.Parallel()
	address, service := site.ServeEditable(t)
	site.Done(t, service.SaveView(t.Context(), identity.View{Name: "old", Path: "/commissions", Query: "range=7d"}))
	token, id := site.TokenOf(t, address), site.ViewID(t, address, "name")
	for _, c := range [][]string{{"name", "name", "new"}, {"default"}, {"default", "default", "no"}, {"delete"}} {
		version := site.ViewVersion(t, address, id)
		for click := range 2 {
			a := site.Post(t, address+"/views/"+id+"/"+c[0], nil, append(c[1:], "token", token, "version", version)...)
			if a.StatusCode != http.StatusSeeOther {
				t.Errorf("%v, click %d: status %d", c, click+1, a.StatusCode)
			}
		}
	}
}

// A form without the version that it changes is refused.
func TestFormWithoutVersion(t *testing.T) {
	t.Parallel()
	b := site.OpenAdminSite(t)
	b.AddUser("vera", access.Viewer)
	b.Ada.Get(b.Page("vera"))
	for path, fields := range map[string][]string{
		b.Page("vera") + "/role": {"role", "manager"}, b.Page("vera") + "/disable": nil,
		"/settings/accounts/rotate": {"account", "asia", "api_key", "a", "api_secret", "b", "api_passphrase", "c"}, "/settings/accounts/disable": {"account", "asia"},
	} {
		for version, says := range map[string]string{"": "does not say which version", "x": "is damaged", "-1": "is damaged"} {
			if a := b.Ada.Post(path, append(fields, "version", version)...); a.StatusCode != http.StatusBadRequest || !strings.Contains(a.Body, says) {
				t.Errorf("%s, version %q: status %d", path, version, a.StatusCode)
			}
		}
	}
	if u := b.User("vera"); u.Role != access.Viewer || u.Disabled || len(b.Accounts.Asked) != 0 {
		t.Errorf("a refused form made a change: %+v, %q", u, b.Accounts.Asked)
	}
}
