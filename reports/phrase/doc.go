// Package phrase words figures and findings: amounts, counts, changes, days, coverage, and
// warnings. Pages, mails and commands share it, so that one fact reads the same in all of
// them.
//
// It reads nothing and knows no markup. A function is named after the value that it words.
package phrase
