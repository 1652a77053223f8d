// Package market holds the markets of the simulated exchange: coins, spot and contract
// pairs, and their prices, which are a function of seed and time. Orders do not move them.
package market

// Milliseconds, the unit of all times.
const (
	minute = int64(60_000)
	day    = 24 * 60 * minute
)
