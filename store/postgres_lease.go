package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"
)

// serverClock is the clock of the server, in milliseconds.
const serverClock = `CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)`

// leases are the leases of a database of a server, rows of its table leases. Taking one
// over is a write like any other, so it never comes between the check of a write and its
// commit. Renewing one is not: a long write must not delay it.
type leases struct {
	store *Store
	db    *sql.DB // apart from the writer's connection
	lasts time.Duration

	mu     sync.Mutex
	led    map[Lease]*term // by Lead
	held   map[*term]bool  // all
	taking map[Lease]bool  // about to be held
}

// term is the time for which this process holds a lease.
type term struct {
	*leases
	lease    Lease
	number   int64           // grows with each change of the holder
	outer    context.Context // of the caller
	ctx      context.Context // ends with the lease
	end      context.CancelCauseFunc
	requests chan struct{}
	kept     chan struct{} // closed when nothing renews it any more
}

// take takes a lease that has ended, or one whose holder is idle if that may be interrupted.
// One that this process has in the database and does not hold was taken or given back by a
// statement whose answer was lost: it is taken at once. The lease is renewed until its
// context ends.
func (l *leases) take(ctx context.Context, lease Lease, interrupts, busy bool) (*term, error) {
	if !l.reserve(lease) {
		return nil, ErrLocked
	}
	defer l.reserved(lease)
	begun := time.Now()
	tx, err := l.store.engine.begin(ctx, l.db, true)
	if err != nil {
		return nil, fmt.Errorf("taking the lease %s: %w", lease, err)
	}
	defer tx.Rollback()
	t := &term{leases: l, lease: lease, outer: ctx, requests: make(chan struct{}, 1), kept: make(chan struct{})}
	var requests int64
	err = tx.QueryRowContext(ctx, `
		INSERT INTO leases (name, holder, number, since_ms, until_ms, busy) VALUES (?, ?, 1, `+serverClock+`, `+serverClock+` + ?, ?)
		ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, number = leases.number + 1,
			since_ms = excluded.since_ms, until_ms = excluded.until_ms, busy = excluded.busy
		WHERE leases.until_ms <= `+serverClock+` OR leases.holder = excluded.holder OR leases.busy = 0 AND CAST(? AS BIGINT) = 1
		RETURNING number, requests`, lease, l.store.process, l.lasts.Milliseconds(), busy, interrupts).Scan(&t.number, &requests)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrLocked
	}
	if err == nil {
		err = tx.Commit()
	}
	if err != nil {
		return nil, fmt.Errorf("taking the lease %s: %w", lease, err)
	}
	t.ctx, t.end = context.WithCancelCause(context.WithValue(ctx, leadershipKey{}, leadership(t)))
	l.mu.Lock()
	l.held[t] = true
	l.mu.Unlock()
	go t.keep(begun, requests)
	return t, nil
}

// reserve reports whether this process may take a lease: it neither holds it nor is about to.
func (l *leases) reserve(lease Lease) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for t := range l.held {
		if t.lease == lease {
			return false
		}
	}
	if l.taking[lease] {
		return false
	}
	l.taking[lease] = true
	return true
}

// reserved ends what reserve began.
func (l *leases) reserved(lease Lease) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.taking, lease)
}

// close ends all leases without giving them back.
func (l *leases) close() error {
	l.mu.Lock()
	held := slices.Collect(maps.Keys(l.held))
	l.mu.Unlock()
	for _, t := range held {
		t.end(errClosed)
		<-t.kept
	}
	return l.db.Close()
}

var errClosed = errors.New("the database was closed")

// ended reports whether no other process holds a lease, without a lock.
func (l *leases) ended(ctx context.Context, lease Lease) (ended bool, err error) {
	err = l.db.QueryRowContext(ctx, `SELECT NOT EXISTS (SELECT 1 FROM leases WHERE name = ? AND until_ms > `+serverClock+` AND holder <> ?)`,
		lease, l.store.process).Scan(&ended)
	return ended, err
}

