package transport

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
func (c *Sender) ServerTime(ctx context.Context) (time.Time, error) {
	p, err := Perform(ctx, c, APICall{Endpoint: TimeEndpoint}, func() *wire.Instant { return new(wire.Instant) })
	if err != nil {
		return time.Time{}, err
	}
	return affiliate.Millis(*p).Time(), nil
}

// Now is the exchange's clock: the local one and the offset learned from its
// answers. Before the first answer it asks for the time.
func (c *Sender) Now(ctx context.Context) (time.Time, error) {
	if now, known := c.clock.now(); known {
		return now.UTC(), nil
	}
	if err := c.SetClock(ctx); err != nil {
		return time.Time{}, err
	}
	return c.LocalTime().UTC(), nil
}

// ClockTime is the exchange's clock, unknown where its offset is.
func (c *Sender) ClockTime() affiliate.Millis { return c.clock.millis() }

// LocalTime is the exchange's clock as far as it is known, else the local one.
func (c *Sender) LocalTime() time.Time {
	now, _ := c.clock.now()
	return now
}

// SetClock discards the offset and learns it again.
func (c *Sender) SetClock(ctx context.Context) error {
	c.clock.forget()
	if _, err := c.ServerTime(ctx); err != nil {
		return err
	}
	if _, known := c.clock.now(); !known {
		return TimeEndpoint.Fail(ClassClock,
			"the clocks of the exchange and of this machine are "+c.clock.refused().Round(time.Minute).Abs().String()+" apart",
			"set the clock of this machine; if it is right, the exchange's is not, and nothing can be collected", nil)
	}
	return nil
}

// learn sets the clock by an answer: by its payload where that is the time, by
// its envelope, or by the Date header, which has only seconds. Of a bare answer of
// the contract address only the header counts, and only while the offset is unknown:
// its "timestamp" is when the ticker last changed.
func (c *Sender) learn(e Endpoint, a wire.Envelope, p wire.Payload, got Received, sent time.Time) {
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
	date, err := http.ParseTime(got.Header.Get("Date"))
	if err == nil && date.UnixMilli() >= int64(wire.FirstInstant) && date.UnixMilli() < int64(wire.LastInstant) {
		c.clock.learn(date, sent, got.at, time.Second)
	}
}
