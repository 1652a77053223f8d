// Package changes compares what two states of the store say about the same commission: what
// became known in between, what was taken back, and what was restated.
package changes
