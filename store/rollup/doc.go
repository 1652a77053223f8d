// Package rollup adds commissions up by day, week, month and year. It is pure: it folds
// changes into the text of blocks and reads it back, and uses no SQL.
package rollup
