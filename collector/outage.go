package collector

import (
	"context"
	"errors"
	"time"

	"rebatedesk/exchange"
)

// probeEvery is the shortest time between two calls to an exchange that is down.
const probeEvery = 30 * time.Second

// standing is what one run over an account leaves for the next one.
type standing struct {
	turn    int       // see plan
	outages int       // consecutive runs that the exchange's silence has ended
	asked   time.Time // when the last of them ended
}

// ended records how a run ended.
func (s *standing) ended(err error, read bool, now time.Time) {
	switch {
	case !isOutage(err):
		s.outages = 0
	case read:
		s.outages, s.asked = 1, now // the exchange was up in between
	default:
		s.outages, s.asked = s.outages+1, now
	}
}

// isOutage reports whether a run ended because the exchange gave no valid answer, rather
// than because of a setting or the database.
func isOutage(err error) bool {
	for _, class := range []exchange.Class{
		exchange.ClassTransport, exchange.ClassUpstream, exchange.ClassRateLimit, exchange.ClassMalformed,
	} {
		if errors.Is(err, class) {
			return true
		}
	}
	return false
}

// holdBack waits until an exchange that did not answer may be called again, for whatever
// run.
func (r *run) holdBack(ctx context.Context) error {
	if !r.probing {
		return nil
	}
	now := r.now()
	pause := min(r.standing.asked.Add(probeEvery).Sub(now), probeEvery)
	if pause <= 0 {
		return nil
	}
	r.progress.waiting("the exchange did not answer; it is asked again at " + clockTime(now.Add(pause)))
	defer r.progress.waiting("")
	select {
	case <-r.after(pause):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sparing reduces the calls of the context to what the state of the exchange allows: until
// it is known to be up again, each call is sent once.
func (r *run) sparing(ctx context.Context) context.Context {
	if r.probing {
		return exchange.WithTries(ctx, 1)
	}
	return ctx
}

// backoff returns the pause after a number of consecutive outages: it doubles each time, up
// to the ordinary pause, and is never so short that two calls follow each other too soon.
func backoff(outages int, every time.Duration) time.Duration {
	pause := probeEvery
	for ; outages > 1 && pause < every; outages-- {
		pause *= 2
	}
	return max(min(pause, every), probeEvery)
}

// clockTime returns an instant in a form for managers.
func clockTime(t time.Time) string { return t.UTC().Format("15:04:05 UTC") }
