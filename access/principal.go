package access

import (
	"net/netip"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store/audit"
)

// Origin describes the sender of a request before authentication.
type Origin struct {
	Address netip.Addr // determined by the server, never taken from the client
	Agent   string     // User-Agent, for the list of sessions
	Device  string     // of the cookie of a previous sign-in; empty = none
	// Background means that an open page sent the request automatically and the user did
	// not use the session.
	Background bool
}

// SessionState says how far the sign-in of a session has come.
type SessionState string

// The states of a session. A half session only permits completing the sign-in.
const (
	Full           SessionState = "full"
	NeedsCode      SessionState = "code needed"
	NeedsEnrolment SessionState = "enrolment needed"
)

// The ways of access, by their names in the audit log.
const (
	ViaSession = "session"
	ViaToken   = "token"
	ViaCommand = "command"
	ViaServer  = "server"
)

// Principal is an authenticated session or token. The zero Principal is unauthenticated and
// may do nothing.
type Principal struct {
	UserID    int64
	User      string // as stored, not as typed
	Role      Role   // the current one
	State     SessionState
	SessionID int64  // 0 = a token is used
	TokenID   int64  // 0 = a session is used
	Token     string // name of the token
	Scopes    []Scope
	Expires   time.Time // UTC, when the session ends even if it is used; zero for tokens
	HasTOTP   bool      // the sign-in requires a code
	Address   netip.Addr
	Bound     affiliate.Bound // to whom the user is bound, now
	Left      int             // requests that the token may still send at once, see [TokenPolicy]; 0 for sessions

	began affiliate.Millis // when the session was opened
	whole bool             // by all that was required then
}

// May reports whether the role and, with a token, one of its scopes permits an action. A
// half session permits nothing.
func (p Principal) May(wanted Permission) bool {
	if p.State != Full || !p.Role.May(wanted) {
		return false
	}
	return p.TokenID == 0 || slices.ContainsFunc(p.Scopes, func(s Scope) bool { return s.May(wanted) })
}

// Via returns the way of access, by its name in the audit log.
func (p Principal) Via() string {
	if p.TokenID != 0 {
		return ViaToken
	}
	return ViaSession
}

// Actor returns the principal as the author of a change.
func (p Principal) Actor() Actor {
	return Actor{Name: p.User, Via: p.Via(), Address: addressText(p.Address), admin: p.May(MayAdminister)}
}

// Actor is the author of a change. The actor of the command line has Via [ViaCommand]: a
// person who can write the database may do everything.
type Actor struct {
	Name    string
	Via     string
	Address string

	admin bool
}

// administers reports whether the actor may change what belongs to other users. A token
// changes nothing, whichever user it belongs to.
func (a Actor) administers() bool {
	return a.Via == ViaCommand || a.Via == ViaServer || a.Via == ViaSession && a.admin
}

// owns reports whether the actor may change what belongs to a user.
func (a Actor) owns(user string) bool {
	return a.administers() || a.Via == ViaSession && a.Name == user
}

// addressText returns an address as text, empty for no address.
func addressText(a netip.Addr) string {
	if !a.IsValid() {
		return ""
	}
	return a.Unmap().String()
}

// line begins a line of the audit log.
func (a Actor) line(action string) audit.Line {
	return audit.Line{Actor: a.Name, Via: a.Via, Address: a.Address, Action: action}
}
