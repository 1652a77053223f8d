package answers

import (
	"context"
	"iter"
	"math"
	"sync/atomic"

	"github.com/maypok86/otter/v2"
	"github.com/maypok86/otter/v2/stats"

	"rebatedesk/affiliate"
)

// Cache keeps finished reports with the state of the store from which they were made. A
// report requested several times at once is made once.
type Cache struct {
	cache  library
	count  *stats.Counter
	minute atomic.Int64 // the present one, as the last call of Forget said
}

// library is what a cache needs of otter. It is an interface because a package that sees a type made
// of a generic one compiles all methods of that: each package that asks for a report would compile
// otter once more, which took a fifth of the time of a first build.
type library interface {
	GetIfPresent(ReportKey) (*entry, bool)
	get(context.Context, ReportKey, func(context.Context) (*entry, error)) (*entry, error)
	quietly(ReportKey) (*entry, bool)
	Set(ReportKey, *entry) (*entry, bool)
	Invalidate(ReportKey) (*entry, bool)
	Keys() iter.Seq[ReportKey]
	WeightedSize() uint64
	GetMaximum() uint64
	SetMaximum(uint64)
	CleanUp()
}

// kept is the library.
type kept struct {
	*otter.Cache[ReportKey, *entry]
}

func (k kept) get(ctx context.Context, key ReportKey, make func(context.Context) (*entry, error)) (*entry, error) {
	return k.Get(ctx, key, otter.LoaderFunc[ReportKey, *entry](func(ctx context.Context, _ ReportKey) (*entry, error) {
		return make(ctx)
	}))
}

// quietly returns the entry of a key without counting that as a use.
func (k kept) quietly(key ReportKey) (*entry, bool) {
	e, ok := k.GetEntryQuietly(key)
	return e.Value, ok
}

// CacheUse counts the operations of a cache since it was made, and its contents.
type CacheUse struct {
	Hits, Misses, Evictions uint64
	Bytes, Limit            uint64 // total size of all values, and its limit
}

// Use returns the counts.
func (a *Cache) Use() CacheUse {
	s := a.count.Snapshot()
	return CacheUse{Hits: s.Hits, Misses: s.Misses, Evictions: s.Evictions, Bytes: a.cache.WeightedSize(), Limit: a.cache.GetMaximum()}
}

// ReportKey identifies a finished report: the same key always has the same value.
type ReportKey struct {
	Report  string
	Asked   any               // comparable: the query and other parameters
	Bound   affiliate.Bound   // of the caller
	Members affiliate.Members // of the question that the value is a part of
	Written affiliate.Millis  // stamp of the last write of the state, or of what Lasting says
	Minute  int64             // of the Unix epoch; 0 if the report does not depend on the time
	// Lasting says that Written is the stamp of the last write to what the value is made of,
	// which is a part of the store. Later writes to the rest leave the value valid.
	Lasting bool
}

// unusedMinutes is how long a lasting value stays in the cache after it was last used. The
// usual pause between two collections is shorter.
const unusedMinutes = 30

// entry is a value with the minute in which it was last used; 0: before the first call of
// [Cache.Forget].
type entry struct {
	value any
	used  atomic.Int64
}

// answersBytes limits the memory of a cache, unless [Cache.Limit] was called.
const answersBytes = 64 << 20

// New returns an empty cache.
func New() *Cache {
	count := stats.NewCounter()
	return &Cache{count: count, cache: kept{otter.Must(&otter.Options[ReportKey, *entry]{
		StatsRecorder: count,
		MaximumWeight: answersBytes,
		Weigher: func(_ ReportKey, e *entry) uint32 {
			return uint32(min(weightOf(e.value), math.MaxUint32))
		},
		Executor: func(f func()) { f() }, // bookkeeping needs no goroutine
	})}}
}

// Limit sets the most bytes that all values may take. What exceeds it goes at once, least
// used values first.
func (a *Cache) Limit(bytes uint64) {
	a.cache.SetMaximum(bytes)
	a.cache.CleanUp()
}

// Forget removes the values that nobody asks for any more: those of states before the stamp
// written and of minutes before minute, and lasting values of which there is a newer one or
// which were not used for half an hour. It returns how many bytes they took.
func (a *Cache) Forget(written affiliate.Millis, minute int64) (bytes uint64) {
	a.minute.Store(minute)
	before := a.cache.WeightedSize()
	newest := map[ReportKey]affiliate.Millis{} // of lasting values, by their key without a stamp
	for key := range a.cache.Keys() {
		if key.Lasting {
			newest[key.ever()] = max(newest[key.ever()], key.Written)
		}
	}
	for key := range a.cache.Keys() {
		var old bool
		if key.Lasting {
			old = key.Written < newest[key.ever()]
			if e, ok := a.cache.quietly(key); ok && !e.used.CompareAndSwap(0, minute) {
				old = old || e.used.Load() < minute-unusedMinutes
			}
		} else {
			old = key.Written.Known() && key.Written < written
		}
		if old || key.Minute != 0 && key.Minute < minute {
			a.cache.Invalidate(key)
		}
	}
	a.cache.CleanUp()
	return before - min(before, a.cache.WeightedSize())
}

// Peek returns the value of a key, if it exists.
func Peek[T any](a *Cache, key ReportKey) (value T, ok bool) {
	e, ok := a.cache.GetIfPresent(key)
	if !ok {
		return value, false
	}
	e.used.Store(a.minute.Load())
	return e.value.(T), true
}

// Renew makes a value that of a key, instead of any that exists.
func Renew[T any](a *Cache, key ReportKey, value T) {
	e := &entry{value: value}
	e.used.Store(a.minute.Load())
	a.cache.Set(key, e)
}

// ever returns the key without its stamp.
func (k ReportKey) ever() ReportKey {
	k.Written = 0
	return k
}

// Get returns the value of a key, and makes it if it does not exist. All callers share the
// value and must not change it. Errors are not kept.
func Get[T any](ctx context.Context, a *Cache, key ReportKey, make func(context.Context) (T, error)) (T, error) {
	e, err := a.cache.get(ctx, key, func(ctx context.Context) (*entry, error) {
		v, err := make(ctx)
		return &entry{value: v}, err
	})
	if err != nil {
		var none T
		return none, err
	}
	e.used.Store(a.minute.Load())
	return e.value.(T), nil
}
