// Package settings draws what administrators look after.
package settings

import (
	"strconv"
	"time"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/phrase"
	"rebatedesk/store/audit"
	"rebatedesk/store/upkeep"
	"rebatedesk/web/admin"
	"rebatedesk/web/templates/ui"
)

// Settings is what stands around each page of the settings.
type Settings struct {
	Page  ui.Page
	Path  string // of the page among the tabs
	Tabs  []ui.Tab
	Done  string // what was changed just now
	Token string // of the forms
	Zone  *time.Location
}

// UsersView is the list of users and the form for another one.
type UsersView struct {
	Settings
	Rows []UserRow
	Form ui.Form
}

// UserRow is one user with what is open.
type UserRow struct {
	access.User
	Sessions, Tokens int
	Own              bool // it is the reader
}

// UserView is the page of one user.
type UserView struct {
	Settings
	UserRow
	Open        string // the section that was not taken
	Form        ui.Form
	SessionRows []ui.SessionRow // where the user is
	TokenRows   []access.Token  // of the user, those that work first
}

// formOf is the form of a section.
func (v UserView) formOf(section string) ui.Form {
	if v.Open == section {
		return v.Form
	}
	return ui.Form{}
}

func (r UserRow) path() string { return "/settings/users/" + strconv.FormatInt(r.ID, 10) }

// UserFields are what administrators change of a user, by [UserLabels].
func UserFields(u access.User) map[string]string {
	return map[string]string{"version": ui.VersionText(u.Updated), "role": string(u.Role), "password": "the present one", "codes": CodesWords(u.HasTOTP), "access": AccessWords(u.Disabled)}
}

// UserLabels are what can be changed of a user.
var UserLabels = ui.Pairs("Role", "role", "Password", "password", "One-time codes", "codes", "Access", "access")

// CodesWords say whether there is an authenticator.
func CodesWords(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// codesWords say whether the sign-in asks for a code.
func (r UserRow) codesWords() string {
	if !r.HasTOTP && r.Role.NeedsTOTP() {
		return "to be set up"
	}
	return CodesWords(r.HasTOTP)
}

// ends says what ends with a change of the user.
func (r UserRow) ends() string {
	if r.Sessions == 0 {
		return "No session is open. " + ui.TokensEnd(r.Tokens)
	}
	return "All sessions end at once: " + phrase.Things(r.Sessions, "session") + " now. " + ui.TokensEnd(r.Tokens)
}

// roleWords say what each role is for.
var roleWords = map[access.Role]string{
	access.Viewer:  "sees all reports",
	access.Manager: "also exports, writes notes and views, and starts collections",
	access.Admin:   "also looks after users, accounts and backups, and reads the exchange",
	access.Trader:  "a manager who also reads the exchange and sends orders",
}

// SessionsView is the sessions of everybody.
type SessionsView struct {
	Settings
	Rows []ui.SessionRow
	Most int // that a user can have
}

// TokensView is the API tokens of everybody, those that work first.
type TokensView struct {
	Settings
	Rows []access.Token
}

// soon is how many of the tokens end soon.
func (v TokensView) soon() int {
	n := 0
	for _, t := range v.Rows {
		if t.Soon {
			n++
		}
	}
	return n
}

// soonWords say what to do about them.
func (v TokensView) soonWords() string {
	within := strconv.Itoa(int(access.WarnTokens/(24*time.Hour))) + " days"
	if v.soon() == 1 {
		return "1 token expires within " + within + ". The program that uses it is refused afterwards: its user makes another one in time."
	}
	return phrase.Things(v.soon(), "token") + " expire within " + within + ". The programs that use them are refused afterwards: their users make others in time."
}

// AccountsView is the affiliate accounts.
type AccountsView struct {
	Settings
	Rows    []admin.ExchangeAccount
	New     ui.Form
	Rotated affiliate.Account // whose new keys were not taken
	Rotate  ui.Form
	Used    affiliate.Account // that was not disabled, or enabled
	Use     ui.Form
	Tested  affiliate.Account
	Checks  []admin.AccountCheck
}

// rotateForm is the form for the keys of an account.
func (v AccountsView) rotateForm(a admin.ExchangeAccount) ui.Form {
	if !a.Settings && a.Name == v.Rotated {
		return v.Rotate
	}
	return ui.Form{}
}

// useForm is the form that takes an account out of use, or back.
func (v AccountsView) useForm(a admin.ExchangeAccount) ui.Form {
	if !a.Settings && a.Name == v.Used {
		return v.Use
	}
	return ui.Form{}
}

// AccountFields are what can be changed of a stored account, by [AccountLabels].
func AccountFields(a admin.ExchangeAccount, zone *time.Location) map[string]string {
	return map[string]string{"version": ui.VersionText(a.Updated), "keys": "stored since " + phrase.Clock(a.Rotated.Time(), zone), "use": UseWords(a.Disabled.Known())}
}

// AccountLabels are what can be changed of a stored account.
var AccountLabels = ui.Pairs("Keys", "keys", "Use", "use")

// UseWords say whether an account is in use.
func UseWords(disabled bool) string {
	if disabled {
		return "disabled"
	}
	return "enabled"
}

// accountStanding says what becomes of an account, and how grave that is.
func accountStanding(a admin.ExchangeAccount) (words, class string) {
	switch {
	case a.Disabled.Known():
		return "disabled", "text-muted"
	case a.Hidden:
		return "not used", "text-warning"
	case a.Problem != "":
		return "cannot be used", "text-error"
	}
	return "in use", "text-success"
}

// AuditView is a part of the audit log.
type AuditView struct {
	Settings
	Report reports.AuditReport
	Query  reports.AuditQuery
	Check  *AuditCheck // the last one; nil: there was none
}

// AuditCheck is a check of the log from its first line to its last.
type AuditCheck struct {
	At    time.Time
	By    string
	Seen  string // how much was looked at
	Fault string // empty: every line is as it was written
}

// address is the page, or its file, with another place to begin at.
func (v AuditView) address(path string, before int64) string {
	q := v.Query
	q.Before = before
	if values := q.Values().Encode(); values != "" {
		return path + "?" + values
	}
	return path
}

// linesWords say which lines stand on the page.
func (v AuditView) linesWords() string {
	lines := v.Report.Lines
	switch {
	case len(lines) == 0:
		return ""
	case len(lines) == 1:
		return "Line " + phrase.Count(lines[0].ID)
	case v.Query.Narrows():
		return phrase.Things(len(lines), "line") + " between " + phrase.Count(lines[len(lines)-1].ID) + " and " + phrase.Count(lines[0].ID)
	}
	return "Lines " + phrase.Count(lines[len(lines)-1].ID) + " to " + phrase.Count(lines[0].ID)
}

// bad reports whether a line tells of something that did not work.
func bad(a audit.Line) bool { return a.Outcome != "" && a.Outcome != "ok" }

// BackupsView is the page of the backups.
type BackupsView struct {
	Settings
	admin.BackupState
	Running bool
}

// backupWords say how a backup ended, and how grave that is.
func backupWords(b upkeep.BackupRun) (words, class string) {
	switch {
	case !b.Ended.Known():
		return "being made", "text-primary"
	case !b.Sound:
		return "failed", "text-error"
	case !b.Drilled.Known():
		return "made, the drill is missing", "text-warning"
	case b.Drill != "":
		return "does not restore", "text-error"
	}
	return "restores", "text-success"
}

// anyAction is where a session or token of anybody's is ended.
func anyAction(kind string, id int64) string {
	return "/settings/" + kind + "/" + strconv.FormatInt(id, 10) + "/revoke"
}
