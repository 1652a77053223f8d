package collector

import (
	"context"
	"errors"
	"time"

	"rebatedesk/exchange"
)

// probeEvery is the shortest time between two calls to an exchange that is
// down.
const probeEvery = 30 * time.Second

// standing is what one run over an account leaves for the next one.
type standing struct {
	turn    int       // see plan
	outages int       // runs in a row that the exchange's silence has ended
	asked   time.Time // when the last of them ended
}

// ended notes how a run ended.
func (s *standing) ended(err error, read bool, now time.Time) {
	switch {
	case !isOutage(err):
		s.outages = 0
	case read:
		s.outages, s.asked = 1, now // it was there in between
	default:
		s.outages, s.asked = s.outages+1, now
	}
}

// isOutage reports whether a run ended because the exchange gave no sound
// answer, rather than because of a setting or the database.
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

// holdBack waits until an exchange that did not answer may be asked again,
// whoever wants to know.
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

// sparing makes the calls of the context as few as the state of the exchange
// asks for: while it is not known to be back, each is sent once.
func (r *run) sparing(ctx context.Context) context.Context {
	if r.probing {
		return exchange.WithTries(ctx, 1)
	}
	return ctx
}

// backoff is the pause after so many outages in a row: twice as long each
// time, up to the ordinary pause, and never so short that two calls would
// follow each other too soon.
func backoff(outages int, every time.Duration) time.Duration {
	pause := probeEvery
	for ; outages > 1 && pause < every; outages-- {
		pause *= 2
	}
	return max(min(pause, every), probeEvery)
}

// clockTime is an instant for a manager to read.
func clockTime(t time.Time) string { return t.UTC().Format("15:04:05 UTC") }
