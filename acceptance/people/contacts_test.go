package people_test

import (
	"context"
	"html"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/web"
)

// marksOfContact are what pages and files say of the contact of the tests.
var marksOfContact = []string{"4915550001", "quill_tg", "quill@example.com", "quill%40example.com"}

// contactIn returns a part of the contact that a page or a file has; empty: none.
func contactIn(t *testing.T, body string) string {
	t.Helper()
	text := strings.ToLower(unzipped(t, body))
	for _, mark := range marksOfContact {
		if strings.Contains(text, mark) {
			return mark
		}
	}
	return ""
}

// Whoever may see names may see how people are reached, on the list and on the page of the person, and
// nobody else. No report, file or answer for programs has a contact but the people file.
func TestContactsOfPeople(t *testing.T) {
	t.Parallel()
	p := site.OpenPaid(t)
	service := reports.New(p.Store, p.Now)
	p.Address, p.Server = site.Serve(t, web.Options{Reports: service, Desk: service, Access: p.Access, Collect: site.Nothing})
	manager, viewer := p.As("mia", access.Manager), p.As("vera", access.Viewer)
	uid := cellsOf(manager, "/worklist.csv?show=open")[0]["uid"]
	page := "/invitees/" + uid

	manager.Get(page)
	refused := manager.Post(page+"/person", "version", "0", "name", "Zoë Quill", "phone", "javascript:alert(1)", "telegram", "quill/../x", "email", "Quill <quill@example.com>, x@y.example")
	text := html.UnescapeString(refused.Body)
	if refused.StatusCode != 400 {
		t.Fatalf("hostile values: status %d, %s", refused.StatusCode, site.WordsOf(refused.Body))
	}
	for _, want := range []string{`"javascript:alert(1)" is no phone number`, `"quill/../x" is no name on Telegram`, `"Quill <quill@example.com>, x@y.example" is no mail address`, `value="javascript:alert(1)"`, `value="Zoë Quill"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the refused form does not have %s", want)
		}
	}
	if strings.Contains(text, `href="javascript`) || strings.Contains(text, `href="tel:`) || strings.Count(refused.Body, `aria-invalid="true"`) != 3 {
		t.Error("a refused value is a link, or not all three fields are marked")
	}
	if a := importPeople(manager, "uid,name,phone,email,telegram\r\n"+uid+",Zoë Quill,+49 1555 0001,Quill@example.com,@quill_tg\r\n"); a.StatusCode != 303 {
		t.Fatalf("import: status %d, %s", a.StatusCode, site.WordsOf(a.Body))
	}
	links := []string{`href="tel:+4915550001"`, `href="https://t.me/quill_tg"`, `href="mailto:Quill@example.com"`}
	for _, path := range []string{"/worklist", page} {
		for _, v := range []*site.Visitor{manager, viewer} {
			for _, link := range links {
				if a := v.Get(path); strings.Count(a.Body, link) != 1 {
					t.Errorf("%s has %d links %s", path, strings.Count(a.Body, link), link)
				}
			}
		}
	}

	// The people file alone has it, and is the same when it is imported again.
	for _, ext := range []string{".csv", ".xlsx"} {
		file := manager.Get("/people/import" + ext).Body
		if contactIn(t, file) == "" {
			t.Errorf("the people file%s has no contact", ext)
		}
		if words := site.WordsOf(upload(manager, "/people/import/preview", "people"+ext, file).Body); !strings.Contains(words, "0 new, 0 changed") {
			t.Errorf("the people file%s changes something: %s", ext, words)
		}
	}
	admin := p.As("ada", access.Admin)
	p.Enrol(admin)
	admin.Get("/settings/users")
	if a := admin.Post("/settings/names", "hidden", "yes"); a.StatusCode != 303 {
		t.Fatalf("hiding names: status %d", a.StatusCode)
	}
	token, _, err := p.Access.CreateToken(context.Background(), site.Command, access.NewToken{User: "mia", Name: "reads", Scopes: []access.Scope{access.ScopeRead, access.ScopeExport}})
	if err != nil {
		t.Fatal(err)
	}
	program := p.Visitor("Authorization", "Bearer "+token)
	shows := map[string]bool{"/worklist": true, "/invitees/:uid": true, "/people/import.csv": true, "/people/import.xlsx": true}
	asked := 0
	for _, route := range p.Server.Routes() {
		if route.Method != "GET" {
			continue
		}
		path := strings.NewReplacer(":uid", uid, ":id", "1", ":month", "2026-10", ":number", "1", "*", "app.css", ":token", "x").Replace(route.Path)
		if found := contactIn(t, viewer.Get(path).Body); found != "" {
			t.Errorf("%s shows a viewer the hidden %s", path, found)
		}
		if shows[route.Path] {
			continue
		}
		if found := contactIn(t, manager.Get(path).Body); found != "" {
			t.Errorf("%s has %s", path, found)
		}
		if route.Tokens {
			p.Pass(100 * time.Millisecond) // the highest rate that a token may use
			asked++
			if found := contactIn(t, program.Get(path).Body); found != "" {
				t.Errorf("%s gives a program %s", path, found)
			}
		}
	}
	if asked < 20 {
		t.Errorf("a program asked %d times", asked)
	}
	if a := admin.Get("/settings/audit"); contactIn(t, a.Body) != "" {
		t.Error("the audit log has a contact")
	}
	if a := manager.Post("/people/import/1/undo"); a.StatusCode != 303 {
		t.Fatalf("undo: status %d", a.StatusCode)
	}
	for _, path := range []string{"/worklist", page, "/people/import.csv"} {
		if contactIn(t, manager.Get(path).Body) != "" {
			t.Errorf("%s has a contact that an undo took back", path)
		}
	}
}
