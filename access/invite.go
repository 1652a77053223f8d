package access

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"time"

	"golang.org/x/text/unicode/norm"

	"rebatedesk/affiliate"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/identity"
)

// InvitationLasts is how long an invitation can be accepted.
const InvitationLasts = 3 * 24 * time.Hour

// ErrInvitation is returned for an invitation that was accepted, has expired, is of a disabled user, or
// is none.
var ErrInvitation = errors.New("this invitation does not hold")

// viaInvitation is the audit log's name for a user who follows the link of an invitation.
const viaInvitation = "link"

// Invitation is what a link lets its holder do: choose the password of a user.
type Invitation struct {
	User  string
	Role  Role
	Until time.Time
}

// sealedInvitation is the plain text of a token. It holds until the password is another one.
type sealedInvitation struct {
	User     int64
	Password []byte // fingerprint of the present one, which nobody knows
	Until    affiliate.Millis
}

var invitationRow = secret.Row("invitations")

// Invite adds a user whose password nobody knows, and returns the token with which one is chosen. It is
// stored nowhere. The errors are those of [Service.AddUser].
func (s *Service) Invite(ctx context.Context, by Actor, name string, role Role) (token string, i Invitation, err error) {
	if !by.administers() {
		return "", i, ErrForbidden
	}
	if err := s.addUser(ctx, by.line("user added"), NewUser{Name: name, Role: role, Password: newSecret()}, false); err != nil {
		return "", i, err
	}
	u, err := identity.UserNamed(ctx, s.store, norm.NFC.String(name))
	if err != nil {
		return "", i, err
	}
	i = Invitation{User: u.Name, Role: role, Until: s.now().Add(InvitationLasts)}
	line := by.line("user invited")
	line.Object = u.Name
	if err := audit.Write(ctx, s.store, line); err != nil {
		return "", i, err
	}
	plain, err := json.Marshal(sealedInvitation{u.ID, fingerprint(u), affiliate.MillisOf(i.Until)})
	if err != nil {
		return "", i, err
	}
	return secretText.EncodeToString(s.box.Seal(plain, invitationRow)), i, nil
}

func fingerprint(u identity.User) []byte {
	sum := sha256.Sum256([]byte(u.Password))
	return sum[:]
}

// Invited returns what an invitation is for, or [ErrInvitation].
func (s *Service) Invited(ctx context.Context, token string) (Invitation, error) {
	u, i, err := s.invited(ctx, token)
	return Invitation{u.Name, Role(u.Role), i.Until.Time()}, err
}

func (s *Service) invited(ctx context.Context, token string) (u identity.User, i sealedInvitation, err error) {
	sealed, err := secretText.DecodeString(token)
	if err != nil {
		return u, i, ErrInvitation
	}
	plain, err := s.box.Open(sealed, invitationRow)
	if err != nil || json.Unmarshal(plain, &i) != nil || !s.now().Before(i.Until.Time()) {
		return u, i, ErrInvitation
	}
	list, err := identity.Users(ctx, s.store)
	if err != nil {
		return u, i, err
	}
	for _, one := range list {
		if one.ID == i.User && !one.Disabled.Known() && string(fingerprint(one)) == string(i.Password) {
			return one, i, nil
		}
	}
	return u, i, ErrInvitation
}

// AcceptInvitation gives the user of an invitation the password that its holder chose; the user signs in
// with it. The errors are [ErrInvitation], [ErrBusy], and a *store.RuleError for the password.
func (s *Service) AcceptInvitation(ctx context.Context, token, password string, from Origin) error {
	u, _, err := s.invited(ctx, token)
	if err != nil {
		return err
	}
	hash, err := s.newPassword(ctx, password, u.Name, Role(u.Role))
	if err != nil {
		return err
	}
	line := Actor{Name: u.Name, Via: viaInvitation, Address: addressText(from.Address)}.line("password set")
	err = identity.SetPassword(ctx, s.store, line, u.Name, u.Updated, hash, longPassword(password))
	if rule, ok := errors.AsType[*store.RuleError](err); ok && rule.Stale {
		return ErrInvitation // somebody else was faster
	}
	return err
}
