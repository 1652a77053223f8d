package people_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
)

const invitee = "/invitees/4667776811"

func TestNotesAreWritten(t *testing.T) {
	t.Parallel()
	address, service := site.ServeEditable(t)
	token := site.TokenOf(t, address)
	long := strings.Repeat("é", 2000)
	for _, text := range append([]string{"Called.\r\nWants 45 %.", long}, site.Hostile...) {
		a := site.Post(t, address+invitee+"/notes", nil, "token", token, "account", "main", "text", text)
		if a.StatusCode != 303 || a.Header.Get("Location") != invitee {
			t.Fatalf("%.30q: status %d redirects to %q", text, a.StatusCode, a.Header.Get("Location"))
		}
	}
	n, err := service.InviteeNotes(context.Background(), "main", "4667776811")
	if err != nil || len(n.Notes) != 2+len(site.Hostile) {
		t.Fatalf("%d notes (%v)", len(n.Notes), err)
	}
	slices.Reverse(n.Notes)
	if n.Notes[0].Text != "Called.\nWants 45 %." || n.Notes[1].Text != long || n.Notes[2].Text != site.Hostile[0] || n.Notes[0].Author != "manager" {
		t.Errorf("the notes are %+v", n.Notes[0])
	}
	for i, note := range n.Notes { // in the order of writing, under numbers that do not tell how many there are
		if note.ID < 1<<52 || i > 0 && note.Created <= n.Notes[i-1].Created {
			t.Errorf("note %d has the number %d and the time %s", i, note.ID, note.Created)
		}
	}
	id := fmt.Sprint(n.Notes[0].ID)
	for range 2 {
		if a := site.Post(t, address+invitee+"/notes/"+id+"/delete", nil, "token", token, "account", "main"); a.StatusCode != 303 {
			t.Errorf("deleting: status %d", a.StatusCode)
		}
	}
	if n, err = service.InviteeNotes(context.Background(), "main", "4667776811"); err != nil || len(n.Notes) != 1+len(site.Hostile) {
		t.Errorf("%d notes remain (%v)", len(n.Notes), err)
	}
}

func TestTagsAreWritten(t *testing.T) {
	t.Parallel()
	address, service := site.ServeEditable(t)
	token := site.TokenOf(t, address)
	for _, tag := range append([]string{"VIP", "vip"}, site.Hostile...) {
		if a := site.Post(t, address+invitee+"/tags", nil, "token", token, "account", "main", "tag", tag); a.StatusCode != 303 {
			t.Fatalf("%q: status %d", tag, a.StatusCode)
		}
	}
	site.Post(t, address+invitee+"/tags/delete", nil, "token", token, "account", "main", "tag", site.Hostile[0])
	n, err := service.InviteeNotes(context.Background(), "main", "4667776811")
	if err != nil || len(n.Tags) != len(site.Hostile) || !slices.Contains(n.Tags, "VIP") || slices.Contains(n.Tags, site.Hostile[0]) || len(n.Known) != len(n.Tags) {
		t.Errorf("the tags are %q (%v)", n.Tags, err)
	}
}

// A form returns to the page from which it was sent, and never to another host.
func TestFormsLeadBack(t *testing.T) {
	t.Parallel()
	address, _ := site.ServeEditable(t)
	token := site.TokenOf(t, address)
	for from, want := range map[string]string{
		address + invitee + "?account=main&range=7d#x": invitee + "?account=main&range=7d",
		address + "/invitees/a%2Fb":                    "/invitees/a%2Fb",
		address + "//evil.example/":                    invitee,
		address + `/\evil.example/`:                    "/%5Cevil.example/",
		"http://evil.example" + invitee:                invitee,
		strings.Replace(address, "http://", "//", 1):   invitee,
		strings.Replace(address, "http", "https", 1):   invitee,
		"javascript:alert(1)":                          invitee,
		"http://evil.example@" + address[7:] + "/x":    "/x",
		"/commissions":                                 invitee,
		"":                                             invitee,
	} {
		a := site.Post(t, address+invitee+"/tags", []string{"Referer", from}, "token", token, "account", "main", "tag", "vip")
		if a.StatusCode != 303 || a.Header.Get("Location") != want {
			t.Errorf("from %q: status %d redirects to %q, want %q", from, a.StatusCode, a.Header.Get("Location"), want)
		}
	}
}

// A form that breaks a rule shows this rule and stores nothing.
func TestNotesThatAreRefused(t *testing.T) {
	t.Parallel()
	address, service := site.ServeEditable(t)
	token := site.TokenOf(t, address)
	for _, c := range []struct {
		path, account, text string
		status              int
		want                string
	}{
		{invitee, "main", "", 400, "is empty"},
		{invitee, "main", "\u200b", 400, "is empty"},
		{invitee, "main", "a\x00", 400, "control characters"},
		{invitee, "main", "VIP\u200b", 400, "has an invisible character, U+200B, after “VIP”: type that part again"},
		{invitee, "main", "\u202egnp.exe", 400, "has an invisible character, U+202E, at its beginning"},
		{invitee, "main", strings.Repeat("x", 2001), 400, "is longer than"},
		{invitee, "second", "x", 404, "Nothing is known of such an invitee"},
		{invitee, "", "x", 404, "Nothing is known of such an invitee"},
		{"/invitees/1", "main", "x", 404, "Nothing is known of such an invitee"},
		{"/invitees/%3Cscript%3E", "main", "x", 404, "Nothing is known of such an invitee"},
	} {
		for _, kind := range []string{"note", "tag"} {
			a := site.Post(t, address+c.path+"/"+kind+"s", nil, "token", token, "account", c.account, "text", c.text, "tag", c.text)
			if a.StatusCode != c.status || !strings.Contains(a.Body, c.want) {
				t.Errorf("%s %.20q of %s in %q: status %d, and the page does not say %q", kind, c.text, c.path, c.account, a.StatusCode, c.want)
			}
		}
	}
	n, err := service.InviteeNotes(context.Background(), "main", "4667776811")
	if err != nil || len(n.Notes)+len(n.Tags) > 0 {
		t.Errorf("the stored notes and tags are %+v (%v)", n, err)
	}
}
