// Package programme is the affiliate programme of the simulated exchange: its participants,
// their trades, and the records that follow from them. Everything depends only on a seed
// and a start.
package programme

import "math"

// Milliseconds, the unit of all times.
const (
	minute = int64(60_000)
	hour   = 60 * minute
	day    = 24 * hour

	never = int64(math.MaxInt64)
)
