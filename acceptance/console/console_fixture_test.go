package console_test

import (
	"slices"
	"time"
)

// median returns the median of durations.
func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}
