// Package figures holds the values in reports, and their arithmetic: totals, comparisons,
// series, rankings and conversions. It reads nothing itself.
package figures
