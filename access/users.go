package access

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/identity"
)

// User is a user without the stored secrets.
type User struct {
	ID       int64
	Name     string
	Role     Role
	Disabled bool
	HasTOTP  bool
	Recovery int              // recovery codes left
	Created  time.Time        // UTC
	SignedIn time.Time        // UTC, last sign-in; zero: never
	Updated  affiliate.Millis // identifies the version
	Bound    affiliate.Bound  // to whom the user is bound
}

// NewUser describes a user to create.
type NewUser struct {
	Name     string
	Role     Role
	Password string
}

// maxName is the maximum number of characters in the name of a user.
const maxName = 64

// checkName returns a name in its stored form.
func checkName(name string) (string, error) {
	name = norm.NFC.String(name)
	allowed := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-@", r) }
	switch {
	case name == "":
		return "", refuse("The user name is empty.")
	case utf8.RuneCountInString(name) > maxName:
		return "", refuse("The user name is longer than %d characters.", maxName)
	case strings.ContainsFunc(name, func(r rune) bool { return !allowed(r) }):
		return "", refuse("A user name has letters, digits and . _ - @ only.")
	}
	return name, nil
}

// Users lists all users by name.
func (s *Service) Users(ctx context.Context) ([]User, error) {
	stored, err := identity.Users(ctx, s.store)
	if err != nil {
		return nil, err
	}
	list := make([]User, len(stored))
	for i, u := range stored {
		list[i] = User{
			ID: u.ID, Name: u.Name, Role: Role(u.Role), HasTOTP: u.TOTP != nil, Recovery: u.Recovery,
			Created: u.Created.Time(), SignedIn: u.SignedIn.Time(), Disabled: u.Disabled.Known(), Updated: u.Updated, Bound: u.Bound,
		}
	}
	return list, nil
}

// AddUser adds a user. An invalid name, role or password is a *store.RuleError. Like every
// change of a user it requires an admin: [ErrForbidden].
func (s *Service) AddUser(ctx context.Context, by Actor, n NewUser) error {
	if !by.administers() {
		return ErrForbidden
	}
	return s.addUser(ctx, by.line("user added"), n, false)
}

func (s *Service) addUser(ctx context.Context, by audit.Line, n NewUser, first bool) error {
	name, err := checkName(n.Name)
	if err != nil {
		return err
	}
	if _, err := ParseRole(string(n.Role)); err != nil {
		return err
	}
	hash, err := s.newPassword(ctx, n.Password, name, n.Role)
	if err != nil {
		return err
	}
	by.Detail = string(n.Role)
	u := identity.User{Name: name, Role: string(n.Role), Password: hash, LongPassword: longPassword(n.Password)}
	return identity.AddUser(ctx, s.store, by, u, first)
}

// newPassword checks a password and returns its hash.
func (s *Service) newPassword(ctx context.Context, password, user string, role Role) (string, error) {
	if err := checkPassword(password, user, role); err != nil {
		return "", err
	}
	leave, err := s.hasher.enter(true)
	if err != nil {
		return "", err
	}
	defer leave()
	return s.hasher.hash(ctx, password)
}

// SetRole gives a user another role; the user must sign in again, and all API tokens of the
// user end. The last admin keeps the role, and a password too short for the new role must
// be changed first: both are a *store.RuleError. So is a user in another version than the
// one seen; [store.AnyVersion] changes any version.
func (s *Service) SetRole(ctx context.Context, by Actor, user string, seen affiliate.Millis, to Role) error {
	if !by.administers() {
		return ErrForbidden
	}
	if _, err := ParseRole(string(to)); err != nil {
		return err
	}
	u, err := identity.UserNamed(ctx, s.store, norm.NFC.String(user))
	switch {
	case err != nil:
		return err
	case u.Role == string(to):
		return nil
	case to.NeedsTOTP() && !u.LongPassword:
		return refuse("The password of “%s” is shorter than %d characters, the least for the role %s: it has to be changed first.", u.Name, to.MinPassword(), to)
	}
	if !to.Bindable() && !u.Bound.Everything() {
		return refuse("“%s” is bound to some invitees, and a user with the role %s sees everything: remove what the user is bound to first.", u.Name, to)
	}
	line := by.line("role changed")
	line.Detail = u.Role + " to " + string(to)
	return identity.SetRole(ctx, s.store, line, u.Name, seen, string(to))
}

// maxBindings limits what a user is bound to.
const maxBindings = 200

// Bind binds a user to more invitees. Whoever was bound to nothing saw everything before. It
// takes effect at the user's next request, in all sessions and tokens. A user whose role sees
// everything, too many bindings, or one without a name are a *store.RuleError.
func Bind(ctx context.Context, s *Service, by Actor, user string, seen affiliate.Millis, more []affiliate.Binding) error {
	return bind(ctx, s, by, user, seen, func(b affiliate.Bound) (affiliate.Bound, error) { return b.With(more...), nil })
}

// Unbind takes away some of what a user is bound to, or all of it if none are named: then the
// user sees everything. Naming all that is left is a *store.RuleError, because a user who is to
// see less would see everything; so is naming what the user is not bound to.
func Unbind(ctx context.Context, s *Service, by Actor, user string, seen affiliate.Millis, less []affiliate.Binding) error {
	return bind(ctx, s, by, user, seen, func(b affiliate.Bound) (affiliate.Bound, error) {
		if len(less) == 0 {
			return affiliate.Bound{}, nil
		}
		for _, one := range less {
			if !slices.Contains(b.Bindings(), one) {
				return b, refuse("“%s” is not bound to the %s %q.", user, one.By, one.Name)
			}
		}
		left := b.Without(less...)
		if left.Everything() {
			return b, refuse("This is all that “%s” is bound to: without it “%[1]s” would see everything. Bind to something else first, or take away everything at once.", user)
		}
		return left, nil
	})
}

