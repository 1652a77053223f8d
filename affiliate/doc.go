// Package affiliate is the vocabulary of an affiliate programme: what a
// commission, an invitee and a sub-affiliate day are, and the exact numbers,
// instants, days and ranges they are made of.
//
// It does no input or output. Every other package speaks in its types, so that
// a value keeps its meaning and its exactness from the exchange's answer to
// the exported file.
package affiliate
