// Package soak sets the length of tests that find more the longer they run. It is for tests
// only.
package soak

import (
	"flag"
	"os"
	"strconv"
)

// Variable requests the long versions if it is 1, as in "make soak".
const Variable = "REBATEDESK_SOAK"

// Long reports whether the long versions were requested.
func Long() bool { return os.Getenv(Variable) == "1" }

// Times returns how often a test repeats its work: short in "make check", long in "make
// soak".
func Times(short, long int) int {
	if Long() {
		return long
	}
	return short
}

// Draws sets how often the property tests of a package draw, unless the long versions were
// requested. The flag -rapid.checks has precedence over it in TestMain.
func Draws(n int) error {
	if Long() {
		return nil
	}
	return flag.Set("rapid.checks", strconv.Itoa(n))
}
