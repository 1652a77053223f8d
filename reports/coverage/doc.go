// Package coverage tells how completely days are collected, from what the log of the
// collection says of them. It reads nothing itself.
package coverage
