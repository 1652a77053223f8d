// Package answers is a cache of finished values. A value requested several times at once is
// made once, and the memory of all values is limited.
package answers
