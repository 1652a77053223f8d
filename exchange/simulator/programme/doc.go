// Package programme is the affiliate programme of the simulated exchange: who
// takes part, what they trade, and the records that follow from it. Everything
// depends on a seed and a start alone.
package programme

import "math"

// Milliseconds, in which all times are counted.
const (
	minute = int64(60_000)
	hour   = 60 * minute
	day    = 24 * hour

	never = int64(math.MaxInt64)
)
