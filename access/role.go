package access

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Role is the role of a user. The roles are those of the contract; there are no others.
type Role string

// The roles. Manager extends viewer; admin and trader each extend manager.
const (
	Viewer  Role = "viewer"
	Manager Role = "manager"
	Admin   Role = "admin"
	Trader  Role = "trader"
)

// Roles lists the roles from the least to the most powerful.
var Roles = []Role{Viewer, Manager, Admin, Trader}

// Permission is an action that can be permitted.
type Permission string

// The permissions. Every signed-in user also manages their own password, codes, sessions
// and tokens, which requires no permission.
const (
	MayRead       Permission = "read"       // pages and .json
	MayExport     Permission = "export"     // .csv and .xlsx
	MayReadBills  Permission = "bills"      // all bills of a wallet, with deposits and trades; the payments of commissions need MayRead alone
	MayEdit       Permission = "edit"       // notes, tags, views, schedules, collecting now
	MayAdminister Permission = "administer" // users, sessions and tokens of all users, audit, accounts, backups
	MayConsole    Permission = "console"    // reading the exchange through console and proxy
	MayTrade      Permission = "trade"      // orders
)

var permissions = map[Role][]Permission{
	Viewer:  {MayRead},
	Manager: {MayRead, MayExport, MayReadBills, MayEdit},
	Admin:   {MayRead, MayExport, MayReadBills, MayEdit, MayAdminister, MayConsole},
	Trader:  {MayRead, MayExport, MayReadBills, MayEdit, MayConsole, MayTrade},
}

// May reports whether the role permits an action. An unknown role permits nothing.
func (r Role) May(p Permission) bool { return slices.Contains(permissions[r], p) }

// SecondFactor says of whom an installation requires a code in addition to the password.
type SecondFactor string

// The second factor is required of these users.
const (
	OfAdmins SecondFactor = "admins" // administrators and traders, see [Role.NeedsTOTP]
	OfAll    SecondFactor = "all"
	OfNobody SecondFactor = "nobody" // in the demo
)

// NeedsTOTP reports whether users of the role must sign in with a code in addition to the
// password in every installation but the demo, see [Service.NeedsTOTP].
func (r Role) NeedsTOTP() bool { return r == Admin || r == Trader }

// MinPassword returns the minimum number of characters of a password of the role.
func (r Role) MinPassword() int {
	if r.NeedsTOTP() {
		return 15
	}
	return 12
}

// Bindable reports whether users of the role can be bound to some invitees. The others manage
// users, or see the exchange itself.
func (r Role) Bindable() bool { return r == Viewer || r == Manager }

// Limits returns how long a session of the role lives: since its last use, and since the
// sign-in.
func (r Role) Limits() (idle, absolute time.Duration) {
	switch r {
	case Trader:
		return 30 * time.Minute, 12 * time.Hour
	case Admin:
		return time.Hour, 12 * time.Hour
	}
	return 8 * time.Hour, 7 * 24 * time.Hour
}

// ParseRole parses the name of a role.
func ParseRole(name string) (Role, error) {
	if role := Role(name); slices.Contains(Roles, role) {
		return role, nil
	}
	return "", refuse("There is no role %q: choose %s.", name, choice(Roles))
}

// RolesWith lists the roles that permit an action, for messages that say whom to ask.
func RolesWith(p Permission) []Role {
	return slices.DeleteFunc(slices.Clone(Roles), func(r Role) bool { return !r.May(p) })
}

// choice returns a list in words: "a, b or c".
func choice[T ~string](of []T) string {
	words := make([]string, len(of))
	for i, word := range of {
		words[i] = string(word)
	}
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return fmt.Sprintf("%s or %s", strings.Join(words[:last], ", "), words[last])
}
