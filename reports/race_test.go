//go:build race

package reports_test

import "flag"

// The race detector makes the database many times slower, and what it looks
// for does not depend on how many data are tried. -rapid.checks still decides.
func init() {
	if err := flag.Set("rapid.checks", "8"); err != nil {
		panic(err)
	}
}
