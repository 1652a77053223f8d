package access

import (
	"context"
	"encoding/base32"
	"fmt"
	"strconv"
	"time"

	"github.com/pquerna/otp/totp"

	"rebatedesk/secret"
	"rebatedesk/store/identity"
)

// Enrolment is the data for setting up an authenticator.
type Enrolment struct {
	Secret string // base32, for typing without a camera
	URI    string // otpauth://, for a QR code
}

// stepUpFor is how long a code permits changing the authenticator.
const stepUpFor = 10 * time.Minute

// totpBytes is the size of an authenticator's secret.
const totpBytes = 20

// Enrol begins to set up an authenticator. A second call with the same session returns the
// same secret, so a page can be opened twice. A user who already has codes must give a
// fresh one first: [ErrStepUp].
func (s *Service) Enrol(ctx context.Context, p Principal) (Enrolment, error) {
	if err := s.mayEnrol(ctx, p); err != nil {
		return Enrolment{}, err
	}
	key, err := totp.Generate(totp.GenerateOpts{
		Issuer: s.issuer, AccountName: p.User, Secret: offered(s.box, p),
		Period: codeRules.Period, Digits: codeRules.Digits, Algorithm: codeRules.Algorithm,
	})
	if err != nil {
		return Enrolment{}, fmt.Errorf("describing an authenticator: %w", err)
	}
	return Enrolment{Secret: key.Secret(), URI: key.URL()}, nil
}

// offered returns the secret of the authenticator that a session may set up. It is derived
// from the session rather than stored: opening the page writes nothing, and every node shows
// the same secret. Setting it up ends the session, so no secret is offered twice.
func offered(box *secret.Box, p Principal) []byte {
	return box.Derive(secret.Row("sessions", "enrolment", strconv.FormatInt(p.SessionID, 10), p.began.String()))[:totpBytes]
}

func (s *Service) mayEnrol(ctx context.Context, p Principal) error {
	switch {
	case p.SessionID == 0 || p.State == NeedsCode:
		return ErrForbidden
	case !p.HasTOTP:
		return nil
	}
	proved, err := s.SteppedUp(ctx, p, stepUpFor)
	if err == nil && !proved {
		err = ErrStepUp
	}
	return err
}

// NeedsPassword reports whether setting up an authenticator requires the password, because
// neither the password nor a code was just given. So it is also in a session of before the
// authenticator was required.
func (p Principal) NeedsPassword() bool { return p.whole && !p.HasTOTP }

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
// [ErrWrong] for the code or the password, [*Throttled], and [ErrBusy].
func (s *Service) ConfirmEnrolment(ctx context.Context, p Principal, password, code string, from Origin) (recovery []string, e Entry, err error) {
	if err := s.mayEnrol(ctx, p); err != nil {
		return nil, Entry{}, err
	}
	if err := s.mayEnrolBy(ctx, p, password, from); err != nil {
		return nil, Entry{}, err
	}
	secret := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(offered(s.box, p))
	step, found, err := stepOf(secret, plainCode(code), s.now())
	if err != nil {
		return nil, Entry{}, err
	}
	if !found {
		return nil, Entry{}, ErrWrong
	}
	recovery, hashes := newRecovery()
	e, err = s.enrolled(ctx, p, from, identity.Opening{
		TOTP: s.box.Seal([]byte(secret), TOTPRow(p.UserID)), TOTPStep: step, Recovery: hashes,
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
	o.Session.Whole, o.Replaces, o.Alone, o.Proves = true, p.SessionID, true, true
	return s.open(ctx, line, u, from, o)
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
	if err := s.proofs.note(ctx, line, p); err != nil {
		return err
	}
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
	return s.proofs.note(ctx, line, p)
}
