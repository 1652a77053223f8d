// Package race tells tests whether the race detector watches them. It is for tests only.
package race

import "testing"

// Skip skips a test under the race detector, which makes everything about ten times as slow. why
// says what takes long there although no goroutines share it.
func Skip(t testing.TB, why string) {
	t.Helper()
	if Enabled {
		t.Skip("not under the race detector: " + why)
	}
}
