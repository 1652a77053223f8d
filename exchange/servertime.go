package exchange

import (
	"context"
	"net/http"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/wire"
)

// ServerTime asks for the exchange's time, exact to the millisecond, UTC. The
// interface document does not list this endpoint; it is public and unsigned.
//
//	GET /api/v2/public/time
func (c *sender) ServerTime(ctx context.Context) (time.Time, error) {
	p, err := perform(ctx, c, call{endpoint: timeEndpoint}, func() *wire.Instant { return new(wire.Instant) })
	if err != nil {
		return time.Time{}, err
	}
	return affiliate.Millis(*p).Time(), nil
}

// Now is the exchange's clock: the local one and the offset learned from its
// answers. Before the first answer it asks for the time.
func (c *sender) Now(ctx context.Context) (time.Time, error) {
	if now, known := c.clock.now(); known {
		return now.UTC(), nil
	}
	if err := c.setClock(ctx); err != nil {
		return time.Time{}, err
	}
	return c.localTime().UTC(), nil
}

// clockTime is the exchange's clock, unknown where its offset is.
func (c *sender) clockTime() affiliate.Millis { return c.clock.millis() }

// localTime is the exchange's clock as far as it is known, else the local one.
func (c *sender) localTime() time.Time {
	now, _ := c.clock.now()
	return now
}

// setClock learns the offset anew.
func (c *sender) setClock(ctx context.Context) error {
	c.clock.forget()
	if _, err := c.ServerTime(ctx); err != nil {
		return err
	}
	if _, known := c.clock.now(); !known {
		return timeEndpoint.fail(ClassClock,
			"the clocks of the exchange and of this machine are "+c.clock.refused().Round(time.Minute).Abs().String()+" apart",
			"set the clock of this machine; if it is right, the exchange's is not, and nothing can be collected", nil)
	}
	return nil
}

// learn sets the clock by an answer: by its payload where that is the time, by
// its envelope, or by the Date header, which has only seconds. A bare answer of
// the contract address teaches no more than its header, and only who knows
// nothing: its "timestamp" is when the ticker last changed.
func (c *sender) learn(e Endpoint, a wire.Envelope, p wire.Payload, got received, sent time.Time) {
	if e.Contract && a.OK() {
		if _, known := c.clock.now(); known {
			return
		}
		a.Time = 0
	}
	if t, ok := p.(*wire.Instant); ok && *t != 0 {
		a.Time = affiliate.Millis(*t)
	}
	if a.Time.Known() {
		c.clock.learn(a.Time.Time(), sent, got.at, time.Millisecond)
		return
	}
	date, err := http.ParseTime(got.header.Get("Date"))
	if err == nil && date.UnixMilli() >= int64(wire.Earliest) && date.UnixMilli() < int64(wire.Latest) {
		c.clock.learn(date, sent, got.at, time.Second)
	}
}
