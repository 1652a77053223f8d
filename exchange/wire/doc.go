// Package wire reads the exchange's JSON strictly: envelopes, pages and objects, and the
// forms in which it writes numbers, times and identities. An answer that is not understood
// is a fault that names its field, and never a zero.
//
// The records are not defined here: callers pass structs with tags that check themselves.
package wire