// keep renews the lease each third of its time. If that fails it tries again sooner, and
// gives the lease up before it ends.
func (t *term) keep(renewed time.Time, requests int64) {
	defer func() {
		t.mu.Lock()
		delete(t.held, t)
		t.mu.Unlock()
		close(t.kept)
	}()
	pause := t.lasts / 3
	for {
		select {
		case <-t.ctx.Done():
			return
		case <-time.After(pause):
		}
		begun := time.Now()
		asked, err := t.renew()
		switch {
		case err == nil:
			renewed, pause = begun, t.lasts/3
		case errors.Is(err, ErrSuperseded):
			t.end(ErrSuperseded)
			return
		default:
			pause = t.lasts / 20
			if time.Since(renewed)+pause >= t.lasts {
				t.end(fmt.Errorf("%w: %w", ErrLeaseEnded, err))
				return
			}
		}
		if err == nil && asked != requests {
			requests = asked
			select {
			case t.requests <- struct{}{}:
			default: // one waits already
			}
		}
	}
}

func (t *term) renew() (requests int64, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), t.lasts/4)
	defer cancel()
	err = t.db.QueryRowContext(ctx, `
		UPDATE leases SET until_ms = `+serverClock+` + ? WHERE name = ? AND holder = ? AND number = ? RETURNING requests`,
		t.lasts.Milliseconds(), t.lease, t.store.process, t.number).Scan(&requests)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrSuperseded
	}
	return requests, err
}

// set changes the row of the lease while this process holds it. It works although the
// context has ended.
func (t *term) set(ctx context.Context, assignment string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), t.lasts/4)
	defer cancel()
	done, err := t.db.ExecContext(ctx, `UPDATE leases SET `+assignment+` WHERE name = ? AND holder = ? AND number = ?`,
		t.lease, t.store.process, t.number)
	if err != nil {
		return err
	}
	if changed, err := done.RowsAffected(); err != nil || changed == 0 {
		return errors.Join(err, ErrSuperseded)
	}
	return nil
}

// release ends the lease at once. One that another process has taken is released already.
func (t *term) release() error {
	t.end(context.Canceled)
	<-t.kept
	err := t.set(t.ctx, `holder = '', until_ms = 0, busy = 0`)
	if errors.Is(err, ErrSuperseded) {
		return nil
	}
	return err
}

func (t *term) requested() <-chan struct{} { return t.requests }
func (t *term) without() context.Context   { return t.outer }

func (t *term) fence(ctx context.Context, s *Store, tx *Tx) error {
	if s != t.store {
		return nil // a database of its own, such as that of a drill
	}
	var held bool
	err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM leases WHERE name = ? AND holder = ? AND number = ?)`,
		t.lease, s.process, t.number).Scan(&held)
	if err == nil && !held {
		t.end(ErrSuperseded)
		err = ErrSuperseded
	}
	return err
}

func (l *leases) lock(ctx context.Context, lease Lease) (context.Context, func() error, error) {
	l.mu.Lock()
	t := l.led[lease]
	l.mu.Unlock()
	if t != nil {
		return t.lock(ctx)
	}
	t, err := l.take(ctx, lease, true, true)
	if err != nil {
		return nil, nil, err
	}
	return t.ctx, t.release, nil
}

// lock marks the holder as busy, so that no other process interrupts it.
func (t *term) lock(ctx context.Context) (context.Context, func() error, error) {
	switch err := t.set(ctx, `busy = 1`); {
	case errors.Is(err, ErrSuperseded):
		t.end(ErrSuperseded)
		return nil, nil, ErrLocked
	case err != nil:
		return nil, nil, fmt.Errorf("taking the lease %s: %w", t.lease, err)
	}
	work := *t
	work.outer = ctx
	ctx, end := context.WithCancelCause(context.WithValue(ctx, leadershipKey{}, leadership(&work)))
	stop := context.AfterFunc(t.ctx, func() { end(context.Cause(t.ctx)) })
	return ctx, func() error {
		stop()
		end(context.Canceled)
		if err := t.set(ctx, `busy = 0`); !errors.Is(err, ErrSuperseded) {
			return err
		}
		return nil
	}, nil
}

func (l *leases) lead(ctx context.Context, lease Lease, log *slog.Logger, work func(context.Context)) {
	log = log.With("lease", string(lease), "node", l.store.Node())
	failing := false
	for {
		t, err := l.takeOver(ctx, lease)
		switch {
		case err == nil:
			failing = false
			if t.lead(log, work) {
				return
			}
		case errors.Is(err, ErrLocked):
			failing = false
		case !failing && ctx.Err() == nil:
			failing = true
			log.Error("the lease can be neither read nor taken", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(l.lasts / 5):
		}
	}
}

// takeOver takes a lease that has ended.
func (l *leases) takeOver(ctx context.Context, lease Lease) (*term, error) {
	ended, err := l.ended(ctx, lease)
	if err != nil {
		return nil, err
	}
	if !ended {
		return nil, ErrLocked
	}
	return l.take(ctx, lease, false, false)
}

// lead runs work for the term and reports whether it ended by itself, or because the
// caller's context did.
func (t *term) lead(log *slog.Logger, work func(context.Context)) bool {
	log.Info("this node leads", "number", t.number)
	t.mu.Lock()
	t.led[t.lease] = t
	t.mu.Unlock()
	work(t.ctx)
	t.mu.Lock()
	delete(t.led, t.lease)
	t.mu.Unlock()
	if cause := context.Cause(t.ctx); cause != nil && t.outer.Err() == nil {
		log.Warn("this node leads no more", "number", t.number, "reason", cause)
		return false
	}
	if err := t.release(); err != nil {
		log.Error("the lease could not be given back: it ends by itself", "error", err)
	}
	return true
}

func (l *leases) ask(ctx context.Context, lease Lease) error {
	_, err := l.db.ExecContext(ctx, `UPDATE leases SET requests = requests + 1 WHERE name = ?`, lease)
	if err != nil {
		return fmt.Errorf("asking the holder of the lease %s: %w", lease, err)
	}
	return nil
}

// gone removes the lease of a process that has ended, so that the process cannot renew it.
func (l *leases) gone(ctx context.Context, tx *Tx, process string) (bool, error) {
	name := processLease(process)
	if _, err := tx.ExecContext(ctx, `DELETE FROM leases WHERE name = ? AND until_ms <= `+serverClock, name); err != nil {
		return false, err
	}
	var lives bool
	err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM leases WHERE name = ?)`, name).Scan(&lives)
	return !lives, err
}

