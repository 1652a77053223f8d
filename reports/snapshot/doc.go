// Package snapshot opens a query: one state of the store, with the data that every report
// needs, such as coverage, the compared period and rates.
package snapshot
