// Package signin draws the way in, and what everybody manages on their own.
package signin

// LoginView is the page of the sign-in, or its second step.
type LoginView struct {
	Action     string // where the form is sent
	Token      string
	User       string // that was typed before
	Alert      string // why the last try did not lead in
	Code       bool   // the password was right, and a code is needed
	DemoAction string // where one press leads in; empty: there is no such way
	DemoTrader bool   // there is a trader to come in as, too
}

// SetupView is the page of the first start.
type SetupView struct {
	Token string
	User  string
	Alert string
	Least int // characters of the password
}
