package transport

import (
	"context"
	"net/http"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/wire"
)

// ServerTime requests the exchange's time in UTC, exact to the millisecond. The interface
// document does not list this endpoint; it is public and unsigned.
//
//	GET /api/v2/public/time
func (c *Sender) ServerTime(ctx context.Context) (time.Time, error) {
	p, err := Perform(ctx, c, APICall{Endpoint: c.protocol.Time}, func() *wire.Instant { return new(wire.Instant) })
	if err != nil {
		return time.Time{}, err
	}
	return affiliate.Millis(*p).Time(), nil
}

// Now returns the exchange's time: the local clock plus the offset learned from its
// answers. Before the first answer it requests the time.
func (c *Sender) Now(ctx context.Context) (time.Time, error) {
	if now, known := c.clock.now(); known {
		return now.UTC(), nil
	}
	if err := c.SetClock(ctx); err != nil {
		return time.Time{}, err
	}
	return c.LocalTime().UTC(), nil
}

// ClockTime returns the exchange's time, unknown if its offset is.
func (c *Sender) ClockTime() affiliate.Millis { return c.clock.millis() }

// MachineTime returns the time of this machine.
func (c *Sender) MachineTime() time.Time { return c.cfg.Now() }

// LocalTime returns the exchange's time as far as it is known, otherwise the local time.
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
		return c.protocol.Time.Fail(ClassClock,
			"the clocks of the exchange and of this machine are "+c.clock.refused().Round(time.Minute).Abs().String()+" apart",
			"set the clock of this machine; if it is right, the exchange's is not, and nothing can be collected", nil)
	}
	return nil
}

// learn sets the clock from an answer: from its payload if that is the time, from its
// envelope, or from the Date header, which is exact only to the second. A bare answer of
// the contract address contributes only its header, and only while the offset is unknown:
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
	if _, known := c.clock.now(); known && c.protocol.Timeless {
		return
	}
	if date := timeOf(wire.Envelope{}, got); date.Known() {
		c.clock.learn(date.Time(), sent, got.at, time.Second)
	}
}

// timeOf returns the exchange's time of an answer: that of its envelope, or of the Date
// header, which is exact only to the second. It is unknown if neither is valid.
func timeOf(a wire.Envelope, got Received) affiliate.Millis {
	if a.Time.Known() {
		return a.Time
	}
	date, err := http.ParseTime(got.Header.Get("Date"))
	if err != nil || date.UnixMilli() < int64(wire.FirstInstant) || date.UnixMilli() >= int64(wire.LastInstant) {
		return 0
	}
	return affiliate.MillisOf(date)
}
