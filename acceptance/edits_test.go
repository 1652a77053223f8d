package acceptance_test

import (
	"fmt"
	"html"
	"net/http"
	"strings"
	"testing"

	"rebatedesk/access"
	"rebatedesk/store/identity"
)

// versionOf returns the version in the form that posts to an address, or an empty text if
// the page has no such form.
func versionOf(page, action string) string {
	_, form, _ := strings.Cut(page, `action="`+action+`"`)
	form, _, _ = strings.Cut(form, "</form>")
	_, version, _ := strings.Cut(form, `name="version" value="`)
	version, _, _ = strings.Cut(version, `"`)
	return version
}

// press sends a form of a page with the version that the page shows.
func (v *visitor) press(page, action string) answer {
	return v.post(action, "version", versionOf(v.get(page).body, action))
}

// conflicts checks that a form that lost to a concurrent change shows the stored and the
// entered values, and that it can be sent again.
func conflicts(t *testing.T, send func(path string, fields ...string) answer, what, action string, a answer, shows []string, fields ...string) {
	t.Helper()
	page := html.UnescapeString(a.body)
	if a.StatusCode != http.StatusConflict {
		t.Fatalf("%s, the second form: status %d", what, a.StatusCode)
	}
	for _, text := range append(shows, "Somebody else changed this", "Stored now", "Your entry") {
		if !strings.Contains(page, text) {
			t.Errorf("%s does not show %q", what, text)
		}
	}
	if a := send(action, append(fields, "version", versionOf(a.body, action))...); a.StatusCode != http.StatusSeeOther {
		t.Errorf("%s, sent again: status %d", what, a.StatusCode)
	}
}

// If two administrators change one user, the second sees the first change, of any kind,
// and then decides.
func TestConcurrentChangesOfUser(t *testing.T) {
	t.Parallel()
	b := openAdminSite(t)
	b.addUser("vera", access.Viewer)
	b.addUser("bea", access.Admin)
	bea := b.signedInAs("bea")
	b.enrol(bea)
	at := b.page("vera")
	for _, c := range []struct {
		form          string
		first, second []string
		shows         []string
		after         func() bool
	}{
		{"role", []string{"role", "manager"}, []string{"role", "trader"}, []string{"<bdi>manager</bdi>", "<bdi>trader</bdi>", "ada: role changed, viewer to manager", `value="trader" checked`},
			func() bool { return b.user("vera").Role == access.Trader }},
		{"password", []string{"password", otherWord + otherWord, "repeated", otherWord + otherWord}, []string{"password", longWord, "repeated", longWord}, []string{"ada: password set", "Enter it once more"},
			func() bool { return b.visitor().signIn("vera", longWord).StatusCode == 303 }},
		{"disable", nil, nil, []string{"ada: user disabled", "is the same as yours"}, nil},
	} {
		bea.get(at)
		page := bea.get(at).body
		if a := b.change("vera", c.form, c.first...); a.StatusCode != http.StatusSeeOther {
			t.Fatalf("%s, the first form: status %d", c.form, a.StatusCode)
		}
		a := bea.post(at+"/"+c.form, append(c.second, "version", versionOf(page, at+"/"+c.form))...)
		if c.after == nil {
			if said := html.UnescapeString(a.body); a.StatusCode != http.StatusConflict || !strings.Contains(said, c.shows[0]) || !strings.Contains(said, c.shows[1]) {
				t.Errorf("%s, the second form: status %d", c.form, a.StatusCode)
			}
			continue
		}
		if c.after() {
			t.Errorf("%s: the second form was stored", c.form)
		}
		conflicts(t, bea.post, c.form, at+"/"+c.form, a, c.shows, c.second...)
		if !c.after() {
			t.Errorf("%s: the form that was sent again is not stored", c.form)
		}
		if strings.Contains(a.body, longWord) {
			t.Errorf("%s: the page shows a password", c.form)
		}
	}
	// A user's changes to their own account do not prevent an administrator's change.
	page := b.ada.get(at).body
	if a := b.ada.post(at+"/enable", "version", versionOf(page, at+"/enable")); a.StatusCode != http.StatusSeeOther {
		t.Fatalf("enabling: status %d", a.StatusCode)
	}
	page = b.ada.get(at).body
	vera := b.visitor()
	vera.signIn("vera", longWord)
	if a := b.ada.post(at+"/disable", "version", versionOf(page, at+"/disable")); a.StatusCode != http.StatusSeeOther || vera.in() {
		t.Errorf("disabling a user who signed in meanwhile: status %d", a.StatusCode)
	}
}

