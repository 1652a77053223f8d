package access

import (
	"context"
	"strings"

	"golang.org/x/text/unicode/norm"

	"rebatedesk/store/audit"
	"rebatedesk/store/identity"
)

// SignIn opens a session for a name and a password. The session is only half if a code is
// missing, see [SessionState]. The errors are [ErrWrong], [*Throttled] and [ErrBusy]. An
// unknown name, a disabled user and a wrong password get the same answer, after the same
// work.
func (s *Service) SignIn(ctx context.Context, name, password string, from Origin) (Entry, error) {
	// The store ignores spaces around a name. Unless they are trimmed, each spelling would
	// start a new count of guesses.
	name = norm.NFC.String(strings.TrimSpace(name))
	u, err := identity.UserNamed(ctx, s.store, name)
	if err != nil && !s.missing(err) {
		return Entry{}, err
	}
	if err != nil {
		u = identity.User{Password: s.hasher.unknown}
	}
	device, err := s.device(ctx, u, from)
	if err != nil {
		return Entry{}, err
	}
	g, err := s.passwordAttempt(ctx, name, from, device)
	if err != nil {
		return Entry{}, err
	}
	right, err := s.try(ctx, g, u.Password, password)
	if err != nil {
		return Entry{}, err
	}
	if !right || u.ID == 0 || u.Disabled.Known() {
		return Entry{}, s.failed(ctx, u, from, "password")
	}
	return s.admit(ctx, u, g, from)
}

// admit opens the session of a user whose password was right.
func (s *Service) admit(ctx context.Context, u identity.User, g attempt, from Origin) (Entry, error) {
	whole := u.TOTP == nil && !s.NeedsTOTP(Role(u.Role))
	// A person who has only the password does not get back the guesses at the code.
	if err := s.forgiveAttempt(ctx, g, whole); err != nil {
		return Entry{}, err
	}
	by := signedIn(u, from, "password")
	if !whole {
		by.Outcome = halfWay // a person with the password but no code stops here
	}
	return s.open(ctx, by, u, from, identity.Opening{Session: identity.Session{Whole: whole}, Proves: whole})
}

// Confirm completes a half session with a code of the authenticator, or with a recovery
// code, which works once. The secret changes. The errors are [ErrWrong], [*Throttled], and
// [ErrNoSession] if no code is expected.
func (s *Service) Confirm(ctx context.Context, secret, code string, from Origin) (Entry, error) {
	x, err := s.session(ctx, secret)
	if err != nil {
		return Entry{}, err
	}
	if s.state(x.User, x.Session) != NeedsCode {
		return Entry{}, ErrNoSession
	}
	device, err := s.device(ctx, x.User, from)
	if err != nil {
		return Entry{}, err
	}
	g := codeGuess(x.User, from, device)
	how, err := s.tryCode(ctx, g, x.User, code)
	if err != nil {
		return Entry{}, err
	}
	if how == "" {
		return Entry{}, s.failed(ctx, x.User, from, "code")
	}
	e, err := s.open(ctx, signedIn(x.User, from, "password and "+how), x.User, from,
		identity.Opening{Session: identity.Session{Whole: true}, Replaces: x.Session.ID, Proves: true})
	if err == nil {
		err = s.forgiveAttempt(ctx, g, true)
	}
	return e, err
}

// The texts of the audit log for a sign-in, and the addition for an unknown browser.
const (
	signInAction = "sign-in"
	newBrowser   = ", in a new browser"
)

// halfWay is the text of the audit log for a sign-in that was right so far.
const halfWay = "a code is missing"

// try computes a password, if the guess may be made now. A right one is still counted as a
// guess.
func (s *Service) try(ctx context.Context, g attempt, stored, password string) (bool, error) {
	if err := s.allow(ctx, g); err != nil {
		return false, err
	}
	leave, err := s.hasher.enter(g.known)
	if err != nil {
		return false, err
	}
	defer leave()
	if err := s.countAttempt(ctx, g); err != nil {
		return false, err
	}
	return s.hasher.matches(ctx, stored, password)
}

// failed records a refused sign-in and returns the error. The text typed as an unknown name
// is not stored, because it may be a password.
func (s *Service) failed(ctx context.Context, u identity.User, from Origin, what string) error {
	line := Actor{Via: ViaSession, Address: addressText(from.Address)}.line("sign-in failed")
	line.Object, line.Detail, line.Outcome = u.Name, what, "refused"
	switch {
	case u.ID == 0:
		line.Detail = "unknown user"
	case u.Disabled.Known():
		line.Detail = "disabled user"
	}
	if err := s.Record(ctx, line); err != nil {
		return err
	}
	return ErrWrong
}

func signedIn(u identity.User, from Origin, with string) audit.Line {
	line := Actor{Name: u.Name, Via: ViaSession, Address: addressText(from.Address)}.line(signInAction)
	line.Object, line.Detail = u.Name, with
	return line
}
