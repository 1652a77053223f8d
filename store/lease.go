package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"rebatedesk/affiliate"
)

// Lease names a kind of work that one process at a time does in a database.
type Lease string

// The leases of a database.
const (
	CollectorLease Lease = "collector" // reads the exchange
	MailLease      Lease = "mail"      // makes and sends mail
	DeliveryLease  Lease = "delivery"  // makes and sends the files of scheduled deliveries
	BackupLease    Lease = "backup"    // makes backups
	TradingLease   Lease = "trading"   // settles the orders that dead processes left
)

var (
	// ErrLocked means that another process does the work of a lease.
	ErrLocked = errors.New("another process is collecting into this database; wait for it, or stop it")
	// ErrSuperseded means that another process has taken over the work of a lease meanwhile.
	// What the former one writes afterwards is refused.
	ErrSuperseded = errors.New("another node has taken over this work, so this one writes nothing more of it")
	// ErrLeaseEnded means that a lease could not be renewed in time.
	ErrLeaseEnded = errors.New("the lease could not be renewed in time, so another node may take over this work")
)

// leaseTime is how long a lease lasts if it is not renewed.
const leaseTime = 20 * time.Second

// LeaseHolder is the process that does the work of a lease.
type LeaseHolder struct {
	Lease Lease
	Node  string           // name of its node
	Since affiliate.Millis // when it took the lease
	Age   time.Duration    // since then, by the clock that counts
	// Number grows with each change of the holder, and Left is when the lease ends unless it is
	// renewed. Both are 0 for a file, where a lease ends with its process.
	Number int64
	Left   time.Duration
}

// leading is how an engine lets one process at a time do the work of a lease: by locks of
// files on SQLite, which the system frees when the process ends, and by rows on PostgreSQL,
// whose leases end unless they are renewed.
type leading interface {
	lock(ctx context.Context, lease Lease) (context.Context, func() error, error)
	lead(ctx context.Context, lease Lease, log *slog.Logger, work func(context.Context))
	ask(ctx context.Context, lease Lease) error
	gone(ctx context.Context, tx *Tx, process string) (bool, error)
	holders(ctx context.Context) ([]LeaseHolder, error)
	attend(ctx context.Context) (leave func(), err error)
	alone(ctx context.Context) (context.Context, func() error, error)
}

// Lock takes a lease for a piece of work, unless another process has it: then it returns
// [ErrLocked]. The work must write with the returned context: each of its writes checks in
// its own transaction that no other process has taken over, and otherwise returns
// [ErrSuperseded]. The context also ends when the lease does. A process that [Store.Lead]s
// and is between two pieces of work yields to a Lock of another. The returned function
// gives the lease back.
func (s *Store) Lock(ctx context.Context, lease Lease) (context.Context, func() error, error) {
	return s.leading.lock(ctx, lease)
}

// Lead runs work as long as this process holds a lease, and waits for the lease otherwise,
// until ctx ends or work returns by itself. The context of work is that of [Store.Lock]. On
// SQLite it runs work at once: there, only Lock keeps processes apart. log gets the changes
// of the holder.
func (s *Store) Lead(ctx context.Context, lease Lease, log *slog.Logger, work func(context.Context)) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s.leading.lead(ctx, lease, log, work)
}

// Ask sends a request to the process that leads, which receives it by [Requested] within a third
// of the time of a lease. Without a leader nothing happens.
func (s *Store) Ask(ctx context.Context, lease Lease) error { return s.leading.ask(ctx, lease) }

// Holders lists the processes that hold leases, by lease. On SQLite it knows those of this
// process only.
func (s *Store) Holders(ctx context.Context) ([]LeaseHolder, error) { return s.leading.holders(ctx) }

// processLease is the lease by which a process shows that it lives.
func processLease(process string) Lease { return Lease("process/" + process) }

// Live is [Store.Lock] for the lease by which this process shows that it lives.
func (s *Store) Live(ctx context.Context) (context.Context, func() error, error) {
	return s.leading.lock(ctx, processLease(s.process))
}

// Owner returns the identity of this process for what it owns in the database, or nil if
// nobody shares the database: what another process owned is then left by a dead one.
func (s *Store) Owner() *string {
	if !s.Shared() {
		return nil
	}
	return &s.process
}

// Gone reports whether an owner lives no more: its lease of [Store.Live] has ended. From
// then on its writes by that lease are refused.
func (t *Tx) Gone(ctx context.Context, owner string) (bool, error) {
	gone, err := t.store.leading.gone(ctx, t, owner)
	if err != nil {
		return false, fmt.Errorf("looking for the process %s: %w", owner, err)
	}
	return gone, nil
}

// Shared reports whether the processes of several nodes may use the database.
func (s *Store) Shared() bool {
	_, alone := s.leading.(*fileLocks)
	return !alone
}

// Process identifies this use of the database among all processes: the name of the node, and
// a part that is different each time.
func (s *Store) Process() string { return s.process }

// Node returns the name of the node.
func (s *Store) Node() string { return nodeOf(s.process) }

// processOf returns the identity of a new process on a node; the default name is that of the
// host.
func processOf(node string) string {
	if node == "" {
		node, _ = os.Hostname() // without a name, the random part still tells processes apart
	}
	return node + "/" + rand.Text()[:12]
}

// nodeOf returns the name of the node of a process.
func nodeOf(process string) string {
	if at := strings.LastIndexByte(process, '/'); at >= 0 {
		return process[:at]
	}
	return process
}

// leadership is what a context of [Store.Lock] or [Store.Lead] carries.
type leadership interface {
	// fence returns [ErrSuperseded] if another process has taken over.
	fence(ctx context.Context, s *Store, tx *Tx) error
	requested() <-chan struct{}
	without() context.Context
}

// leadershipKey is the key of the leadership in a context.
type leadershipKey struct{}

func leadershipOf(ctx context.Context) leadership {
	of, _ := ctx.Value(leadershipKey{}).(leadership)
	return of
}

// fenced checks the leadership of a context in a transaction that writes.
func fenced(ctx context.Context, s *Store, tx *Tx) error {
	if of := leadershipOf(ctx); of != nil {
		return of.fence(ctx, s, tx)
	}
	return nil
}

// Under returns ctx with the lease of another context, which checks its writes.
func Under(ctx, lease context.Context) context.Context {
	if of := leadershipOf(lease); of != nil {
		return context.WithValue(ctx, leadershipKey{}, of)
	}
	return ctx
}

// CheckLease returns [ErrSuperseded] if the lease of the context has been taken over.
func (t *Tx) CheckLease(ctx context.Context) error { return fenced(ctx, t.store, t) }

// Requested receives the requests of [Store.Ask], by the context of [Store.Lead].
func Requested(ctx context.Context) <-chan struct{} {
	if of := leadershipOf(ctx); of != nil {
		return of.requested()
	}
	return nil
}

// Unled returns the context with which [Store.Lock] or [Store.Lead] was called, for what
// must be finished and written although the lease has ended.
func Unled(ctx context.Context) context.Context {
	if of := leadershipOf(ctx); of != nil {
		return of.without()
	}
	return ctx
}
