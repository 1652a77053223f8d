// Package seeded draws the numbers that the simulator makes its world of. They
// follow from a seed and a purpose, so that one more draw in one place changes
// nothing in another.
package seeded
