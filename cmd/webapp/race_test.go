//go:build race

package main

// raced says that the tests run under the race detector, which takes
// several times the memory.
const raced = true
