// Package market is what the simulated exchange trades: coins, spot and
// contract pairs, and their prices, which are a function of seed and time. Orders do
// not move them.
package market

// Milliseconds, in which all times are counted.
const (
	minute = int64(60_000)
	day    = 24 * 60 * minute
)
