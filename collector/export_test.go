package collector

import "time"

// SetAfter replaces the clock by which the collector pauses.
func (c *Collector) SetAfter(after func(time.Duration) <-chan time.Time) { c.after = after }