func (l *leases) holders(ctx context.Context) ([]LeaseHolder, error) {
	list, err := Scanned(ctx, l.db, func(rows *sql.Rows) (h LeaseHolder, err error) {
		var process string
		var age, left int64
		err = rows.Scan(&h.Lease, &process, &h.Since, &h.Number, &age, &left)
		h.Node, h.Age, h.Left = nodeOf(process), time.Duration(age)*time.Millisecond, time.Duration(left)*time.Millisecond
		return h, err
	}, `SELECT name, holder, since_ms, number, `+serverClock+` - since_ms, until_ms - `+serverClock+` FROM leases WHERE until_ms > `+serverClock+` AND name NOT LIKE 'process/%' AND name NOT LIKE 'server/%' ORDER BY name`)
	if err != nil {
		return nil, fmt.Errorf("reading the leases: %w", err)
	}
	return list, nil
}

// attend keeps a lease of this process. One that was lost with the network is taken again. Each
// process has a row of its own: those of processes that have ended are removed.
func (l *leases) attend(ctx context.Context) (leave func(), err error) {
	if _, err := l.db.ExecContext(ctx, `DELETE FROM leases WHERE name LIKE 'server/%' AND until_ms <= `+serverClock); err != nil {
		return nil, fmt.Errorf("removing the leases of servers that have ended: %w", err)
	}
	ctx, end := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.lead(ctx, serverLease(l.store.process), slog.New(slog.DiscardHandler), func(ctx context.Context) { <-ctx.Done() })
	}()
	return func() { end(); <-done }, nil
}

func (l *leases) alone(ctx context.Context) (context.Context, func() error, error) {
	if err := l.unused(ctx); err != nil { // before a collector that waits for its next run is interrupted
		return nil, nil, err
	}
	ctx, release, err := l.lock(ctx, CollectorLease)
	if errors.Is(err, ErrLocked) {
		err = inUse("a collector")
	}
	if err == nil {
		if err = l.unused(ctx); err != nil {
			err = errors.Join(err, release())
		}
	}
	return ctx, release, err
}

// unused returns [ErrInUse] if another process has a lease.
func (l *leases) unused(ctx context.Context) error {
	var process string
	err := l.db.QueryRowContext(ctx, `SELECT holder FROM leases WHERE until_ms > `+serverClock+` AND holder <> ? ORDER BY name LIMIT 1`, l.store.process).Scan(&process)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("reading the leases: %w", err)
	}
	return inUse("the node " + nodeOf(process))
}
