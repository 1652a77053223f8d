package benchdata

import (
	"slices"
	"time"
)

// Durations is a list of single measurements.
type Durations []time.Duration

// Measure adds the duration of f.
func (d *Durations) Measure(f func()) {
	start := time.Now()
	f()
	*d = append(*d, time.Since(start))
}

// P95 returns the 95th percentile.
func (d Durations) P95() time.Duration {
	sorted := slices.Sorted(slices.Values(d))
	return sorted[(len(sorted)*95+99)/100-1]
}
