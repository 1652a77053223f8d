// Package seeded draws the numbers from which the simulator builds its world. They follow
// from a seed and a purpose, so that one more draw in one place changes nothing in another.
package seeded