// The same rule holds for the keys and the use of an account.
func TestConcurrentChangesOfAccount(t *testing.T) {
	t.Parallel()
	b := openAdminSite(t)
	keys := []string{"account", "asia", "api_key", "canary-a", "api_secret", "canary-b", "api_passphrase", "canary-c"}
	for _, c := range []struct {
		form   string
		fields []string
		shows  []string
	}{
		{"/settings/accounts/rotate", keys, []string{"stored since", "Enter it once more"}},
		{"/settings/accounts/disable", []string{"account", "asia"}, []string{"stored since", "Enter it once more"}},
	} {
		page := b.ada.get("/settings/accounts").body
		version := versionOf(page, c.form)
		if a := b.ada.post(c.form, append(c.fields, "version", version)...); a.StatusCode != http.StatusSeeOther {
			t.Fatalf("%s, the first form: status %d", c.form, a.StatusCode)
		}
		a := b.ada.post("/settings/accounts/rotate", append(keys, "version", version)...)
		if strings.Contains(a.body, "canary") {
			t.Error("the page shows a key")
		}
		conflicts(t, b.ada.post, c.form, "/settings/accounts/rotate", a, c.shows, keys...)
	}
	page := b.ada.get("/settings/accounts").body
	version := versionOf(page, "/settings/accounts/enable")
	if a := b.ada.post("/settings/accounts/rotate", append(keys, "version", version)...); a.StatusCode != http.StatusSeeOther {
		t.Fatalf("rotating: status %d", a.StatusCode)
	}
	a := b.ada.post("/settings/accounts/enable", "account", "asia", "version", version)
	conflicts(t, b.ada.post, "enable", "/settings/accounts/enable", a, []string{"<bdi>disabled</bdi>", "<bdi>enabled</bdi>"}, "account", "asia")
}

// The same rule holds for renaming a view, making it the default, and deleting it.
func TestConcurrentChangesOfView(t *testing.T) {
	t.Parallel()
	address, service := serveEditable(t)
	done(t, service.SaveView(t.Context(), identity.View{Name: "old", Path: "/commissions", Query: "range=7d"}))
	token, id := tokenOf(t, address), viewID(t, address, "name")
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
		version, first := viewVersion(t, address, id), fmt.Sprint("first ", i)
		if a := post(t, address+"/views/"+id+"/name", nil, "token", token, "name", first, "version", version); a.StatusCode != http.StatusSeeOther {
			t.Fatalf("%s, the first form: status %d", c.form, a.StatusCode)
		}
		a := post(t, address+at, nil, append(c.second, "token", token, "version", version)...)
		if views, err := service.Views(t.Context(), string(access.Manager)); err != nil || len(views) != 1 || views[0].Name != first || views[0].Default {
			if c.form != "delete" || len(views) != 1 || views[0].Name != first { // it became the default before
				t.Errorf("%s: the stored views are %+v (%v)", c.form, views, err)
			}
		}
		conflicts(t, func(path string, fields ...string) answer {
			return post(t, address+path, nil, append(fields, "token", token)...)
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
	address, service := serveEditable(t)
	done(t, service.SaveView(t.Context(), identity.View{Name: "old", Path: "/commissions", Query: "range=7d"}))
	token, id := tokenOf(t, address), viewID(t, address, "name")
	for _, c := range [][]string{{"name", "name", "new"}, {"default"}, {"default", "default", "no"}, {"delete"}} {
		version := viewVersion(t, address, id)
		for click := range 2 {
			a := post(t, address+"/views/"+id+"/"+c[0], nil, append(c[1:], "token", token, "version", version)...)
			if a.StatusCode != http.StatusSeeOther {
				t.Errorf("%v, click %d: status %d", c, click+1, a.StatusCode)
			}
		}
	}
}

// A form without the version that it changes is refused.
func TestFormWithoutVersion(t *testing.T) {
	t.Parallel()
	b := openAdminSite(t)
	b.addUser("vera", access.Viewer)
	b.ada.get(b.page("vera"))
	for path, fields := range map[string][]string{
		b.page("vera") + "/role": {"role", "manager"}, b.page("vera") + "/disable": nil,
		"/settings/accounts/rotate": {"account", "asia", "api_key", "a", "api_secret", "b", "api_passphrase", "c"}, "/settings/accounts/disable": {"account", "asia"},
	} {
		for version, says := range map[string]string{"": "does not say which version", "x": "is damaged", "-1": "is damaged"} {
			if a := b.ada.post(path, append(fields, "version", version)...); a.StatusCode != http.StatusBadRequest || !strings.Contains(a.body, says) {
				t.Errorf("%s, version %q: status %d", path, version, a.StatusCode)
			}
		}
	}
	if u := b.user("vera"); u.Role != access.Viewer || u.Disabled || len(b.accounts.asked) != 0 {
		t.Errorf("a refused form made a change: %+v, %q", u, b.accounts.asked)
	}
}
