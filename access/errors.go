package access

import (
	"errors"
	"fmt"
	"time"

	"rebatedesk/store"
)

// What is answered where somebody is not let in. None of them says which part
// was wrong: a guesser learns nothing from it.
var (
	ErrWrong     = errors.New("user name, password or code is wrong")
	ErrBusy      = errors.New("too many sign-ins at this moment")
	ErrNoSession = errors.New("no session")
	ErrNoToken   = errors.New("no such token")
	ErrForbidden = errors.New("not allowed")
	ErrStepUp    = errors.New("a fresh code is needed first")
	ErrSetUp     = errors.New("there are users already")
)

// Throttled is the answer to too many guesses, or to a token that asks too
// fast. Nothing was looked at.
type Throttled struct{ Wait time.Duration }

func (t *Throttled) Error() string {
	return fmt.Sprintf("too many attempts: wait %d seconds", t.Seconds())
}

// Seconds is the wait in whole seconds, rounded up, as Retry-After wants it.
func (t *Throttled) Seconds() int64 {
	return max(1, int64((t.Wait+time.Second-1)/time.Second))
}

// refuse is a broken rule in words for the person who broke it, as those of
// the store are: a *store.RuleError.
func refuse(format string, args ...any) error {
	return &store.RuleError{Problem: fmt.Sprintf(format, args...)}
}
