package access

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"rebatedesk/store/identity"
)

// tokenMark begins every token, so that people and scanners recognise a leaked one.
const tokenMark = "rbd_"

// Token is the credential of a program.
type Token struct {
	ID      int64
	Name    string
	User    string
	Scopes  []Scope
	Created time.Time // UTC
	Used    time.Time // UTC, last use; zero: never
	Address string    // of that use
	Revoked time.Time // UTC; zero: not revoked
	Expires time.Time // UTC; zero: never
	Ended   bool      // it no longer works: revoked or expired
	Soon    bool      // it works, and expires within [WarnTokens]
}

// NewToken describes a token to create.
type NewToken struct {
	User    string
	Name    string
	Scopes  []Scope
	Expires Expiry
}

// ByToken finds the principal of a token. The error is [ErrNoToken] if the token does not
// exist or was revoked, or if the user is disabled, [*Expired] if the token has expired,
// and [*Throttled] if it sends requests too fast. It does not wait for a writer.
func (s *Service) ByToken(ctx context.Context, text string, from Origin) (Principal, error) {
	secret, ok := strings.CutPrefix(text, tokenMark)
	hash, whole := hashOf(secret)
	if !ok || !whole {
		return Principal{}, ErrNoToken
	}
	x, err := identity.TokenByHash(ctx, s.store, hash)
	switch {
	case s.missing(err):
		return Principal{}, ErrNoToken
	case err != nil:
		return Principal{}, err
	}
	if t := s.tokenOf(x); t.Ended {
		return Principal{}, &Expired{t.Name, t.Expires}
	}
	left, wait := s.useToken(x, from)
	if wait > 0 {
		return Principal{}, &Throttled{wait}
	}
	return Principal{
		UserID: x.User.ID, User: x.User.Name, Role: Role(x.Role), State: Full, HasTOTP: x.TOTP != nil,
		TokenID: x.Token.ID, Token: x.Token.Name, Scopes: scopesOf(x.Token), Address: from.Address, Bound: x.User.Bound, Left: left,
	}, nil
}

// ByAddress finds the principal of a token that is part of an address, which has the scope and no
// other. Any other token, and one that has expired, is [ErrNoToken]; see [Service.ByToken].
func ByAddress(ctx context.Context, s *Service, text string, scope Scope, from Origin) (Principal, error) {
	p, err := s.ByToken(ctx, text, from)
	if _, expired := errors.AsType[*Expired](err); expired || err == nil && !slices.Equal(p.Scopes, []Scope{scope}) {
		return Principal{}, ErrNoToken
	}
	return p, err
}

// scopesOf parses the stored scopes.
func scopesOf(t identity.Token) []Scope {
	var list []Scope
	for _, name := range strings.Fields(t.Scopes) {
		list = append(list, Scope(name))
	}
	return list
}

func (s *Service) tokenOf(x identity.TokenUser) Token {
	t, now := x.Token, s.now()
	expired := t.Expires.Known() && !now.Before(t.Expires.Time())
	ended := expired || t.Revoked.Known()
	return Token{
		ID: t.ID, Name: t.Name, User: x.User.Name, Scopes: scopesOf(t), Created: t.Created.Time(),
		Used: t.Used.Time(), Address: t.Address, Revoked: t.Revoked.Time(), Expires: t.Expires.Time(),
		Ended: ended, Soon: !ended && t.Expires.Known() && t.Expires.Time().Sub(now) <= WarnTokens,
	}
}

// Tokens lists the tokens of a user, or of all users if the name is empty, latest first,
// including revoked and expired ones.
func (s *Service) Tokens(ctx context.Context, user string) ([]Token, error) {
	stored, err := identity.Tokens(ctx, s.store, norm.NFC.String(user))
	if err != nil {
		return nil, err
	}
	list := make([]Token, len(stored))
	for i, x := range stored {
		list[i] = s.tokenOf(x)
		if use, ok := s.lastUse(x.Token.ID); ok && use.At >= x.Used {
			list[i].Used, list[i].Address = use.At.Time(), use.Address
		}
	}
	return list, nil
}

// CreateToken creates a token and returns its text, which is never shown again. In a
// session every user can create only their own tokens; the command line can create them for
// all users. A broken rule is a *store.RuleError.
func (s *Service) CreateToken(ctx context.Context, by Actor, n NewToken) (text string, t Token, err error) {
	user := norm.NFC.String(n.User)
	if by.Via != ViaCommand && (by.Via != ViaSession || by.Name != user) {
		return "", Token{}, ErrForbidden
	}
	names := make([]string, len(n.Scopes))
	for i, scope := range n.Scopes {
		names[i] = string(scope)
	}
	scopes, err := ParseScopes(names)
	if err != nil {
		return "", Token{}, err
	}
	secret := newSecret()
	hash, _ := hashOf(secret)
	stored, err := identity.AddToken(ctx, s.store, by.line("token created"), user,
		identity.Token{Name: n.Name, Scopes: spaced(scopes), Expires: n.Expires.millis(s.now())}, hash)
	if err != nil {
		return "", Token{}, err
	}
	return tokenMark + secret, s.tokenOf(stored), nil
}

func spaced(scopes []Scope) string {
	words := make([]string, len(scopes))
	for i, scope := range scopes {
		words[i] = string(scope)
	}
	return strings.Join(words, " ")
}

// RevokeToken ends a token at once and for good: one of the actor's own or, for an admin,
// any. One that was already revoked is no error.
func (s *Service) RevokeToken(ctx context.Context, by Actor, id int64) error {
	x, err := identity.TokenByID(ctx, s.store, id)
	if err != nil {
		return err
	}
	if !by.owns(x.User.Name) {
		return ErrForbidden
	}
	return identity.RevokeToken(ctx, s.store, by.line("token revoked"), id)
}
