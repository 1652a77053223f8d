//go:build race

package main

// raced reports whether the tests run under the race detector, which takes several times the
// memory.
const raced = true
