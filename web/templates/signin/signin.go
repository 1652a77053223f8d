// Package signin draws the sign-in and the page of the user's own account.
package signin

import "rebatedesk/access"

// LoginView is the page of the sign-in, or its second step.
type LoginView struct {
	Action     string // address of the form
	Token      string
	User       string // as typed before
	Alert      string // why the last attempt failed
	Code       bool   // the password was correct, and a code is required
	DemoAction string // address of the one-press sign-in; empty: not offered
	DemoTrader bool   // a trader is also offered
}

// SetupView is the page of the first start.
type SetupView struct {
	Token string
	User  string
	Alert string
	Least int // characters of the password
}

// InvitationView asks the holder of an invitation for a password.
type InvitationView struct {
	Token  string // of the form
	User   string
	Role   access.Role
	Action string
	Alert  string
	Least  int // characters of the password
}
