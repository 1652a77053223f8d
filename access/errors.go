package access

import (
	"errors"
	"fmt"
	"time"

	"rebatedesk/store"
)

// These errors are returned when access is refused. None of them says which part was wrong,
// so a guesser learns nothing from them.
var (
	ErrWrong     = errors.New("user name, password or code is wrong")
	ErrBusy      = errors.New("too many sign-ins at this moment")
	ErrNoSession = errors.New("no session")
	ErrNoToken   = errors.New("no such token")
	ErrForbidden = errors.New("not allowed")
	ErrStepUp    = errors.New("a fresh code is needed first")
	ErrSetUp     = errors.New("there are users already")
)

// Throttled is the error for too many guesses, or for a token that sends requests too fast.
// Nothing was checked.
type Throttled struct{ Wait time.Duration }

func (t *Throttled) Error() string {
	return fmt.Sprintf("too many attempts: wait %d seconds", t.Seconds())
}

// Seconds returns the wait in whole seconds, rounded up, as Retry-After requires.
func (t *Throttled) Seconds() int64 {
	return max(1, int64((t.Wait+time.Second-1)/time.Second))
}

// refuse returns a *store.RuleError, like the store does, with a message for the user who
// broke the rule.
func refuse(format string, args ...any) error {
	return &store.RuleError{Problem: fmt.Sprintf(format, args...)}
}
