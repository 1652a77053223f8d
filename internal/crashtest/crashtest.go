// Package crashtest kills processes of tests at a step of their work: at any change of
// a row or commit in their databases, or at a point of package crashpoint. It hooks
// into the database driver, so the program knows nothing of it.
package crashtest

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"modernc.org/sqlite"

	"rebatedesk/internal/crashpoint"
)

// Step is what a process is about to do in a database: to change a row of a table, or,
// where the table is empty, to commit.
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

// Watch has every step of this process told to watch before it is taken, in the
// goroutine that takes it; nil ends it. watch must not panic: SQLite is at work below it.
func Watch(watch func(Step)) {
	if watch == nil {
		watcher.Store(nil)
		return
	}
	watcher.Store(&watch)
}

// Aim is where a process kills itself: before the n-th step in its databases, counted
// from 1, or, with a point, at the n-th passing of that. With N 0 it goes on to its end.
type Aim struct {
	Point crashpoint.Point
	N     int64
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

// Take has this process kill itself there, with no chance to tidy up.
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
	default:
		crashpoint.Watch(func(p crashpoint.Point) {
			if p == a.Point && come.Add(1) == a.N {
				die()
			}
		})
	}
}

func die() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {} // until the signal arrives, the work must not go on
}
