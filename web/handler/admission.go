package handler

import (
	"cmp"
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"golang.org/x/sync/semaphore"
)

// pagePlaces limits how many pages are computed at once. Computing occupies a core for
// its whole duration, so one user gets places for half of the cores: another user's
// page then finds a core as well as a place. Each page reads a state of the store,
// whose number is limited to few more (store: maxReaders).
func pagePlaces() *places {
	cores := runtime.GOMAXPROCS(0)
	return newPlaces(limits{all: min(2*cores, 8), each: min(max(cores/2, 1), 4), line: 32, patience: 10 * time.Second, pause: time.Second})
}

// filePlaces limits how many files are written at once. Each holds a state of the store
// for as long as its reader takes, and pages need some too.
func filePlaces() *places {
	return newPlaces(limits{all: 6, each: 2, line: 2, patience: 10 * time.Second, pause: time.Second})
}

// previewPlaces limits how many files that were sent are read at once. Reading one occupies a
// core, and the memory of what it says.
func previewPlaces() *places {
	return newPlaces(limits{all: 2, each: 1, line: 1, patience: 10 * time.Second, pause: time.Second})
}

// limits bounds the number of places in use at once.
type limits struct {
	all      int           // in total
	each     int           // per user
	line     int           // waiting requests per user, in addition
	patience time.Duration // maximum wait
	pause    time.Duration // how long a refusal is delayed for a user whose line is full
}

// places limits how many requests run at once, in total and per user. A request first
// waits in its user's own line; at the head of it, it joins the common line, in which
// no user has more requests than places. So a single request waits for only a few of
// each other user's, however many those have in their own lines.
type places struct {
	limits
	free *semaphore.Weighted

	// crowded is called now and then while a user waits although a place of their own
	// is free. It may be nil.
	crowded func(user string)
	// emptied is called when a crowd has gone and no request has come for a while. It
	// may be nil.
	emptied func()

	mutex  sync.Mutex
	users  map[string]*userPlaces // users with a place or in a line
	crowd  bool                   // a request has waited since emptied was called
	silent *time.Timer            // runs while no request is present; nil before the first crowd
}

type userPlaces struct {
	free    *semaphore.Weighted
	present int // requests with a place or waiting
}

func newPlaces(l limits) *places {
	return &places{limits: l, free: semaphore.NewWeighted(int64(l.all)), users: map[string]*userPlaces{}}
}

// NoPlace is the error of a request that waited in vain or found a full line.
type NoPlace struct{ Own bool } // the user's own places are taken, not all places

func (n *NoPlace) Error() string {
	if n.Own {
		return "all places of the user are taken"
	}
	return "all places are taken"
}

// enter waits for a place, which leave gives back. Its error is a *noPlace or that of
// ctx.
func (p *places) enter(ctx context.Context, user string) (leave func(), err error) {
	u := p.join(user)
	if u == nil {
		// The client would retry at once, and answering costs work too.
		return nil, pausing(ctx, p.pause)
	}
	waiting, stop := context.WithTimeout(ctx, p.patience)
	defer stop()
	if err := p.acquire(waiting, u.free, nil); err != nil {
		p.part(user)
		return nil, cmp.Or(ctx.Err(), error(&NoPlace{Own: true}))
	}
	if err := p.acquire(waiting, p.free, func() { p.crowded(user) }); err != nil {
		u.free.Release(1)
		p.part(user)
		return nil, cmp.Or(ctx.Err(), error(&NoPlace{}))
	}
	return p.leaving(user, u), nil
}

// tryEnter is enter without waiting.
func (p *places) tryEnter(user string) (leave func(), ok bool) {
	u := p.join(user)
	if u == nil {
		return nil, false
	}
	if !u.free.TryAcquire(1) {
		p.part(user)
		return nil, false
	}
	if !p.free.TryAcquire(1) {
		u.free.Release(1)
		p.part(user)
		return nil, false
	}
	return p.leaving(user, u), true
}

