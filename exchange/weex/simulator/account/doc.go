// Package account is the user's money and orders at the simulated exchange: wallets, bills,
// orders that fill as prices move, and the commissions that are paid out. It knows nothing
// about how requests and answers are encoded.
package account

import "math"

// Milliseconds, the unit of all times.
const (
	minute = int64(60_000)
	hour   = 60 * minute
	day    = 24 * hour

	never = int64(math.MaxInt64)
)
