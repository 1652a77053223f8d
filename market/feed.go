package market

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/internal/guard"
	"rebatedesk/store"
)

// Options configure a [Feed].
type Options struct {
	Accounts   func() []affiliate.Account // in use, the default one first
	Client     func(affiliate.Account) (*weex.Client, bool)
	Favourites func(context.Context) ([]string, error) // spot pairs that some user marked; nil: none are polled
	Store      *store.Store                            // nil: nothing is kept

	KeepTrades  time.Duration // how long trades and prices are kept; 0: a week
	KeepCandles time.Duration // how long candles are kept, at least as long as trades; 0: 400 days

	Now func() time.Time // nil: time.Now
	Log *slog.Logger     // nil: nothing is logged

	// Speed divides the intervals of polls and streams, see [Feed.Every]. It is for tests, which
	// do not wait by the clock; 0: 1.
	Speed int
}

// Defaults of [Options].
const (
	DefaultKeepTrades  = 7 * 24 * time.Hour
	DefaultKeepCandles = 400 * 24 * time.Hour
)

// Share is the largest part of the request budget that polls take, as a divisor: a quarter.
const Share = 4

const (
	shareWindow   = 10 * time.Second // in which the budget counts
	leastShare    = 20               // the heaviest call, without which there are no 24 h figures
	othersPart    = 6                // the largest part of the share for open orders of other pairs, as a divisor
	mostOthers    = 40               // other pairs whose open orders are read for a ticket
	mostPolls     = 4                // under way at once
	pollTimeout   = 20 * time.Second
	favouritesFor = 30 * time.Second // how long the list of favourites is used
	pruneEvery    = time.Hour
)

// Feed polls markets for all their readers. It is safe for concurrent use.
type Feed struct {
	o       Options
	stirred chan struct{}
	writes  chan func(context.Context) error
	done    chan struct{} // closed when the feed ends
	history history

	mu         sync.Mutex
	polls      map[pollKey]*poll
	watches    map[*Reader]struct{}
	favourites []string
	spent      []spending // of the last [shareWindow]
	busy       int
	kept       map[string]time.Time              // last price kept of a pair, by venue and pair
	asked      map[affiliate.Account][]askedPair // the one asked for last at the end
	keepErr    error                             // why the newest write failed
	version    uint64
}

// spending is the weight of a poll that began at a time.
type spending struct {
	at     time.Time
	weight int
}

// New returns a feed that polls once it runs.
func New(o Options) *Feed {
	o.KeepTrades = cmp.Or(o.KeepTrades, DefaultKeepTrades)
	o.Speed = cmp.Or(o.Speed, 1)
	o.KeepCandles = max(cmp.Or(o.KeepCandles, DefaultKeepCandles), o.KeepTrades)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Feed{o: o, stirred: make(chan struct{}, 1), writes: make(chan func(context.Context) error, 256), done: make(chan struct{}),
		polls: map[pollKey]*poll{}, watches: map[*Reader]struct{}{}, kept: map[string]time.Time{}, asked: map[affiliate.Account][]askedPair{}}
}

// Run polls until ctx ends. It may run once.
func (f *Feed) Run(ctx context.Context) {
	defer close(f.done)
	var work sync.WaitGroup
	defer work.Wait()
	work.Go(func() { f.write(ctx) })
	work.Go(func() { f.upkeep(ctx) })
	work.Go(func() { f.warm(ctx) })
	for {
		timer := time.NewTimer(f.step(ctx, &work))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		case <-f.stirred:
			timer.Stop()
		}
	}
}

// Every returns how long an interval of users takes here: as long, unless a test has set the speed.
func (f *Feed) Every(interval time.Duration) time.Duration {
	return interval / time.Duration(f.o.Speed)
}

// Done is closed when the feed has ended.
func (f *Feed) Done() <-chan struct{} { return f.done }

// stir makes the loop look at what is due.
func (f *Feed) stir() {
	select {
	case f.stirred <- struct{}{}:
	default:
	}
}