// leaving returns a function that gives a place back, once.
func (p *places) leaving(user string, u *userPlaces) func() {
	return sync.OnceFunc(func() {
		p.free.Release(1)
		u.free.Release(1)
		p.part(user)
	})
}

func pausing(ctx context.Context, pause time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(pause):
		return &NoPlace{Own: true}
	}
}

// join adds a request to the user's count; nil means that the user's line is full.
func (p *places) join(user string) *userPlaces {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	u := p.users[user]
	if u == nil {
		u = &userPlaces{free: semaphore.NewWeighted(int64(p.each))}
		p.users[user] = u
	}
	if u.present == p.each+p.line {
		return nil
	}
	u.present++
	return u
}

// quietAfter is how long no request may have come before a crowd counts as over.
const quietAfter = 2 * time.Second

// part removes a request from the count.
func (p *places) part(user string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	u := p.users[user]
	if u.present--; u.present == 0 {
		delete(p.users, user)
	}
	switch {
	case len(p.users) > 0 || !p.crowd:
	case p.silent == nil:
		p.silent = time.AfterFunc(quietAfter, p.silence)
	default:
		p.silent.Reset(quietAfter)
	}
}

// silence ends a crowd unless a request has come meanwhile.
func (p *places) silence() {
	p.mutex.Lock()
	over := p.crowd && len(p.users) == 0
	p.crowd = p.crowd && !over
	p.mutex.Unlock()
	if over && p.emptied != nil {
		p.emptied()
	}
}

// crowdedEvery is how often crowded is called while a user waits.
const crowdedEvery = 250 * time.Millisecond

// acquire takes a free place, and calls crowded while it waits.
func (p *places) acquire(ctx context.Context, free *semaphore.Weighted, tell func()) error {
	if free.TryAcquire(1) {
		return nil
	}
	p.mutex.Lock()
	p.crowd = true
	p.mutex.Unlock()
	if tell != nil && p.crowded != nil {
		over := make(chan struct{})
		defer close(over)
		go func() {
			every := time.NewTicker(crowdedEvery)
			defer every.Stop()
			for {
				select {
				case <-over:
					return
				case <-every.C:
					tell()
				}
			}
		}()
	}
	return free.Acquire(ctx, 1)
}

// InTurn computes a page when its reader's turn has come.
func (s *Base) InTurn(c *fiber.Ctx) error {
	leave, stop, err := s.take(s.pages, c)
	if err != nil {
		return err
	}
	defer stop()
	defer leave()
	return c.Next()
}

// take waits for a free place for the caller. While the caller waits, and afterwards
// until stop, the context of the request ends when the client disconnects.
func (s *Base) take(from *places, c *fiber.Ctx) (leave, stop func(), err error) {
	who, err := s.Caller(c)
	if err != nil {
		return nil, nil, err
	}
	if leave, ok := from.tryEnter(who.User); ok {
		return leave, func() {}, nil
	}
	stop = s.watchClient(c)
	if leave, err = from.enter(c.UserContext(), who.User); err != nil {
		stop()
		return nil, nil, err
	}
	return leave, stop, nil
}

// watchClient ends the context of a request when its client disconnects, until stop is
// called.
func (s *Base) watchClient(c *fiber.Ctx) (stop func()) {
	conn, ok := c.Context().Conn().(*conn)
	if !ok { // a test without a connection
		return func() {}
	}
	asked := c.UserContext()
	ctx, cancel := context.WithCancel(asked)
	c.SetUserContext(ctx)
	unwatch := conn.watch(cancel)
	return func() {
		unwatch()
		c.SetUserContext(asked)
		cancel()
	}
}

// AtPreview runs f, which reads a file that a user sent, at one of the places for that. The
// context of f ends when the client leaves or the request takes too long.
func AtPreview(s *Base, c *fiber.Ctx, f func(ctx context.Context) error) error {
	who, err := s.Caller(c)
	if err != nil {
		return err
	}
	defer s.watchClient(c)()
	leave, err := s.previews.enter(c.UserContext(), who.User)
	if err != nil {
		return err
	}
	defer leave()
	return f(c.UserContext())
}
