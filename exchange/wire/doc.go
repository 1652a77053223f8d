// Package wire reads the exchange's JSON strictly: envelopes, pages and objects,
// and the ways in which it writes numbers, times and identities. An answer that is
// not understood is a fault that names its field, and never a zero.
//
// What the records are is not known here: they are structs with tags, and rows
// that know what they lack.
package wire
