package invitees

import (
	"net/url"
	"strconv"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/store/people"
	"rebatedesk/web/templates/ui"
)

// NotesView holds the notes about one invitee, and the token of the forms that change
// them. Without a token they are read-only.
type NotesView struct {
	Account affiliate.Account
	UID     affiliate.UID
	Zone    *time.Location // of the times
	Token   string
	Written reports.InviteeNotes
	Person  *people.Person   // nil: the reader may not see who it is
	Seen    affiliate.Millis // of the newest change of anybody
	Form    ui.Form
}

// action returns the address of a form about the invitee.
func (v NotesView) action(rest string) string {
	return "/invitees/" + url.PathEscape(string(v.UID)) + rest
}

func (v NotesView) deletion(note int64) string {
	return v.action("/notes/" + strconv.FormatInt(note, 10) + "/delete")
}

// tagged returns the address of the list of invitees with a tag.
func tagged(tag string) string { return "/invitees?" + url.Values{"tag": {tag}}.Encode() }
