//go:build race

package reports_test

import "flag"

// The race detector makes SQLite many times slower, and it needs only a few checks. The
// flag -rapid.checks has precedence.
func init() {
	if err := flag.Set("rapid.checks", "8"); err != nil {
		panic(err)
	}
}
