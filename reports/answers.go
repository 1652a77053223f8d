package reports

import (
	"context"
	"math"
	"reflect"
	"time"

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

// answer gives the report from the cache, or makes it. Callers share the value:
// nobody may change it. make reads a state of its own, which may be later than
// the one of the key but never earlier.
func answer[T any](ctx context.Context, s *Service, report string, asked any, make func(context.Context) (T, error)) (T, error) {
	var none T
	written, err := s.lastWrite(ctx)
	if err != nil {
		return none, err
	}
	return answerOf(ctx, s.answers, answerKey{report, asked, written, s.now().Unix() / int64(time.Minute/time.Second)}, make)
}

// part gives a value that several reports are made of, like [answer]. It depends
// on the state of the store alone.
func part[T any](ctx context.Context, q *question, name string, asked any, make func(context.Context) (T, error)) (T, error) {
	return answerOf(ctx, q.answers, answerKey{report: name, asked: asked, written: q.written}, make)
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

// lastWrite is the stamp of the newest state.
func (s *Service) lastWrite(ctx context.Context) (stamp affiliate.Millis, err error) {
	r, err := s.store.Read(ctx)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	return r.LastWrite(ctx)
}
