package console

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/market"
	"rebatedesk/trading"
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

// ordered is how many of the newest intents name the pairs that are followed.
const ordered = 200

// followed returns the spot pairs that a reader follows: favourites, those that somebody asked
// for in the last day, and those of orders of the last day.
func (s *Area) followed(ctx context.Context, a asking) ([]string, error) {
	list, err := a.console.Favourites(ctx, a.user)
	if err != nil {
		return nil, err
	}
	asked, err := askedFor(ctx, s.Market, a.account)
	if err != nil {
		return nil, err
	}
	list = slices.Concat(list, asked)
	if s.Trading != nil {
		intents, err := s.Trading.Intents(ctx, trading.IntentQuery{Account: a.account, Limit: ordered})
		if err != nil {
			return nil, err
		}
		day := affiliate.MillisOf(time.Now().Add(-market.AskedFor))
		for _, in := range intents {
			if in.Kind != string(trading.Trigger) && (in.Made > day || slices.ContainsFunc(in.Orders, isOpen)) {
				list = append(list, in.Pair)
			}
		}
	}
	known := map[string]bool{}
	return slices.DeleteFunc(list, func(pair string) bool {
		again := known[pair]
		known[pair] = true
		return again
	}), nil
}

// isOpen reports whether an order may still be open at the exchange.
func isOpen(o trading.Order) bool {
	return o.Side != "" && (o.State == trading.IntentPlaced || o.State == trading.IntentUnknown || o.State == trading.IntentSending)
}
