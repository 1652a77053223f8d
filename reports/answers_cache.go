package reports

import (
	"context"
	"math"
	"reflect"

	"github.com/maypok86/otter/v2"

	"rebatedesk/affiliate"
)

// answers keeps finished reports for the state of the store that they were made
// from. A report that many ask for at once is made once.
type answers struct {
	cache *otter.Cache[answerKey, any]
}

// answerKey identifies a finished report: the same key always has the same value.
type answerKey struct {
	report  string
	asked   any              // comparable: what a query and other parameters say
	written affiliate.Millis // stamp of the last write of the state
	minute  int64            // of the Unix epoch; 0 where the report does not depend on the time
}

// answersBytes bounds the memory of the cache.
const answersBytes = 64 << 20

func newAnswers() *answers {
	return &answers{otter.Must(&otter.Options[answerKey, any]{
		MaximumWeight: answersBytes,
		Weigher:       func(_ answerKey, v any) uint32 { return uint32(min(sizeOf(reflect.ValueOf(v)), math.MaxUint32)) },
		Executor:      func(f func()) { f() }, // bookkeeping needs no goroutine
	})}
}

func answerOf[T any](ctx context.Context, a *answers, key answerKey, make func(context.Context) (T, error)) (T, error) {
	v, err := a.cache.Get(ctx, key, otter.LoaderFunc[answerKey, any](func(ctx context.Context, _ answerKey) (any, error) {
		return make(ctx)
	}))
	if err != nil {
		var none T
		return none, err
	}
	return v.(T), nil
}
