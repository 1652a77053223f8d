package access

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"

	"rebatedesk/secret"
	"rebatedesk/store/identity"
)

// The codes of authenticators have six digits, change every 30 seconds, and are accepted
// half a minute early or late.
const (
	period = 30 * time.Second
	skew   = 1
)

var codeRules = totp.ValidateOpts{Period: uint(period / time.Second), Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1}

// stepOf finds the time step of a code. Only a few steps are possible.
func stepOf(secret, code string, now time.Time) (step int64, found bool, err error) {
	for n := -skew; n <= skew; n++ {
		t := now.Add(time.Duration(n) * period)
		want, err := totp.GenerateCodeCustom(secret, t, codeRules)
		if err != nil {
			return 0, false, fmt.Errorf("the stored secret of an authenticator cannot be used: %w", err)
		}
		if subtle.ConstantTimeCompare([]byte(code), []byte(want)) == 1 {
			step, found = t.Unix()/int64(period/time.Second), true
		}
	}
	return step, found, nil
}

// tryCode tries a code of a user, if the guess may be made now. It returns the kind of
// code, or an empty string for a wrong one. A right code is still counted as a guess.
func (s *Service) tryCode(ctx context.Context, g attempt, u identity.User, code string) (how string, err error) {
	if err := s.allow(ctx, g); err != nil {
		return "", err
	}
	if err := s.countAttempt(ctx, g); err != nil {
		return "", err
	}
	code = plainCode(code)
	if len(code) == recoveryLength {
		hash := sha256.Sum256([]byte(code))
		fresh, err := identity.UseRecoveryCode(ctx, s.store, u.ID, hash[:])
		if s.missing(err) {
			return "", nil
		}
		return named(fresh, err)("recovery code")
	}
	secret, err := s.box.Open(u.TOTP, TOTPRow(u.ID))
	if err != nil {
		return "", fmt.Errorf("the secret of an authenticator %w", err)
	}
	step, found, err := stepOf(string(secret), code, s.now())
	if err != nil || !found {
		return "", err
	}
	return named(identity.UseTOTPStep(ctx, s.store, u.ID, step))("code")
}

// named returns the name for a success.
func named(ok bool, err error) func(string) (string, error) {
	return func(name string) (string, error) {
		if err != nil || !ok {
			return "", err
		}
		return name, nil
	}
}

// plainCode returns a code without the separators that people type.
func plainCode(code string) string {
	return strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(strings.TrimSpace(code)))
}

// TOTPRow identifies the place for which the secret of an authenticator is sealed.
func TOTPRow(user int64) string {
	return secret.Row("users", "totp", strconv.FormatInt(user, 10))
}

// Recovery codes are 80 random bits in base32, stored as a plain hash.
const (
	recoveryCount  = 10
	recoveryBytes  = 10
	recoveryLength = 16
)

// newRecovery makes recovery codes in display form, and their hashes.
func newRecovery() (codes []string, hashes [][]byte) {
	for range recoveryCount {
		code := base32.StdEncoding.EncodeToString(random(recoveryBytes))
		hash := sha256.Sum256([]byte(code))
		codes = append(codes, strings.Join([]string{code[:4], code[4:8], code[8:12], code[12:]}, "-"))
		hashes = append(hashes, hash[:])
	}
	return codes, hashes
}
