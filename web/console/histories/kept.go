package histories

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// kept shares answers of the exchange between all who ask: one question at a time for each key,
// and none as long as the last answer is young. After a failure the last answer remains, with
// its time.
type kept[K comparable, V any] struct {
	mu  sync.Mutex
	all map[K]*keptAnswer[V]
}

type keptAnswer[V any] struct {
	asking sync.Mutex // held while the exchange is asked
	told   told[V]
}

// told is an answer of the exchange.
type told[V any] struct {
	value V
	at    time.Time // of the answer; zero: there never was one
	tried time.Time // when it was last asked for
	err   error     // why there is no younger one
}

// of returns an answer that is not older than life, or the reason why there is none. told
// keeps the last answer in that case.
func (k *kept[K, V]) of(ctx context.Context, key K, life time.Duration, ask func(context.Context) (V, error)) (told[V], error) {
	k.mu.Lock()
	if k.all == nil {
		k.all = map[K]*keptAnswer[V]{}
	}
	one := k.all[key]
	if one == nil {
		one = &keptAnswer[V]{}
		k.all[key] = one
	}
	k.mu.Unlock()
	one.asking.Lock()
	defer one.asking.Unlock()
	// A failure is not repeated for each who asks, either.
	young := !one.told.tried.IsZero() && time.Since(one.told.tried) < min(life, time.Second)
	if young || one.told.err == nil && time.Since(one.told.at) < life {
		return one.told, one.told.err
	}
	value, err := ask(ctx)
	if ctx.Err() != nil {
		return one.told, cmp.Or(err, ctx.Err())
	}
	one.told.tried, one.told.err = time.Now(), err
	if err == nil {
		one.told.value, one.told.at = value, one.told.tried
	}
	return one.told, err
}
