package access

import (
	"context"
	"fmt"
	"time"

	"github.com/pquerna/otp/totp"

	"rebatedesk/store/identity"
)

// Enrolment is the data for setting up an authenticator.
type Enrolment struct {
	Secret string // base32, for typing without a camera
	URI    string // otpauth://, for a QR code
}

// pending is an enrolment that was begun. It exists only in memory, because it has no
// effect until it is confirmed.
type pending struct {
	Enrolment
	begun time.Time
}

const (
	enrolWithin = time.Hour
	// stepUpFor is how long a code permits changing the authenticator.
	stepUpFor = 10 * time.Minute
)

// Enrol begins to set up an authenticator. A second call with the same session returns the
// same secret, so a page can be opened twice. A user who already has codes must give a
// fresh one first: [ErrStepUp].
func (s *Service) Enrol(_ context.Context, p Principal) (Enrolment, error) {
	if err := s.mayEnrol(p); err != nil {
		return Enrolment{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if begun, ok := s.pending[p.SessionID]; ok && s.now().Sub(begun.begun) < enrolWithin {
		return begun.Enrolment, nil
	}
	key, err := totp.Generate(totp.GenerateOpts{
		Issuer: s.issuer, AccountName: p.User, Period: codeRules.Period, Digits: codeRules.Digits, Algorithm: codeRules.Algorithm,
	})
	if err != nil {
		return Enrolment{}, fmt.Errorf("making a secret for an authenticator: %w", err)
	}
	e := Enrolment{Secret: key.Secret(), URI: key.URL()}
	s.pending[p.SessionID] = pending{e, s.now()}
	return e, nil
}

func (s *Service) mayEnrol(p Principal) error {
	switch {
	case p.SessionID == 0 || p.State == NeedsCode:
		return ErrForbidden
	case p.HasTOTP && !s.SteppedUp(p, stepUpFor):
		return ErrStepUp
	}
	return nil
}

// NeedsPassword reports whether setting up an authenticator requires the password, because
// neither the password nor a code was just given.
func (p Principal) NeedsPassword() bool { return p.State == Full && !p.HasTOTP }

func (s *Service) mayEnrolBy(ctx context.Context, p Principal, password string, from Origin) error {
	if !p.NeedsPassword() {
		return nil
	}
	u, err := identity.UserByID(ctx, s.store, p.UserID)
	if err != nil {
		return err
	}
	return s.provePassword(ctx, u, password, from)
}

// ConfirmEnrolment completes [Service.Enrol] with the first code of the authenticator. It
// returns the recovery codes, which are never shown again, and a new session; all other
// sessions of the user end. If NeedsPassword is true, the password is required too: an
// authenticator set up in an unattended browser would lock its user out. The errors are
// [ErrWrong] for the code or the password, [*Throttled], [ErrBusy], and [ErrNoSession] if
// no enrolment was begun.
func (s *Service) ConfirmEnrolment(ctx context.Context, p Principal, password, code string, from Origin) (recovery []string, e Entry, err error) {
	if err := s.mayEnrol(p); err != nil {
		return nil, Entry{}, err
	}
	if err := s.mayEnrolBy(ctx, p, password, from); err != nil {
		return nil, Entry{}, err
	}
	s.mu.Lock()
	begun, ok := s.pending[p.SessionID]
	s.mu.Unlock()
	if !ok || s.now().Sub(begun.begun) >= enrolWithin {
		return nil, Entry{}, ErrNoSession
	}
	step, found, err := stepOf(begun.Secret, plainCode(code), s.now())
	if err != nil {
		return nil, Entry{}, err
	}
	if !found {
		return nil, Entry{}, ErrWrong
	}
	recovery, hashes := newRecovery()
	e, err = s.enrolled(ctx, p, from, identity.Opening{
		TOTP: s.box.Seal([]byte(begun.Secret), totpRow(p.UserID)), TOTPStep: step, Recovery: hashes,
	})
	if err != nil {
		return nil, Entry{}, err
	}
	return recovery, e, nil
}

// enrolled stores a new authenticator together with the session that was opened with it.
func (s *Service) enrolled(ctx context.Context, p Principal, from Origin, o identity.Opening) (Entry, error) {
	u, err := identity.UserByID(ctx, s.store, p.UserID)
	if err != nil {
		return Entry{}, err
	}
	line := p.Actor().line("authenticator set up")
	line.Object = p.User
	o.Session.Whole, o.Replaces, o.Alone = true, p.SessionID, true
	e, err := s.open(ctx, line, u, from, o)
	if err != nil {
		return Entry{}, err
	}
	s.mu.Lock()
	delete(s.pending, p.SessionID)
	s.mu.Unlock()
	s.stepUp(e.Principal)
	return e, nil
}

// StepUp proves again, by a code of the authenticator, that the user of a session is
// present. The errors are [ErrWrong], [*Throttled] and, without an authenticator,
// [ErrForbidden].
func (s *Service) StepUp(ctx context.Context, p Principal, code string) error {
	u, err := identity.UserByID(ctx, s.store, p.UserID)
	if err != nil {
		return err
	}
	if p.SessionID == 0 || p.State != Full || u.TOTP == nil {
		return ErrForbidden
	}
	g := ownGuess(byStepUp, p.UserID)
	how, err := s.tryCode(ctx, g, u, code)
	if err != nil {
		return err
	}
	if how == "" {
		return s.failed(ctx, u, Origin{Address: p.Address}, "code, while signed in")
	}
	line := p.Actor().line("code given")
	line.Object, line.Detail = u.Name, how
	if err := s.Record(ctx, line); err != nil {
		return err
	}
	s.stepUp(p)
	return s.forgiveAttempt(ctx, g, true)
}

// Prove is [Service.StepUp] for every user: by a code of the authenticator if the user has
// one, or else by the password. The errors are those of StepUp, and [ErrBusy].
func (s *Service) Prove(ctx context.Context, p Principal, proof string) error {
	if p.HasTOTP {
		return s.StepUp(ctx, p, proof)
	}
	u, err := identity.UserByID(ctx, s.store, p.UserID)
	if err != nil {
		return err
	}
	if p.SessionID == 0 || p.State != Full || u.TOTP != nil {
		return ErrForbidden
	}
	if err := s.provePassword(ctx, u, proof, Origin{Address: p.Address}); err != nil {
		return err
	}
	line := p.Actor().line("password given")
	line.Object = u.Name
	if err := s.Record(ctx, line); err != nil {
		return err
	}
	s.stepUp(p)
	return nil
}

func (s *recent) stepUp(p Principal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stepped[p.SessionID] = s.now()
}

// SteppedUp reports whether the user of the session proved to be present within a time: by
// a code or, without an authenticator, by the password. A token needs no proof, because
// creating it took one. After a restart the proof must be given again.
func (s *recent) SteppedUp(p Principal, within time.Duration) bool {
	if p.TokenID != 0 {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at, ok := s.stepped[p.SessionID]
	return ok && s.now().Sub(at) < within
}