// upkeep reads the favourites and deletes what was kept for long enough.
func (f *Feed) upkeep(ctx context.Context) {
	pruned := time.Time{}
	for ctx.Err() == nil {
		err := guard.Do(f.o.Log, "markets", func() error {
			if err := f.readFavourites(ctx); err != nil {
				return err
			}
			if f.o.Store == nil || time.Since(pruned) < pruneEvery {
				return nil
			}
			pruned = time.Now()
			return f.prune(ctx)
		})
		if err != nil && ctx.Err() == nil {
			f.o.Log.Warn("the upkeep of the markets failed", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(favouritesFor):
		}
	}
}

func (f *Feed) readFavourites(ctx context.Context) error {
	if f.o.Favourites == nil {
		return nil
	}
	list, err := f.o.Favourites(ctx)
	if err != nil {
		return err
	}
	f.mu.Lock()
	changed := !slices.Equal(f.favourites, list)
	f.favourites = list
	f.mu.Unlock()
	if changed {
		f.stir()
	}
	return nil
}

// step starts the polls that are due and fit into the share. It returns how long to wait for
// the next one.
func (f *Feed) step(ctx context.Context, work *sync.WaitGroup) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	needs := f.needs()
	f.forget(needs)
	wait := favouritesFor
	for _, p := range f.inOrder(needs) {
		due := p.due(needs[p.key])
		client, ok := f.o.Client(p.key.account)
		switch {
		case !ok || p.busy:
		case due.After(now):
			wait = min(wait, due.Sub(now))
		case f.busy >= mostPolls:
			return wait // the end of a poll stirs
		default:
			if free := f.room(now, p.key.kind.weight(), client); free > 0 {
				return min(wait, free)
			}
			f.start(ctx, work, p, client, now)
		}
	}
	return wait
}

// forget drops what nobody needs, unless it is recent: a reader may come back.
func (f *Feed) forget(needs map[pollKey]time.Duration) {
	maps.DeleteFunc(f.polls, func(key pollKey, p *poll) bool {
		_, needed := needs[key]
		return !needed && !p.busy && time.Since(p.tried) > time.Hour
	})
	for key := range needs {
		if f.polls[key] == nil {
			f.polls[key] = &poll{key: key}
		}
	}
}

// inOrder returns the needed polls: urgent ones first, then by how long they are due.
func (f *Feed) inOrder(needs map[pollKey]time.Duration) []*poll {
	list := make([]*poll, 0, len(needs))
	for key := range needs {
		list = append(list, f.polls[key])
	}
	slices.SortFunc(list, func(a, b *poll) int {
		return cmp.Or(-cmp.Compare(boolInt(a.urgent), boolInt(b.urgent)), a.due(needs[a.key]).Compare(b.due(needs[b.key])),
			strings.Compare(a.key.symbol, b.key.symbol), cmp.Compare(a.key.kind, b.key.kind))
	})
	return list
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// room returns 0 if a weight fits into the share now, or how long to wait.
func (f *Feed) room(now time.Time, weight int, client *weex.Client) time.Duration {
	f.spent = slices.DeleteFunc(f.spent, func(s spending) bool { return now.Sub(s.at) >= shareWindow })
	sum := weight
	for _, s := range f.spent {
		sum += s.weight
	}
	if sum <= max(client.Budget().Limit/Share, leastShare) || len(f.spent) == 0 {
		return 0
	}
	return shareWindow - now.Sub(f.spent[0].at) + time.Millisecond
}

// start sends a poll.
func (f *Feed) start(ctx context.Context, work *sync.WaitGroup, p *poll, client *weex.Client, now time.Time) {
	f.spent = append(f.spent, spending{now, p.key.kind.weight()})
	f.busy++
	p.busy = true
	urgent, before := p.urgent, p.answer
	work.Go(func() {
		var got answer
		err := guard.Do(f.o.Log, "poll of a market", func() (err error) {
			ctx, cancel := context.WithTimeout(exchange.WithTries(ctx, 1), pollTimeout)
			defer cancel()
			priority := exchange.Collection
			if urgent {
				priority = exchange.Interactive // a page waits for it
			}
			got, err = f.ask(exchange.WithPriority(ctx, priority), p.key, client, before)
			return err
		})
		if ctx.Err() == nil {
			f.finish(p, got, err)
			f.keep(p.key, client.Host(), got, err)
		}
	})
}

// finish takes the result of a poll and tells its readers.
func (f *Feed) finish(p *poll, got answer, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.busy--
	p.busy, p.urgent, p.tried, p.err = false, false, time.Now(), err
	if err == nil {
		p.answer = got
	}
	f.version++
	p.version = f.version
	f.tell(p.key)
	f.stir()
}

// tell wakes the readers of a poll.
func (f *Feed) tell(key pollKey) {
	for w := range f.watches {
		if _, reads := w.needs[key]; reads {
			w.wake()
		}
	}
}
