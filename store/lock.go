package store

import (
	"errors"
	"fmt"

	"github.com/gofrs/flock"
)

// ErrLocked means that another process collects into this database.
var ErrLocked = errors.New("another process is collecting into this database; wait for it, or stop it")

// LockCollector takes the right to collect into the database. It is held by
// the operating system for this process and ends with it, however it ends.
// The answer lets go of it.
func (s *Store) LockCollector() (release func() error, err error) {
	return LockCollectorAt(s.path)
}

// LockCollectorAt is [Store.LockCollector] of the database at path, open or not.
func LockCollectorAt(path string) (release func() error, err error) {
	lock := flock.New(path + ".lock")
	held, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("locking %s.lock: %w", path, err)
	}
	if !held {
		return nil, ErrLocked
	}
	return lock.Unlock, nil
}
