// Package question opens a query: one state of the store, with what every report asks
// of it, such as coverage, the compared period and rates.
package question
