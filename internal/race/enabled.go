//go:build race

package race

// Enabled is true in a program that the race detector watches.
const Enabled = true
