// Package settings draws the pages for administrators.
package settings

import (
	"cmp"
	"strconv"
	"strings"
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

// Settings is the frame of each settings page.
type Settings struct {
	Page  ui.Page
	Path  string // of the page among the tabs
	Tabs  []ui.Tab
	Done  string // the change that was just made
	Token string // of the forms
	Zone  *time.Location
}

// UsersView is the list of users and the form for a new one.
type UsersView struct {
	Settings
	Rows        []UserRow
	Form        ui.Form
	MayHide     bool // names can be hidden from viewers
	NamesHidden bool
	AllNeedTOTP bool // everybody needs an authenticator, also viewers
	Invite      ui.Form
	Invited     Invitation // made just now
}

// Invitation is an invitation that was made just now. Without a link there is none.
type Invitation struct{ User, Link, Until string }

// UserRow is one user with their open sessions and tokens.
type UserRow struct {
	access.User
	Sessions, Tokens int
	Own              bool           // the user is the reader
	NeedsTOTP        bool           // the sign-in requires a code
	Sight            *reports.Sight // nil: the user sees everything
}

// sees says whom a user sees.
func (r UserRow) sees() string { return SeesWords(r.Bound) }

// SeesWords says whom a user sees who is bound like this.
func SeesWords(b affiliate.Bound) string {
	var words []string
	for _, one := range b.Bindings() {
		words = append(words, bindingWords(one))
	}
	return cmp.Or(strings.Join(words, ", "), "all")
}

func bindingWords(b affiliate.Binding) string { return string(b.By) + " “" + b.Name + "”" }

// amounts says what the invitees whom a user sees brought.
func (r UserRow) amounts() string {
	var words []string
	for _, t := range r.Sight.Totals {
		words = append(words, affiliate.Grouped(t.Commission.String())+" "+string(t.Coin))
	}
	return cmp.Or(strings.Join(words, " + "), "nothing")
}

// UserView is the page of one user.
type UserView struct {
	Settings
	UserRow
	Open        string // the refused section
	Form        ui.Form
	SessionRows []ui.SessionRow // the user's sessions
	TokenRows   []access.Token  // of the user, valid ones first
}

// formOf returns the form of a section.
func (v UserView) formOf(section string) ui.Form {
	if v.Open == section {
		return v.Form
	}
	return ui.Form{}
}

func (r UserRow) path() string { return "/settings/users/" + strconv.FormatInt(r.ID, 10) }

// UserFields returns what administrators can change of a user, by [UserLabels].
func UserFields(u access.User) map[string]string {
	return map[string]string{"version": ui.VersionText(u.Updated), "role": string(u.Role), "password": "the present one", "codes": CodesWords(u.HasTOTP), "access": AccessWords(u.Disabled), "sees": SeesWords(u.Bound)}
}

// UserLabels name what can be changed of a user.
var UserLabels = ui.Pairs("Role", "role", "Password", "password", "One-time codes", "codes", "Access", "access", "Sees", "sees")

// CodesWords says whether the user has an authenticator.
func CodesWords(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// codesWords says whether the sign-in requires a code.
func (r UserRow) codesWords() string {
	if !r.HasTOTP && r.NeedsTOTP {
		return "to be set up"
	}
	return CodesWords(r.HasTOTP)
}

// ends says what a change of the user ends.
func (r UserRow) ends() string {
	if r.Sessions == 0 {
		return "No session is open. " + ui.TokensEnd(r.Tokens)
	}
	return "All sessions end at once: " + phrase.Things(r.Sessions, "session") + " now. " + ui.TokensEnd(r.Tokens)
}

// boundKindWords name what users can be bound to.
var boundKindWords = map[affiliate.BoundBy]string{
	affiliate.BoundByAccount: "all invitees of an account", affiliate.BoundByCode: "those with an invite code", affiliate.BoundByTag: "those with a tag",
}

// roleWords explains each role.
var roleWords = map[access.Role]string{
	access.Viewer:  "sees all reports",
	access.Manager: "also exports, writes notes and views, and starts collections",
	access.Admin:   "also looks after users, accounts and backups, and reads the exchange",
	access.Trader:  "a manager who also reads the exchange and sends orders",
}

// SessionsView lists the sessions of all users.
type SessionsView struct {
	Settings
	Rows []ui.SessionRow
	Most int // maximum per user
}

// TokensView lists the API tokens of all users, valid ones first.
type TokensView struct {
	Settings
	Rows []access.Token
}

// soon returns how many of the tokens expire soon.
func (v TokensView) soon() int {
	n := 0
	for _, t := range v.Rows {
		if t.Soon {
			n++
		}
	}
	return n
}

// soonWords says what to do about them.
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
	Rotated affiliate.Account // the account whose new keys were refused
	Rotate  ui.Form
	Used    affiliate.Account // the account that could not be disabled or enabled
	Use     ui.Form
	Tested  affiliate.Account
	Checks  []admin.AccountCheck
}

// rotateForm returns the form for the keys of an account.
func (v AccountsView) rotateForm(a admin.ExchangeAccount) ui.Form {
	if !a.Settings && a.Name == v.Rotated {
		return v.Rotate
	}
	return ui.Form{}
}

// useForm returns the form that disables or enables an account.
func (v AccountsView) useForm(a admin.ExchangeAccount) ui.Form {
	if !a.Settings && a.Name == v.Used {
		return v.Use
	}
	return ui.Form{}
}

// AccountFields returns what can be changed of a stored account, by [AccountLabels].
func AccountFields(a admin.ExchangeAccount, zone *time.Location) map[string]string {
	return map[string]string{"version": ui.VersionText(a.Updated), "keys": "stored since " + phrase.Clock(a.Rotated.Time(), zone), "use": UseWords(a.Disabled.Known())}
}

// AccountLabels name what can be changed of a stored account.
var AccountLabels = ui.Pairs("Keys", "keys", "Use", "use")

// UseWords says whether an account is in use.
func UseWords(disabled bool) string {
	if disabled {
		return "disabled"
	}
	return "enabled"
}

// accountStanding returns the state of an account and its severity.
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
	Check  *audit.Line // the last one, with what it saw and its faults; nil if there was none
}

// address returns the page, or its file, with a different starting point.
func (v AuditView) address(path string, before int64) string {
	q := v.Query
	q.Before = before
	if values := q.Values().Encode(); values != "" {
		return path + "?" + values
	}
	return path
}

// linesWords says which lines are on the page.
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

// bad reports whether a line describes a failure.
func bad(a audit.Line) bool { return a.Outcome != "" && a.Outcome != "ok" }

// BackupsView is the page of the backups.
type BackupsView struct {
	Settings
	admin.BackupState
	Running bool
}

// aside returns the statements that rename a database and create an empty one in its place.
func aside(database, owner string) string {
	quoted := func(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
	return "ALTER DATABASE " + quoted(database) + "\n  RENAME TO " + quoted(database+"_old") + ";\n" +
		"CREATE DATABASE " + quoted(database) + " OWNER " + quoted(owner) + "\n  TEMPLATE template0\n  ENCODING 'UTF8' LOCALE 'C';"
}

// backupWords says how a backup ended, and the severity of that.
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

// anyAction returns the address that ends any user's session or token.
func anyAction(kind string, id int64) string {
	return "/settings/" + kind + "/" + strconv.FormatInt(id, 10) + "/revoke"
}
