package answers

import (
	"context"
	"math"
	"reflect"

	"github.com/maypok86/otter/v2"
	"github.com/maypok86/otter/v2/stats"

	"rebatedesk/affiliate"
)

// Cache keeps finished reports with the state of the store from which they were made. A
// report requested several times at once is made once.
type Cache struct {
	cache *otter.Cache[ReportKey, any]
	count *stats.Counter
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
	Asked   any              // comparable: the query and other parameters
	Written affiliate.Millis // stamp of the last write of the state
	Minute  int64            // of the Unix epoch; 0 if the report does not depend on the time
}

// answersBytes limits the memory of a cache, unless [Cache.Limit] was called.
const answersBytes = 64 << 20

// New returns an empty cache.
func New() *Cache {
	count := stats.NewCounter()
	return &Cache{count: count, cache: otter.Must(&otter.Options[ReportKey, any]{
		StatsRecorder: count,
		MaximumWeight: answersBytes,
		Weigher:       func(_ ReportKey, v any) uint32 { return uint32(min(sizeOf(reflect.ValueOf(v)), math.MaxUint32)) },
		Executor:      func(f func()) { f() }, // bookkeeping needs no goroutine
	})}
}

// Limit sets the most bytes that all values may take. What exceeds it goes at once, least
// used values first.
func (a *Cache) Limit(bytes uint64) {
	a.cache.SetMaximum(bytes)
	a.cache.CleanUp()
}

// Forget removes the values that nobody asks for any more: those of states before the stamp
// written and of minutes before minute. It returns how many bytes they took.
func (a *Cache) Forget(written affiliate.Millis, minute int64) (bytes uint64) {
	before := a.cache.WeightedSize()
	for key := range a.cache.Keys() {
		if key.Written.Known() && key.Written < written || key.Minute != 0 && key.Minute < minute {
			a.cache.Invalidate(key)
		}
	}
	a.cache.CleanUp()
	return before - min(before, a.cache.WeightedSize())
}

// Get returns the value of a key, and makes it if it does not exist. All callers share the
// value and must not change it. Errors are not kept.
func Get[T any](ctx context.Context, a *Cache, key ReportKey, make func(context.Context) (T, error)) (T, error) {
	v, err := a.cache.Get(ctx, key, otter.LoaderFunc[ReportKey, any](func(ctx context.Context, _ ReportKey) (any, error) {
		return make(ctx)
	}))
	if err != nil {
		var none T
		return none, err
	}
	return v.(T), nil
}
