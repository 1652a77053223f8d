package access

import (
	"context"
	"crypto/subtle"

	"golang.org/x/text/unicode/norm"

	"rebatedesk/store"
)

// NeedsSetup reports whether there is no user yet.
func (s *Service) NeedsSetup(ctx context.Context) (bool, error) {
	if s.users.Load() {
		return false, nil
	}
	has, err := s.store.HasUsers(ctx)
	if has {
		s.users.Store(true) // users are never deleted
	}
	return err == nil && !has, err
}

// SetupToken is what the first run asks for. Only who sees the console of the
// server knows it, and it is another one at each start.
func (s *Service) SetupToken() string { return s.setup }

// Setup makes the first admin and signs in. The errors are [ErrWrong] for the
// token, [ErrSetUp] where there is a user already, and a *store.RuleError for
// name and password.
func (s *Service) Setup(ctx context.Context, token, name, password string, from Client) (Entry, error) {
	needed, err := s.NeedsSetup(ctx)
	switch {
	case err != nil:
		return Entry{}, err
	case !needed:
		return Entry{}, ErrSetUp
	case subtle.ConstantTimeCompare([]byte(token), []byte(s.setup)) != 1:
		return Entry{}, ErrWrong
	}
	line := Actor{Via: ViaSession, Address: addressText(from.Address)}.line("user added")
	if err := s.addUser(ctx, line, NewUser{Name: name, Role: Admin, Password: password}, true); err != nil {
		return Entry{}, err
	}
	u, err := s.store.UserNamed(ctx, norm.NFC.String(name))
	if err != nil {
		return Entry{}, err
	}
	by, whole := signedIn(u, from, "first run"), !s.needsTOTP(Admin)
	if !whole {
		by.Outcome = halfWay
	}
	return s.open(ctx, by, u, from, store.Opening{Session: store.Session{Whole: whole}})
}
