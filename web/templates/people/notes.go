package people

import (
	"net/url"
	"strconv"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
)

// NotesView is what people wrote about one invitee, and the token of the forms
// that change it. Without a token it is shown and cannot be changed.
type NotesView struct {
	Account affiliate.Account
	UID     affiliate.UID
	Zone    *time.Location // of the times
	Token   string
	Written reports.InviteeNotes
}

// action is where a form about the invitee is sent.
func (v NotesView) action(rest string) string {
	return "/invitees/" + url.PathEscape(string(v.UID)) + rest
}

func (v NotesView) deletion(note int64) string {
	return v.action("/notes/" + strconv.FormatInt(note, 10) + "/delete")
}

// tagged is the address of the list of invitees that have a tag.
func tagged(tag string) string { return "/invitees?" + url.Values{"tag": {tag}}.Encode() }
