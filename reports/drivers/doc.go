// Package drivers finds what moved commission from one period to another: who and what
// contributed to the change, and whether volume, fees or the share of fees did it.
package drivers
