package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"rebatedesk/affiliate"
)

// lockEndings are the endings of the files whose locks keep processes apart. Other kinds of
// work need no lock: its steps exclude each other in the database.
var lockEndings = map[Lease]string{CollectorLease: ".lock", BackupLease: ".backup.lock"}

// fileLocks are the leases of a database in a file. The operating system holds a lock for
// the process and releases it when the process ends in any way.
type fileLocks struct {
	store *Store
	mu    sync.Mutex
	led   []LeaseHolder // by this process
}

func (l *fileLocks) lock(ctx context.Context, lease Lease) (context.Context, func() error, error) {
	ending, locks := lockEndings[lease]
	if !locks {
		return ctx, func() error { return nil }, nil
	}
	release, err := lockFile(l.store.path + ending)
	return ctx, release, err
}

// LockCollectorAt takes the lock of the collector for the database file at path, whether it
// is open or not. The returned function releases it.
func LockCollectorAt(path string) (release func() error, err error) {
	return lockFile(path + lockEndings[CollectorLease])
}

func lockFile(path string) (release func() error, err error) {
	lock := flock.New(path)
	held, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	if !held {
		return nil, ErrLocked
	}
	return lock.Unlock, nil
}

func (l *fileLocks) lead(ctx context.Context, lease Lease, _ *slog.Logger, work func(context.Context)) {
	l.mu.Lock()
	l.led = append(l.led, LeaseHolder{Lease: lease, Node: l.store.Node(), Since: affiliate.MillisOf(time.Now())})
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.led = slices.DeleteFunc(l.led, func(h LeaseHolder) bool { return h.Lease == lease })
	}()
	work(ctx)
}

// ask has nobody to ask: the process leads by itself.
func (l *fileLocks) ask(context.Context, Lease) error { return nil }

// gone is true: a database in a file has one server.
func (l *fileLocks) gone(context.Context, *Tx, string) (bool, error) { return true, nil }

func (l *fileLocks) holders(context.Context) ([]LeaseHolder, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := slices.SortedFunc(slices.Values(l.led), func(a, b LeaseHolder) int { return strings.Compare(string(a.Lease), string(b.Lease)) })
	for i, h := range list {
		list[i].Age = time.Since(h.Since.Time())
	}
	return list, nil
}

// serverEnding is the ending of the file that servers lock together, and [Store.Alone] for itself.
const serverEnding = ".server.lock"

func (l *fileLocks) attend(context.Context) (leave func(), err error) {
	lock := flock.New(l.store.path + serverEnding)
	held, err := lock.TryRLock()
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", lock.Path(), err)
	}
	if !held {
		return nil, inUse("a command that needs it for itself")
	}
	return func() { _ = lock.Unlock() }, nil // the process ends, and its locks with it
}

func (l *fileLocks) alone(ctx context.Context) (context.Context, func() error, error) {
	var held []func() error
	release := func() (err error) {
		for _, one := range held {
			err = errors.Join(err, one())
		}
		return err
	}
	for _, lock := range []struct{ ending, process string }{{serverEnding, "a server"}, {lockEndings[CollectorLease], "a collector"}, {lockEndings[BackupLease], "a backup"}} {
		one, err := lockFile(l.store.path + lock.ending)
		if errors.Is(err, ErrLocked) {
			err = inUse(lock.process)
		}
		if err != nil {
			return nil, nil, errors.Join(err, release())
		}
		held = append(held, one)
	}
	return ctx, release, nil
}
