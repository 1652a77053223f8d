package collector

import "time"

// SetAfter replaces the clock by which the collector pauses.
func (c *Collector) SetAfter(after func(time.Duration) <-chan time.Time) { c.after = after }

// SetLook sets how often Serve looks whether rates are due.
func (c *Collector) SetLook(every time.Duration) { c.rates.look = every }
