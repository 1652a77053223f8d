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

	"rebatedesk/seal"
	"rebatedesk/store/identity"
)

// The codes of authenticators: six figures, a new one every 30 seconds, taken
// half a minute early or late.
const (
	period = 30 * time.Second
	skew   = 1
)

var codeRules = totp.ValidateOpts{Period: uint(period / time.Second), Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1}

// stepOf finds the step of time that a code belongs to. There are only a few it
// can be of.
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

// tryCode takes a code of a user, if one may be tried for the guess now. It
// gives what it was, empty for none that works. A right one is still counted.
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
		return named(identity.UseRecoveryCode(ctx, s.store, u.ID, hash[:]))("recovery code")
	}
	secret, err := s.box.Open(u.TOTP, totpRow(u.ID))
	if err != nil {
		return "", fmt.Errorf("the secret of an authenticator %w", err)
	}
	step, found, err := stepOf(string(secret), code, s.now())
	if err != nil || !found {
		return "", err
	}
	return named(identity.UseTOTPStep(ctx, s.store, u.ID, step))("code")
}

// named gives a name to what succeeded.
func named(ok bool, err error) func(string) (string, error) {
	return func(name string) (string, error) {
		if err != nil || !ok {
			return "", err
		}
		return name, nil
	}
}

// plainCode is a code without what people put between its signs.
func plainCode(code string) string {
	return strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(strings.TrimSpace(code)))
}

// totpRow is the place that the secret of an authenticator is sealed for.
func totpRow(user int64) string {
	return seal.Row("users", "totp", strconv.FormatInt(user, 10))
}

// Recovery codes are 80 random bits in base32. A plain hash keeps them.
const (
	recoveryCount  = 10
	recoveryBytes  = 10
	recoveryLength = 16
)

// newRecovery makes recovery codes, as they are shown, and their hashes.
func newRecovery() (codes []string, hashes [][]byte) {
	for range recoveryCount {
		code := base32.StdEncoding.EncodeToString(random(recoveryBytes))
		hash := sha256.Sum256([]byte(code))
		codes = append(codes, strings.Join([]string{code[:4], code[4:8], code[8:12], code[12:]}, "-"))
		hashes = append(hashes, hash[:])
	}
	return codes, hashes
}
