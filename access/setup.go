package access

import (
	"context"
	"crypto/subtle"

	"golang.org/x/text/unicode/norm"

	"rebatedesk/store/identity"
)

// NeedsSetup reports whether no user exists yet.
func (s *Service) NeedsSetup(ctx context.Context) (bool, error) {
	if s.users.Load() {
		return false, nil
	}
	has, err := identity.HasUsers(ctx, s.store)
	if has {
		s.users.Store(true) // users are never deleted
	}
	return err == nil && !has, err
}

// SetupToken returns the token that the first run requires. Only a person who sees the
// console of a server knows it. All nodes of one database have the same; without other nodes
// it changes at each start.
func (s *Service) SetupToken() string { return s.setup }

// trySetup checks the setup token. The token is far too long to be guessed, so the right one is taken
// whoever has guessed before: behind a proxy all clients may have one address. Wrong ones are slowed,
// so that the log can record each of them.
func (s *Service) trySetup(ctx context.Context, token string, from Origin) error {
	right := subtle.ConstantTimeCompare([]byte(token), []byte(s.setup)) == 1
	g := attempt{counts: []count{bySetup.keyed(true, keySize, place(from.Address))}}
	if right {
		return s.forgiveAttempt(ctx, g, true)
	}
	if err := s.countAttempt(ctx, g); err != nil {
		return err
	}
	s.log.Warn("a wrong setup token was given", "address", addressText(from.Address))
	return ErrWrong
}

// Setup creates the first admin and signs in. The errors are [ErrWrong] for the token,
// [*Throttled] after several wrong ones, [ErrSetUp] if a user already exists, and a
// *store.RuleError for name and password.
func (s *Service) Setup(ctx context.Context, token, name, password string, from Origin) (Entry, error) {
	needed, err := s.NeedsSetup(ctx)
	switch {
	case err != nil:
		return Entry{}, err
	case !needed:
		return Entry{}, ErrSetUp
	}
	if err := s.trySetup(ctx, token, from); err != nil {
		return Entry{}, err
	}
	line := Actor{Via: ViaSession, Address: addressText(from.Address)}.line("user added")
	if err := s.addUser(ctx, line, NewUser{Name: name, Role: Admin, Password: password}, true); err != nil {
		return Entry{}, err
	}
	u, err := identity.UserNamed(ctx, s.store, norm.NFC.String(name))
	if err != nil {
		return Entry{}, err
	}
	by, whole := signedIn(u, from, "first run"), !s.NeedsTOTP(Admin)
	if !whole {
		by.Outcome = halfWay
	}
	return s.open(ctx, by, u, from, identity.Opening{Session: identity.Session{Whole: whole}})
}
