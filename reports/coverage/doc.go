// Package coverage reports how completely days are collected, according to the collection
// log. It reads nothing itself.
package coverage
