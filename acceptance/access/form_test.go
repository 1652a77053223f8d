package access_test

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/web"
	"rebatedesk/web/route"
)

// writes lists all forms for editing and collecting, with valid fields.
var writes = []struct {
	path   string
	fields []string
}{
	{"/collection/collect", nil},
	{"/views", []string{"name", "a", "path", "/commissions", "query", "range=7d"}},
	{"/views/1/name", []string{"name", "b"}},
	{"/views/1/default", nil},
	{"/views/1/delete", nil},
	{"/invitees/4667776811/notes", []string{"account", "main", "text", "called"}},
	{"/invitees/4667776811/notes/1/delete", []string{"account", "main"}},
	{"/invitees/4667776811/tags", []string{"account", "main", "tag", "vip"}},
	{"/invitees/4667776811/tags/delete", []string{"account", "main", "tag", "vip"}},
}

// Only a POST with a token of this session, from this site, changes anything.
func TestFormsAreGuarded(t *testing.T) {
	t.Parallel()
	address, service := site.ServeEditable(t)
	good, foreign := site.TokenOf(t, address), site.TokenOf(t, address, "Cookie", site.SignedIn(t, access.Admin))
	if again := site.TokenOf(t, address); again == good {
		t.Error("two pages have the same token")
	}
	for _, w := range writes {
		for token, name := range map[string]string{"": "none", "x": "nonsense", foreign: "another session's", good[:len(good)-2] + "xx": "a changed one", good + "A": "a longer one"} {
			if a := site.Post(t, address+w.path, nil, append(w.fields, "token", token)...); a.StatusCode != 403 || !strings.Contains(a.Body, "nothing was changed") {
				t.Errorf("%s with token %s: status %d", w.path, name, a.StatusCode)
			}
		}
		fields := append(w.fields, "token", good)
		for _, headers := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "http://evil.example"}} {
			if a := site.Post(t, address+w.path, headers, fields...); a.StatusCode != 403 {
				t.Errorf("%s with %v: status %d, want 403", w.path, headers, a.StatusCode)
			}
		}
		if a := site.Post(t, address+w.path+"?token="+good, nil, w.fields...); a.StatusCode != 403 {
			t.Errorf("%s with the token in its address: status %d, want 403", w.path, a.StatusCode)
		}
		if a := site.Get(t, address+w.path); a.StatusCode != 303 && w.path != "/views" {
			t.Errorf("GET %s: status %d, want 303", w.path, a.StatusCode)
		}
	}
	views, err := service.Views(context.Background(), string(access.Manager))
	if err != nil || len(views) != 0 {
		t.Errorf("refused forms saved %v (%v)", views, err)
	}
	n, err := service.InviteeNotes(context.Background(), "main", "4667776811")
	if err != nil || len(n.Notes)+len(n.Known) != 0 {
		t.Errorf("refused forms wrote %v (%v)", n, err)
	}
	for _, w := range writes {
		if strings.HasPrefix(w.path, "/views/1") { // the view that the form before has saved
			views, err := service.Views(context.Background(), string(access.Manager))
			if err != nil || len(views) != 1 {
				t.Fatal(views, err)
			}
			w.path = strings.Replace(w.path, "/1", fmt.Sprintf("/%d", views[0].ID), 1)
		}
		if a := site.Post(t, address+w.path, []string{"Sec-Fetch-Site", "same-origin"}, append(w.fields, "token", good, "version", site.VersionOf(site.Get(t, address+"/views").Body, w.path))...); a.StatusCode != 303 {
			t.Errorf("%s with its token: status %d, want 303", w.path, a.StatusCode)
		}
	}
}

func TestFormsAreReadStrictly(t *testing.T) {
	t.Parallel()
	address, _ := site.ServeEditable(t)
	const form = "application/x-www-form-urlencoded"
	body := "name=a&path=/&query=range%3D7d&token=" + site.TokenOf(t, address)
	for _, c := range []struct {
		name, body string
		headers    []string
		status     int
	}{
		{"as it is", body, []string{"Content-Type", form + "; charset=utf-8"}, 303},
		{"without a type", body, nil, 415},
		{"as JSON", `{"name":"a"}`, []string{"Content-Type", "application/json"}, 415},
		{"as multipart", "--x\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\na\r\n--x--\r\n", []string{"Content-Type", "multipart/form-data; boundary=x"}, 415},
		{"compressed", body, []string{"Content-Type", form, "Content-Encoding", "gzip"}, 415},
		{"a field twice", body + "&name=b", []string{"Content-Type", form}, 400},
		{"a bad escape", body + "&x=%zz", []string{"Content-Type", form}, 400},
		{"no UTF-8", body + "&x=%ff", []string{"Content-Type", form}, 400},
		{"too long", body + "&x=" + strings.Repeat("x", 64<<10), []string{"Content-Type", form}, 413},
	} {
		if a := site.PostRaw(t, address+"/views", c.body, c.headers...); a.StatusCode != c.status {
			t.Errorf("%s: status %d, want %d", c.name, a.StatusCode, c.status)
		}
	}
}

// A server without editing and collecting does not offer them.
func TestWithoutEditing(t *testing.T) {
	t.Parallel()
	address, _ := site.Serve(t, web.Options{Reports: site.SharedReports(t)})
	for _, w := range writes {
		if a := site.Post(t, address+w.path, nil, w.fields...); a.StatusCode != 404 {
			t.Errorf("%s: status %d, want 404", w.path, a.StatusCode)
		}
	}
	if a := site.Get(t, address+"/commissions"); a.StatusCode != 200 || strings.Contains(a.Body, "views-menu") {
		t.Errorf("status %d, or the page offers views", a.StatusCode)
	}
}

// The address of a form, opened as a page, leads to the page that has the form.
func TestFormsLeadToTheirPages(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, site.Everything())
	o.AddUser("root", access.Admin)
	v := o.SignedInAs("root")
	routes := o.Server.Routes()
	is := func(method, pattern string) bool {
		return slices.ContainsFunc(routes, func(r route.Route) bool { return r.Method == method && r.Path == pattern })
	}
	values := strings.NewReplacer(":id", "7", ":uid", "4667776811", ":month", "2026-10", ":number", "S-1", ":token", "x", ":account", "main")
	tried := 0
	for _, r := range routes {
		if r.Method != "POST" || r.Tokens || is("GET", r.Path) {
			continue
		}
		tried++
		a := v.Send("GET", values.Replace(r.Path)+"?x=1", "")
		above := r.Path
		for above != "/" && !is("GET", above) {
			above = path.Dir(above)
		}
		want := values.Replace(above) + "?x=1"
		if above == "/login" {
			want = "/" // nobody who is signed in needs it
		}
		if a.StatusCode != 303 || a.Header.Get("Location") != want {
			t.Errorf("GET %s: status %d to %q, want 303 to %q", r.Path, a.StatusCode, a.Header.Get("Location"), want)
		}
	}
	if tried < 80 {
		t.Errorf("only %d addresses of forms", tried)
	}
}
