package handler

import (
	"cmp"
	"context"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// pagePlaces bounds how many pages are computed at once. Computing takes a core for
// as long as it lasts, so one user gets places for half of the cores: another one's
// page finds a core besides a place. Each page reads a state of the store, of which
// there are not many more (store: maxReaders).
func pagePlaces() *places {
	cores := runtime.GOMAXPROCS(0)
	return newPlaces(limits{all: min(2*cores, 8), each: min(max(cores/2, 1), 4), line: 32, patience: 10 * time.Second, pause: time.Second})
}

// filePlaces bounds how many files are written at once. Each holds a state of the
// store for as long as its reader takes, and pages need some too.
func filePlaces() *places {
	return newPlaces(limits{all: 6, each: 2, line: 2, patience: 10 * time.Second, pause: time.Second})
}

// limits is how many may be busy at once.
type limits struct {
	all      int           // together
	each     int           // of one user
	line     int           // of one user that wait besides
	patience time.Duration // how long each waits at most
	pause    time.Duration // how long a refusal is held back from who has filled their line
}

// places lets so many do something at once, and so many of each user. A user's
// own line comes first; at its head one joins the line of all, in which no user
// stands more often than they have places. So whoever comes with one request waits
// for few of each other user's, however many those have in their own lines.
type places struct {
	limits
	free *semaphore.Weighted

	// crowded is called now and then while somebody waits though a place of their
	// own is free; nil: it is not.
	crowded func(user string)
	// emptied is called once a crowd has gone and nobody has come for a while; nil:
	// it is not.
	emptied func()

	mutex  sync.Mutex
	users  map[string]*userPlaces // that have a place or wait for one
	crowd  bool                   // somebody has waited since emptied was called
	silent *time.Timer            // runs since nobody was there; nil: there was no crowd yet
}

type userPlaces struct {
	free    *semaphore.Weighted
	present int // with a place or waiting
}

func newPlaces(l limits) *places {
	return &places{limits: l, free: semaphore.NewWeighted(int64(l.all)), users: map[string]*userPlaces{}}
}

// NoPlace is the error of who has waited in vain, or found a full line.
type NoPlace struct{ Own bool } // the places of that user are taken, not those of all

func (n *NoPlace) Error() string {
	if n.Own {
		return "all places of the user are taken"
	}
	return "all places are taken"
}

// enter waits for a place, which leave gives back. Its error is a *noPlace, or
// that of ctx.
func (p *places) enter(ctx context.Context, user string) (leave func(), err error) {
	u := p.join(user)
	if u == nil {
		// They would ask again at once, and being asked costs something too.
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

// tryEnter is enter for who does not wait.
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

// leaving gives a place back, once.
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

// join counts one more of the user; nil: their line is full.
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

// quietAfter is how long nobody may have come for a crowd to be over.
const quietAfter = 2 * time.Second

// part counts one less.
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

// silence ends a crowd, unless somebody has come meanwhile.
func (p *places) silence() {
	p.mutex.Lock()
	over := p.crowd && len(p.users) == 0
	p.crowd = p.crowd && !over
	p.mutex.Unlock()
	if over && p.emptied != nil {
		p.emptied()
	}
}

// crowdedEvery is how often it is told that somebody waits.
const crowdedEvery = 250 * time.Millisecond

// acquire takes one of what is free, and tells while it waits.
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
