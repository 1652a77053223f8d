package signin

import (
	"strconv"
	"strings"
	"time"

	"rebatedesk/access"
	"rebatedesk/web/templates/ui"
)

// EnrolmentView is the data for an authenticator.
type EnrolmentView struct {
	User     string
	Secret   string // base32, for typing
	Picture  string // of the same, as a data address
	Action   string
	Token    string
	Alert    string
	Forced   bool // the role requires codes
	Replaces bool // the current authenticator, which then stops working
	Password bool // required as well
	Setup    bool // it is a step of the first setup
}

// RecoveryView shows the codes for use when the authenticator is lost.
type RecoveryView struct {
	Codes []string
	Next  string
	Setup bool // they belong to a step of the first setup
}

// AccountView is the page on which users manage their own account.
type AccountView struct {
	KeysOff   bool // single keys do nothing
	Hints     int  // pages that have one
	HintsLeft int  // of them, not put away
	Principal access.Principal
	Sessions  []ui.SessionRow
	Tokens    []access.Token
	Scopes    []access.Scope // that a token of the role can have
	Zone      *time.Location
	Least     int // characters of a password
	FormToken string

	NewBrowsers  []access.Browser // recently used for the first time
	MostSessions int              // maximum number

	Done          string // the change that was just made
	PasswordAlert string
	TokenAlert    string
	TokenName     string // as typed before
	TokenExpires  string
	TokenUntil    string
	NewToken      string // the text of a token, shown once
	NewTokenName  string
	NewTokenEnd   time.Time

	Feeds       []access.Token // that are part of an address
	FeedAlert   string
	FeedName    string // as typed before
	NewFeed     string // the address, shown once
	NewFeedName string
}

// Subscribable is what calendars and feed readers can subscribe to.
type Subscribable struct {
	Scope access.Scope
	Path  string
	Label string
	Words string
}

// Feeds lists all of them.
var Feeds = []Subscribable{
	{access.ScopeCalendar, "/calendar.ics", "Calendar", "ends of months, statements due, payments expected and overdue"},
	{access.ScopeFeed, "/changes.atom", "Feed of changes", "records that changed after they had been collected, by day"},
}

// feedLabel names what a token opens.
func feedLabel(t access.Token) string {
	for _, f := range Feeds {
		if f.Scope == t.Scopes[0] {
			return f.Label
		}
	}
	return ""
}

// ProofView asks the sender of a form to prove their presence.
type ProofView struct {
	User   string
	Alert  string
	Code   bool // of the authenticator; otherwise the password
	Action string
	Back   string
	Token  string
	Kept   string // the waiting form, sealed
	Demo   bool
}

// tokenLives are the choices for the lifetime of a token.
var tokenLives = []struct{ value, label string }{
	{"30d", "30 days"}, {strconv.Itoa(access.TokenDays) + "d", strconv.Itoa(access.TokenDays) + " days"}, {"365d", "1 year"}, {"never", "never"},
}

// chosenLife reports whether a choice is the initial one of a form for a token.
func (v AccountView) chosenLife(value string) bool {
	if v.TokenExpires == "" {
		return value == strconv.Itoa(access.TokenDays)+"d"
	}
	return value == v.TokenExpires
}

// working returns the number of valid tokens.
func (v AccountView) working() int {
	n := 0
	for _, t := range v.Tokens {
		if !t.Ended {
			n++
		}
	}
	return n
}

// grouped formats a secret in groups of four, for typing.
func grouped(secret string) string {
	var groups []string
	for len(secret) > 4 {
		groups, secret = append(groups, secret[:4]), secret[4:]
	}
	return strings.Join(append(groups, secret), " ")
}

// scopeWords explains what a token of a scope can be used for.
var scopeWords = map[access.Scope]string{
	access.ScopeCalendar: "the calendar, in its address",
	access.ScopeFeed:     "the feed of changes, in its address",
	access.ScopeRead:     "pages and .json",
	access.ScopeExport:   "the same, and .csv and .xlsx",
	access.ScopeConsole:  "reading the exchange",
	access.ScopeTrade:    "the same, and sending orders",
}

func revokeAction(kind string, id int64) string {
	return "/account/" + kind + "/" + strconv.FormatInt(id, 10) + "/revoke"
}
