// Package months says which months can be closed and which are, with their sums as closed and as
// of now, and freezes what is known of a month.
package months
