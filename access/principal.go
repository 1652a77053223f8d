package access

import (
	"net/netip"
	"slices"
	"time"

	"rebatedesk/store/audit"
)

// Origin is who asks, before anybody is known.
type Origin struct {
	Address netip.Addr // as the server worked it out, never as the client says
	Agent   string     // User-Agent, for the list of sessions
	Device  string     // of the cookie that a former sign-in left; empty = none
	// Background tells that an open page asks by itself: nobody used the session.
	Background bool
}

// SessionState is how far somebody signed in.
type SessionState string

// The states. With a half session nothing can be done but going on.
const (
	Full           SessionState = "full"
	NeedsCode      SessionState = "code needed"
	NeedsEnrolment SessionState = "enrolment needed"
)

// The ways somebody can come, as the audit log has them.
const (
	ViaSession = "session"
	ViaToken   = "token"
	ViaCommand = "command"
	ViaServer  = "server"
)

// Principal is somebody who is known: by a session or by a token. The zero
// Principal is nobody and may do nothing.
type Principal struct {
	UserID    int64
	User      string // as the user is written, not as it was typed
	Role      Role   // the present one
	State     SessionState
	SessionID int64  // 0 = came by a token
	TokenID   int64  // 0 = came by a session
	Token     string // name of the token
	Scopes    []Scope
	Expires   time.Time // UTC, when the session ends even if it is used; zero for tokens
	HasTOTP   bool      // a code is asked at the sign-in
	Address   netip.Addr
}

// May reports whether something is allowed: to the role and, with a token, to
// one of its scopes. With a half session nothing is.
func (p Principal) May(wanted Permission) bool {
	if p.State != Full || !p.Role.May(wanted) {
		return false
	}
	return p.TokenID == 0 || slices.ContainsFunc(p.Scopes, func(s Scope) bool { return s.May(wanted) })
}

// Via is how the principal came, as the audit log has it.
func (p Principal) Via() string {
	if p.TokenID != 0 {
		return ViaToken
	}
	return ViaSession
}

// Actor is the principal as the one who changes something.
func (p Principal) Actor() Actor {
	return Actor{Name: p.User, Via: p.Via(), Address: addressText(p.Address), admin: p.May(MayAdminister)}
}

// Actor is who changes something. That of the command line has Via
// [ViaCommand]: whoever can write the database may do everything.
type Actor struct {
	Name    string
	Via     string
	Address string

	admin bool
}

// administers reports whether the actor may change what is somebody else's. A
// token changes nothing, whoever it belongs to.
func (a Actor) administers() bool {
	return a.Via == ViaCommand || a.Via == ViaServer || a.Via == ViaSession && a.admin
}

// owns reports whether the actor may change what belongs to a user.
func (a Actor) owns(user string) bool {
	return a.administers() || a.Via == ViaSession && a.Name == user
}

// addressText is an address in words, empty for none.
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
