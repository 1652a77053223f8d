// Package answers is a cache of finished values. A value that many ask for at once
// is made once, and the memory that all of them take is bounded.
package answers