func bind(ctx context.Context, s *Service, by Actor, user string, seen affiliate.Millis, change func(affiliate.Bound) (affiliate.Bound, error)) error {
	if !by.administers() {
		return ErrForbidden
	}
	u, err := identity.UserNamed(ctx, s.store, norm.NFC.String(user))
	if err != nil {
		return err
	}
	return identity.BindUser(ctx, s.store, by.line("bound"), u.Name, seen, func(present affiliate.Bound) (affiliate.Bound, error) {
		bound, err := change(present)
		switch list := bound.Bindings(); {
		case err != nil:
			return bound, err
		case !bound.Everything() && !Role(u.Role).Bindable():
			return bound, refuse("A user with the role %s sees everything: only %s can be bound to some invitees.", u.Role, choice(slices.DeleteFunc(slices.Clone(Roles), func(r Role) bool { return !r.Bindable() })))
		case len(list) > maxBindings:
			return bound, refuse("A user is bound to %d accounts, codes and tags at most: give the invitees a tag.", maxBindings)
		default:
			for _, one := range list {
				if err := CheckBinding(one); err != nil {
					return bound, err
				}
			}
		}
		return bound, nil
	})
}

// CheckBinding checks the name of an account, a code or a tag. The error is a *store.RuleError.
func CheckBinding(b affiliate.Binding) error {
	_, err := store.CheckLabel("The "+string(b.By), b.Name, maxBound)
	return err
}

// maxBound is the maximum number of characters of an account, a code or a tag.
const maxBound = 100

// SetPassword gives a user another password; the user must sign in again, and all API
// tokens of the user end. The version seen is checked as in [Service.SetRole], here and in
// the methods below. A user whose row was forged signs in again from then on, if its role and rights are
// those of the audit log.
func (s *Service) SetPassword(ctx context.Context, by Actor, user string, seen affiliate.Millis, password string) error {
	if !by.administers() {
		return ErrForbidden
	}
	u, err := identity.UserNamed(ctx, s.store, norm.NFC.String(user))
	if _, forged := errors.AsType[*identity.ForgedError](err); err != nil && !forged {
		return err
	}
	hash, err := s.newPassword(ctx, password, u.Name, Role(u.Role))
	if err != nil {
		return err
	}
	return identity.SetPassword(ctx, s.store, by.line("password set"), u.Name, seen, hash, longPassword(password))
}

// Disable bars a user from this moment on. Tokens are revoked for good. The last admin
// cannot be disabled: a *store.RuleError.
func (s *Service) Disable(ctx context.Context, by Actor, user string, seen affiliate.Millis) error {
	return s.change(ctx, by, "user disabled", user, seen, func(ctx context.Context, line audit.Line, user string, seen affiliate.Millis) error {
		return identity.DisableUser(ctx, s.store, line, user, seen)
	})
}

// Enable lets a user sign in again.
func (s *Service) Enable(ctx context.Context, by Actor, user string, seen affiliate.Millis) error {
	return s.change(ctx, by, "user enabled", user, seen, func(ctx context.Context, line audit.Line, user string, seen affiliate.Millis) error {
		return identity.EnableUser(ctx, s.store, line, user, seen)
	})
}

// ResetTOTP removes a user's authenticator and recovery codes; the user must sign in again
// and, depending on the role, enrol again. All API tokens of the user end.
func (s *Service) ResetTOTP(ctx context.Context, by Actor, user string, seen affiliate.Millis) error {
	return s.change(ctx, by, "authenticator reset", user, seen, func(ctx context.Context, line audit.Line, user string, seen affiliate.Millis) error {
		return identity.ResetTOTP(ctx, s.store, line, user, seen)
	})
}

func (s *Service) change(ctx context.Context, by Actor, action, user string, seen affiliate.Millis, write func(context.Context, audit.Line, string, affiliate.Millis) error) error {
	if !by.administers() {
		return ErrForbidden
	}
	return write(ctx, by.line(action), norm.NFC.String(user), seen)
}

// ChangePassword gives the signed-in user another password. The secret of the session
// changes, and all other sessions and all API tokens of the user end. The errors are
// [ErrWrong] for the old password, [*Throttled], [ErrBusy], and a *store.RuleError for the
// new one.
func (s *Service) ChangePassword(ctx context.Context, p Principal, old, password string, from Origin) (Entry, error) {
	if p.SessionID == 0 || p.State != Full {
		return Entry{}, ErrForbidden
	}
	u, err := identity.UserByID(ctx, s.store, p.UserID)
	if err != nil {
		return Entry{}, err
	}
	if err := s.provePassword(ctx, u, old, from); err != nil {
		return Entry{}, err
	}
	hash, err := s.newPassword(ctx, password, u.Name, Role(u.Role))
	if err != nil {
		return Entry{}, err
	}
	line := p.Actor().line("password changed")
	line.Object = u.Name
	return s.open(ctx, line, u, from, identity.Opening{
		Session: identity.Session{Whole: true}, Password: hash, LongPassword: longPassword(password), Replaces: p.SessionID, Alone: true,
		Proves: u.TOTP == nil,
	})
}

// provePassword refuses a person who uses an open browser without knowing its user's
// password. The errors are [ErrWrong], [*Throttled] and [ErrBusy].
func (s *Service) provePassword(ctx context.Context, u identity.User, password string, from Origin) error {
	g := ownGuess(byUser, u.ID)
	right, err := s.try(ctx, g, u.Password, password)
	if err != nil {
		return err
	}
	if !right {
		return s.failed(ctx, u, from, "password, while signed in")
	}
	return s.forgiveAttempt(ctx, g, true)
}
