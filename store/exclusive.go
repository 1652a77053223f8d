package store

import (
	"context"
	"errors"
	"fmt"
)

// ErrInUse means that another process works on the database. The error says which.
var ErrInUse = errors.New("works on this database: stop it first, or wait until it is done")

// serverLease is the lease by which a process shows that it is a server.
func serverLease(process string) Lease { return Lease("server/" + process) }

// Attend shows other processes that a server works on the database, until the returned function is
// called. If one has the database for itself, see [Store.Alone], the error is [ErrInUse].
func (s *Store) Attend(ctx context.Context) (leave func(), err error) {
	return s.leading.attend(ctx)
}

// Alone takes the database for one piece of work while no server, collector or backup works on it;
// otherwise the error is [ErrInUse]. The work must write with the returned context, as with
// [Store.Lock]. The returned function ends it. Commands that need no lease are not kept out.
func (s *Store) Alone(ctx context.Context) (context.Context, func() error, error) {
	return s.leading.alone(ctx)
}

// inUse is [ErrInUse] with the process.
func inUse(process string) error { return fmt.Errorf("%s %w", process, ErrInUse) }
