// Package terms is what was agreed: the rate of commission that the exchange owes us, and
// the share of fees that we owe sub-affiliates, by scope, product, source and day.
//
// It reads and writes the terms file, finds contradictions, and resolves which term applies
// to a record on a day. It works on values alone, without access to the store.
package terms
