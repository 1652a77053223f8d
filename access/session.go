package access

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/identity"
)

// Entry is a new session: its secret, which only the browser has from then on, and its
// principal. The secret of the previous session, if any, no longer works.
type Entry struct {
	Secret    string
	Device    string // for a separate long-lived cookie; empty: leave the cookie unchanged
	Principal Principal
}

// Session is a browser in which a user has signed in.
type Session struct {
	ID      int64
	User    string
	State   SessionState
	Agent   string // User-Agent as sent
	Address string
	Created time.Time // UTC
	Seen    time.Time // UTC, behind by up to a minute after a crash
	Expires time.Time // UTC, when it ends even if it is used
}

// halfLife is how long a user has to type the code, or to enrol.
const halfLife = 15 * time.Minute

// maxAgent is how many bytes of a User-Agent are kept.
const maxAgent = 200

func agentText(agent string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(agent[:min(len(agent), maxAgent)], "\x00", ""), "")
}

// BySession finds the principal of a session. The error is [ErrNoSession] if the session
// does not exist or is too old, or if the user is disabled. It does not wait for a writer:
// a page opens while a backfill is written.
func (s *Service) BySession(ctx context.Context, secret string, from Origin) (Principal, error) {
	x, err := s.session(ctx, secret)
	if err != nil {
		return Principal{}, err
	}
	if !from.Background {
		s.see(x.Session.ID)
	}
	p := s.principal(x.User, x.Session)
	p.Address = from.Address
	return p, nil
}

// session finds a session that is neither idle for too long nor too old.
func (s *Service) session(ctx context.Context, secret string) (identity.SessionUser, error) {
	hash, ok := hashOf(secret)
	if !ok {
		return identity.SessionUser{}, ErrNoSession
	}
	x, err := identity.SessionByHash(ctx, s.store, hash)
	switch {
	case s.missing(err):
		return x, ErrNoSession
	case err != nil:
		return x, err
	}
	x.Seen = s.lastSeen(x.Session)
	if s.over(x) {
		return x, ErrNoSession
	}
	return x, nil
}

// over reports whether a session has expired.
func (s *Service) over(x identity.SessionUser) bool {
	now := s.now()
	if !now.Before(s.expires(x.User, x.Session)) {
		return true
	}
	idle, _ := Role(x.Role).Limits()
	return x.Whole && now.Sub(x.Seen.Time()) >= idle
}

// expires returns when a session ends even if it is used.
func (s *Service) expires(u identity.User, x identity.Session) time.Time {
	if !x.Whole {
		return x.Created.Time().Add(halfLife)
	}
	_, absolute := Role(u.Role).Limits()
	return x.Created.Time().Add(absolute)
}

// state returns the state of a session by the current requirements for its user.
func (s *Service) state(u identity.User, x identity.Session) SessionState {
	switch {
	case x.Whole && (u.TOTP != nil || !s.NeedsTOTP(Role(u.Role))):
		return Full
	case !x.Whole && u.TOTP != nil:
		return NeedsCode
	}
	return NeedsEnrolment
}

func (s *Service) principal(u identity.User, x identity.Session) Principal {
	return Principal{
		UserID: u.ID, User: u.Name, Role: Role(u.Role), State: s.state(u, x),
		SessionID: x.ID, began: x.Created, whole: x.Whole, Expires: s.expires(u, x), HasTOTP: u.TOTP != nil, Bound: u.Bound,
	}
}

// open makes a session of a user. Everything else that o requests is written at the same
// moment. The error is [ErrNoSession] if the credentials of u have changed meanwhile, or if
// the session to be replaced has ended.
func (s *Service) open(ctx context.Context, by audit.Line, u identity.User, from Origin, o identity.Opening) (Entry, error) {
	e := Entry{Secret: newSecret()}
	o.Hash, _ = hashOf(e.Secret)
	o.Of, o.Session.Created = u, affiliate.MillisOf(s.now())
	o.Agent, o.Address = agentText(from.Agent), addressText(from.Address)
	if o.Whole {
		if err := s.markDevice(ctx, u, from, &e, &o); err != nil {
			return Entry{}, err
		}
		if e.Device != "" && by.Action == signInAction {
			by.Detail += newBrowser
		}
	}
	id, err := identity.OpenSession(ctx, s.store, by, o)
	if s.missing(err) {
		return Entry{}, ErrNoSession
	}
	if err != nil {
		return Entry{}, err
	}
	o.Session.ID = id
	if o.TOTP != nil {
		u.TOTP = o.TOTP
	}
	e.Principal = s.principal(u, o.Session)
	e.Principal.Address = from.Address
	return e, nil
}

// Sessions lists the sessions of a user, or of all users if the name is empty, latest
// first.
func (s *Service) Sessions(ctx context.Context, user string) ([]Session, error) {
	stored, err := identity.Sessions(ctx, s.store, user)
	if err != nil {
		return nil, err
	}
	var list []Session
	for _, x := range stored {
		if x.Seen = s.lastSeen(x.Session); s.over(x) {
			continue
		}
		list = append(list, Session{
			ID: x.Session.ID, User: x.Name, State: s.state(x.User, x.Session), Agent: x.Agent, Address: x.Address,
			Created: x.Session.Created.Time(), Seen: x.Seen.Time(), Expires: s.expires(x.User, x.Session),
		})
	}
	return list, nil
}

// RevokeSession ends a session at once: one of the actor's own or, for an admin, any. One
// that has already ended is no error.
func (s *Service) RevokeSession(ctx context.Context, by Actor, id int64) error {
	list, err := identity.Sessions(ctx, s.store, "")
	if err != nil {
		return err
	}
	for _, x := range list {
		if x.Session.ID != id {
			continue
		}
		if !by.owns(x.Name) {
			return ErrForbidden
		}
		return identity.EndSession(ctx, s.store, by.line("session revoked"), id)
	}
	return nil
}

// SignOut ends a session, including a half session. One that has already ended is no error.
func (s *Service) SignOut(ctx context.Context, secret string, from Origin) error {
	x, err := s.session(ctx, secret)
	switch {
	case errors.Is(err, ErrNoSession):
		return nil
	case err != nil:
		return err
	}
	by := Actor{Name: x.Name, Via: ViaSession, Address: addressText(from.Address)}
	return identity.EndSession(ctx, s.store, by.line("sign-out"), x.Session.ID)
}

// absence knows which rows were reported as forged, by their names.
type absence struct {
	log    *slog.Logger
	forged sync.Map
}

// missing reports whether the store did not find the requested object. One that someone wrote or
// changed without the master key is not there either, which is logged once for each.
func (a *absence) missing(err error) bool {
	if forged, ok := errors.AsType[*identity.ForgedError](err); ok {
		if _, told := a.forged.LoadOrStore(forged.Row, true); !told {
			a.log.Warn("a row of the database was written or changed without the master key: nobody signs in with it; webapp verify tells more", "row", forged.Row)
		}
	}
	rule, ok := errors.AsType[*store.RuleError](err)
	return ok && rule.Missing
}
