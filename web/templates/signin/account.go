package signin

import (
	"strconv"
	"strings"
	"time"

	"rebatedesk/access"
	"rebatedesk/web/templates/ui"
)

// EnrolmentView is what an authenticator is told.
type EnrolmentView struct {
	User     string
	Secret   string // base32, for typing
	Picture  string // of the same, as an address that holds it
	Action   string
	Token    string
	Alert    string
	Forced   bool // the role cannot do anything without codes
	Replaces bool // another authenticator, which ends with it
	Password bool // has to be given, too
}

// RecoveryView is the codes for the day on which the authenticator is lost.
type RecoveryView struct {
	Codes []string
	Next  string
}

// AccountView is what somebody manages on their own.
type AccountView struct {
	Principal access.Principal
	Sessions  []ui.SessionRow
	Tokens    []access.Token
	Scopes    []access.Scope // that a token of the role can have
	Zone      *time.Location
	Least     int // characters of a password
	FormToken string

	NewBrowsers  []access.Browser // signed in with for the first time lately
	MostSessions int              // that there can be

	Done          string // what was changed just now
	PasswordAlert string
	TokenAlert    string
	TokenName     string // that was typed before
	TokenExpires  string
	TokenUntil    string
	NewToken      string // the text of a token, shown once
	NewTokenName  string
	NewTokenEnd   time.Time
}

// ProofView asks whoever sends a form to prove to be there.
type ProofView struct {
	User   string
	Alert  string
	Code   bool // of the authenticator; else the password
	Action string
	Back   string
	Token  string
	Kept   string // the form that waits, sealed
	Demo   bool
}

// tokenLives are the choices of how long a token works.
var tokenLives = []struct{ value, label string }{
	{"30d", "30 days"}, {strconv.Itoa(access.TokenDays) + "d", strconv.Itoa(access.TokenDays) + " days"}, {"365d", "1 year"}, {"never", "never"},
}

// chosenLife is the choice that a form for a token begins with.
func (v AccountView) chosenLife(value string) bool {
	if v.TokenExpires == "" {
		return value == strconv.Itoa(access.TokenDays)+"d"
	}
	return value == v.TokenExpires
}

// working is how many of the tokens work.
func (v AccountView) working() int {
	n := 0
	for _, t := range v.Tokens {
		if !t.Ended {
			n++
		}
	}
	return n
}

// grouped is a secret in groups of four, for typing.
func grouped(secret string) string {
	var groups []string
	for len(secret) > 4 {
		groups, secret = append(groups, secret[:4]), secret[4:]
	}
	return strings.Join(append(groups, secret), " ")
}

// scopeWords say what a token of a scope is good for.
var scopeWords = map[access.Scope]string{
	access.ScopeRead:    "pages and .json",
	access.ScopeExport:  "the same, and .csv and .xlsx",
	access.ScopeConsole: "reading the exchange",
	access.ScopeTrade:   "the same, and sending orders",
}

func revokeAction(kind string, id int64) string {
	return "/account/" + kind + "/" + strconv.FormatInt(id, 10) + "/revoke"
}
