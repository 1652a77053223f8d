package simulator

import "math"

const (
	minute = int64(60_000)
	hour   = 60 * minute
	day    = 24 * hour

	never = int64(math.MaxInt64)
)
