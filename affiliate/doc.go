// Package affiliate is the vocabulary of an affiliate programme: commissions, invitees and
// sub-affiliate days, with the exact numbers, instants, days and ranges of which they
// consist.
//
// It does no input or output. Every other package uses its types, so that a value keeps its
// meaning and its exactness from the exchange's answer to the exported file.
package affiliate
