// Package figures holds the values that reports are made of, and their arithmetic:
// totals, comparisons, series, rankings and conversions. It reads nothing itself.
package figures
