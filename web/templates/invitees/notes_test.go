package invitees

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/internal/pagetest"
	"rebatedesk/reports"
	"rebatedesk/store/people"
)

func aboutSomebody(token string) NotesView {
	at := affiliate.MillisOf(time.Date(2026, 11, 20, 23, 30, 0, 0, time.UTC))
	return NotesView{Account: "main", UID: "4667/1", Zone: time.FixedZone("CET", 3600), Token: token, Written: reports.InviteeNotes{
		Notes: []people.Note{
			{ID: 8, Author: "ann", Text: "second\n\tline", Created: at},
			{ID: 7, Text: strings.Repeat("long ", 400), Created: at},
		},
		Tags:  []string{"Größe", "VIP & friends"},
		Known: []people.TagCount{{Tag: "Größe", Invitees: 1}, {Tag: "VIP & friends", Invitees: 1204}},
	}}
}

func TestInviteeNotes(t *testing.T) {
	text := pagetest.Text(t, inviteeNotes(aboutSomebody("secret")))
	for _, want := range []string{
		"second\n\tline", strings.Repeat("long ", 400), "21 Nov 2026 00:30 CET", "<bdi>ann</bdi>",
		`action="/invitees/4667%2F1/notes"`, `action="/invitees/4667%2F1/notes/8/delete"`, `action="/invitees/4667%2F1/notes/7/delete"`,
		`maxlength="2000"`, `aria-label="Delete the note of 21 Nov 2026 00:30 CET"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the notes do not contain %q", want)
		}
	}
	if forms, tokens, accounts := strings.Count(text, "<form"), strings.Count(text, `value="secret"`), strings.Count(text, `name="account" value="main"`); forms != 3 || tokens != forms || accounts != forms {
		t.Errorf("%d forms with %d tokens and %d accounts, want three of each", forms, tokens, accounts)
	}
	if text := pagetest.Text(t, inviteeNotes(NotesView{Zone: time.UTC})); !strings.Contains(text, "Nothing has been noted yet") {
		t.Errorf("an empty list of notes shows %s", text)
	}
}

func TestInviteeTags(t *testing.T) {
	text := pagetest.Text(t, inviteeTags(aboutSomebody("secret")))
	for _, want := range []string{
		`href="/invitees?tag=Gr%C3%B6%C3%9Fe"`, `href="/invitees?tag=VIP+%26+friends"`, `aria-label="Remove the tag VIP & friends"`,
		`action="/invitees/4667%2F1/tags"`, `action="/invitees/4667%2F1/tags/delete"`, `maxlength="40"`,
		`<option value="VIP & friends">1,204 invitees</option>`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the tags do not contain %q", want)
		}
	}
	if forms, tokens := strings.Count(text, "<form"), strings.Count(text, `value="secret"`); forms != 3 || tokens != forms {
		t.Errorf("%d forms with %d tokens, want three of each", forms, tokens)
	}
}

// A user who may not write can read notes and tags, without forms.
func TestNotesToRead(t *testing.T) {
	for name, text := range map[string]string{"notes": pagetest.Text(t, inviteeNotes(aboutSomebody(""))), "tags": pagetest.Text(t, inviteeTags(aboutSomebody("")))} {
		if strings.Contains(text, "<form") || strings.Contains(text, "<button") || strings.Contains(text, "<input") {
			t.Errorf("%s have a form: %s", name, text)
		}
		if !strings.Contains(text, "second") && !strings.Contains(text, "VIP & friends") {
			t.Errorf("%s are not shown", name)
		}
	}
}

// Notes and tags are escaped text.
func TestHostileNotes(t *testing.T) {
	for _, text := range []string{`</script><script>window.pwned=1</script>`, `"><img src=x onerror=window.pwned=1>`, `' onfocus='window.pwned=1'`, "</textarea><b>", "\u202egnp.exe"} {
		v := aboutSomebody("secret")
		v.Account, v.UID = affiliate.Account(text), affiliate.UID(text)
		v.Written = reports.InviteeNotes{Notes: []people.Note{{Text: text, Author: text}}, Tags: []string{text}, Known: []people.TagCount{{Tag: text, Invitees: 1}}}
		harmless := v
		harmless.Account, harmless.UID = "x", "x"
		harmless.Written = reports.InviteeNotes{Notes: []people.Note{{Text: "x", Author: "x"}}, Tags: []string{"x"}, Known: []people.TagCount{{Tag: "x", Invitees: 1}}}
		for name, pages := range map[string][2]string{
			"notes": {pagetest.Source(t, inviteeNotes(v)), pagetest.Source(t, inviteeNotes(harmless))},
			"tags":  {pagetest.Source(t, inviteeTags(v)), pagetest.Source(t, inviteeTags(harmless))},
		} {
			if got, want := marks(pages[0]), marks(pages[1]); got != want {
				t.Errorf("%q changes the structure of the %s: %s, want %s", text, name, got, want)
			}
			if strings.Contains(text, `"`) && strings.Contains(pages[0], text) {
				t.Errorf("%q appears unescaped in the %s", text, name)
			}
		}
	}
}

// marks counts the characters that form elements and attributes.
func marks(page string) string {
	return fmt.Sprint(strings.Count(page, "<"), strings.Count(page, ">"), strings.Count(page, `"`), strings.Count(page, "'"))
}
