package market

import (
	"slices"
	"time"
)

// Durations are measured one by one.
type Durations []time.Duration

// Measure adds how long f takes.
func (d *Durations) Measure(f func()) {
	start := time.Now()
	f()
	*d = append(*d, time.Since(start))
}

// P95 is the time that 95 of 100 stay within.
func (d Durations) P95() time.Duration {
	sorted := slices.Sorted(slices.Values(d))
	return sorted[(len(sorted)*95+99)/100-1]
}
