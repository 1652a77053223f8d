package store

import (
	"errors"
	"fmt"

	"github.com/gofrs/flock"
)

// ErrLocked means that another process is collecting into this database.
var ErrLocked = errors.New("another process is collecting into this database; wait for it, or stop it")

// LockCollector takes the lock that allows this process to collect into the database. The
// operating system holds the lock for the process and releases it when the process ends in
// any way. The returned function releases the lock.
func (s *Store) LockCollector() (release func() error, err error) {
	return LockCollectorAt(s.path)
}

// LockCollectorAt is [Store.LockCollector] for the database at path, whether it is open or
// not.
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
