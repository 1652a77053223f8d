package collector

import (
	"fmt"
	"log/slog"
	"runtime/debug"
)

// guard runs f and makes an error of a panic, so that what fails in one piece
// of work does not end the process. where names the work in the log.
func guard(log *slog.Logger, where string, f func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			log.Error("panic caught", "where", where, "cause", fmt.Sprint(cause), "stack", string(debug.Stack()))
			err = fmt.Errorf("a fault of this program, %s: %v", where, cause)
		}
	}()
	return f()
}
