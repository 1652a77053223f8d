// Package estimate says where a sum of daily amounts will end, with a range. It has no access
// to the store. Its floats are estimates and are never added to facts: what was earned stays
// an exact decimal.
//
// docs/method.md describes the method and how well it held.
package estimate
