// Package exchange is the seam between the desk and the exchanges. What is above it (the
// collector, the prices of coins, progress and metrics) knows a [Source] and its [Sheet]; what
// is below it, a folder for each exchange, knows the exchange's addresses, names and limits.
//
// The folders share package transport (signing, budget, clock, tries), package wire (the
// strict decoder) and package listing (lists that are read page by page until they are
// proven).
package exchange
