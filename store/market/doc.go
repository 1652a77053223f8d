// Package market keeps public trades and prices, the candles of a minute that they make, and
// the times of which all trades are known. Reports do not show them, so writing them changes
// no stamp.
package market
