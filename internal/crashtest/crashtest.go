// Package crashtest kills test processes at a step of their work: at any change of a row or
// commit in their databases, or at a point of package crashpoint. It hooks into the
// database driver, so the program needs no knowledge of it.
package crashtest

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync/atomic"

	"modernc.org/sqlite"

	"rebatedesk/internal/crashpoint"
)

// Step is the next action of a process in a database: to change a row of a table or, if
// Table is empty, to commit.
type Step struct{ Table string }

var watcher atomic.Pointer[func(Step)]

func init() {
	sqlite.RegisterConnectionHook(func(conn sqlite.ExecQuerierContext, _ string) error {
		hooks, ok := conn.(sqlite.HookRegisterer)
		if !ok {
			return errors.New("the driver offers no hooks")
		}
		hooks.RegisterPreUpdateHook(func(row sqlite.SQLitePreUpdateData) { pass(Step{row.TableName}) })
		hooks.RegisterCommitHook(func() int32 {
			pass(Step{})
			return 0
		})
		return nil
	})
}

func pass(s Step) {
	if watch := watcher.Load(); watch != nil {
		(*watch)(s)
	}
}

// Watch calls watch before every step of this process, in the goroutine that takes it; nil
// ends it. watch must not panic, because it runs inside SQLite.
func Watch(watch func(Step)) {
	if watch == nil {
		watcher.Store(nil)
		return
	}
	watcher.Store(&watch)
}

// Aim says where a process kills itself: before the n-th step in its databases, counted
// from 1, or, with a point, at the n-th passing of that point. With N 0 the process runs to
// its end.
type Aim struct {
	Point   crashpoint.Point
	N       int64
	Counted string // file for the number of steps of a process that comes to its end
}

func (a Aim) String() string {
	switch {
	case a.N == 0:
		return "nowhere"
	case a.Point == 0:
		return fmt.Sprintf("before step %d in the database", a.N)
	}
	return fmt.Sprintf("at passing %d of %q", a.N, a.Point)
}

// Take makes this process kill itself at the aim, without any chance to clean up.
func (a Aim) Take() {
	var come atomic.Int64
	switch {
	case a.N == 0:
	case a.Point == 0:
		Watch(func(Step) {
			if come.Add(1) == a.N {
				die()
			}
		})
		if a.Counted != "" {
			writeSteps = func() error { return os.WriteFile(a.Counted, []byte(strconv.FormatInt(come.Load(), 10)), 0o600) }
		}
	default:
		crashpoint.Watch(func(p crashpoint.Point) {
			if p == a.Point && come.Add(1) == a.N {
				die()
			}
		})
	}
}

// writeSteps writes the number of steps where it was asked for.
var writeSteps = func() error { return nil }

func die() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {} // the work must not continue until the signal arrives
}
