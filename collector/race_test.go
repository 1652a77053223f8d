//go:build race

package collector_test

// raced is true if the race detector makes everything ten times as slow.
const raced = true
