package market

import (
	"context"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/internal/guard"
	"rebatedesk/store"
	kept "rebatedesk/store/market"
)

// The slots of long charts of favourites are read soon after the start, before a user opens such
// a chart: it is made of hundreds of thousands of minutes.
const (
	warmSlots   = 240 // slots of a chart, at least as many as any page draws
	warmMarkets = 40  // at most; fewer than half of what is remembered
	warmAfter   = 5 * time.Second
	warmPart    = affiliate.Millis(10 * 24 * time.Hour / time.Millisecond) // read at once
	warmRest    = 3                                                        // pauses, in times of the work: pages and orders go first
)

// warmIntervals are the lengths whose charts take long.
var warmIntervals = []string{"1d", "4h"}

// warm reads the slots of long charts of favourites, a part at a time, until ctx ends.
func (f *Feed) warm(ctx context.Context) {
	if f.o.Store == nil || f.o.Favourites == nil {
		return
	}
	for rest(ctx, warmAfter) {
		if err := guard.Do(f.o.Log, "reading of charts ahead", func() error { return f.warmFavourites(ctx) }); err != nil && ctx.Err() == nil {
			f.o.Log.Warn("charts of favourites could not be read ahead", "error", err)
		}
		rest(ctx, favouritesFor)
	}
}

func (f *Feed) warmFavourites(ctx context.Context) error {
	f.mu.Lock()
	pairs := f.favourites
	f.mu.Unlock()
	for _, account := range f.o.Accounts() {
		client, ok := f.o.Client(account)
		if !ok {
			continue
		}
		for _, pair := range pairs[:min(len(pairs), warmMarkets)] {
			for _, name := range warmIntervals {
				interval, _ := IntervalNamed(name)
				market := kept.Key{Venue: client.Host(), Pair: pair}
				if err := f.history.warm(ctx, f.o.Store, market, interval, affiliate.MillisOf(f.o.Now())); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// warm remembers the slots of a chart that are over, oldest first. Each part is read as a chart that
// ends with it, so that what is remembered is checked as ever.
func (h *history) warm(ctx context.Context, s *store.Store, market kept.Key, interval Interval, now affiliate.Millis) error {
	length, key := interval.millis(), pastKey{market, interval.millis()}
	running := interval.Start(now)
	from := running - affiliate.Millis(warmSlots-1)*length
	for {
		_, unread := h.recall(key, from, running)
		if unread >= running {
			return nil
		}
		began := time.Now()
		end := min(unread+max(warmPart-warmPart%length, length), running)
		if err := h.warmPart(ctx, s, market, interval, int((end-from)/length)+1, end); err != nil {
			return err
		}
		if !rest(ctx, warmRest*time.Since(began)) {
			return ctx.Err()
		}
	}
}

func (h *history) warmPart(ctx context.Context, s *store.Store, market kept.Key, interval Interval, n int, end affiliate.Millis) error {
	r, err := s.Read(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = h.chart(ctx, r, market, interval, n, end)
	return err
}

// rest waits. It reports false if ctx ends before.
func rest(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
