// Package soak says how long the tests may be that get better the longer they
// run. It is for tests only.
package soak

import "os"

// Variable asks for the long versions where it is 1, as in "make soak".
const Variable = "REBATEDESK_SOAK"

// Long reports whether the long versions were asked for.
func Long() bool { return os.Getenv(Variable) == "1" }

// Times is how often a test repeats its work: short in "make check", long in
// "make soak".
func Times(short, long int) int {
	if Long() {
		return long
	}
	return short
}
